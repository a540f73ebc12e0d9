"""What a run collected, on its way from the run's journal into the study."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.errors import StoreError
from engine.store.conversion import Batch, Source, from_tables
from engine.store.parquet import bounds
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows, RunParts, change_study, exchange_table

MERGED_ROWS = 50_000
"""A run's last part with fewer rows is written anew with what follows, so that parts stay few."""


@dataclass(frozen=True, slots=True)
class Collected:
    """Rows that a run collected; `judgments` have a call_id, which a later answer to the call shares.

    The run's rows of the calls in `withdrawn` are taken out, whatever their status, as they are asked again.
    """

    run_id: str
    judgments: Rows
    responses: Rows
    withdrawn: frozenset[str] = frozenset()


def add_collected(study: StudyFiles, collected: Collected, change_runs: Callable[[Rows], Rows]) -> StudyFiles:
    """Add the rows to the study as it is now, and return it as it is then.

    An error of the run whose call is among the rows is taken out. `change_runs` gets all rows of `runs` and
    returns those that take their place. Raises BadInputError for rows that an import would refuse,
    StudyChangedError where another writer was quicker, StoreError where nothing can be written; the study
    is then as it was.
    """
    study = StudyFiles(study.location)
    answered = pa.array({row["call_id"] for row in collected.judgments}, pa.string())
    withdrawn = pa.array(sorted(collected.withdrawn), pa.string())
    parts = _parts(study, collected.run_id, answered, withdrawn)
    added = {"runs": change_runs(study.table("runs").to_pylist()), "responses": collected.responses}
    tables = {
        name: from_tables(schema.TABLES[name], exchange_table(name, rows))
        for name, rows in added.items()
        if rows or name == "runs"
    }
    if collected.judgments or parts.rewritten:
        rows = _rewritten(study, collected, parts, answered, withdrawn)
        tables["judgments"] = Source(schema.JUDGMENTS, rows, schema.JUDGMENTS.names)
    try:
        change_study(study, tables, "runs", parts=parts)
    except OSError as error:
        raise StoreError(
            f"{study.path}: cannot be written: {error.strerror or error}; nothing was changed"
        ) from error
    return StudyFiles(study.location)


def run_parts(study: StudyFiles, run_id: str) -> list[str]:
    """Return the parts that may hold judgments of the run."""
    return list(_footers(study, run_id))


def _footers(study: StudyFiles, run_id: str) -> dict[str, "_Footer"]:
    footers = {part: _Footer.of(study, part) for part in study.parts()}
    return {part: footer for part, footer in footers.items() if footer.may_hold(run_id)}


def _parts(study: StudyFiles, run_id: str, answered: pa.Array, withdrawn: pa.Array) -> RunParts:
    """Return the run's parts; written anew are a small last one and those with errors that are answered."""
    own = _footers(study, run_id)
    rewritten = []
    if len(answered) or len(withdrawn):
        last = next(reversed(own), None)
        for part, footer in own.items():
            small = part == last and footer.rows < MERGED_ROWS
            may_hold = footer.may_hold_errors or len(withdrawn)
            if small or (may_hold and _has_outdated(study, part, run_id, answered, withdrawn)):
                rewritten.append(part)
    return RunParts(frozenset(own), tuple(rewritten))


def _has_outdated(study: StudyFiles, part: str, run_id: str, answered: pa.Array, withdrawn: pa.Array) -> bool:
    every = study.judgment_batches(columns=["run_id", "call_id", "status"], parts=[part])
    return any(pc.any(_outdated(rows, run_id, answered, withdrawn)).as_py() for rows in every)


def _rewritten(
    study: StudyFiles, collected: Collected, parts: RunParts, answered: pa.Array, withdrawn: pa.Array
) -> Iterator[Batch]:
    """Yield the rows of parts that are written anew, without those that give way; then the new ones."""
    first = 1
    for table in study.judgment_batches(parts=parts.rewritten):
        remaining = table.filter(pc.invert(_outdated(table, collected.run_id, answered, withdrawn)))
        for batch in remaining.combine_chunks().to_batches():
            yield Batch(batch, first)
            first += batch.num_rows
    for batch in exchange_table("judgments", collected.judgments).to_batches():
        yield Batch(batch, first)
        first += batch.num_rows


def _outdated(rows: pa.Table, run_id: str, answered: pa.Array, withdrawn: pa.Array) -> pa.ChunkedArray:
    """Return where the rows are errors of the run whose call has been made again since, or withdrawn."""
    status, run, call = (rows[name].cast(pa.string()) for name in ("status", "run_id", "call_id"))
    repeated = pc.and_(pc.equal(status, "error"), pc.is_in(call, value_set=answered))
    given_up = pc.or_(pc.fill_null(repeated, False), pc.is_in(call, value_set=withdrawn))
    return pc.fill_null(pc.and_(pc.equal(run, run_id), given_up), False)


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
                metadata = pq.read_metadata(file)
        except (OSError, pa.ArrowException) as error:
            raise StoreError(
                f"{place.shown}: cannot be read: {error}; check it with `spb validate`, or import it again"
            ) from error
        return cls(metadata.num_rows, _bounds(metadata, "run_id"), _bounds(metadata, "status"))

    def may_hold(self, run_id: str) -> bool:
        """Return whether a row of the run may be there."""
        return self.runs is None or self.runs[0] <= run_id <= self.runs[1]

    @property
    def may_hold_errors(self) -> bool:
        """Whether a row with an error may be there."""
        return self.statuses is None or self.statuses[0] <= "error" <= self.statuses[1]


def _bounds(metadata: pq.FileMetaData, name: str) -> tuple[str, str] | None:
    """Return the least and greatest value of a text column, None where the footer does not say."""
    if name not in metadata.schema.names:
        default = schema.JUDGMENTS.column(name).default
        return (str(default), str(default))
    index = metadata.schema.names.index(name)
    ends: list[str] = []
    for group in range(metadata.num_row_groups):
        of_group = bounds(metadata.row_group(group), index)
        if of_group is None:
            return None
        ends += of_group
    return (min(ends), max(ends)) if ends else None
