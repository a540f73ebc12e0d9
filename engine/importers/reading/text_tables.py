"""Text tables: their encoding, their delimiter and their rows."""

import codecs
import csv
import io
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from engine.importers.reading.headers import header_of
from engine.importers.reading.json_rows import LONGEST_ROW, lines, open_bounded
from engine.importers.reading.rows import BadRowError, ImportStats, Row, refuse

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1 << 18
_SAMPLED_ROWS = 200
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_LIKELY = ["cp1252", "latin_1", "cp1250", "cp1251", "shift_jis", "gb18030", "big5", "euc_kr", "koi8_r"]
"""Encodings to try if a file is neither UTF-8 nor UTF-16."""

_WESTERN = ("cp1252", "latin_1", "cp1250")
_COHERENT = 0.2


def encoding_of(sample: bytes) -> tuple[str, bool]:
    """Return the encoding of a sample of text, and whether that is certain.

    A byte order mark decides; then UTF-8 if it is valid; then UTF-16 without a mark, by its zeros; then the
    best guess of charset-normalizer, which for a short text may be a relative of the true encoding. A guess
    is Western unless the language says otherwise: a few accents fit several encodings equally well.
    """
    for mark, name in _BOMS:
        if sample.startswith(mark):
            return name, True
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        if sample.count(0) <= len(sample) // 8:
            return "utf-8", True
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) > len(sample) // 8:
        return ("utf-16-le" if odd > even else "utf-16-be"), True
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_LIKELY, preemptive_behaviour=False).best()
    if best is not None and best.encoding not in _WESTERN and best.coherence >= _COHERENT:
        return best.encoding, False
    with suppress(UnicodeDecodeError):
        sample.decode("cp1252")
        return "cp1252", False
    return ("latin_1" if best is None else best.encoding), False


def delimiter_of(text: str, *, is_whole: bool = True, has_tabs: bool = False) -> str:
    """Return the delimiter of a table's first rows: the one that gives most rows the width of the header.

    Ties go to more columns, then to the earlier of `DELIMITERS` (tabs if `has_tabs`). A table of one column
    gives the first of these.
    """
    if not is_whole:
        text = text[: text.rfind("\n") + 1] or text
    order = ("\t", *(mark for mark in DELIMITERS if mark != "\t")) if has_tabs else DELIMITERS
    return max(order, key=lambda mark: (_fit(text, mark), -order.index(mark)))


def _fit(text: str, delimiter: str) -> tuple[float, int]:
    """Return the share of rows that are as wide as the header, and that width; 0 for a single column."""
    widths: list[int] = []
    with suppress(csv.Error):
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if cells:
                widths.append(len(cells))
            if len(widths) > _SAMPLED_ROWS:
                break
    if not widths or widths[0] == 1:
        return 0.0, 0
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def text_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a text table with a header; its first quarter megabyte shows encoding and delimiter.

    Empty cells are left out. Names of columns are stripped.
    """
    csv.field_size_limit(LONGEST_ROW)
    with open_bounded(path) as raw:
        sample = raw.read(_SAMPLE)
    encoding, certain = encoding_of(sample)
    if not certain:
        tally.note(f"{path.name} is not UTF-8; reading it as {encoding}")
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    has_tabs = path.name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))
    delimiter = delimiter_of(text, is_whole=len(sample) < _SAMPLE, has_tabs=has_tabs)
    if delimiter != ",":
        tally.note(f"{path.name}: its cells are separated by {_NAMES[delimiter]}")
    if delimiter == ";":
        tally.by_semicolons.add(path.name)
    with open_bounded(path) as raw:
        errors = "surrogateescape" if encoding in ("utf-8", "utf-8-sig") else "strict"
        stream = io.TextIOWrapper(raw, encoding, errors=errors, newline="")
        too_long = refuse(path.name, f"a line has more than {LONGEST_ROW:,} letters", expected)
        rows = _whole_rows(lines(stream, too_long), delimiter, path, expected)
        try:
            header = header_of(next(rows, None), path, expected)
            for number, cells in enumerate(rows, start=1):
                if len(cells) == len(header):
                    if values := {n: c for n, c in zip(header, cells, strict=True) if c.strip()}:
                        yield Row(path.name, number, values)
                elif any(cell.strip() for cell in cells):
                    bad = BadRowError(f"not {len(header)} cells, as the header has", len(cells))
                    tally.skip(path.name, number, bad)
        except csv.Error as error:
            raise refuse(path.name, f"it is not a table of text ({error})", expected) from error
        except UnicodeError as error:
            raise refuse(path.name, f"it is not {encoding} throughout ({error})", expected) from error


def _whole_rows(texts: Iterable[str], delimiter: str, path: Path, expected: str) -> Iterator[list[str]]:
    """Yield the cells of each row; BadInputError for a quote that does not end and swallows what follows."""
    end = f"end-{secrets.token_hex(8)}"  # an extra last line, to see whether a quote swallowed it
    reader = csv.reader(chain(texts, [end]), delimiter=delimiter)
    line = 1
    for cells in reader:
        if cells == [end]:
            return
        if cells and cells[-1].endswith(end):
            problem = f'the row that begins in line {line:,} has a quote that does not end; write it as ""'
            raise refuse(path.name, problem, expected)
        yield cells
        line = reader.line_num + 1
