"""Files whose content is not what their name says: an Excel workbook called .csv, an empty file."""

import codecs
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from engine.errors import BadInputError
from engine.importers.reading.files import MOST_FILES
from engine.importers.reading.rows import json_or_none

_EXCEL = (".xlsx", ".xlsm")
_BEGINNINGS = (
    (b"PAR1", (".parquet", ".pq"), "a Parquet file: rename it .parquet"),
    (b"%PDF", (), "a PDF, which holds no table: export the table as CSV"),
    (b"\xd0\xcf\x11\xe0", (), "an old Excel file (.xls): save it as .xlsx or CSV"),
)
"""How a file begins, the names that such a file may have, and what it is with the remedy."""


_LONGEST_EMPTY_LIST = 100
"""Bytes of a file that may be an empty list in JSON, with blanks."""

_TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".txt")
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))
_MOST_CONTROLS = 0.05
"""The largest share of control characters, which no text has, of a text with a few stray ones."""


def check_content(file: Path, first: bytes) -> None:
    """Raise BadInputError, with the remedy, for a file that is empty or is another kind than its name says.

    `first` are its first bytes, unpacked.
    """
    name = file.name.lower()
    if not first.strip():
        raise BadInputError(f"{file.name!r} is empty; export it again, or choose another file")
    for beginning, endings, words in _BEGINNINGS:
        if first.startswith(beginning) and not name.endswith(endings or "\0"):
            raise BadInputError(f"{file.name!r} is {words}")
    if first.startswith(b"PK\x03\x04") and not name.endswith((*_EXCEL, ".eval")):
        members: set[str] = set()
        with suppress(OSError, zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(file) as packed:
            members = set(islice(packed.namelist(), MOST_FILES))
        if "xl/workbook.xml" in members:
            raise BadInputError(f"{file.name!r} is an Excel file: rename it .xlsx")
        if not zipfile.is_zipfile(file):
            raise BadInputError(
                f"{file.name!r} begins like a zip archive and has no end: it is damaged, or was not copied "
                "whole; copy or download it again"
            )
    else:
        check_text(file, first)


def check_text(file: Path, first: bytes) -> None:
    """Raise BadInputError for a file that is no text by its first bytes, if it has any, and is called one."""
    if first and file.name.lower().removesuffix(".gz").endswith(_TEXTS) and not _is_text(first):
        raise BadInputError(
            f"{file.name!r} is not a text file, although its name says so; export the table again, or give "
            "another file"
        )


def _is_text(sample: bytes) -> bool:
    """Return whether a file may be text by its first bytes: few characters are control characters.

    With many zeros it is UTF-16, as `encoding_of` has it.
    """
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) > len(sample) // 8:
        text = sample.decode("utf-16-le" if odd > even else "utf-16-be", "replace")
        sample = bytes(min(ord(letter), 255) for letter in text)
    return len(sample.translate(None, _CONTROLS)) > (1 - _MOST_CONTROLS) * len(sample)


def why_nothing_fits(place: Path) -> str | None:
    """Return why a file or folder has no judgments at all, with the remedy; None if that is not known."""
    if place.is_dir():
        return None if any(place.iterdir()) else "is an empty folder; put files of judgments into it"
    with suppress(OSError):
        if place.stat().st_size <= _LONGEST_EMPTY_LIST and json_or_none(place.read_bytes()) in ([], {}):
            kind = "list" if b"[" in place.read_bytes() else "object"
            return f"is an empty {kind}, without any row; export it again, or choose another file"
        if place.suffix.lower() in (".csv", ".tsv") and _is_one_line(place):
            return "has a header and no rows; export it again with its rows"
        if not place.name.lower().endswith(".eval") and zipfile.is_zipfile(place):
            return "is a zip archive; unpack it, and import the file or folder in it"
    return None


def _is_one_line(file: Path) -> bool:
    with file.open("rb") as stream:
        lines: Iterator[bytes] = (line for line in stream if line.strip())
        return len(list(islice(lines, 2))) == 1
