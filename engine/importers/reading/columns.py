"""Columns of a table: inexact names, paths into objects, and a column for each judge or criterion."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from engine.errors import UsageError
from engine.importers.reading.json_rows import allowance
from engine.importers.reading.parquet_rows import Nested
from engine.importers.reading.rows import Row
from engine.phrases import join_names

_MOST_FIELDS = 2
"""So many columns of a wide table are named; the rest are counted."""

_INDEX = re.compile(r"column \d+|Unnamed: \d+|index|level_\d+|__index_level_\d+__")


def is_index(name: str) -> bool:
    """Return whether a column has no name of its own, as the index that pandas writes beside a frame."""
    return _INDEX.fullmatch(name) is not None


_STEP = re.compile(r"[^.\[\]]+|\[-?\d+\]|\[:-1\]")


@lru_cache(1024)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(_STEP.findall(path))


def column_in(name: str, names: Iterable[str]) -> str | None:
    """Return the column with a name, which may differ in case, blanks and hyphens; None if there is none."""
    columns = list(names)
    if name in columns:
        return name
    matches = [column for column in columns if _lookup_key(column) == _lookup_key(name)]
    if len(matches) > 1:
        raise UsageError(f"{name!r} may mean any of {', '.join(map(repr, matches))}; name it exactly")
    return matches[0] if matches else None


def _lookup_key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path such as `scores.judge` or `judges[0].name`; None if there is none.

    A column of exactly that name comes first. `[-1]` is a list's last member, `[:-1]` all others. JSON
    objects and lists in texts along the path are decoded.
    """
    if path in values:
        return values[path]
    steps = _steps(path)
    if len(steps) < 2:
        return None
    prefixes = (".".join(steps[:n]) for n in range(len(steps), 0, -1))
    name = next((prefix for prefix in prefixes if prefix in values), None)
    if name is None:
        return None
    value: Any = values[name]
    for step in steps[name.count(".") + 1 :]:
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            allowance().check_values("a cell", value)
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            value = _member_at(value, step.strip("[]"))
        else:
            return None
    return None if isinstance(value, Nested) else value


def _member_at(members: Sequence[Any], place: str) -> Any:
    """Return the member of a list at a place, counted from the end if it is below 0; None if it has none."""
    if place == ":-1":
        return members[:-1]
    if not place.removeprefix("-").isdecimal():
        return None
    number = int(place)
    return members[number] if -len(members) <= number < len(members) else None


def first_part(path: str) -> str:
    """Return the column of a path: `scores` for `scores.judge`."""
    steps = _steps(path)
    return steps[0] if steps else path


def names_of_paths(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: its last step, or all of it where two would have one name."""
    last = {path: path.rpartition(".")[2] or path for path in paths}
    return last if len({*last.values()}) == len(last) else {path: path for path in last}


def listed_columns(flag: str, text: str) -> tuple[str, ...]:
    """Return the columns that a flag names, as `col1,col2`; UsageError for none."""
    columns = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not columns:
        raise UsageError(f"{flag} {text!r} names no column; write for example {flag} COLUMN,COLUMN")
    return columns


def that_columns(fields: Sequence[str], verb: str, plural: str) -> str:
    """Return the names of columns with what they do: `'tone' and 'style' go`."""
    return f"{join_names(list(map(repr, fields)), _MOST_FIELDS)} {verb if len(fields) == 1 else plural}"


def empty_cells(names: str, number: int) -> str:
    """Return the note on empty cells of a wide table, by what its columns of verdicts name."""
    of = "judges'" if names == "judge" else "criteria's"
    return f"empty cells of the {of} columns, which give no judgment: {number:,}"


def missing_cells(number: int) -> str:
    """Return the note on empty cells of judges who have verdicts in other rows of a wide table."""
    return f"empty cells of the judges' columns, counted as missing verdicts: {number:,}"


def melt(
    row: Row, columns: Mapping[str, str], names: str, verdict: str, judging: Collection[str] = ()
) -> Iterator[Row]:
    """Yield a row of a wide table as one row for each of its columns of verdicts whose cell is filled.

    The columns, which may be paths, are replaced by the name of each as the field `names` and its cell as the
    field `verdict`. An empty cell of those that are `judging` gives a row without a verdict.
    """
    values = {name: value for name, value in row.values.items() if name not in columns}
    for column, name in columns.items():
        value = value_at(row.values, column)
        if value is not None:
            yield Row(row.file, row.number, {**values, names: name, verdict: value})
        elif column in judging:
            yield Row(row.file, row.number, {**values, names: name})
