"""`spb import PATH`: a study from files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import (
    AppendOption,
    DryRunOption,
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    say_report,
    split_names,
    write_mode,
)
from engine.cli.output import say, write_file
from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.importers.pipeline import Reading
    from engine.importers.reading.format import ImportOptions
    from engine.store import Mode, Store


_FORMATS = (
    "auto: detect the format. tidy: a folder in the exchange format. prometheus, hanna, pandalm: their "
    "files. Other tools: alpaca-eval, mt-bench, arena-hard, healthbench, inspect, promptfoo, "
    "lm-eval, llm-comparator, chatbot-arena, council, judging-the-judges, wildbench, biggen, rewardbench, "
    "judgebench, openai-evals, deepeval, ragas, mlflow, langfuse, langsmith, phoenix. Papers' own files: "
    "evaluator-quality-baseline, dbg-score, medical-self-preference. table: any table (CSV, TSV, Excel, "
    "Parquet, Feather, JSON), its columns guessed or named. Other packages may add more."
)
_Form = Annotated[str, typer.Argument(metavar="FORMAT", help=_FORMATS)]
_Source = Annotated[str, typer.Argument(metavar="PATH", help="Folder or file to read.")]
_Models = Annotated[
    Path | None, typer.Option(metavar="FILE", help="CSV file with the models' families and aliases.")
]
_WriteModels = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the guessed families to this CSV file, for you to correct."),
]
_Judge = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the judge, if the file does not give it.")
]
_Generator = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the model that answered, if the file does not give it."),
]
_Baseline = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the model that others were compared with (arena-hard)."),
]
_Columns = Annotated[
    list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="table: which field fills a column.")
]
_Values = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="COLUMN=VALUE", help="table: one value for the whole column."),
]
_Meanings = Annotated[
    list[str] | None,
    typer.Option(
        "--value", metavar="COLUMN:VALUE=MEANING,...", help="table: what the values of a column mean."
    ),
]
_Judges = Annotated[
    str | None,
    typer.Option(
        "--judge-columns",
        "--judges",
        metavar="FIELD,FIELD",
        help="table: fields that each hold one judge's verdicts.",
    ),
]
_LeaveOut = Annotated[
    list[str] | None,
    typer.Option(
        "--not", metavar="NAME", help="A metric, score or scorer of another tool that is not to be read."
    ),
]
_Rows = Annotated[
    str | None,
    typer.Option(
        "--rows",
        metavar="PATH",
        help="table: the list, in an object or in each row, whose members are the rows.",
    ),
]
_NoGuess = Annotated[
    bool, typer.Option("--no-guess", help="table: read no column that is neither named nor of a known name.")
]
_WholeIds = Annotated[bool, typer.Option("--whole-ids", help="table: read a question's id 1.0 as 1.")]
_MapFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="TOML file with these options, for files of the same kind."),
]
_Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Stop at the first bad row (default: skip bad rows, count them and show them)."
    ),
]
_Examine = Annotated[
    bool, typer.Option("--doctor/--no-doctor", help="Report what can be measured before writing.")
]


_Run = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of these judgments' run (default: import); --append adds another run.",
    ),
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
    meanings: _Meanings = None,
    judges: _Judges = None,
    leave_out: _LeaveOut = None,
    rows: _Rows = None,
    no_guess: _NoGuess = False,
    whole_ids: _WholeIds = False,
    map_file: _MapFile = None,
    strict: _Strict = False,
    examine: _Examine = True,
    run: _Run = None,
) -> None:
    """Import judgments from a file or folder as a study.

    Every row is checked first, and the study is imported whole or not at all. Files of other tools first get
    a report on what was read and what can be measured.
    """
    from engine.importers.families import NONE, read_corrections
    from engine.importers.pipeline import reading
    from engine.importers.reading.format import ImportOptions, WholeFormat, merge_options, pairs, read_options
    from engine.importers.reading.tables import judge_columns, value_maps
    from engine.importers.registry import AUTO, format_of, importer
    from engine.store import Store
    from engine.store.parquet import check_name

    mode = write_mode(append=append, replace=replace)
    options = ImportOptions(
        judge,
        generator,
        baseline,
        pairs("--map", columns or []),
        pairs("--set", values or []),
        value_maps("--value", meanings or []),
        judge_columns("--judges", judges) if judges else (),
        tuple(split_names(leave_out or [])),
        rows,
        no_guess,
        whole_ids,
    )
    if map_file is not None:
        options = merge_options(read_options(map_file), options)
    if form == AUTO:
        likeness = format_of(path)
        say(f"detected {likeness.form}: {likeness.reason}")
        form = likeness.form
    source_format = importer(form)
    if isinstance(source_format, WholeFormat):
        _refuse_options(source_format.name, options, models, write_models, run, strict=strict)
        say_report(source_format.importer(path, Store(store), study, mode=mode, dry_run=dry_run))
        return
    corrections = read_corrections(models) if models else NONE
    if run is not None:
        check_name(run, "name of the run")
    with reading(source_format, path, options, corrections=corrections, strict=strict, run=run) as source:
        _write(source, Store(store), study, mode, dry_run=dry_run, write_models=write_models, examine=examine)


def _write(
    source: "Reading",
    store: "Store",
    study: str | None,
    mode: "Mode",
    *,
    dry_run: bool,
    write_models: Path | None,
    examine: bool,
) -> None:
    """Report what was read of another tool's files, and write the study."""
    from engine.importers.families import as_csv
    from engine.store.writer import existing_study

    if not dry_run:
        existing_study(store, study or source.name, mode)
    for line in source.report.lines():
        say(line, result=dry_run)
    source.check_verdicts()
    if caution := source.split_ids(store, study or source.name if mode == "append" else None):
        say(f"warning: {caution}", result=dry_run)
    if write_models is not None:
        if write_models.exists():
            raise UsageError(f"{str(write_models)!r} exists already; choose another name, or remove it")
        families = as_csv(row.model for row in source.report.models)
        write_file(write_models, families.encode(), "choose another --write-models")
        say(f"wrote the guessed families to {write_models}; correct them, then import with --models")
    if examine:
        from engine.explore.doctor import examine as diagnosis
        from engine.importers.pipeline import preview
        from engine.study import Study

        say("what can be measured:", result=dry_run)
        for line in preview(source, lambda files: list(diagnosis(Study(files)).lines())):
            say(f"  {line}", result=dry_run)
    report = source.write(store, study, mode=mode, dry_run=dry_run)
    if dry_run:
        say("dry run: nothing was written")
    else:
        say_report(report)


def _refuse_options(
    form: str,
    options: "ImportOptions",
    models: Path | None,
    write_models: Path | None,
    run: str | None,
    *,
    strict: bool,
) -> None:
    flags = options.flags()
    of_rows = {"--models": models, "--write-models": write_models, "--run": run}
    flags += [name for name, value in of_rows.items() if value]
    flags += ["--strict"] if strict else []
    if flags:
        raise UsageError(f"{flags[0]} does not apply to {form!r}; leave it out")
