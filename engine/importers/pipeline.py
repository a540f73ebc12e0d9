"""An import from file to study: read, reported, previewed, written."""

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from engine.errors import BadInputError, SpbError, python_words
from engine.importers.detection import hint
from engine.importers.earlier_imports import options_read_by, record_of
from engine.importers.families import other_names
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport, mapping_report
from engine.importers.model_names.corrections import NONE, Corrections
from engine.importers.model_names.noted_models import note_models, spell_families
from engine.importers.option_spelling import OptionSpelling
from engine.importers.person_names import person_cautions, sources_of_truth
from engine.importers.reading.format import Finishing, Format, Reader
from engine.importers.reading.json_rows import (
    COMMAND_LIMITS,
    ImportAllowance,
    ImportLimits,
    apply_limits,
    existing_path,
)
from engine.importers.reading.rows import BadRowError, ImportStats, refuse
from engine.importers.reading.study_builder import StudyBuilder
from engine.importers.repeated_criteria import AddedCriteria, added_criteria
from engine.importers.repeated_runs import repeated_run
from engine.importers.tables.asking.questions import OpenQuestionsError, open_questions
from engine.importers.tables.asking.split_questions import questions_of_study, split_questions
from engine.importers.tables.asking.unjudged_truths import unjudged_truths
from engine.phrases import quantity
from engine.store import Mode, Store
from engine.store.publish import full_disk_error
from engine.store.study_files import ImportRecord, StudyFiles, StudyInfo
from engine.store.without_run import check_replaceable, write_without_run
from engine.store.writer import ContradictionError, ReducedStudy, WriteReport, write_sources
from engine.wording import Wording


