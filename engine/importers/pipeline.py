"""An import from file to study: read, reported, previewed, written."""

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.errors import BadInputError, SpbError, printable
from engine.importers.families import NONE, Corrections, ModelName, resolve, twins
from engine.importers.questions import OpenQuestionsError
from engine.importers.reading.format import Finishing, Format, ImportedField, ImportOptions
from engine.importers.reading.json_rows import COMMAND_LIMITS, ImportLimits, apply_limits, existing_path
from engine.importers.reading.rows import BadRowError, ImportStats, LeftOut, StudyBuilder, refuse
from engine.importers.registry import hint
from engine.phrases import quantity
from engine.store import Mode, Store
from engine.store.publish import full_disk_error
from engine.store.study_files import StudyFiles, StudyInfo
from engine.store.writer import WriteReport, write_sources

_SHOWN_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model of the import: its family, whether people corrected it, and what its name says."""

    model: str
    family: str
    judges: bool
    answers: bool
    corrected: bool
    parsed_name: ModelName


@dataclass(frozen=True, slots=True)
class MappingReport:
    """What an import found, before anything is written.

    `fields` are the format's fields with the number of rows that had them, `unused` the file's fields that
    are not stored. `statuses` counts judgments by status; `ties` are among the `ok` ones.
    """

    title: str
    rows_read: int
    rows_stored: int
    fields: tuple[tuple[ImportedField, int], ...]
    unused: tuple[str, ...]
    tables: dict[str, int]
    statuses: dict[str, int]
    paradigms: dict[str, int]
    ties: int
    repeats: int
    left_out: dict[str, LeftOut]
    models: tuple[ModelRow, ...]
    twins: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]

    @property
    def judgments(self) -> int:
        return sum(self.statuses.values())

    @property
    def present(self) -> list[tuple[ImportedField, int]]:
        return [(field, count) for field, count in self.fields if count]

    @property
    def absent(self) -> list[ImportedField]:
        return [field for field, count in self.fields if not count]

    @property
    def questions(self) -> list[str]:
        """Open questions about the families of models that nobody corrected."""
        undecided = [row for row in self.models if not row.corrected]
        return [question for row in undecided if (question := row.parsed_name.question) is not None]

    def lines(self) -> Iterator[str]:
        """Yield the report as lines of text, with unprintable characters escaped."""
        return map(printable, self._lines())

    @property
    def is_unreadable(self) -> bool:
        """Whether there are judgments, and not one with a verdict."""
        return self.judgments > 0 and not self.statuses.get("ok")

    def contents(self) -> str:
        """Return the number of rows of each table of the study, in words."""
        parts = [quantity(n, name.removesuffix("s")) for name, n in self.tables.items() if n]
        return ", ".join(parts) or "nothing"

    def _lines(self) -> Iterator[str]:
        rows, left_out = quantity(self.rows_read, "row"), self.rows_read - self.rows_stored
        yield f"{self.title}: {rows} read, {self.rows_stored:,} taken, {left_out:,} left out"
        yield from (f"note: {note}" for note in self.notes)
        yield "fields and what they became:"
        for field, count in self.present:
            note = f" ({field.note})" if field.note else ""
            yield f"  {field.name} -> {field.becomes}{note}: {quantity(count, 'row')}"
        if self.absent:
            yield "  in no row: " + ", ".join(field.name for field in self.absent)
        if self.unused:
            yield "  not stored: " + ", ".join(map(repr, self.unused))
        yield f"makes: {self.contents()}"
        if self.judgments:
            yield "judgments: " + self.verdicts()
        for reason, out in self.left_out.items():
            yield f"left out, {reason}: {quantity(out.count, 'row')}, such as {'; '.join(out.examples)}"
        yield "models and families (correct them with --models):"
        for row in self.models:
            does = [word for word, true in (("judges", row.judges), ("answers", row.answers)) if true]
            source = "as the models file says" if row.corrected else row.parsed_name.words
            about = ", ".join(part for part in (" and ".join(does), source) if part)
            yield f"  {row.model}: {row.family}" + (f" ({about})" if about else "")
        questions = self.questions
        if questions:
            yield "families to decide (--write-models FILE writes them down to be corrected):"
            yield from (f"  {question}" for question in questions[:_SHOWN_QUESTIONS])
        if len(questions) > _SHOWN_QUESTIONS:
            yield f"  and {len(questions) - _SHOWN_QUESTIONS:,} more"
        for group in self.twins:
            yield f"  one model in several forms? {', '.join(group)}; give them one name with --models if so"

    def verdicts(self) -> str:
        """Return the numbers of verdicts, of ties among them, and of rows without one, in words."""
        parts = [f"{self.statuses.get('ok', 0):,} with a verdict (ties: {self.ties:,})"]
        parts += [f"{n:,} {status}" for status, n in self.statuses.items() if status != "ok" and n]
        paradigms = ", ".join(f"{name} {n:,}" for name, n in self.paradigms.items())
        repeats = f"; {self.repeats:,} repeat an earlier one as further trials" if self.repeats else ""
        return ", ".join(parts) + f"; {paradigms}{repeats}"


def mapping_report(
    form: Format, tally: ImportStats, builder: StudyBuilder, fields: tuple[ImportedField, ...]
) -> MappingReport:
    stored_fields = {name for field in fields for name in _roots(field.name, tally)}
    sizes = {name: len(rows) for name, rows in builder.rows.items()}
    corrections, models = builder.corrections, []
    for model in builder.models:
        family, corrected = corrections.row(model)["family"], "family" in corrections.rows.get(model, {})
        judges, answers = model in builder.judges, model in builder.generators
        models.append(ModelRow(model, str(family), judges, answers, corrected, resolve(model)))
    return MappingReport(
        title=form.title,
        rows_read=tally.rows_read,
        rows_stored=tally.rows_read - tally.rows_lost,
        fields=tuple(
            (field, max((tally.fields.get(name, 0) for name in _roots(field.name, tally)), default=0))
            for field in fields
        ),
        unused=tuple(sorted(name for name in tally.fields if name not in stored_fields | tally.stored)),
        tables={"models": len(builder.models), **sizes, "judgments": builder.statuses.total()},
        statuses=dict(builder.statuses),
        paradigms=dict(builder.paradigms),
        ties=builder.ties,
        repeats=builder.repeats,
        left_out=tally.left_out,
        models=tuple(models),
        twins=tuple(tuple(group) for group in twins(builder.models)),
        notes=tuple(tally.notes),
    )


def _roots(name: str, tally: ImportStats) -> list[str]:
    """Return the top-level fields of a declared one: `games[].score` is in `games`."""
    if name in tally.fields:  # of a table, where `No.` is a name and no path
        return [name]
    return [re.split(r"[\[{.]", part.strip())[0] for part in name.split(",")]


# ------------------------------------------------------------------------------
# From a file of another tool to a study: read and report first, then write.


_PEOPLE = re.compile(r"(human|person|people|annotator|rater|expert|crowd|worker)[-_ ]?\d*$", re.IGNORECASE)


class NoVerdictError(SpbError):
    """An import has judgments, and not one verdict could be read; nothing was written."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was read: its report, and the study to write."""

    report: MappingReport
    name: str
    info: StudyInfo
    builder: StudyBuilder

    def write(
        self, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
    ) -> WriteReport:
        """Write the study, by default under the file's name. Raises the errors of `Store.write`.

        With `dry_run` everything is checked and nothing written.
        """
        study = name or self.name
        models = {}
        if mode == "append" and study in store.studies():
            models = {row["model"]: row for row in store.open(study).table("models").to_pylist()}
        sources = self.builder.sources(models)
        return write_sources(store, study, sources, self.info, mode=mode, dry_run=dry_run)

    def check_verdicts(self) -> None:
        """Raise NoVerdictError if there are judgments, and no verdict of them could be read."""
        if self.report.is_unreadable:
            raise NoVerdictError(
                f"no verdict could be read from {quantity(self.report.judgments, 'judgment')}; nothing was "
                "written. See what became of each field; say what its values mean (--value), or name another "
                "(--map)"
            )

    def split_ids(self, store: Store, name: str | None) -> str:
        """Return a caution if ids of questions differ only by `.0`, here or from a study's; else empty."""
        new = [str(key[0]) for key in self.builder.rows.get("instances", {})]
        stored: set[str] = set()
        if name is not None and name in store.studies():
            stored = set(store.open(name).table("instances")["instance_id"].to_pylist())
        both = stored | set(new)
        pairs = [each for each in new if each.endswith(".0") and each[:-2] in both]
        pairs += [each for each in new if f"{each}.0" in stored and each not in stored]
        if not pairs:
            return ""
        first = pairs[0].removesuffix(".0")
        return (
            f"ids of questions that differ from another by .0 only: {len(pairs):,}, such as {first!r} and "
            f"{first + '.0'!r}: ids are text as written, so that these are different questions. If they are "
            "the same, import the file that has the .0 with --whole-ids"
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
    form.check(options)
    tally = ImportStats(strict=strict)
    with (
        full_disk_error(tempfile.gettempdir()),
        tempfile.TemporaryDirectory(prefix="spb-import-") as folder,
        closing(StudyBuilder(Path(folder), corrections, run)) as builder,
        apply_limits(limits) as allowance,
    ):
        with _hint_on_error(source, form) if on_disk else nullcontext():
            reader = form.reader(source, options, tally)
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
                raise refuse(source.name, problem, form.expected)
        if isinstance(reader, Finishing):
            reader.finish(builder)
        _note_models(tally, builder)
        for scale, count in tally.out_of_range.items():
            tally.note(f"{quantity(count, 'value')} out of range ({scale}): no verdict")
        for name in options.leave_out:
            if name not in tally.left_out_names:
                tally.note(f"--not {name!r} leaves nothing out: the file has no score of that name")
        fields = getattr(reader, "fields", form.fields)
        report = mapping_report(form, tally, builder, fields)
        info = StudyInfo(
            title=f"{form.title}: {source.name}",
            dataset=source.stem,
            provenance="imported",
            source=form.source or None,
            notes=form.notes,
        )
        yield ImportedFile(report, study_name(source), info, builder)


@contextmanager
def _hint_on_error(source: Path, form: Format) -> Iterator[None]:
    """Add the format that a file looks like to the error that it is not of this one."""
    try:
        yield
    except BadInputError as error:
        likeness = hint(source, form.name)
        if likeness and isinstance(error, OpenQuestionsError):
            raise BadInputError(f"{likeness}. {error}") from error
        if likeness:
            raise BadInputError(f"{error}; {likeness}") from error
        raise


def _note_models(tally: ImportStats, builder: StudyBuilder) -> None:
    """Note models that are not in the file, and judges that look like people."""
    corrections = builder.corrections
    for model in [name for name in corrections.names if corrections.new_name(name) not in builder.models]:
        tally.note(f"the models file names {model!r}, which the import does not have")
    if people := [name for name in builder.judges if _PEOPLE.match(name)]:
        tally.note(
            f"{', '.join(people[:5])} look like people, not judges: import what they say as references "
            "(table: --map reference_met=FIELD, or preference, and reference_source)"
        )


def study_name(path: Path) -> str:
    """Return a study's name made from a file's; `imported` if no letter of it can be used."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0] if path.is_file() else path.resolve().name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._") or "imported"


T = TypeVar("T")


def preview(reading: ImportedFile, look: Callable[[StudyFiles], T]) -> T:
    """Return `look` of the study in a temporary store. Raises the errors of `Store.write`."""
    with tempfile.TemporaryDirectory(prefix="spb-trial-") as folder:
        store = Store(folder)
        reading.write(store, "tried")
        return look(store.open("tried"))
