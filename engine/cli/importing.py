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

_FORMATS = (
    "tidy: a folder in the exchange format. prometheus, hanna, pandalm: a file of them. Of other tools: "
    "alpaca-eval, mt-bench, arena-hard, healthbench, inspect, promptfoo, lm-eval, llm-comparator; table: any "
    "CSV, Parquet or JSON Lines file with --map."
)


def import_study(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help=_FORMATS)],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The folder or file to read.")],
    study: NewStudyOption = None,
    store: StoreOption = None,
    append: AppendOption = False,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
    models: Annotated[
        Path | None,
        typer.Option("--models", metavar="FILE", help="CSV of models: their families, and other names."),
    ] = None,
    write_models: Annotated[
        Path | None,
        typer.Option("--write-models", metavar="FILE", help="Write the guessed families there, to correct."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="NAME", help="Who judged, where the file does not say.")
    ] = None,
    generator: Annotated[
        str | None,
        typer.Option("--generator", metavar="NAME", help="Who answered, where the file does not say."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="NAME", help="Who the others were compared with (arena-hard)."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="COLUMN=FIELD", help="table: the field that a column comes from."),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="COLUMN=VALUE", help="table: one value for a whole column."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first bad row; else they are counted and shown.")
    ] = False,
    examine: Annotated[
        bool, typer.Option("--doctor/--no-doctor", help="Say what can be measured before writing.")
    ] = True,
) -> None:
    """Check a study in an outside format and write it into the store, whole or not at all.

    Of other tools' files a report says first what became of what, and what can be measured.
    """
    from engine.errors import UsageError, unknown
    from engine.importers import FOREIGN, FORMATS, foreign
    from engine.importers.foreign.families import NONE, as_csv, read_corrections
    from engine.importers.foreign.formats import Asked, pairs
    from engine.importers.foreign.importing import reading
    from engine.store import Store
    from engine.store.writer import study_before

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
        if not dry_run:
            study_before(Store(store), study or read.name, mode)
        for line in read.report.lines():
            say(line)
        if write_models is not None:
            if write_models.exists():
                raise UsageError(f"{str(write_models)!r} is there already; give another name, or remove it")
            write_models.write_text(as_csv(row.model for row in read.report.models), "utf-8")
            say(f"wrote the guessed families to {write_models}; correct them and give them with --models")
        if examine:
            _examine(read)
        if dry_run:
            say("dry run: nothing was written")
        else:
            say_report(read.write(Store(store), study, mode=mode))


def _refuse_options(
    form: str, asked: "Asked", models: Path | None, write_models: Path | None, *, strict: bool
) -> None:
    from engine.errors import UsageError

    given = asked.given()
    given += [name for name, value in (("models", models), ("write-models", write_models)) if value]
    given += ["strict"] if strict else []
    if given:
        raise UsageError(f"--{given[0]} means nothing for {form!r}; leave it out")


def _examine(read: "Reading") -> None:
    """Say what can be measured with what was read."""
    from engine.doctor import examine
    from engine.importers.foreign.trial import tried
    from engine.study import Study

    say("what can be measured:")
    for line in tried(read, lambda files: list(examine(Study(files)).lines())):
        say(f"  {line}")