class NoVerdictError(SpbError):
    """An import has judgments, and not one verdict could be read; nothing was written."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was read: its report, and the study to write."""

    report: MappingReport
    name: str
    info: StudyInfo
    builder: StudyBuilder
    read_by: ImportOptions
    """The options with what was guessed."""

    @property
    def spelling(self) -> OptionSpelling:
        return self.read_by.spelling

    def write(
        self,
        store: Store,
        name: str | None = None,
        *,
        mode: Mode = "new",
        dry_run: bool = False,
        replaced_run: str | None = None,
    ) -> WriteReport:
        """Write the study as `write_to` does; errors name options as Python does."""
        with python_words():
            return self.write_to(store, name, mode=mode, dry_run=dry_run, replaced_run=replaced_run)

    def write_to(
        self,
        store: Store,
        name: str | None = None,
        *,
        mode: Mode = "new",
        dry_run: bool = False,
        replaced_run: str | None = None,
    ) -> WriteReport:
        """Write the study, by default under the file's name and title. Raises the errors of `Store.write`.

        With `dry_run` everything is checked and nothing written. BadInputError is raised for judgments that
        are all in the study to append to, unless they have a run of their own; then there is a warning. It is
        raised for criteria too that this study has already under another id. What is appended takes the place
        of `replaced_run`, which was imported.
        """
        study = name or self.name
        if replaced_run is None:
            return self._write(store, study, name, mode=mode, dry_run=dry_run)
        existing = store.open(study)
        check_replaceable(existing, replaced_run)
        with tempfile.TemporaryDirectory(prefix="spb-without-run-") as folder:
            reduced = write_without_run(existing, replaced_run, Path(folder))
            report = self._write(store, study, name, mode="append", dry_run=dry_run, reduced=reduced)
        report.warnings.insert(0, reduced.words)
        return report

    def _write(
        self,
        store: Store,
        study: str,
        name: str | None,
        *,
        mode: Mode,
        dry_run: bool,
        reduced: ReducedStudy | None = None,
    ) -> WriteReport:
        models, warnings = {}, [""]
        if mode == "append" and study in store.studies():
            stored = store.open(study) if reduced is None else reduced.study
            models = {row["model"]: row for row in stored.table("models").to_pylist()}
            self._check_criteria(stored)
            repeated = self._repeated_run(stored)
            families = {str(row["family"]) for row in models.values()}
            people = person_cautions(self.builder.sources_of_truth, models, sources_of_truth(stored))
            warnings = [
                repeated and f"{repeated}, and count once more",
                spell_families(self.builder, families),
                *(each for each in people if each not in self.report.doubts),
            ]
        sources = self.builder.sources(models)
        info = self.info if name is None else self.info.model_copy(update={"title": None})
        try:
            report = write_sources(store, study, sources, info, mode=mode, dry_run=dry_run, reduced=reduced)
        except ContradictionError as error:
            places = [each.name for each, _ in self.report.fields if each.becomes == error.column]
            if not places or not any(each.format == "table" for each in self.info.imports or ()):
                raise
            without = self.spelling.without(places)
            remedy = f"; or leave out what the file says of it: {without}"
            raise BadInputError(error.message, remedy) from error
        report.warnings += filter(None, warnings)
        return report

    def unshared_criteria(self, store: Store, study: str) -> str:
        """Return that a study has none of the file's criteria on its questions, if so; else empty."""
        return self._added_criteria(store.open(study)).unshared() if study in store.studies() else ""

    def _added_criteria(self, study: StudyFiles) -> AddedCriteria:
        return added_criteria(study, self.builder.rows.get("rubrics", {}).values())

    def _check_criteria(self, study: StudyFiles) -> None:
        """Raise BadInputError for criteria that are like one of the study; of a table with the command."""
        added = self._added_criteria(study)
        if not added.alike:
            return
        [record] = self.info.imports or [ImportRecord(file=self.name)]
        options = options_read_by(record)
        if record.format == "table" and not options.criteria:
            read = [each for each, _ in self.report.fields if each.becomes in ("rubric_id", "criterion")]
            options = replace(options, map={**{each.becomes: each.name for each in read}, **options.map})
        question = added.question(record.file, options, self.spelling)
        if question.choices:
            raise open_questions(record.file, [question], options)
        raise BadInputError(question.text)

    def _repeated_run(self, study: StudyFiles) -> str:
        """Return that a stored run is the same, if the file has another one's name; else empty."""
        judgments, number = self.builder.judgments(), self.report.judgments
        if judgments is None:
            return ""
        return repeated_run(study, judgments, number, self.builder.runs, self.spelling)

    def check_verdicts(self) -> None:
        """Raise NoVerdictError if there are judgments, and no verdict of them could be read."""
        if self.report.is_unreadable:
            raise NoVerdictError(
                f"no verdict could be read from {quantity(self.report.judgments, 'judgment')}; nothing was "
                "written. ",
                Wording(
                    "See what became of each field; say what its values mean (--value), or name another "
                    "(--map)",
                    "Say what its values mean (value=), or name another column, such as met='COLUMN'",
                    "Choose another column as the verdict, or write its values in clear words, such as yes",
                ),
            )

    def apart_from_study(self, store: Store, name: str) -> str:
        """Return a caution on questions that may be a study's, or truths on nothing judged; else empty."""
        if name not in store.studies():
            return ""
        new = [str(key[0]) for key in self.builder.rows.get("instances", {})]
        stored = set(store.open(name).table("instances")["instance_id"].to_pylist())
        pairs = [each for each in new if each.endswith(".0") and each[:-2] in stored and each not in stored]
        pairs += [each for each in new if f"{each}.0" in stored and each not in stored]
        if not pairs:
            study = store.open(name)
            return questions_of_study(self.builder, study) or unjudged_truths(self.builder, study)
        first = pairs[0].removesuffix(".0")
        return (
            f"ids of questions that differ from another by .0 only: {len(pairs):,}, such as {first!r} and "
            f"{first + '.0'!r}: ids are text as written, so that these are different questions. If they are "
            f"the same, import the file that has the .0 with {self.spelling.option('whole-ids')}"
        )


