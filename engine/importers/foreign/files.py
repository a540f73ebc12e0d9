"""Tables read row by row, by what the file's name says: CSV, Parquet, JSON Lines, a JSON list; packed or not.

All are streamed: memory holds one row, or a batch of Parquet.
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from engine.importers.foreign.json_files import json_lines, json_rows
from engine.importers.foreign.opened import opened
from engine.importers.foreign.parquet_files import parquet_rows
from engine.importers.foreign.rows import BadRowError, Row, Tally, refuse
from engine.importers.limits import LONGEST_ROW, lines


def rows_of(path: Path, tally: Tally, expected: str) -> Iterator[Row]:
    """Yield the rows of a CSV, Parquet, JSON Lines or JSON list file; its name says which it is.

    Raises BadInputError where the file is none of them.
    """
    suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    reader = _BY_SUFFIX.get(suffix)
    if reader is None:
        raise refuse(path.name, f"a name that ends in {suffix!r} says nothing of its form", expected)
    yield from reader(path, tally, expected)


def csv_rows(path: Path, tally: Tally, expected: str) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; an empty cell is absent."""
    csv.field_size_limit(LONGEST_ROW)
    with opened(path) as packed:
        stream = io.TextIOWrapper(packed, "utf-8-sig", errors="surrogateescape", newline="")
        too_long = refuse(path.name, f"a line has more than {LONGEST_ROW:,} letters", expected)
        reader = csv.reader(lines(stream, too_long))
        try:
            header = next(reader, None)
            if not header or len(set(header)) < len(header):
                raise refuse(path.name, f"its header is {header!r}", expected)
            for number, cells in enumerate(reader, start=1):
                if len(cells) == len(header):
                    yield Row(path.name, number, {n: c for n, c in zip(header, cells, strict=True) if c})
                elif cells:
                    bad = BadRowError(f"not {len(header)} cells, as the header has", len(cells))
                    tally.read += 1
                    tally.leave_out(path.name, number, bad)
        except csv.Error as error:
            raise refuse(path.name, f"it is not CSV ({error})", expected) from error


_BY_SUFFIX = {
    "csv": csv_rows,
    "parquet": parquet_rows,
    "jsonl": json_lines,
    "ndjson": json_lines,
    "json": json_rows,
}
