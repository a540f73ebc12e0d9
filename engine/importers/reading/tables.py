"""Any table as rows, by its ending: text, workbooks, Parquet, Feather, JSON; nested values.

Guesses are noted in the report, so that a wrong one can be seen. Nothing is read beyond the limits of the
import: text is streamed, unpacked bytes are counted.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import ipc

from engine.errors import BadInputError
from engine.importers.reading.headers import check_distinct
from engine.importers.reading.json_rows import allowance, json_lines, json_rows
from engine.importers.reading.parquet_rows import parquet_rows, whole_parquet
from engine.importers.reading.rows import ImportStats, Row, refuse
from engine.importers.reading.text_tables import text_rows
from engine.importers.reading.workbooks import workbook_rows

SUFFIXES = (
    *(".csv", ".tsv", ".tab", ".txt", ".parquet", ".jsonl", ".ndjson", ".json"),
    *(".xlsx", ".xlsm", ".feather", ".arrow"),
)
"""Suffixes of the files that `table_rows` reads; all but the last four may be gzipped."""

_NESTED_ROWS = 512


def table_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a table, in the form of its suffix; BadInputError for an unknown suffix."""
    suffix = "." + path.name.lower().removesuffix(".gz").rpartition(".")[2]
    reader = _READERS.get(suffix)
    if reader is None:
        raise refuse(path.name, f"the ending {suffix!r} does not show its format", expected)
    yield from reader(path, tally, expected)


def feather_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:  # noqa: ARG001 - as others
    """Yield the rows of a Feather or Arrow file, in the file or the stream format, with lists and objects."""
    if allowance().limits.memory is not None:  # sent to a server: the unpacked size cannot be limited
        raise BadInputError(f"{path.name!r}: Arrow files are not supported; save the table as Parquet")
    try:
        with pa.memory_map(str(path)) as source:
            is_file = source.read(6) == b"ARROW1"
            source.seek(0)
            if is_file:
                reader = ipc.open_file(source)
                batches = map(reader.get_batch, range(reader.num_record_batches))
            else:
                batches = reader = ipc.open_stream(source)
            check_distinct(reader.schema.names, path, expected)
            yield from _batch_rows(path.name, batches)
    except (pa.ArrowException, OSError) as error:
        problem = str(error).splitlines()[0][:120]
        raise refuse(path.name, f"it is not a complete Arrow file ({problem})", expected) from error


def _batch_rows(name: str, batches: Iterable[Any]) -> Iterator[Row]:
    first = 1
    for batch in batches:
        allowance().take(name, batch.nbytes)
        yield from (Row(name, number, values) for number, values in enumerate(batch.to_pylist(), first))
        first += batch.num_rows


def nested_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a table of any form, with lists and objects if its form has them.

    `parquet_rows` leaves nested columns out, since their unpacked size is not known in advance. Here this is
    so only for files sent to a server; one's own files are read whole. Raises BadInputError if the file is
    broken or exceeds the allowance of the import.
    """
    if not path.name.lower().endswith(".parquet"):
        yield from table_rows(path, tally, expected)
        return
    if allowance().limits.memory is not None:
        tally.note(
            f"{path.name}: columns of lists and objects are not supported; save the table as JSON Lines"
        )
        yield from parquet_rows(path, tally, expected)
        return
    with whole_parquet(path, expected), pq.ParquetFile(path, page_checksum_verification=True) as parquet:
        allowance().check_rows(path.name, parquet.metadata.num_rows)
        check_distinct(parquet.schema_arrow.names, path, expected)
        yield from _batch_rows(path.name, parquet.iter_batches(_NESTED_ROWS))


_READERS: dict[str, Callable[[Path, ImportStats, str], Iterator[Row]]] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), text_rows),
    ".parquet": parquet_rows,
    **dict.fromkeys((".jsonl", ".ndjson"), json_lines),
    ".json": json_rows,
    **dict.fromkeys((".xlsx", ".xlsm"), workbook_rows),
    **dict.fromkeys((".feather", ".arrow"), feather_rows),
}
