"""Reads Parquet row by row; a file sent to a server is first tried in a process of its own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.errors import BadInputError
from engine.importers.reading.confined import confine, run_confined
from engine.importers.reading.json_rows import LONGEST_ROW, allowance
from engine.importers.reading.rows import ImportStats, Row, refuse
from engine.store.arrow_types import UNREADABLE
from engine.store.parquet import whole_batches


def _read_all(path: Path, depth: int) -> None:
    """Read a file to its end, or to the end of the batch with the row number `depth`, if that is not 0."""
    try:
        rows = 0
        for batch, _ in batches(path):
            rows += batch.num_rows
            if 0 < depth <= rows:
                break
    except (OSError, MemoryError, pa.ArrowException, BadInputError) as error:
        # Other errors are reported when the file is read in the main process.
        sys.exit(1 if isinstance(error, MemoryError) or "alloc" in str(error) else 0)


_ROWS = 4096
_WIDEST = 16  # bytes of a value of fixed size: the largest numbers and ids


class Nested:
    """Stands for a value that is a list, an object or bytes, which no field of a row can be."""

    def __repr__(self) -> str:
        return "(a list, an object or bytes)"


@contextmanager
def whole_parquet(path: Path, expected: str) -> Iterator[None]:
    """Turn errors of Arrow into a BadInputError that says what was expected."""
    try:
        yield
    except UNREADABLE as error:
        problem = str(error).splitlines()[0][:120]
        raise refuse(path.name, f"it is not a complete Parquet file ({problem})", expected) from error


def parquet_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:  # noqa: ARG001 - as others
    """Yield the rows of a Parquet file; values of columns of lists, objects and bytes are `Nested`."""
    number = 0
    with whole_parquet(path, expected):
        if (memory := allowance().limits.memory) is not None:
            run_confined(__name__, path.name, [str(path), str(allowance().depth or 0)], memory)
        for batch, placeholders in batches(path):
            size = _bytes(batch)
            allowance().take(path.name, size)
            step = max(1, _ROWS * LONGEST_ROW // max(size, LONGEST_ROW))
            for start in range(0, len(batch), step):
                for values in batch.slice(start, step).to_pylist():
                    number += 1
                    yield Row(path.name, number, values | placeholders)


def batches(path: Path) -> Iterator[tuple[pa.RecordBatch, dict[str, Nested]]]:
    """Yield batches with dictionary-encoded texts, and placeholders for the columns that are not read."""
    with pq.ParquetFile(path) as parquet:
        metadata = parquet.metadata
        size = sum(metadata.row_group(place).total_byte_size for place in range(metadata.num_row_groups))
        allowance().check_columns(path.name, metadata.num_columns)
        allowance().check_rows(path.name, metadata.num_rows)
        allowance().check_bytes(path.name, size)
        plain = [
            column
            for column in map(parquet.schema.column, range(len(parquet.schema)))
            if column.path == column.name
            and column.max_repetition_level == 0
            and (column.physical_type != "FIXED_LEN_BYTE_ARRAY" or column.length <= _WIDEST)
        ]  # columns with one plain value per row
        columns = [column.name for column in plain]
        texts = [column.name for column in plain if column.physical_type == "BYTE_ARRAY"]
        names = parquet.schema_arrow.names
        if len(set(names)) < len(names):
            raise pa.ArrowInvalid("two of its columns have the same name")
        placeholders = {name: Nested() for name in names if name not in columns}
    with pq.ParquetFile(path, read_dictionary=texts, page_checksum_verification=True) as parquet:
        for batch in whole_batches(parquet, _ROWS, columns):
            yield batch, placeholders


def _bytes(batch: pa.RecordBatch) -> int:
    """Return the size of the rows in bytes, with texts repeated in each."""
    count = 0
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            lengths = pc.binary_length(column.dictionary).cast(pa.int64())
            count += pc.sum(lengths.take(column.indices)).as_py() or 0
        else:
            count += column.nbytes
    return count


if __name__ == "__main__":
    confine(int(sys.argv[1]), int(sys.argv[2]))
    _read_all(Path(sys.argv[3]), int(sys.argv[4]))
