"""Rows to be stored, batch by batch, with the origin of each."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from engine import schema
from engine.errors import BadInputError, bad_row

BATCH_ROWS = 1 << 19


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a table in exchange form; `first` is the number of the first row in `file`, from 1.

    `file` is None if the table is a single file or in memory, so that messages need not name it.
    """

    table: schema.TableSchema
    rows: pa.RecordBatch
    first: int = 1
    file: str | None = None

    def error(self, index: int, problem: str, remedy: str) -> BadInputError:
        return bad_row(self.table.name, self.first + index, problem, remedy, self.file)


@dataclass(frozen=True, slots=True)
class ExchangeTable:
    """A table in exchange form, read batch by batch.

    `columns` are the columns it has, None if only the rows show that (JSON Lines). `ignored` are its columns
    that no study stores; of JSON Lines those of the rows read so far. `blank_is_absent`: an empty text means
    a missing value (CSV).
    """

    table: schema.TableSchema
    batches: Iterable[Batch]
    columns: Sequence[str] | None = None
    ignored: Collection[str] = ()
    blank_is_absent: bool = False


@dataclass(slots=True)
class RowPlaces:
    """Remembers where rows came from, so that later errors can name them."""

    starts: list[int] = field(default_factory=list)
    batches: list[tuple[int, str | None]] = field(default_factory=list)
    rows: int = 0

    def add(self, batch: Batch) -> None:
        self.starts.append(self.rows)
        self.batches.append((batch.first, batch.file))
        self.rows += batch.rows.num_rows

    def of(self, row: int) -> tuple[int, str | None]:
        """Return the number of a row (an index over all batches, from 0) in its file, and the file."""
        index = bisect_right(self.starts, row) - 1
        first, file = self.batches[index]
        return first + row - self.starts[index], file

    def error(self, table: str, row: int, problem: str, remedy: str) -> BadInputError:
        """Return the error for a row, counted from 0 over all batches."""
        number, file = self.of(row)
        return bad_row(table, number, problem, remedy, file)


def from_tables(table: schema.TableSchema, tables: pa.Table | Iterable[pa.Table]) -> ExchangeTable:
    """Return the source that reads tables in memory; columns that no study stores are refused later."""
    if not isinstance(tables, pa.Table):
        return ExchangeTable(table, _batches_of(table, tables))
    columns = [name for name in tables.column_names if name in table.names]
    ignored = [name for name in tables.column_names if name not in table.names]
    return ExchangeTable(table, _batches_of(table, [tables.select(columns)]), columns, ignored)


def _batches_of(table: schema.TableSchema, tables: Iterable[pa.Table]) -> Iterator[Batch]:
    first = 1
    for part in tables:
        for rows in part.to_batches(max_chunksize=BATCH_ROWS):
            yield Batch(table, rows, first)
            first += rows.num_rows
