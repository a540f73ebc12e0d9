"""`spb run CONFIG.toml` collects responses and judgments."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.options import Format, FormOption, StoreOption, next_command, print_columns
from engine.cli.output import say
from engine.errors import UsageError, printable, unknown
from engine.paradigms import SHORTFALLS
from engine.phrases import quantity
from engine.schema import STATUSES
from engine.values import parse_int

if TYPE_CHECKING:
    from engine.collect.config import RunConfig
    from engine.collect.run_options import RunOptions, Shard
    from engine.collect.run_report import RunReport
    from engine.store import Store


# ------------------------------------------------------------------------------
# `spb run`: collect responses and judgments.


_Config = Annotated[str, typer.Argument(metavar="CONFIG.toml", help="Configuration of the run.")]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the planned calls and their estimated cost; call nothing.")
]
_MaxUsd = Annotated[
    float | None,
    typer.Option(
        min=0, metavar="X", help="Spending cap in US dollars; overrides max_usd in the configuration."
    ),
]
_NoCap = Annotated[bool, typer.Option("--no-cap", help="Call models that cost money without a spending cap.")]
_Fresh = Annotated[bool, typer.Option("--fresh", help="Start a new run instead of continuing the last one.")]
_Abandon = Annotated[
    bool,
    typer.Option(
        "--abandon-batches", help="Give up batches under way: their calls are made, and paid for, again."
    ),
]
_RunId = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Continue the run of this name, or start it (default: the study's last run)."
    ),
]
_Part = Annotated[str | None, typer.Option(metavar="K/N", help="Make only part K of N parts of the calls.")]
_Cluster = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="Distribute shards over the Dask cluster at this address."),
]
_Redo = Annotated[
    str | None,
    typer.Option(
        metavar="STATUS[,STATUS]",
        help="Repeat judgments and collected answers with these statuses, even with changed params or "
        "templates; judgments of a repeated answer are withdrawn with it: unparsed, "
        "cut_off, empty, only_thinking, malformed, refused, error, stood_in (answered by a "
        "fallback).",
    ),
]
_Detach = Annotated[
    bool, typer.Option("--detach", help="Run in the background; `spb run list` shows the progress.")
]
_Cache = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache",
        help="Use cached answers of earlier runs, in any study; overrides cache in the configuration.",
    ),
]
_CacheDir = Annotated[
    str | None, typer.Option(metavar="DIR", help="Folder of the answer cache (turns on --cache).")
]
_KeepRaw = Annotated[
    bool, typer.Option("--keep-raw", help="Store each raw request and answer, without keys.")
]
_Concurrency = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto",
        help="Calls in flight at once; auto (the default) allows as many as each provider accepts.",
    ),
]


def run(
    config: _Config,
    store: StoreOption = None,
    dry_run: _DryRun = False,
    max_usd: _MaxUsd = None,
    no_cap: _NoCap = False,
    fresh: _Fresh = False,
    run_id: _RunId = None,
    shard: _Part = None,
    cluster: _Cluster = None,
    redo: _Redo = None,
    abandon_batches: _Abandon = False,
    detach: _Detach = False,
    cache: _Cache = None,
    cache_dir: _CacheDir = None,
    keep_raw: _KeepRaw = False,
    concurrency: _Concurrency = None,
    form: FormOption = "text",
) -> None:
    """Collect answers and judgments from models.

    After an interruption, the same command continues. Models with a price need a spending cap, or --no-cap.
    """
    from engine.cli.spending_cap import with_cap
    from engine.collect.continuing import with_sample_of_run
    from engine.collect.read_config import load_config
    from engine.collect.run_options import RunOptions
    from engine.store import Store
    from engine.store.arrow_types import leave_pandas_out
    from engine.store.location import check_name

    leave_pandas_out()
    if cache is False and cache_dir is not None:
        raise UsageError(f"--no-cache and --cache-dir {cache_dir!r} cannot be combined; give one of them")
    if no_cap and max_usd is not None:
        raise UsageError(f"--no-cap and --max-usd {max_usd:g} cannot be combined; give one of them")
    if run_id is not None and fresh:
        raise UsageError(f"--run-id {run_id!r} and --fresh cannot be combined; give one of them")
    if redo is not None and (fresh or cluster is not None):
        raise UsageError(
            f"--redo {redo!r} cannot be combined with --fresh or --cluster; leave one of them out"
        )
    options = RunOptions(
        max_usd=max_usd,
        no_cap=no_cap,
        fresh=fresh,
        shard=_shard(shard),
        run_id=run_id and check_name(run_id, "run's id"),
        redo=_statuses(redo),
        abandon_batches=abandon_batches,
        cache=cache if cache_dir is None else os.path.abspath(os.path.expanduser(cache_dir)),
        keep_raw=keep_raw,
        concurrency=_concurrency(concurrency),
    )
    run_config, study_store = load_config(config), Store(store)
    run_config, sample_words = with_sample_of_run(run_config, study_store, options)
    if sample_words:
        say(sample_words)
    if dry_run:
        _forecast(run_config, study_store, options, form)
        return
    options = with_cap(run_config, study_store, options)
    options = replace(options, command=_command(config, store, options, cluster=cluster))
    if detach:
        if cluster is not None:
            raise UsageError("--detach and --cluster cannot be combined; give one of them")
        _detach(run_config, study_store, options, config, store)
        return
    report = run_calls(run_config, study_store, options, cluster)
    if report.end == "budget":  # the command to continue with has a higher cap
        options = replace(options, max_usd=round(max(report.spent, report.cap or 0.0) * 2 + 0.01, 2))
    print_report(report, form, _command(config, store, options, cluster=cluster))
    if report.exit_code:
        raise typer.Exit(report.exit_code)


def _detach(config: "RunConfig", store: "Store", options: "RunOptions", path: str, root: str | None) -> None:
    """Begin the run and leave it to a background process that outlives this terminal."""
    from engine.collect.run import begin, facts_of
    from engine.collect.run_folder import run_path
    from engine.collect.run_status import Status

    run_id = begin(config, store, options)
    folder = run_path(store, config.study, run_id)
    redo = ["--redo", ",".join(sorted(options.redo))] if options.redo else []
    arguments = [*shlex.split(_command(path, root, options))[1:], "--run-id", run_id, *redo]
    with (folder / "output").open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "engine.cli", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C in this terminal does not reach it
        )
    facts = facts_of(config, store, options, run_id)
    status = Status(folder / "status.json", facts, pid=process.pid)
    status.set("starting")  # before its own first one
    print(run_id)
    if status.message:
        say(status.message)
    watching = next_command(root, "run", "watch", run_id)
    output_words = f"its output goes to {folder / 'output'}"
    say(f"the run continues in the background; watch it with `{watching}`; {output_words}")


def print_report(report: "RunReport", form: Format | None, again: str) -> None:
    """Say how a run ended and how to go on; `form` is that of standard output, None to leave it alone."""
    if form == "json":
        print(json.dumps(report.to_dict()))
    say(report.message)
    for words in report.given_up.values():
        say(words)
    for words, count in report.error_words:
        if words not in report.given_up.values():
            say(f"{count:,} times: {words}")
    if report.end == "unread":
        both = ["unparsed", "refused"]
        statuses = ",".join([name for name in both if getattr(report, name)] or both)
        whys = {"refused": "every answer was refused", "unparsed": "no answer could be parsed"}
        why = whys.get(statuses, "no answer of the run has a verdict")
        say(f"{why}; fix the cause, then repeat with: {again} --redo {statuses}")
    elif shortfalls := sorted({each for _, each in report.missing if each is not None}):
        say(f"collect the missing answers again with: {again} --redo {','.join(shortfalls)}")
    elif report.exit_code:
        say(f"{quantity(report.calls_left, 'call')} without an answer; continue with: {again}")
    elif form == "text":
        print(f"{report.run_id}: {quantity(report.done, 'call')} answered, {report.already_done:,} before")


def run_calls(config: "RunConfig", store: "Store", options: "RunOptions", cluster: str | None) -> "RunReport":
    from engine.collect.run import run

    if cluster is not None and options.shard is not None:
        raise UsageError("--cluster and --shard cannot be combined; give one of them")
    with run_progress() as show:
        if cluster is not None:
            from engine.collect.cluster import run_on_cluster

            return run_on_cluster(config, store, options, cluster, show=show)
        return run(config, store, options, show=show)


def _forecast(config: "RunConfig", store: "Store", options: "RunOptions", form: Format) -> None:
    from engine.collect.forecasts import forecast

    costs = forecast(config, store, options)
    if form == "json":
        print(json.dumps(costs.to_dict()))
        return
    names = ["model", "role", "paradigm", "variant"]
    names += ["calls", "prompt_tokens", "completion_tokens", "cost_usd", "cost_usd_low", "cost_usd_high"]
    names += ["cached", "saved_usd"] if costs.total.cached else []
    lines = ([value_text(getattr(line, name)) for name in names] for line in (*costs.lines, costs.total))
    print_columns(names, lines, keys=names[:4])
    say("nothing was called; token counts are estimates" + (f"; {costs.note}" if costs.note else ""))
    for sentence in costs.guesses:
        say(sentence)


def value_text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _statuses(text: str | None) -> frozenset[str]:
    choices = (*(each for each in STATUSES if each != "ok"), *SHORTFALLS, "stood_in")
    names = [] if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in choices:
            raise unknown("status of --redo", name, choices)
    return frozenset(names)


def _shard(text: str | None) -> "Shard | None":
    from engine.collect.run_options import Shard

    if text is None:
        return None
    number, _, count = text.partition("/")
    part, parts = parse_int(number), parse_int(count)
    if part is None or parts is None or not 1 <= part <= parts:
        raise UsageError(f"--shard {text!r} is not K/N; give K from 1 to N, such as 3/8")
    return Shard(part, parts)


def _command(config: str, store: str | None, options: "RunOptions", *, cluster: str | None = None) -> str:
    shard = options.shard
    parts = ["spb", "run", config]
    parts += ["--store", store] if store else []
    parts += ["--max-usd", f"{options.max_usd:g}"] if options.max_usd is not None else []
    parts += ["--no-cap"] if options.no_cap else []
    parts += ["--shard", f"{shard.number}/{shard.count}"] if shard else []
    parts += ["--cluster", cluster] if cluster else []
    parts += ["--cache-dir", options.cache] if isinstance(options.cache, str) else []
    parts += ["--cache" if options.cache else "--no-cache"] if isinstance(options.cache, bool) else []
    parts += ["--keep-raw"] if options.keep_raw else []
    parts += ["--concurrency", str(options.concurrency)] if options.concurrency else []
    return shlex.join(parts)


def _concurrency(text: str | None) -> int | Literal["auto"] | None:
    if text is None:
        return None
    if text == "auto":
        return "auto"
    number = parse_int(text)
    if number is None or number < 1:
        raise UsageError(f"--concurrency {text!r} is not valid; give auto or a whole number from 1")
    return number


# ------------------------------------------------------------------------------
# A run's progress on standard error: a bar in a terminal, plain lines elsewhere.


_LINE_EVERY_S = 5.0
Show = Callable[[dict[str, Any]], None]


@contextmanager
def run_progress() -> Iterator[Show]:
    """Yield a function to call with each new status of a run."""
    if not sys.stderr.isatty():
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    words = TextColumn("{task.fields[words]}", markup=False)
    bar = Progress(BarColumn(), words, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None, words="")

    def show(status: dict[str, Any]) -> None:
        finished = status["done"] + status["error"]
        bar.update(task, completed=finished, total=status["total"] or None, words=status_text(status))

    with bar:
        yield show


def _lines() -> Show:
    """Return a function that prints plain lines: one at each change, else every five seconds."""
    last: tuple[object, float] = None, 0.0

    def show(status: dict[str, Any]) -> None:
        nonlocal last
        phase, now = (status["state"], status["stage"]), time.monotonic()
        if phase == last[0] and now - last[1] < _LINE_EVERY_S:
            return
        last = phase, now
        if status["state"] in ("running", "stopping") and status["stage"] != "planning":
            say(f"{status['stage']}: {status_text(status)}")

    return show


def status_text(status: dict[str, Any]) -> str:
    from engine.collect.run_status import cache_words

    parts = [f"{status['done']:,} of {status['total']:,}", f"{status['rate']:.1f}/s"]
    if status["seconds_left"] is not None:
        minutes, seconds = divmod(int(status["seconds_left"]), 60)
        parts.append(f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d} left")
    if status["cost_usd"]:
        parts.append(f"${status['cost_usd']:.4f}")
    parts += [f"{kind} {number:,}" for kind, number in status["errors"].items()]
    if status.get("cached"):
        parts.append(cache_words(status["cached"], status["saved_usd"]))
    if status["unparsed"]:
        parts.append(f"unparsed {status['unparsed']:,}")
    parts += status["pace"]
    if status["message"]:
        parts.append(str(status["message"]))
    return ", ".join(parts)
