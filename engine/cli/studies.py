"""The commands about studies as files: import, export, validate, migrate, pack and datasets."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import (
    AnyStudyArgument,
    AppendOption,
    DryRunOption,
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    StudyArgument,
    say_report,
    split_names,
    write_mode,
)
from engine.cli.output import say, write_file
from engine.errors import UsageError, unknown
from engine.values import quantity

if TYPE_CHECKING:
    from engine.importers.pipeline import Reading
    from engine.importers.reading.format import ImportOptions
    from engine.store import Mode, Store
    from engine.store.study_files import StudyFiles


# ------------------------------------------------------------------------------
# `spb import FORMAT PATH`: a study from files in another format.


_FORMATS = (
    "auto: detect the format. tidy: a folder in the exchange format. prometheus, hanna, pandalm: their "
    "files. Other tools: alpaca-eval, mt-bench, arena-hard, healthbench, inspect, promptfoo, "
    "lm-eval, llm-comparator, chatbot-arena, council, judging-the-judges, wildbench, biggen, rewardbench, "
    "judgebench, openai-evals, deepeval, ragas, mlflow, langfuse, langsmith, phoenix. Papers' own files: "
    "evaluator-quality-baseline, medical-self-preference. table: any table (CSV, TSV, Excel, "
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
    str | None, typer.Option(metavar="FIELD,FIELD", help="table: fields that each hold one judge's verdicts.")
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


# ------------------------------------------------------------------------------
# `spb export`: a study's tables as CSV or Parquet, or files for LLM Comparator or Langfuse.


_COMPARATOR = "llm-comparator"
_LANGFUSE = "langfuse"


def export(
    study: StudyArgument,
    to: Annotated[
        str, typer.Option(metavar="PATH", help="Folder (or JSON file) to write; it must not exist.")
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
    judge: Annotated[
        str | None, typer.Option(metavar="NAME", help="llm-comparator: judge whose verdicts are exported.")
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

    `spb import tidy` reads an exchange folder.
    """
    from engine.store import Store
    from engine.store.publish import FORMATS, export_study

    forms = (*FORMATS, _COMPARATOR, _LANGFUSE)
    if form not in forms:
        raise unknown("format", form, forms)
    files = Store(store).open(study)
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
            say(f"warning: {name}: {quantity(table.empty, 'empty text')} {why}")
    say(f"wrote {to}")


def _side_by_side(study: "StudyFiles", path: Path, judge: str | None, models: str | None) -> None:
    from engine.store.publish import llm_comparator_json

    names = [name.strip() for name in (models or "").split(",") if name.strip()]
    if judge is None or len(names) != 2:
        raise UsageError(f"--format {_COMPARATOR} needs --judge NAME and --models A,B; give both")
    document = llm_comparator_json(study, judge, *names)
    _write_json(path, document)
    say(f"wrote {len(document['examples']):,} examples to {path}")


def _langfuse(files: "StudyFiles", path: Path, session: str) -> None:
    from engine.report.formats import langfuse_scores
    from engine.study import Study

    result = Study(files).result("scorecard")
    scores = langfuse_scores(files.name, result.rows, session)
    _write_json(path, scores)
    say(f"wrote {len(scores):,} scores to {path}" + (f": {result.reason}" if result.reason else ""))


def _write_json(path: Path, document: object) -> None:
    if path.exists():
        raise UsageError(f"{str(path)!r} exists already; choose another --to")
    content = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_file(path, content.encode(), "choose another --to")


# ------------------------------------------------------------------------------
# Stored studies: `spb validate` checks, `spb schema` describes, `spb migrate` upgrades, `spb pack` packs.


def validate(study: StudyArgument, store: StoreOption = None) -> None:
    """Check every row of a stored study, with the checks of an import."""
    from engine.collect.recorder import shortcomings
    from engine.collect.run_folder import shortfall_words
    from engine.store import Store
    from engine.store.writer import validate_study

    files = Store(store).open(study)
    for table in validate_study(files):
        say(f"{table.name}: {quantity(table.rows, 'row')}")
    shortfalls, errors = shortcomings(files)
    if unexplained := shortfalls.pop("", 0):
        say(f"{unexplained:,} judgments are unparsed")
    for words in shortfall_words(shortfalls):
        say(words)
    for words, count in errors:
        say(f"{count:,} errors: {words}")
    if unprotected := files.unprotected():
        names = ", ".join(unprotected[:3]) + (", ..." if len(unprotected) > 3 else "")
        number = quantity(len(unprotected), "file")
        remedy = f"damage to them may go unnoticed; `spb migrate {study}` writes them anew"
        say(f"{number} without checksums ({names}): {remedy}")
    say(f"the study {study!r} is valid")


