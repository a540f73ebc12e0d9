"""Rows whose values may be lists and objects: JSON as it is, Parquet and Arrow with their nested columns.

`parquet_rows` leaves nested columns out, since what they unpack to cannot be bounded before it is there.
Where the import is of files that somebody sent, that holds here too; one's own files are read whole.
"""

from collections.abc import Iterator
from pathlib import Path

from engine.importers.reading.limits import allowance
from engine.importers.reading.parquet_rows import parquet_rows
from engine.importers.reading.rows import ImportStats, Row, refuse
from engine.importers.reading.tables import table_rows

_ROWS = 512


def nested_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a table of any form, with lists and objects where its form has them.

    Raises BadInputError where the file is broken, or holds more than the import may unpack.
    """
    if not path.name.lower().endswith(".parquet"):
        yield from table_rows(path, tally, expected)
    elif allowance().limits.memory is not None:
        tally.note(f"{path.name}: columns of lists and objects are not read here; give JSON Lines")
        yield from parquet_rows(path, tally, expected)
    else:
        yield from _parquet(path, expected)


def _parquet(path: Path, expected: str) -> Iterator[Row]:
    import pyarrow.parquet as pq

    from engine.store.parquet import UNREADABLE

    number = 0
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as parquet:
            allowance().check_rows(path.name, parquet.metadata.num_rows)
            for batch in parquet.iter_batches(_ROWS):
                allowance().take(path.name, batch.nbytes)
                for values in batch.to_pylist():
                    number += 1
                    yield Row(path.name, number, values)
    except UNREADABLE as error:
        problem = str(error).splitlines()[0][:120]
        raise refuse(path.name, f"it is not a whole Parquet file ({problem})", expected) from error
