"""What a run collected, on its way from the run's journal into the study.

One call adds judgments and responses, changes the run's rows in `runs`, and takes out the errors that were
answered since: all at once or not at all. Its cost depends on the run's own rows, not on the study's: a
part of other runs is known by the statistics in its footer and never read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.errors import StoreError
from engine.store.files import StudyFiles
from engine.store.groups import bounds
from engine.store.info import StudyInfo
from engine.store.sources import Batch, Source, from_tables
from engine.store.types import exchange_array
from engine.store.writer import append_collected

MERGED_ROWS = 50_000
"""A run's last part with fewer rows is written anew with what follows, so that parts stay few."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RunParts:
    """The parts that hold rows of one run, and those among them that are written anew."""

    own: frozenset[str]
    rewritten: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """Rows that a run collected; `judgments` have a call_id, which a later answer to the call shares."""

    run_id: str
    judgments: Rows
    responses: Rows


def add_collected(
    study: StudyFiles,
    collected: Collected,
    change_runs: Callable[[Rows], Rows],
    change_info: Callable[[StudyInfo], StudyInfo] = lambda info: info,
) -> StudyFiles:
    """Add the rows to the study as it is now, and return it as it is then.

    An error of the run whose call is among the rows is taken out. `change_runs` gets all rows of `runs` and
    returns those that take their place. Raises BadInputError for rows that an import would refuse,
    StudyChangedError where another writer was quicker, StoreError where nothing can be written; the study
    is then as it was.
    """
    study = StudyFiles(study.location)
    answered = pa.array({row["call_id"] for row in collected.judgments}, pa.string())
    parts = _parts(study, collected.run_id, answered)
    tables = {"runs": _source("runs", change_runs(study.table("runs").to_pylist()))}
    if collected.responses:
        tables["responses"] = _source("responses", collected.responses)
    if collected.judgments:
        rows = _rewritten(study, collected, parts, answered)
        tables["judgments"] = Source(schema.JUDGMENTS, rows, schema.JUDGMENTS.names)
    try:
        append_collected(study, tables, parts, change_info(study.info))
    except OSError as error:
        raise StoreError(
            f"{study.path}: cannot be written: {error.strerror or error}; nothing was changed"
        ) from error
    return StudyFiles(study.location)


def exchange_table(name: str, rows: Rows) -> pa.Table:
    """Return rows as a table in exchange form, with every column that the table declares.

    Raises BadInputError that names the table, the row and the value that is of another kind.
    """
    columns = schema.TABLES[name].columns
    return pa.table(
        {
            column.name: exchange_array(name, column, [row.get(column.name) for row in rows])
            for column in columns
        }
    )


def run_parts(study: StudyFiles, run_id: str) -> list[str]:
    """Return the parts that may hold judgments of the run."""
    return [part for part in study.parts() if _Footer.of(study, part).may_hold(run_id)]


def _source(name: str, rows: Rows) -> Source:
    """Return the source of a small table; times that were read from the store are written as texts."""
    times = [column.name for column in schema.TABLES[name].columns if column.kind == "time"]
    texts = [
        {**row, **{t: row[t].isoformat() for t in times if hasattr(row.get(t), "isoformat")}} for row in rows
    ]
    return from_tables(schema.TABLES[name], exchange_table(name, texts))


def _parts(study: StudyFiles, run_id: str, answered: pa.Array) -> RunParts:
    """Return the run's parts; written anew are a small last one and those with errors that are answered."""
    own: dict[str, _Footer] = {}
    for part in study.parts():
        footer = _Footer.of(study, part)
        if footer.may_hold(run_id):
            own[part] = footer
    rewritten = []
    if len(answered):
        last = next(reversed(own), None)
        for part, footer in own.items():
            small = part == last and footer.rows < MERGED_ROWS
            if small or (footer.may_hold_errors and _has_answered(study, part, run_id, answered)):
                rewritten.append(part)
    return RunParts(frozenset(own), tuple(rewritten))


def _has_answered(study: StudyFiles, part: str, run_id: str, answered: pa.Array) -> bool:
    columns = ["run_id", "call_id", "status"]
    return any(
        bool(pc.any(_answered_errors(rows, run_id, answered)).as_py())
        for rows in study.judgment_batches(columns=columns, parts=[part])
    )


def _rewritten(
    study: StudyFiles, collected: Collected, parts: RunParts, answered: pa.Array
) -> Iterator[Batch]:
    """Yield the rows of parts that are written anew, without the errors that are answered; then new ones."""
    first = 1
    for table in study.judgment_batches(parts=parts.rewritten):
        kept = table.filter(pc.invert(_answered_errors(table, collected.run_id, answered)))
        for batch in kept.combine_chunks().to_batches():
            yield Batch(batch, first)
            first += batch.num_rows
    for batch in exchange_table("judgments", collected.judgments).to_batches():
        yield Batch(batch, first)
        first += batch.num_rows


def _answered_errors(rows: pa.Table, run_id: str, answered: pa.Array) -> pa.ChunkedArray:
    """Return where the rows are errors of the run whose call has been made again since."""
    status, run, call = (rows[name].cast(pa.string()) for name in ("status", "run_id", "call_id"))
    mine = pc.and_(pc.equal(status, "error"), pc.equal(run, run_id))
    return pc.fill_null(pc.and_(mine, pc.is_in(call, value_set=answered)), False)


@dataclass(frozen=True, slots=True)
class _Footer:
    """What a part's footer says: its rows, and the least and greatest run_id and status where known."""

    rows: int
    runs: tuple[str, str] | None
    statuses: tuple[str, str] | None

    @classmethod
    def of(cls, study: StudyFiles, part: str) -> "_Footer":
        place = study.location.child(part)
        try:
            with place.filesystem.open_input_file(place.path) as file:
                found = pq.read_metadata(file)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{place.shown}: cannot be read: {error}; check it with `spb validate`, or import it again"
            ) from error
        return cls(found.num_rows, _bounds(found, "run_id"), _bounds(found, "status"))

    def may_hold(self, run_id: str) -> bool:
        """Return whether a row of the run may be there."""
        return self.runs is None or self.runs[0] <= run_id <= self.runs[1]

    @property
    def may_hold_errors(self) -> bool:
        """Whether a row with an error may be there."""
        return self.statuses is None or self.statuses[0] <= "error" <= self.statuses[1]


def _bounds(found: pq.FileMetaData, name: str) -> tuple[str, str] | None:
    """Return the least and greatest value of a text column, None where the footer does not say."""
    if name not in found.schema.names:
        default = schema.JUDGMENTS.column(name).default
        return (str(default), str(default))
    index = found.schema.names.index(name)
    ends: list[str] = []
    for group in range(found.num_row_groups):
        of_group = bounds(found.row_group(group), index)
        if of_group is None:
            return None
        ends += of_group
    return (min(ends), max(ends)) if ends else None
