"""Workbooks of Excel as rows; one sent to a server is read in a process of its own.

A workbook is an archive of XML that may be thousands of times larger than the file, with rows and cells at
any place.
"""

import json
import re
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, time
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, SpbError, UsageError
from engine.extras import install
from engine.importers.reading.confined import confine, run_confined
from engine.importers.reading.headers import header_of
from engine.importers.reading.json_rows import UPLOAD_LIMITS, allowance, apply_limits, check_entries
from engine.importers.reading.rows import ImportStats, Row, refuse
from engine.phrases import join_names
from engine.wording import Sentence, command_line, command_words

_MOST_SHEET_FILES = 10_000
_LAST_ROW = 1 << 20  # of a sheet in Excel
_FIRST_ROWS = 100


def workbook_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a workbook's first sheet with a table; formulas give their last saved values."""
    memory = allowance().limits.memory
    if memory is None:
        yield from _rows_here(path, tally, expected)
        return
    _openpyxl(path)
    with tempfile.TemporaryDirectory(prefix="spb-sheet-") as folder:
        target = Path(folder) / "rows.jsonl"
        depth = str(allowance().depth or "")
        run_confined(__name__, path.name, [str(path), str(target), _on_page(expected), depth], memory)
        allowance().take(path.name, target.stat().st_size)
        lines = target.open(encoding="utf-8")  # readable though its folder is removed now
    with lines:
        for line in lines:
            kind, *content = json.loads(line)
            if kind == "error":
                raise BadInputError(content[0])
            if kind == "note":
                tally.note(content[0], is_doubt=True)
            else:
                yield Row(path.name, *content)


def _openpyxl(path: Path) -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise UsageError(
            f"{path.name!r} is a workbook, and openpyxl is needed to read it; "
            f"install it: {install('excel')}, or save the sheet as CSV"
        ) from error
    return openpyxl


def _rows_here(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    openpyxl = _openpyxl(path)
    with _readable(path, expected):
        check_entries(path, _MOST_SHEET_FILES)
        with zipfile.ZipFile(path) as archive:
            allowance().take(path.name, sum(entry.file_size for entry in archive.infolist()))
        with warnings.catch_warnings(action="ignore"):  # about styles, which are not read
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        yield from _sheet_rows(book, path, tally, expected)
    finally:
        book.close()


@contextmanager
def _readable(path: Path, expected: str) -> Iterator[None]:
    """Turn errors of openpyxl, which may be of any kind, into a BadInputError."""
    try:
        yield
    except SpbError:
        raise
    except Exception as error:
        problem = " ".join(str(error).split())[:120]
        raise refuse(path.name, f"it is not a readable workbook ({problem})", expected) from error


def _cells(sheet: Any, path: Path, expected: str) -> Iterator[tuple[Any, ...]]:
    """Yield the cells of each row of a sheet; BadInputError if it is damaged, or too large."""
    cells = 0
    with _readable(path, expected):
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            cells += len(row)
            allowance().check_cells(path.name, cells)
            if number > _LAST_ROW:
                raise refuse(path.name, f"a sheet has a row beyond {_LAST_ROW:,}", expected)
            yield row


def _sheet_rows(book: Any, path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    with _readable(path, expected):
        sheet, others = _sheets(book)
    if others:
        tally.note(_of_other_sheets(path, sheet.title, others), is_doubt=True)
    sheet.reset_dimensions()
    rows = enumerate(_cells(sheet, path, expected), start=1)
    first = next(((place, cells) for place, cells in rows if any(c is not None for c in cells)), None)
    if first is None:
        raise refuse(path.name, "no sheet of it has a row", expected)
    header = header_of(first[1], path, expected)
    for place, cells in rows:
        values = {
            header[n] if n < len(header) else f"column {n + 1}": (
                cell.isoformat() if isinstance(cell, date | time) else cell
            )
            for n, cell in enumerate(cells)
            if cell is not None
        }
        if values:
            yield Row(path.name, place - first[0], values)


def _sheets(book: Any) -> tuple[Any, list[str]]:
    """Return the first sheet with a table, else with any cell, else the first; and the names of others."""
    for fewest_cells, fewest_rows in ((2, 2), (1, 1)):  # a header with a row below it; anything
        sheets = [sheet for sheet in book.worksheets if _has_rows(sheet, fewest_cells, fewest_rows)]
        if sheets:
            return sheets[0], [sheet.title for sheet in sheets[1:]]
    return book.worksheets[0], []


def _has_rows(sheet: Any, cells: int, rows: int) -> bool:
    """Return whether so many of the first rows of a sheet have so many cells."""
    sheet.reset_dimensions()
    first = sheet.iter_rows(max_row=_FIRST_ROWS, values_only=True)
    return sum(sum(cell is not None for cell in row) >= cells for row in first) >= rows


def _of_other_sheets(path: Path, title: str, others: Sequence[str]) -> str:
    file = f"{re.sub(r'[^A-Za-z0-9]+', '-', others[0]).strip('-') or 'sheet'}.csv"
    command = command_words(f": {command_line('import', file, '--append', '--study', 'STUDY')}")
    one = len(others) == 1
    return Sentence(
        f"{path.name}: only the sheet {title!r} is read, not {join_names(list(map(repr, others)), 4)}; if "
        f"{'it has' if one else 'they have'} judgments too, save {'it' if one else 'each'} as a CSV file and "
        "add that to the study",
        command,
    )


def _write_rows(path: Path, target: Path, expected: str, depth: int | None) -> None:
    """Write notes and rows, or the error that ends them, as JSON Lines."""
    tally = ImportStats()
    with target.open("w", encoding="utf-8", errors="backslashreplace") as file:

        def write(*content: object) -> None:
            file.write(json.dumps(content, default=str) + "\n")

        try:
            for number, row in enumerate(_rows_here(path, tally, expected), start=1):
                write("row", row.number, dict(row.values))
                if number == depth:
                    break
        except SpbError as error:
            write("error", error.message.on_page())
        for note in tally.notes:
            write("note", _on_page(note))


def _on_page(text: str) -> str:
    """Return a text as a page words it: what is sent to a server is read for one."""
    return text.on_page() if isinstance(text, Sentence) else text


if __name__ == "__main__":
    memory, seconds, source, goal, words, rows = sys.argv[1:]
    confine(int(memory), int(seconds))
    with apply_limits(replace(UPLOAD_LIMITS, memory=None)):
        _write_rows(Path(source), Path(goal), words, int(rows) if rows else None)