@contextmanager
def reading(
    form: Format,
    path: str | Path,
    options: ImportOptions | None = None,
    *,
    corrections: Corrections = NONE,
    strict: bool = False,
    limits: ImportLimits = COMMAND_LIMITS,
    on_disk: bool = True,
    run: str | None = None,
) -> Iterator[ImportedFile]:
    """Read a file or folder row by row and yield what it holds; bad rows are counted and reported.

    BadInputError is raised for a file of another format or beyond the `limits` and, with `strict`, for the
    first bad row. If not `on_disk`, the format's reader has the rows and `path` is only a name. The rows are
    in a temporary folder, which is deleted when the context ends. `run` is the id of the judgments' run.
    """
    source = existing_path(path) if on_disk else Path(path)
    options = options or ImportOptions()
    corrections = corrections.after(options.earlier)
    form.check(options)
    tally = ImportStats(strict, options.spelling)
    with (
        full_disk_error(tempfile.gettempdir()),
        tempfile.TemporaryDirectory(prefix="spb-import-") as folder,
        closing(StudyBuilder(Path(folder), corrections, run, options.spelling)) as builder,
        apply_limits(limits) as allowance,
    ):
        with _hint_on_error(source, form) if on_disk else nullcontext():
            reader = form.reader(source, options, tally)
            _read_rows(reader, tally, builder, allowance, (source.name, form.expected))
        if isinstance(reader, Finishing):
            reader.finish(builder)
        fields = getattr(reader, "fields", form.fields)
        if builder.choice_probabilities:
            [column] = [each.name for each in fields if "p_generator" in each.becomes][:1] or ["p_generator"]
            tally.note(builder.choice_probabilities.caution(column, options.spelling), is_caution=True)
        if families := spell_families(builder):
            tally.note(families, is_caution=True)
        one_name = _one_name(builder)
        names_doubt = note_models(tally, builder, one_name)
        for caution in person_cautions(builder.sources_of_truth, builder.models):
            tally.note(caution, is_doubt=True)
        if form.name == "table":  # the formats of tools have ids that tools write
            for caution in split_questions(
                builder, options.spelling.option("whole-ids") if on_disk else None
            ):
                tally.note(caution, is_doubt=True)
        _note_options(tally, options)
        report = mapping_report(form, tally, builder, fields)
        report = replace(report, one_name=one_name, names_doubt=names_doubt)
        read_by = getattr(reader, "read_by", options)
        record = record_of(
            source.name,
            form.name,
            read_by,
            getattr(reader, "columns", ()),
            names=builder.corrections.other_names(),
            run=run,
            source=form.source or None,
            licence=form.licence,
        )
        info = StudyInfo(
            title=f"{form.title}: {source.name}",
            dataset=source.stem,
            provenance="imported",
            source=form.source or None,
            notes=form.notes,
            licence=form.licence,
            imports=[record] if on_disk else None,
        )
        yield ImportedFile(report, study_name(source), info, builder, read_by)


def _read_rows(
    reader: Reader,
    tally: ImportStats,
    builder: StudyBuilder,
    allowance: ImportAllowance,
    expected: tuple[str, str],
) -> None:
    """Add the rows to the study, or count those left out; BadInputError if none can be added.

    `expected` is the name of the source and what its rows should have been.
    """
    for row in reader.rows():
        tally.count(row)
        allowance.check_rows(row.file, tally.rows_read)
        allowance.check_columns(row.file, len(row.values))
        try:
            builder.add(reader.read(row))
        except BadRowError as bad:
            tally.leave_out(row.file, row.number, bad)
    if tally.rows_lost == tally.rows_read:
        examples = [f"{reason}: {out.examples[0]}" for reason, out in tally.left_out.items()][:3]
        problem = f"it has no row of the format ({'; '.join(examples) or 'it is empty'})"
        raise refuse(expected[0], problem, expected[1])


def _one_name(builder: StudyBuilder) -> dict[str, str]:
    """Return the names that may be another's, each with that model's name."""
    others = other_names(builder.models, builder.judges, builder.generators, builder.are_judged_side_by_side)
    return {name: model for model, names in others.items() for name in names}


def _note_options(tally: ImportStats, options: ImportOptions) -> None:
    """Note the values that were out of range, and names to leave out that the file does not have."""
    for scale, count in tally.out_of_range.items():
        tally.note(f"{quantity(count, 'value')} out of range ({scale}): no verdict")
    for name in options.leave_out:
        if name not in tally.left_out_names:
            without = options.spelling.without([name])
            tally.note(f"{without} leaves nothing out: the file has no score of that name")


@contextmanager
def _hint_on_error(source: Path, form: Format) -> Iterator[None]:
    """Add the format that a file looks like to the error that it is not of this one."""
    try:
        yield
    except BadInputError as error:
        likeness = hint(source, form.name)
        if likeness and isinstance(error, OpenQuestionsError):
            raise BadInputError(f"{likeness}. ", error.message) from error
        if likeness:
            raise BadInputError(error.message, f"; {likeness}") from error
        raise


def study_name(path: Path) -> str:
    """Return a study's name made from a file's; `imported` if no letter of it can be used."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0] if path.is_file() else path.resolve().name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._") or "imported"


T = TypeVar("T")


def preview(reading: ImportedFile, study: str, look: Callable[[StudyFiles], T]) -> T:
    """Return `look` of the study, so called, in a temporary store. Raises the errors of `Store.write`."""
    with tempfile.TemporaryDirectory(prefix="spb-trial-") as folder:
        store = Store(folder)
        reading.write_to(store, study)
        return look(store.open(study))
