"""Reads Parquet row by row; a file sent to a server is first tried in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.errors import BadInputError
from engine.importers.reading.json_rows import LONGEST_ROW, allowance
from engine.importers.reading.rows import ImportStats, Row, refuse
from engine.store.parquet import UNREADABLE, whole_batches

_SECONDS = 120


def try_in_subprocess(path: Path, memory: int) -> None:
    """Raise BadInputError if the file cannot be read to its end within `memory` bytes and the time limit."""
    limit = f"within {memory:,} bytes of memory"
    try:
        failed = subprocess.run(  # noqa: S603 - this Python, this module
            [sys.executable, "-m", __name__, str(path), str(memory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        failed, limit = 1, f"within {_SECONDS} seconds"
    if failed:
        raise BadInputError(f"{path.name!r} cannot be read {limit}; export it again, or import parts of it")


def _read_all(path: Path, memory: int) -> None:
    with suppress(ImportError):  # on Windows; a crash is still confined to this process
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        for _ in batches(path):
            pass
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
            try_in_subprocess(path, memory)
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
    _read_all(Path(sys.argv[1]), int(sys.argv[2]))
