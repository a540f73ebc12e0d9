"""The steps of an import: read, report, write, and look at what the study can say."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from engine.cli.exit_codes import INTERRUPTED
from engine.cli.former import is_former
from engine.cli.importing.import_again import Further, ImportCommand, with_one_name, with_order, with_words
from engine.cli.output import is_verbose, say, say_detail, write_file
from engine.cli.write_report import say_report
from engine.errors import BadInputError, SpbError, UsageError
from engine.phrases import full_stop, join_names, quantity, sentence_case

if TYPE_CHECKING:
    from engine.importers.import_options import ImportOptions
    from engine.importers.mapping_report import MappingReport
    from engine.importers.pipeline import ImportedFile
    from engine.measures.result import Result
    from engine.measures.row_types import ScorecardRow
    from engine.store import Mode, Store
    from engine.store.writer import WriteReport
    from engine.study import Study


@dataclass(frozen=True)
class Target:
    """The study to write; None is the source's name."""

    store: "Store"
    study: str | None
    mode: "Mode"
    dry_run: bool


@contextmanager
def stopped_in_words(target: Target, study: str) -> Iterator[None]:
    """End an interrupted import with whether the `study` was written, which happens whole or not at all."""
    from engine.store.study_files import INFO_FILE

    place = target.store.location.child(study).child(INFO_FILE)

    def content() -> bytes | None:
        return place.read() if place.exists() else None

    before = content()
    try:
        yield
    except KeyboardInterrupt:
        is_written = content() != before
        words = f"stopped; the study {study} is written" if is_written else "stopped; nothing was written"
        say(words, caution=True)
        raise typer.Exit(INTERRUPTED) from None


@dataclass(frozen=True)
class Settings:
    """How a file is read: its options, the models' families, and the name of the run, which it `replaces`."""

    options: "ImportOptions"
    models: Path | None
    write_models: Path | None
    run: str | None
    strict: bool
    examine: bool
    replaces: bool = False


@dataclass(frozen=True)
class Imported:
    """What was written (`written`: not in a dry run), and what the scorecard concludes from it.

    `form` is the format in words, `notes` what was guessed or left out on the way, `remarks` what to know of
    the conclusions, `further` commands that say more.
    """

    study: str
    written: bool
    tables: Sequence[Mapping[str, Any]]
    scorecard: "Sequence[ScorecardRow]" = ()
    reason: str | None = None
    form: str = ""
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    further: tuple[Further, ...] = ()


@contextmanager
def whole_command(
    command: Sequence[str], path: str, form: str | None, given: Mapping[str, object]
) -> Iterator[None]:
    """End the error of a file that leaves questions open with one complete `command` to copy."""
    from engine.importers.reading.option_file import arguments
    from engine.importers.tables.asking.questions import OpenQuestionsError

    try:
        yield
    except BadInputError as error:
        open_ones = error if isinstance(error, OpenQuestionsError) else error.__cause__
        if is_former() or not isinstance(open_ones, OpenQuestionsError):
            raise

        def line(options: "ImportOptions") -> str:
            file = open_ones.file or path
            words = ["spb", *command, file, *(["--as", form] if form else []), *arguments(options)]
            for flag, value in given.items():
                words += [flag] if value is True else [flag, str(value)] if value else []
            return shlex.join(words)

        commands = open_ones.commands(line)
        is_open = any(each.is_open for each in commands)
        if open_ones.guesses:
            give = ", give what stands for ?" if is_open else ""
            what = f"{open_ones.guesses}; correct what is wrong{give}, and run"
        else:
            what = "give what stands for ? here, and run" if is_open else "run"
        missing = str(error).partition(" All together")[0]
        lines = []
        for number, each in enumerate(commands):
            start = "or" if number else what
            lines += [f"{start}, if {each.when}:" if each.when else f"{start}:", f"  {each.line}"]
        raise BadInputError("\n".join([missing, *lines])) from error


