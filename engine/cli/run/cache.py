"""`spb run cache`: the cache of paid answers."""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.former import is_former
from engine.cli.options import refuse_together, time_text
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, TextFormatOption, print_done, print_rows
from engine.errors import UsageError, unknown
from engine.phrases import dollars, quantity

if TYPE_CHECKING:
    from engine.collect.database.answer_cache import AnswerCache

cache_app = typer.Typer(name="cache", help="Show or clear the cache of paid answers.", no_args_is_help=True)

_Folder = Annotated[
    str | None,
    typer.Option(
        "--cache-dir", metavar="DIR", help="Folder of the answer cache (default: the user's cache folder)."
    ),
]


@cache_app.command("info")
def info(folder: _Folder = None, form: TextFormatOption = "table") -> None:
    """Show what the cache holds, by model: answers, size, age and cost."""
    path, cache = _open_cache(folder)
    holdings = cache.holdings() if cache else []
    size, damaged = (cache.size_bytes, cache.damaged) if cache else (0, 0)
    if cache:
        cache.close()
    models = [
        asdict(each) | {"oldest": time_text(each.oldest), "newest": time_text(each.newest)}
        for each in holdings
    ]
    if form == "json":
        print(json.dumps({"folder": str(path), "size_bytes": size, "damaged": damaged, "models": models}))
        return
    if form == "csv" or not is_former():
        heads = ("Model", "Answers", "Cost in USD", "Oldest", "Newest")
        names = ("model", "answers", "cost_usd", "oldest", "newest")
        sentences = () if models else (f"There are no answers in {path}.",)
        print_rows(Rows(models, dict(zip(names, heads, strict=True)), sentences), form)
        models = []
    for row in models:
        cost = "cost unknown" if row["cost_usd"] is None else dollars(row["cost_usd"])
        what = f"{row['model']}  {quantity(row['answers'], 'answer')}  {cost}"
        say(f"{what}  {str(row['oldest'])[:10]} to {str(row['newest'])[:10]}", result=True)
    total = sum(each.answers for each in holdings)
    say(f"{quantity(total, 'answer')}, {size / 1e6:,.1f} MB in {path}")
    if damaged:
        remedy = "`spb run cache clear --all` removes them with all others"
        say(f"{quantity(damaged, 'damaged answer')} set aside; {remedy}")


@cache_app.command("clear")
def clear(
    folder: _Folder = None,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="AGE", help="Remove answers older than this, such as 30d, 12h or 2w."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Remove only answers of this model, as `spb run cache info` names it."
        ),
    ] = None,
    all_answers: Annotated[bool, typer.Option("--all", help="Remove answers of any age.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, as in a script.")] = False,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Remove paid answers from the cache.

    With --all every one, else those of a --model or those --older-than AGE.
    """
    from engine.collect.database.answer_cache import age_s

    age = None if older_than is None else age_s(older_than)
    if older_than is not None and age is None:
        remedy = "give a number with m, h, d or w, such as 30d"
        raise UsageError(f"--older-than {older_than!r} is not an age; {remedy}")
    refuse_together(all=all_answers, older_than=older_than)
    if not all_answers and older_than is None and model is None:
        raise UsageError(
            "nothing says which paid answers to remove; give --older-than AGE, --model, or --all"
        )
    path, cache = _open_cache(folder)
    if cache is None:
        say(f"there is no cache in {path}")
        print_done(format, {"folder": str(path), "removed": 0})
        return
    try:
        names = [each.model for each in cache.holdings()]
        if model is not None and model not in names:
            raise unknown("model of the cache", model, names)
        holdings = cache.holdings(older_than_s=age, model=model)
        answers = quantity(sum(each.answers for each in holdings), "paid answer")
        paid = sum(each.cost_usd or 0.0 for each in holdings)
        question = f"Remove {answers}, which cost {dollars(paid)}, from {path}?"
        if holdings and not yes and not _confirm(question):
            say("nothing was removed")
            print_done(format, {"folder": str(path), "removed": 0})
            return
        removed = cache.clear(older_than_s=age, model=model)
    finally:
        cache.close()
    say(f"removed {quantity(removed, 'answer')} from {path}")
    print_done(format, {"folder": str(path), "removed": removed})


def _confirm(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"{question[:-1]} is not done without a question; add --yes (nothing was removed)")
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        return False


def _open_cache(folder: str | None) -> tuple[Path, "AnswerCache | None"]:
    """Return the cache's folder, and the cache if there is one."""
    from engine.collect.database.answer_cache import NAME, AnswerCache, default_folder
    from engine.collect.database.shared_file import numbers

    path = default_folder() if folder is None else Path(os.path.expanduser(folder))
    return path, AnswerCache(path) if numbers(path, NAME) else None
