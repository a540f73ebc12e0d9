"""The names of a table's columns: present, distinct, and not too many."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.importers.reading.json_rows import allowance
from engine.importers.reading.rows import refuse


def header_of(cells: Sequence[Any] | None, path: Path, expected: str) -> list[str]:
    """Return the names of the columns; BadInputError without a header, or if a name occurs twice."""
    allowance().check_columns(path.name, len(cells or ()))
    header = ["" if cell is None else str(cell).strip() for cell in cells or ()]
    while header and not header[-1]:
        header.pop()
    names = [name for name in header if name]
    if not names:
        raise refuse(path.name, "it has no header", expected)
    check_distinct(names, path, expected)
    return [name or f"column {place}" for place, name in enumerate(header, start=1)]


def check_distinct(names: Sequence[str], path: Path, expected: str) -> None:
    duplicate = next((name for name, times in Counter(names).items() if times > 1), None)
    if duplicate is not None:
        problem = f"its header has {duplicate!r} twice; rename one of the two columns, or leave it out"
        raise refuse(path.name, problem, expected)
