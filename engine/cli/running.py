"""`spb run`: collect responses and judgments."""

import json
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.options import StoreOption, say

if TYPE_CHECKING:
    from engine.config import RunConfig
    from engine.runner import RunOptions, RunReport
    from engine.runner.estimate import Forecast
    from engine.runner.options import Shard
    from engine.store import Store

Format = Literal["text", "json"]


_Config = Annotated[str, typer.Argument(metavar="CONFIG.toml", help="What is asked of whom.")]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be called and what it would cost; call nothing.")
]
_MaxUsd = Annotated[
    float | None,
    typer.Option("--max-usd", min=0, metavar="X", help="Spend no more; beats max_usd of the configuration."),
]
_Fresh = Annotated[bool, typer.Option("--fresh", help="Begin a new run instead of continuing the last one.")]
_RunId = Annotated[
    str | None,
    typer.Option(
        "--run-id", metavar="NAME", help="Go on with this run, or begin it; else the study's last run."
    ),
]
_Part = Annotated[
    str | None, typer.Option("--shard", metavar="K/N", help="Make only the K-th of N parts of the calls.")
]
_Cluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="tcp://HOST:PORT", help="Hand shards to the Dask cluster there."),
]
_Form = Annotated[Format, typer.Option("--format", help="How the result is printed.")]


def run(
    config: _Config,
    store: StoreOption = None,
    dry_run: _DryRun = False,
    max_usd: _MaxUsd = None,
    fresh: _Fresh = False,
    run_id: _RunId = None,
    shard: _Part = None,
    cluster: _Cluster = None,
    form: _Form = "text",
) -> None:
    """Collect responses and judgments; killed at any moment, the same command goes on where it stopped."""
    from engine.config import load_config
    from engine.errors import UsageError
    from engine.runner import RunOptions
    from engine.store import Store
    from engine.store.locations import check_name

    command = _command(config, store, max_usd=max_usd, shard=shard, cluster=cluster)
    if run_id is not None and fresh:
        raise UsageError(f"--run-id {run_id!r} and --fresh exclude each other; give one of them")
    options = RunOptions(
        max_usd=max_usd,
        fresh=fresh,
        shard=_shard(shard),
        command=command,
        run_id=run_id and check_name(run_id, "run's id"),
    )
    read, place = load_config(config), Store(store)
    if dry_run:
        _forecast(read, place, options, form)
        return
    report = _run(read, place, options, cluster)
    _print_report(report, form)
    if report.exit_code:
        say(_how_to_go_on(report, config, store, shard, cluster))
        raise typer.Exit(report.exit_code)


def _print_report(report: "RunReport", form: Format) -> None:
    if form == "json":
        print(json.dumps(report.to_dict()))
    say(report.message)
    for words in report.given_up.values():
        say(words)
    if form == "text" and not report.exit_code:
        print(f"{report.run_id}: {report.done:,} calls answered, {report.already_done:,} before")


def _run(config: "RunConfig", store: "Store", options: "RunOptions", cluster: str | None) -> "RunReport":
    from engine.cli.run_progress import run_progress
    from engine.errors import UsageError
    from engine.runner import run

    if cluster is not None and options.shard is not None:
        raise UsageError("--cluster and --shard exclude each other; give one of them")
    with run_progress() as show:
        if cluster is not None:
            from engine.runner.cluster import run_on_cluster

            return run_on_cluster(config, store, options, cluster, show=show)
        return run(config, store, options, show=show)


def _forecast(config: "RunConfig", store: "Store", options: "RunOptions", form: Format) -> None:
    from engine.runner.estimate import forecast

    found = forecast(config, store, options)
    if form == "json":
        print(json.dumps(found.to_dict()))
    else:
        _print_forecast(found)


def _print_forecast(found: "Forecast") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    names = (
        "model",
        "role",
        "paradigm",
        "variant",
        "calls",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
    )
    for name in names:
        table.add_column(name, no_wrap=True)
    for line in [*found.lines, found.total]:
        table.add_row(*(Text(_shown(getattr(line, name))) for name in names))
    Console(width=None if sys.stdout.isatty() else 200, soft_wrap=True).print(table)
    say("nothing was called; tokens are an estimate" + ("" if found.complete else f"; {found.note}"))


def _shown(value: object) -> str:
    from engine.errors import printable

    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4f}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _shard(text: str | None) -> "Shard | None":
    from engine.errors import UsageError
    from engine.finite import whole
    from engine.runner.options import Shard

    if text is None:
        return None
    number, _, count = text.partition("/")
    place, shards = whole(number), whole(count)
    if place is None or shards is None or not 1 <= place <= shards:
        raise UsageError(f"--shard is {text!r}; give K/N with K from 1 to N, such as 3/8")
    return Shard(place, shards)


def _how_to_go_on(
    report: "RunReport", config: str, store: str | None, shard: str | None, cluster: str | None
) -> str:
    """Return what is left and the command that continues."""
    cap = None
    if report.end == "budget":
        cap = round(max(report.spent, report.cap or 0.0) * 2 + 0.01, 2)
    command = _command(config, store, max_usd=cap, shard=shard, cluster=cluster)
    return f"{report.left:,} calls have no answer; continue with: {command}"


def _command(
    config: str, store: str | None, *, max_usd: float | None, shard: str | None, cluster: str | None
) -> str:
    parts = ["spb", "run", config]
    parts += ["--store", store] if store else []
    parts += ["--max-usd", f"{max_usd:g}"] if max_usd is not None else []
    parts += ["--shard", shard] if shard else []
    parts += ["--cluster", cluster] if cluster else []
    return shlex.join(parts)
