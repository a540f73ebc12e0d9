"""What is looked up: `spb show` one judgment, `spb cache` paid answers, `spb glossary` the terms."""

import json
import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import FormOption, StoreOption, StudyOption, say

if TYPE_CHECKING:
    from engine.collect.answer_cache import AnswerCache
    from engine.store import Store


# ------------------------------------------------------------------------------
# `spb cache`: answers that were paid for once, to be used again; `spb show`: one judgment whole.


cache_app = typer.Typer(
    name="cache",
    help="Cached answers, which are used again instead of being paid for twice.",
    no_args_is_help=True,
)

_Folder = Annotated[
    str | None,
    typer.Option("--cache-dir", metavar="DIR", help="Folder of the answer cache (default: the usual place)."),
]


@cache_app.command("info")
def info(folder: _Folder = None, form: FormOption = "text") -> None:
    """Show what the cache holds, by model: answers, size, age and cost."""
    place, cache = _opened(folder)
    holdings = cache.holdings() if cache else []
    size, damaged = (cache.size_bytes, cache.damaged) if cache else (0, 0)
    if cache:
        cache.close()
    models = [
        asdict(each) | {"oldest": _time(each.oldest), "newest": _time(each.newest)} for each in holdings
    ]
    if form == "json":
        facts = {"folder": str(place), "size_bytes": size, "damaged": damaged, "models": models}
        print(json.dumps(facts))
        return
    for row in models:
        cost = "cost unknown" if row["cost_usd"] is None else f"${row['cost_usd']:,.4f}"
        what = f"{row['model']}  {row['answers']:,} answers  {cost}"
        say(f"{what}  {str(row['oldest'])[:10]} to {str(row['newest'])[:10]}", result=True)
    total = sum(each.answers for each in holdings)
    say(f"{total:,} answers, {size / 1e6:,.1f} MB in {place}")
    if damaged:
        say(f"{damaged:,} damaged answers set aside; `spb cache clear` removes them with all others")


@cache_app.command("clear")
def clear(
    folder: _Folder = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than", metavar="AGE", help="Remove only answers older than this, such as 30d, 12h or 2w."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Remove only answers of this model, as `spb cache info` names it.",
        ),
    ] = None,
) -> None:
    """Remove answers from the cache (default: all of them)."""
    from engine.collect.answer_cache import age_s
    from engine.errors import UsageError, unknown

    age = None if older_than is None else age_s(older_than)
    if older_than is not None and age is None:
        raise UsageError(
            f"--older-than {older_than!r} is not an age; give a number with m, h, d or w, such as 30d"
        )
    place, cache = _opened(folder)
    if cache is None:
        say(f"there is no cache in {place}")
        return
    names = [each.model for each in cache.holdings()]
    if model is not None and model not in names:
        cache.close()
        raise unknown("model of the cache", model, names)
    removed = cache.clear(older_than_s=age, model=model)
    cache.close()
    say(f"removed {removed:,} answers from {place}")


def _opened(folder: str | None) -> tuple[Path, "AnswerCache | None"]:
    """Return the cache's folder, and the cache where there is one."""
    from engine.collect.answer_cache import NAME, AnswerCache, default_folder, numbers

    place = default_folder() if folder is None else Path(os.path.expanduser(folder))
    return place, AnswerCache(place) if numbers(place, NAME) else None


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


# ------------------------------------------------------------------------------
# `spb show`: the stored rows of one call, and what went over the wire.


def show(
    judgment: Annotated[str, typer.Argument(metavar="CALL_ID", help="call_id of the judgment.")],
    study: StudyOption,
    store: StoreOption = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Show only the judgment of this run.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Show the raw requests and answers (stored with --keep-raw).")
    ] = False,
    form: FormOption = "text",
) -> None:
    """Show one stored judgment."""
    from engine.collect.answer_cache import exchanges_of
    from engine.collect.run_folder import run_place
    from engine.errors import UsageError
    from engine.store import Store

    place = Store(store)
    rows = _stored(place, study, judgment, run)
    if not rows:
        where = f"the study {study!r}" + ("" if run is None else f", run {run!r}")
        raise UsageError(f"{where} has no judgment with call_id {judgment!r}; take a call_id from its table")
    runs = list(dict.fromkeys(row["run_id"] for row in rows))
    exchanges = [
        (each, exchange)
        for each in runs
        for exchange in exchanges_of(run_place(place, study, each), judgment)
    ]
    if form == "json":
        facts = {"judgments": rows}
        if raw:
            facts["exchanges"] = [{"run_id": each, **asdict(exchange)} for each, exchange in exchanges]
        print(json.dumps(facts, default=str))
        return
    for row in rows:
        say("\n".join(f"{name}: {value}" for name, value in row.items()) + "\n", result=True)
    if not raw:
        return
    for each, exchange in exchanges:
        status = "" if exchange.status is None else f", status {exchange.status}"
        say(f"-- {each}, {_time(exchange.at)}, {exchange.address}{status}", result=True)
        say(f"{exchange.request}\n-- answer\n{exchange.answer}\n", result=True)
    if not exchanges:
        say(
            "its requests were not stored; use --keep-raw, and run `spb show` on the machine that ran "
            "the judges"
        )


def _stored(place: "Store", study: str, call_id: str, run: str | None) -> list[dict[str, Any]]:
    """Return what is known of the judgments of a call, the columns without a value left out."""
    from engine import schema

    where = {"call_id": (call_id,)} | ({} if run is None else {"run_id": (run,)})
    rows = place.open(study).judgments(schema.JUDGMENTS.names, where).to_pylist()
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


# ------------------------------------------------------------------------------
# `spb glossary`: what the terms mean.


def glossary(
    term: Annotated[
        str | None, typer.Argument(help="Term to explain, such as family (default: all).")
    ] = None,
) -> None:
    """Explain a term, or all terms, of pages, reports and outputs."""
    from engine.errors import unknown
    from engine.words.glossary import GLOSSARY

    shown = [one for one in GLOSSARY if term is None or one.name.casefold() == term.casefold()]
    if term is not None and not shown:
        raise unknown("term", term, [one.name for one in GLOSSARY])
    for one in shown:
        say(f"{one.name}: {one.meaning}")
