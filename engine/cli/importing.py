"""`spb import FORMAT PATH`: a study from files in an outside format."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import (
    AppendOption,
    DryRunOption,
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    say,
    say_report,
    write_mode,
)

if TYPE_CHECKING:
    from engine.importers.foreign.formats import Asked
    from engine.importers.foreign.importing import Reading
    from engine.store import Store
    from engine.store.store import Mode

_FORMATS = (
    "tidy: a folder in the exchange format. prometheus, hanna, pandalm: a file of them. Of other tools: "
    "alpaca-eval, mt-bench, arena-hard, healthbench, inspect, promptfoo, lm-eval, llm-comparator; table: any "
    "CSV, Parquet or JSON Lines file with --map."
)
_Form = Annotated[str, typer.Argument(metavar="FORMAT", help=_FORMATS)]
_Source = Annotated[str, typer.Argument(metavar="PATH", help="The folder or file to read.")]
_Models = Annotated[
    Path | None,
    typer.Option("--models", metavar="FILE", help="CSV of models: their families, and other names."),
]
_WriteModels = Annotated[
    Path | None,
    typer.Option("--write-models", metavar="FILE", help="Write the guessed families there, to correct."),
]
_Judge = Annotated[
    str | None, typer.Option("--judge", metavar="NAME", help="Who judged, where the file does not say.")
]
_Generator = Annotated[
    str | None, typer.Option("--generator", metavar="NAME", help="Who answered, where the file does not say.")
]
_Baseline = Annotated[
    str | None,
    typer.Option("--baseline", metavar="NAME", help="Who the others were compared with (arena-hard)."),
]
_Columns = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="COLUMN=FIELD", help="table: the field that a column comes from."),
]
_Values = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="COLUMN=VALUE", help="table: one value for a whole column."),
]
_Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first bad row; else they are counted and shown.")
]
_Examine = Annotated[
    bool, typer.Option("--doctor/--no-doctor", help="Say what can be measured before writing.")
]


def import_study(
    form: _Form,
    path: _Source,
    study: NewStudyOption = None,
    store: StoreOption = None,
    append: AppendOption = False,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
    models: _Models = None,
    write_models: _WriteModels = None,
    judge: _Judge = None,
    generator: _Generator = None,
    baseline: _Baseline = None,
    columns: _Columns = None,
    values: _Values = None,
    strict: _Strict = False,
    examine: _Examine = True,
) -> None:
    """Check a study in an outside format and write it into the store, whole or not at all.

    Of other tools' files a report says first what became of what, and what can be measured.
    """
    from engine.errors import unknown
    from engine.importers import FOREIGN, FORMATS, foreign
    from engine.importers.foreign.families import NONE, read_corrections
    from engine.importers.foreign.formats import Asked, pairs
    from engine.importers.foreign.importing import reading
    from engine.store import Store

    mode = write_mode(append=append, replace=replace)
    asked = Asked(judge, generator, baseline, pairs("--map", columns or []), pairs("--set", values or []))
    if form in FORMATS:
        _refuse_options(form, asked, models, write_models, strict=strict)
        say_report(FORMATS[form]()(path, Store(store), study, mode=mode, dry_run=dry_run))
        return
    if form not in FOREIGN:
        raise unknown("format", form, (*FORMATS, *FOREIGN))
    corrections = read_corrections(models) if models else NONE
    with reading(foreign(form), path, asked, corrections=corrections, strict=strict) as read:
        _taken(read, Store(store), study, mode, dry_run=dry_run, write_models=write_models, examine=examine)


def _taken(
    read: "Reading",
    store: "Store",
    study: str | None,
    mode: "Mode",
    *,
    dry_run: bool,
    write_models: Path | None,
    examine: bool,
) -> None:
    """Say what became of another tool's files, and write the study of them."""
    from engine.store.writer import study_before

    if not dry_run:
        study_before(store, study or read.name, mode)
    for line in read.report.lines():
        say(line, found=dry_run)
    if write_models is not None:
        _write_families(read, write_models)
    if examine:
        say("what can be measured:", found=dry_run)
        for line in _examined(read):
            say(f"  {line}", found=dry_run)
    if dry_run:
        say("dry run: nothing was written")
    else:
        say_report(read.write(store, study, mode=mode))


def _write_families(read: "Reading", path: Path) -> None:
    from engine.errors import StoreError, UsageError
    from engine.importers.foreign.families import as_csv

    if path.exists():
        raise UsageError(f"{str(path)!r} is there already; give another name, or remove it")
    try:
        path.write_text(as_csv(row.model for row in read.report.models), "utf-8")
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be written: {error}; give another --write-models") from error
    say(f"wrote the guessed families to {path}; correct them and give them with --models")


def _refuse_options(
    form: str, asked: "Asked", models: Path | None, write_models: Path | None, *, strict: bool
) -> None:
    from engine.errors import UsageError

    given = asked.given()
    given += [name for name, value in (("models", models), ("write-models", write_models)) if value]
    given += ["strict"] if strict else []
    if given:
        raise UsageError(f"--{given[0]} means nothing for {form!r}; leave it out")


def _examined(read: "Reading") -> list[str]:
    """Return what can be measured with what was read, in lines."""
    from engine.doctor import examine
    from engine.importers.foreign.trial import tried
    from engine.study import Study

    return tried(read, lambda files: list(examine(Study(files)).lines()))
