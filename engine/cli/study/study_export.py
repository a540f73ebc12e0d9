"""`spb study export`: a study's tables as CSV or Parquet, or files for LLM Comparator or Langfuse."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.former import is_former
from engine.cli.options import StoreOption, StudyArgument, only_judge
from engine.cli.output import say, write_file
from engine.errors import UsageError, unknown
from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.store.study_files import StudyFiles


_COMPARATOR = "llm-comparator"
_LANGFUSE = "langfuse"


def export(
    study: StudyArgument,
    to: Annotated[
        str,
        typer.Option(
            "--out",
            "--to",
            metavar="PATH",
            help="Folder (or JSON file) to write; it must not exist, but for an empty folder.",
        ),
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="csv|parquet|llm-comparator|langfuse",
            help="csv or parquet tables; llm-comparator: one judge's pairs of two models; langfuse: the "
            "scorecard as scores.",
        ),
    ] = "csv",
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAME", help="llm-comparator: judge whose verdicts are exported."),
    ] = None,
    models: Annotated[
        str | None, typer.Option(metavar="A,B", help="llm-comparator: the two models to compare.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="langfuse: session to score (default: spb-STUDY).")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Export a study as an exchange folder, or for another tool.

    `spb import tidy` reads an exchange folder. All runs are in it, told apart by the column run_id.
    """
    from engine.store import Store
    from engine.store.export import FORMATS, export_study

    forms = (*FORMATS, _COMPARATOR, _LANGFUSE)
    if form not in forms:
        raise unknown("format", form, forms)
    _check_ending(form, to)
    files = Store(store).open(study)
    judge = only_judge(judges)
    if session and form != _LANGFUSE:
        raise UsageError(f"--session applies to --format {_LANGFUSE} only; leave it out")
    if form == _COMPARATOR:
        _side_by_side(files, Path(to), judge, models)
        return
    if judge or models:
        raise UsageError(f"--judge and --models apply to --format {_COMPARATOR} only; leave them out")
    if form == _LANGFUSE:
        _langfuse(files, Path(to), session or f"spb-{study}")
        return
    for name, table in export_study(files, to, form).items():
        say(f"{name}: {quantity(table.rows, 'row')}")
        if form == "csv" and table.empty:
            why = "cannot be distinguished from missing ones in CSV; --format parquet keeps them"
            say(f"warning: {name}: {quantity(table.empty, 'empty text')} {why}", caution=True)
    say(f"wrote {to}")


def _check_ending(form: str, to: str) -> None:
    """Raise UsageError if the ending of what is to be written says something else than the format."""
    ending, is_json = Path(to).suffix.lower(), form in (_COMPARATOR, _LANGFUSE)
    if is_former() or ending not in ((".csv", ".parquet") if is_json else (".json",)):
        return
    if is_json:
        raise UsageError(
            f"--format {form} writes JSON, and --out {to!r} ends in {ending}; let it end in .json"
        )
    raise UsageError(
        f"--format {form} writes a folder, and --out {to!r} names a JSON file; choose another name, or "
        f"--format {_COMPARATOR} or {_LANGFUSE}"
    )


def _side_by_side(study: "StudyFiles", path: Path, judge: str | None, models: str | None) -> None:
    from engine.store.llm_comparator import llm_comparator_json

    names = [name.strip() for name in (models or "").split(",") if name.strip()]
    if judge is None or len(names) != 2:
        raise UsageError(f"--format {_COMPARATOR} needs --judge NAME and --models A,B; give both")
    document = llm_comparator_json(study, judge, *names)
    _write_json(path, document)
    say(f"wrote {len(document['examples']):,} examples to {path}")


def _langfuse(files: "StudyFiles", path: Path, session: str) -> None:
    from engine.report.langfuse import langfuse_scores
    from engine.study import Study

    result = Study(files).result("scorecard")
    scores = langfuse_scores(files.name, result.rows, session)
    _write_json(path, scores)
    say(f"wrote {len(scores):,} scores to {path}" + (f": {result.reason}" if result.reason else ""))


def _write_json(path: Path, document: object) -> None:
    if path.exists():
        raise UsageError(f"{str(path)!r} exists already; choose another --out")
    content = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_file(path, content.encode(), "choose another --out")