def schema(
    of: Annotated[
        str, typer.Argument(metavar="[store|MEASURE]", help="The store, or the JSON of a measure.")
    ] = "store",
) -> None:
    """Print the JSON Schema of the store or of a measure."""
    from engine.report.formats import json_schema

    print(json.dumps(json_schema(of), indent=1, ensure_ascii=False))


def migrate(
    study: AnyStudyArgument = None,
    store: StoreOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be rewritten, write nothing.")
    ] = False,
) -> None:
    """Upgrade studies of an older schema version, and write files without checksums anew.

    Each is upgraded whole or not at all. Without a study, all studies of the store and its labels are
    upgraded. Studies of a newer version are refused before anything changes.
    """
    from engine.store import Store
    from engine.store.writer import migrate_study, migrations_of

    study_store = Store(store)
    studies = [study_store.open(name) for name in ([study] if study is not None else study_store.studies())]
    older = [files for files in studies if migrations_of(files) or files.unprotected()]
    labels = study is None and _labels(study_store, dry_run=dry_run)
    verb = "would be" if dry_run else "was"
    for files in older:
        version = files.info.schema_version
        without = len(files.unprotected())
        steps = migrations_of(files) if dry_run else migrate_study(files)
        changes = [step.summary for step in steps]
        changes += [f"checksums in {quantity(without, 'file')}"] if without else []
        say(f"{files.name}: version {version} {verb} rewritten: {'; '.join(changes)}")
    current = len(studies) - len(older)
    if current:
        say(f"up to date: {current:,} of {quantity(len(studies), 'study')}")
    if not older and not labels:
        say("there is nothing to do")


def _labels(store: "Store", *, dry_run: bool) -> bool:
    """Upgrade the labels of a store to the current version; return whether they were older."""
    from engine.annotations.people import SCHEMA_VERSION, open_database, stored_version

    version = stored_version(store)
    if version is None or version == SCHEMA_VERSION:
        return False
    if not dry_run or version > SCHEMA_VERSION:  # opening refuses a newer one
        open_database(store).close()
    say(f"labels: version {version} {'would be' if dry_run else 'was'} rewritten as {SCHEMA_VERSION}")
    return True


def pack(
    study: StudyArgument,
    store: StoreOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="tcp://HOST:PORT", help="Let the Dask cluster at this address read shards of instances."
        ),
    ] = None,
) -> None:
    """Pack a study's verdicts, so that its first opening is fast."""
    from engine.arrays.verdicts import prebuild_cache
    from engine.store import Store

    packs = 0
    for each in prebuild_cache(Store(store).open(study), cluster):
        packs += 1
        what = f"{each.selection.paradigm} ({each.selection.variant}, transform {each.selection.transform})"
        who = f"{quantity(each.judges, 'judge')} on {quantity(each.generators, 'generator')}"
        say(f"{what}: {quantity(each.verdicts, 'verdict')} of {who}")
    if packs == 0:
        why = "it is small or has no rubric verdicts, so it opens quickly anyway"
        say(f"nothing to pack in {study!r}: {why}")


# ------------------------------------------------------------------------------
# `spb datasets`: published studies and data sets to download.


datasets_app = typer.Typer(
    help="Download data sets and published studies.", no_args_is_help=True, rich_markup_mode=None
)


@datasets_app.command("list")
def list_datasets() -> None:
    """List data sets and studies to fetch, with licence, size, address, checksum and measures.

    A terminal shows the main facts; a pipe or file gets all of them, separated by tabs: name, title, licence,
    size, address, SHA-256, format, measures.
    """
    from engine.importers.datasets import catalogue

    for entry in catalogue().values():
        if sys.stdout.isatty():
            facts = f"{entry.name}: {entry.title} ({entry.size}; licence: {entry.licence})"
            say(f"{facts}\n    {entry.measures or 'questions for a run'}", result=True)
            continue
        checksum = entry.sha256 or "not pinned: the checksum of the download is shown"
        details = (entry.format or "", entry.measures or "questions for a run")
        print(entry.name, entry.title, entry.licence, entry.size, entry.url, checksum, *details, sep="\t")


@datasets_app.command("fetch")
def fetch_dataset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name from `spb datasets list`.")],
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="URL-or-path", help="Take the file from this URL or path instead."),
    ] = None,
    study: NewStudyOption = None,
    store: StoreOption = None,
    replace: ReplaceOption = False,
) -> None:
    """Download a data set or a published study, verify its checksum and write it into the store."""
    from engine.cli.options import download_progress
    from engine.importers.datasets import fetch
    from engine.store import Store

    mode = write_mode(append=False, replace=replace)
    with download_progress() as progress:
        report = fetch(name, Store(store), study, origin=origin, mode=mode, progress=progress)
    say_report(report)
