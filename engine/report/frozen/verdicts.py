"""The verdicts of a frozen study, row by row: which of them were changed since."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import BadInputError
from engine.report.frozen.record import AGAIN
from engine.store.arrow_types import ARROW, UNREADABLE
from engine.store.checksums import ChecksummedWriter
from engine.store.location import locate
from engine.store.parquet import columns_of, open_parquet, read
from engine.store.study_files import StudyFiles

VERDICTS = ("met", "score", "choice", "p_generator", "p_tie", "status")
"""The columns of a judgment that hold its verdict, or why there is none."""

NAMES = ("judge", "paradigm", "instance_id", "generator", "opponent", "rubric_id", "trial")
"""The columns that say to a reader which judgment it is."""


@dataclass(frozen=True)
class ChangedVerdict:
    """A judgment, and one column of its verdict as it was and as it is."""

    judgment: str
    column: str
    before: Any
    after: Any


@dataclass(frozen=True)
class ChangedVerdicts:
    """The judgments whose verdicts differ: how many, and the first of them.

    Of a study with other rows `rows` says how many judgments there were and are, and none is compared.
    """

    count: int
    first: tuple[ChangedVerdict, ...] = ()
    rows: tuple[int, int] | None = None


def write_verdicts(files: StudyFiles, path: Path) -> None:
    """Write the verdicts of all judgments, in their order."""
    form = pa.schema([(name, ARROW[schema.JUDGMENTS.column(name).kind]) for name in VERDICTS])
    with ChecksummedWriter(path, form) as writer:
        for batch in files.judgment_batches(columns=VERDICTS):
            writer.write_table(batch.cast(form))


def changed_verdicts(files: StudyFiles, path: Path, most: int) -> ChangedVerdicts:
    """Return which judgments' verdicts are no longer those in the file at `path`, at `most` so many."""
    before, after = _read(path), files.judgments((*NAMES, *VERDICTS))
    if before.num_rows != after.num_rows:
        return ChangedVerdicts(0, rows=(before.num_rows, after.num_rows))
    marks = {name: _differing(before[name], after[name]) for name in VERDICTS}
    rows = np.flatnonzero(np.logical_or.reduce(list(marks.values())))
    return ChangedVerdicts(len(rows), tuple(_changes(before, after, marks, rows[:most])))


def _changes(before: pa.Table, after: pa.Table, marks: dict[str, Any], rows: Any) -> Iterator[ChangedVerdict]:
    for row in rows.tolist():
        names = {name: after[name][row].as_py() for name in NAMES}
        judgment = ", ".join(f"{name}={value}" for name, value in names.items() if value not in (None, 0))
        for column in VERDICTS:
            if marks[column][row]:
                yield ChangedVerdict(
                    judgment, column, before[column][row].as_py(), after[column][row].as_py()
                )


def _differing(before: pa.ChunkedArray, after: pa.ChunkedArray) -> Any:
    """Return where two columns differ; absent values are equal."""
    one, other = (pc.cast(column, pa.string()) if _is_text(column) else column for column in (before, after))
    unequal = pc.fill_null(pc.not_equal(one, other), False)
    absent = pc.not_equal(pc.is_null(one), pc.is_null(other))
    return pc.or_(unequal, absent).to_numpy()


def _is_text(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_dictionary(column.type))


def _read(path: Path) -> pa.Table:
    columns = columns_of(schema.JUDGMENTS, VERDICTS)
    try:
        with open_parquet(locate(path), schema.JUDGMENTS) as parquet:
            return read(parquet, schema.JUDGMENTS, columns, {})
    except UNREADABLE as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {error}; {AGAIN}") from error
