"""Rows that a run collected, added to the study in its current state."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine import schema
from engine.collect.rows.redo import TABLES, RepeatedResponses
from engine.errors import StoreError
from engine.plain_words import disk_words
from engine.store.batches import Batch, ExchangeTable, from_tables
from engine.store.parquet import bounds
from engine.store.publish import UNCHANGED
from engine.store.study_files import StudyFiles, footer_at
from engine.store.writer import Rows, RunParts, change_study, exchange_table

Value = TypeVar("Value")


MERGED_ROWS = 50_000
"""A run's last part with fewer rows is rewritten together with new rows, so that parts stay few."""


@dataclass(frozen=True)
class NewRows:
    """Rows that a run collected; `judgments` have a call_id, the same in a later answer to the call.

    The run's rows of the calls in `withdrawn` are removed, whatever their status, to be requested again, and
    what other tables have about the responses in `repeated`.
    """

    run_id: str
    judgments: Rows
    responses: Rows
    withdrawn: frozenset[str] = frozenset()
    repeated: RepeatedResponses | None = None

    @cached_property
    def _calls(self) -> tuple[pa.Array, pa.Array]:
        answered = pa.array({row["call_id"] for row in self.judgments}, pa.string())
        return answered, pa.array(sorted(self.withdrawn), pa.string())

    def outdated(self, rows: pa.Table) -> pa.ChunkedArray:
        """Return the mask of the run's rows of `withdrawn` calls, and of errors whose call was made again."""
        answered, withdrawn = self._calls
        status, run, call = (rows[name].cast(pa.string()) for name in ("status", "run_id", "call_id"))
        repeated = pc.and_(pc.equal(status, "error"), pc.is_in(call, value_set=answered))
        given_up = pc.or_(pc.fill_null(repeated, False), pc.is_in(call, value_set=withdrawn))
        return pc.fill_null(pc.and_(pc.equal(run, self.run_id), given_up), False)


def add_rows(study: StudyFiles, new: NewRows, change_runs: Callable[[Rows], Rows]) -> StudyFiles:
    """Add the rows to the study's current state, and return the changed study.

    An error of the run is removed if its call is among the rows. `change_runs` maps all rows of `runs` to
    their replacement. Raises BadInputError for rows that an import would refuse, StudyChangedError if another
    writer was faster, and StoreError if writing fails; the study is then unchanged.
    """
    study = StudyFiles(study.location)
    parts = _parts(study, new)
    new_rows = {"runs": change_runs(study.table("runs").to_pylist()), "responses": new.responses}
    tables = {
        name: from_tables(schema.TABLES[name], exchange_table(name, rows))
        for name, rows in new_rows.items()
        if rows or name == "runs"
    }
    replaced = ["runs"]
    if new.repeated is not None:
        for name in filter(study.has, TABLES):
            rows, left_out = new.repeated.without(name, study.table(name))
            if left_out:
                tables[name] = from_tables(schema.TABLES[name], rows)
                replaced.append(name)
    if new.judgments or parts.rewritten:
        batches = _rewritten_batches(study, new, parts)
        tables["judgments"] = ExchangeTable(schema.JUDGMENTS, batches, schema.JUDGMENTS.names)
    try:
        change_study(study, tables, replaced, parts=parts)
    except OSError as error:
        words = disk_words(error, "choose another --store", UNCHANGED)
        raise StoreError(f"{study.path}: cannot be written: {words}") from error
    return StudyFiles(study.location)


def _parts(study: StudyFiles, new: NewRows) -> RunParts:
    """Return the run's parts; a small last one and those with outdated rows are to be rewritten."""
    footers = footers_of_run(study, new.run_id)
    rewritten = []
    if new.judgments or new.withdrawn:
        last = next(reversed(footers), None)
        for part, footer in footers.items():
            small = part == last and footer.rows < MERGED_ROWS
            may_hold = new.withdrawn or _within("error", footer.statuses)
            batches = study.judgment_batches(columns=["run_id", "call_id", "status"], parts=[part])
            if small or (may_hold and any(pc.any(new.outdated(rows)).as_py() for rows in batches)):
                rewritten.append(part)
    return RunParts(frozenset(footers), tuple(rewritten))


def _rewritten_batches(study: StudyFiles, new: NewRows, parts: RunParts) -> Iterator[Batch]:
    """Yield the rows of rewritten parts without the outdated ones, then the new rows."""
    tables = study.judgment_batches(parts=parts.rewritten)
    remaining = (table.filter(pc.invert(new.outdated(table))).combine_chunks() for table in tables)
    first = 1
    for table in chain(remaining, [exchange_table("judgments", new.judgments)]):
        for batch in table.to_batches():
            yield Batch(schema.JUDGMENTS, batch, first)
            first += batch.num_rows


class _Footer(NamedTuple):
    """A part's number of rows, and its least and greatest status, if known."""

    rows: int
    statuses: tuple[str, str] | None


def footers_of_run(study: StudyFiles, run_id: str) -> dict[str, _Footer]:
    """Return the parts that may contain judgments of the run, with their footers.

    StudyChangedError if the study was replaced since it was opened, and a part is gone.
    """
    footers = {}
    for part in study.parts():
        with study.unless_replaced():
            metadata = footer_at(study.location.child(part)).metadata
        if _within(run_id, _bounds(metadata, "run_id")):
            footers[part] = _Footer(metadata.num_rows, _bounds(metadata, "status"))
    return footers


def _within(value: str, ends: tuple[str, str] | None) -> bool:
    """Return whether a column with these bounds may contain a value: yes if they are unknown."""
    return ends is None or ends[0] <= value <= ends[1]


def _bounds(metadata: pq.FileMetaData, name: str) -> tuple[str, str] | None:
    """Return the least and greatest value of a text column, None if the footer does not state them."""
    if name not in metadata.schema.names:
        return (str(schema.JUDGMENTS.column(name).default),) * 2
    index = metadata.schema.names.index(name)
    groups = [bounds(metadata.row_group(group), index) for group in range(metadata.num_row_groups)]
    ends = [end for each in groups for end in each or ()]
    return (min(ends), max(ends)) if ends and None not in groups else None