def read_and_write(path: str, form: str | None, target: Target, settings: Settings) -> Imported:
    """Read a file or folder, of a detected format for None, report on it, and write the study."""
    from engine.importers.file_import import format_named, reading_for
    from engine.importers.model_names.corrections import NONE, read_corrections
    from engine.importers.pipeline import study_name
    from engine.importers.reading.format import WholeFormat

    source_format = format_named(_detected(path) if form is None else form)
    if isinstance(source_format, WholeFormat):
        _refuse_options(source_format.name, settings)
        report = source_format.importer(
            path, target.store, target.study, mode=target.mode, dry_run=target.dry_run
        )
        say_report(report)
        written = None if report.study is None else Path(report.study).name
        name = written or target.study or study_name(Path(path))
        imported = _imported(target, name, report, settings)
        return replace(imported, form=source_format.title)
    corrections = read_corrections(settings.models) if settings.models else NONE
    with reading_for(
        target.store,
        target.study or study_name(Path(path)),
        source_format,
        path,
        settings.options,
        mode=target.mode,
        corrections=corrections,
        run=settings.run,
        replaces=settings.replaces,
        strict=settings.strict,
        dry_run=target.dry_run,
    ) as source:
        imported = _write(source, target, settings)
        if source_format.name != "table":
            return imported
        if imported.written and not is_former():
            _say_if_without_texts(target, imported.study)
        models = None if settings.models is None else str(settings.models)
        command = ImportCommand(
            path,
            form,
            imported.study,
            target.mode,
            settings.run,
            models,
            strict=settings.strict,
            examine=settings.examine,
            dry_run=target.dry_run,
        )
        merged = with_one_name(command, source.report, settings.options)
        ordered = with_order(command, source.report, settings.options)
        explained = with_words(command, source.report, source.read_by)
        return replace(imported, further=(*imported.further, *explained, *merged, *ordered))


def _say_if_without_texts(target: Target, study: str) -> None:
    """Say what a study without its answers' texts does not allow, and how they come into it."""
    texts = target.store.open(study).table("responses", ["text"])["text"]
    if texts.null_count == len(texts):
        say(
            "no column was read as the answers' texts, so people cannot label verdicts or read them on "
            "pages; if the file has one, name it with --map response=COLUMN"
        )


def _detected(path: str) -> str:
    from engine.importers.detection import format_of

    likeness = format_of(path)
    say(f"detected {likeness.form}: {likeness.reason}")
    return likeness.form


def _write(source: "ImportedFile", target: Target, settings: Settings) -> Imported:
    """Report what was read of another tool's files, and write the study."""
    from engine.importers.model_names.corrections import as_csv

    name, dry_run, former = target.study or source.name, target.dry_run, is_former()
    for line in source.report.lines():
        say(line, result=dry_run)
    source.check_verdicts()
    if target.mode == "append" and (caution := source.apart_from_study(target.store, name)):
        say(f"warning: {caution}", result=dry_run, caution=True)
    if (families_file := settings.write_models) is not None:
        if families_file.exists():
            raise UsageError(f"{str(families_file)!r} exists already; choose another name, or remove it")
        models = source.report.models
        given = {row.model: row.family for row in models if row.corrected}
        write_file(
            families_file,
            as_csv((row.model for row in models), given, source.report.one_name).encode(),
            "choose another --write-models",
        )
        names = " and names" if source.report.one_name else ""
        say(f"wrote the guessed families{names} to {families_file}; correct them, then import with --models")
    if settings.examine and (former or dry_run or is_verbose()):
        say("what can be measured:", result=dry_run)
        for line in _preview(source, name):
            say(f"  {line}", result=dry_run)
    unshared = source.unshared_criteria(target.store, name) if target.mode == "append" else ""
    replaced = settings.run if settings.replaces else None
    report = source.write_to(
        target.store, target.study, mode=target.mode, dry_run=dry_run, replaced_run=replaced
    )
    if dry_run:
        for warning in report.warnings:
            say(f"warning: {warning}")
        say("dry run: nothing was written")
    elif former:
        say_report(report)
    else:
        _say_short(report)
    imported = _imported(target, name, report, settings)
    remarks = (*_remarks_on(source.report), *filter(None, [unshared]), *imported.remarks)
    return replace(imported, form=source.report.title, notes=source.report.notes, remarks=remarks)


