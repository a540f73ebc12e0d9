"""The options of `spb run`, how their values are read, and the command that they make up."""

import shlex
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.errors import UsageError, unknown
from engine.paradigms import SHORTFALLS
from engine.schema import STATUSES
from engine.values import parse_int

if TYPE_CHECKING:
    from engine.collect.run_options import RunOptions, Shard


ConfigArgument = Annotated[str, typer.Argument(metavar="CONFIG.toml", help="Configuration of the run.")]
RunDryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the planned calls and their estimated cost, and why the run would not start, if so; call "
        "nothing.",
    ),
]
MaxUsdOption = Annotated[
    float | None,
    typer.Option(
        min=0, metavar="X", help="Spending cap in US dollars; overrides max_usd in the configuration."
    ),
]
NoCapOption = Annotated[
    bool, typer.Option("--no-cap", help="Call models that cost money without a spending cap.")
]
FreshOption = Annotated[
    bool, typer.Option("--fresh", help="Start a new run instead of continuing the last one of these judges.")
]
AbandonOption = Annotated[
    bool,
    typer.Option(
        "--abandon-batches", help="Give up batches under way: their calls are made, and paid for, again."
    ),
]
RunIdOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Continue the run of this name, or start it (default: the study's last one of these judges).",
    ),
]
PartOption = Annotated[
    str | None, typer.Option(metavar="K/N", help="Make only part K of N parts of the calls.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="Distribute shards over the Dask cluster at this address."),
]
RedoOption = Annotated[
    str | None,
    typer.Option(
        metavar="STATUS[,STATUS]",
        help="Repeat judgments and collected answers with these statuses, even with changed params or "
        "templates; judgments of a repeated answer are withdrawn with it: unparsed, "
        "cut_off, empty, only_thinking, malformed, refused, error, stood_in (answered by a "
        "fallback).",
    ),
]
DetachOption = Annotated[
    bool, typer.Option("--detach", help="Run in the background; `spb run list` shows the progress.")
]
CacheOption = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache",
        help="Use cached answers of earlier runs, in any study; overrides cache in the configuration.",
    ),
]
CacheDirOption = Annotated[
    str | None, typer.Option(metavar="DIR", help="Folder of the answer cache (turns on --cache).")
]
KeepRawOption = Annotated[
    bool, typer.Option("--keep-raw", help="Store each raw request and answer, without keys.")
]
ConcurrencyOption = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto",
        help="Calls in flight at once; auto (the default) allows as many as each provider accepts.",
    ),
]


def statuses_of(text: str | None) -> frozenset[str]:
    choices = (*(each for each in STATUSES if each != "ok"), *SHORTFALLS, "stood_in")
    names = [] if text is None else [name.strip() for name in text.split(",")]
    for name in names:
        if name not in choices:
            raise unknown("status of --redo", name, choices)
    return frozenset(names)


def shard_of(text: str | None) -> "Shard | None":
    from engine.collect.run_options import Shard

    if text is None:
        return None
    number, _, count = text.partition("/")
    part, parts = parse_int(number), parse_int(count)
    if part is None or parts is None or not 1 <= part <= parts:
        raise UsageError(f"--shard {text!r} is not K/N; give K from 1 to N, such as 3/8")
    return Shard(part, parts)


def run_command(config: str, store: str | None, options: "RunOptions", *, cluster: str | None = None) -> str:
    shard = options.shard
    parts = ["spb", "run", config]
    parts += ["--store", store] if store else []
    parts += ["--max-usd", f"{options.max_usd:g}"] if options.max_usd is not None else []
    parts += ["--no-cap"] if options.no_cap else []
    parts += ["--run-id", options.run_id] if options.run_id else []
    parts += ["--shard", f"{shard.number}/{shard.count}"] if shard else []
    parts += ["--cluster", cluster] if cluster else []
    parts += ["--cache-dir", options.cache] if isinstance(options.cache, str) else []
    parts += ["--cache" if options.cache else "--no-cache"] if isinstance(options.cache, bool) else []
    parts += ["--keep-raw"] if options.keep_raw else []
    parts += ["--concurrency", str(options.concurrency)] if options.concurrency else []
    return shlex.join(parts)


def concurrency_of(text: str | None) -> int | Literal["auto"] | None:
    if text is None:
        return None
    if text == "auto":
        return "auto"
    number = parse_int(text)
    if number is None or number < 1:
        raise UsageError(f"--concurrency {text!r} is not valid; give auto or a whole number from 1")
    return number
