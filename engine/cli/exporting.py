"""`spb export`: a study's tables as CSV or Parquet, or a judge's pairs as LLM Comparator's JSON."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, StudyOption, say

if TYPE_CHECKING:
    from engine.store import StudyFiles

_COMPARATOR = "llm-comparator"


def export(
    study: StudyOption,
    to: Annotated[
        str,
        typer.Option("--to", metavar="PATH", help="The folder (or JSON file) to make; it must not exist."),
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="csv|parquet|llm-comparator",
            help="The tables' format, or one judge's pairs of two models for LLM Comparator.",
        ),
    ] = "csv",
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="NAME", help="llm-comparator: whose verdicts.")
    ] = None,
    models: Annotated[
        str | None, typer.Option("--models", metavar="A,B", help="llm-comparator: the two models compared.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write a study's tables as an exchange folder that `spb import tidy` reads, or for LLM Comparator."""
    from engine.errors import UsageError
    from engine.store import Store
    from engine.store.export import export_study

    files = Store(store).open(study)
    if form == _COMPARATOR:
        _side_by_side(files, Path(to), judge, models)
        return
    if judge or models:
        raise UsageError(f"--judge and --models are for --format {_COMPARATOR}; leave them out")
    for name, rows in export_study(files, to, form).items():
        say(f"{name}: {rows:,} rows")
    say(f"wrote {to}")


def _side_by_side(study: "StudyFiles", path: Path, judge: str | None, models: str | None) -> None:
    """Write what a judge said of two models' pairs."""
    from engine.errors import StoreError, UsageError
    from engine.side_by_side import side_by_side

    names = [name.strip() for name in (models or "").split(",") if name.strip()]
    if judge is None or len(names) != 2:
        raise UsageError(
            f"--format {_COMPARATOR} needs --judge NAME and --models A,B; name a judge and two models"
        )
    if path.exists():
        raise UsageError(f"{str(path)!r} exists; give another --to")
    told = side_by_side(study, judge, *names)
    try:
        path.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be written: {error.strerror}; give another --to") from error
    say(f"wrote {len(told['examples']):,} examples to {path}")