def _remarks_on(report: "MappingReport") -> Iterator[str]:
    """Yield what was lost or merged on the way, or may be true, which stands in a long report too."""
    from engine.words.based_on import Beforehand

    for doubt in report.doubts:
        yield Beforehand(full_stop(doubt))
    if lost := report.rows_read - report.rows_stored:
        reasons = ", ".join(f"{reason} ({out.count:,})" for reason, out in report.left_out.items())
        yield f"Left out: {lost:,} of {quantity(report.rows_read, 'row')}: {reasons}."
    if report.many_without_verdict:
        yield full_stop(sentence_case(report.without_verdict()))
    if report.truth_alone.count:
        yield full_stop(sentence_case(report.without_judge()))
    if report.repeats and report.orders_known == report.comparisons:
        split = "; where trials are split, none counts" if report.contradicted else ""
        repeats = quantity(report.repeats, "judgment")
        yield f"Read as further trials: {repeats} that an earlier row has already{split}."
        yield (
            "If they are of several runs: name the column that says of which with --map run_id=COLUMN, or "
            "import a file for each run with --run NAME, from the second on with --append."
        )


def _preview(source: "ImportedFile", study: str) -> list[str]:
    from engine.explore.doctor import examine
    from engine.importers.pipeline import preview
    from engine.study import Study

    return preview(source, study, lambda files: list(examine(Study(files)).lines()))


def _say_short(report: "WriteReport") -> None:
    for warning in report.warnings:
        say(f"warning: {warning}")
    say(f"wrote the study {report.study}")
    for table in report.tables:
        say_detail(f"{table.name}: {table.rows:,} rows")


def _imported(target: Target, name: str, report: "WriteReport", settings: Settings) -> Imported:
    tables = [{"table": table.name, "rows": table.rows} for table in report.tables]
    if report.study is None or is_former() or not settings.examine:
        return Imported(name, report.study is not None, tables)
    from engine.study import Study
    from engine.words.conclusion_remarks import remarks_on_conclusions
    from engine.words.slice_words import unused_reference, without_scale

    try:
        study = Study(target.store.open(name))
        result = study.result("scorecard")
    except SpbError as error:  # the study is written; what it can say is a question of its own
        return Imported(name, True, tables, reason=str(error))
    first = filter(None, [without_scale(result.left_out), unused_reference(result.filters)])
    remarks = (*first, *remarks_on_conclusions(study, result))
    further = tuple(_other_kinds(study, result))
    return Imported(name, True, tables, result.rows, result.reason, remarks=remarks, further=further)


def _other_kinds(study: "Study", result: "Result") -> Iterator[Further]:
    """Yield what the next commands answer from, where a study has judgments of several kinds, or variants."""
    from engine.measures.scorecard.deciding_source import other_sources
    from engine.words.other_judgments import rests_on_variant, unused_variants
    from engine.words.plain_names import paradigm_name

    if words := rests_on_variant(study, result):
        other = unused_variants(study, result)[0]
        yield Further(f"{words} To see them:", ("judges", study.name, "--variant", other))
    decided = result.filters.get("paradigm")
    others = other_sources(study, decided) if decided is not None else []
    if decided is None or not others:
        return
    kinds = join_names([paradigm_name(name) for name in (decided, *others)])
    sentence = f"The study has judgments of several kinds: {kinds}."
    sentence += f" `spb judges`, `spb report` and `spb gate` conclude from {paradigm_name(decided)}."
    sentence += f" From {paradigm_name(others[0])}:"
    yield Further(sentence, ("judges", study.name, "--paradigm", others[0]))


def _refuse_options(form: str, settings: Settings) -> None:
    flags = settings.options.flags()
    of_rows = {
        "--models": settings.models,
        "--write-models": settings.write_models,
        "--run": settings.run,
        "--strict": settings.strict,
    }
    flags += [name for name, value in of_rows.items() if value]
    if flags:
        raise UsageError(f"{flags[0]} does not apply to {form!r}; leave it out")
