"""Rows on their way into a store, and where each of them came from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from engine import schema
from engine.errors import BadInputError, bad_row

BATCH_ROWS = 1 << 19


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a table in exchange form; `first` is the number of the first, from 1, in `file`.

    `file` is None where the table is a single file or in memory, and messages need not name it.
    """

    rows: pa.RecordBatch
    first: int = 1
    file: str | None = None

    def error(self, table: str, index: int | None, problem: str, remedy: str) -> BadInputError:
        """Return the error for the row at `index` of this batch (None: the table as a whole)."""
        place = table if self.file is None else f"{table} ({self.file})"
        return bad_row(place, None if index is None else self.first + index, problem, remedy)


@dataclass(frozen=True, slots=True)
class Source:
    """A table in exchange form, read batch by batch.

    `columns` are those it has, None where that shows only in the rows (JSON Lines). `ignored` are columns
    it has that no study stores. `blank_is_absent`: an empty text means that there is no value (CSV).
    """

    table: schema.Table
    batches: Iterable[Batch]
    columns: Sequence[str] | None = None
    ignored: Sequence[str] = ()
    blank_is_absent: bool = False


@dataclass(slots=True)
class Places:
    """Remembers where rows came from, so that a row found late can be named."""

    starts: list[int] = field(default_factory=list)
    batches: list[tuple[int, str | None]] = field(default_factory=list)
    rows: int = 0

    def add(self, batch: Batch) -> None:
        """Take note of the next batch."""
        self.starts.append(self.rows)
        self.batches.append((batch.first, batch.file))
        self.rows += batch.rows.num_rows

    def of(self, row: int) -> tuple[int, str | None]:
        """Return the number of a row (counted from 0 over all batches) in its file, and the file."""
        from bisect import bisect_right

        index = bisect_right(self.starts, row) - 1
        first, file = self.batches[index]
        return first + row - self.starts[index], file

    def error(self, table: str, row: int, problem: str, remedy: str) -> BadInputError:
        """Return the error for a row, counted from 0 over all batches."""
        number, file = self.of(row)
        return bad_row(table if file is None else f"{table} ({file})", number, problem, remedy)


def from_tables(table: schema.Table, tables: pa.Table | Iterable[pa.Table]) -> Source:
    """Return the source that reads tables in memory; columns that no study stores are refused later."""
    if not isinstance(tables, pa.Table):
        return Source(table, _numbered(tables))
    columns = [name for name in tables.column_names if name in table.names]
    ignored = [name for name in tables.column_names if name not in table.names]
    return Source(table, _numbered([tables.select(columns)]), columns, ignored)


def _numbered(tables: Iterable[pa.Table]) -> Iterator[Batch]:
    first = 1
    for table in tables:
        for rows in table.to_batches(max_chunksize=BATCH_ROWS):
            yield Batch(rows, first)
            first += rows.num_rows
