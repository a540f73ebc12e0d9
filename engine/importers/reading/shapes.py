"""Rows that are inside an object or another row, and objects that are a table in another form.

`--rows comparisons` reads each member of the list `comparisons` as a row, with the fields around the list as
further fields of it. A field around the list that the member has too is called `outer_NAME`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, UsageError
from engine.importers.reading.columns import column_in
from engine.importers.reading.json_rows import LARGEST_OBJECT, allowance, json_object, open_bounded
from engine.importers.reading.rows import BadRowError, ImportStats, Row, json_or_none
from engine.importers.reading.tables import nested_rows

OUTER = "outer_"
VALUE = "value"
"""The field of a member that is no object."""

KEY = "key"
"""The field with a member's name, if the members are in an object."""

_DEEPEST = 3
_FEWEST_MEMBERS = 2
_LOOKED_AT = 50
_JSON = (".json", ".jsonl", ".ndjson")


def steps_of(path: str) -> list[str]:
    """Return the steps of a path to lists: `questions[].votes` and `questions.votes` are the same."""
    return [step for step in path.replace("[]", "").split(".") if step]


def members(values: Mapping[str, Any], steps: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the members of the list at a path as rows, with the fields around it.

    Lists on the way are gone through; an object at the end is one of members by name. Raises BadRowError if
    there is neither a list nor an object.
    """
    step, rest = steps[0], steps[1:]
    name = column_in(step, values) or step
    value = _decoded(values.get(name))
    around = {key: other for key, other in values.items() if key != name}
    if isinstance(value, list):
        inside: Iterable[Any] = value
    elif isinstance(value, Mapping) and rest:
        inside = (value,)
    elif isinstance(value, Mapping):
        inside = ({KEY: key, **member} if isinstance(member, Mapping) else {KEY: key, VALUE: member}
                  for key, member in value.items())  # fmt: skip
    else:
        raise BadRowError(f"no list at {step!r}", value)
    for member in inside:
        row = joined(around, member if isinstance(member, Mapping) else {VALUE: member})
        if rest:
            yield from members(row, rest)
        else:
            yield row


def joined(around: Mapping[str, Any], member: Mapping[str, Any]) -> dict[str, Any]:
    """Return a member with the fields around it; its own ones keep their names."""
    return {OUTER + key if key in member else key: value for key, value in around.items()} | dict(member)


def _decoded(value: Any) -> Any:
    """Return a list or object that a cell holds as JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        allowance().check_values("a cell", value)
        content = json_or_none(value)
        return value if content is None else content
    return value


def rows_within(rows: Iterable[Row], path: str, tally: ImportStats) -> Iterator[Row]:
    """Yield the members at a path of each row, numbered through; a row without them is left out."""
    steps, number, file = steps_of(path), 0, None
    if not steps:
        given, example = tally.spelling.rows(path), tally.spelling.rows("results")
        raise UsageError(f"{given} names no list; write for example {example}")
    for row in rows:
        if row.file != file:
            number, file = 0, row.file
        try:
            for values in members(row.values, steps):
                number += 1
                yield Row(row.file, number, values)
        except BadRowError as bad:
            tally.skip(row.file, row.number, bad)


def lists_in(values: Mapping[str, Any]) -> list[str]:
    """Return the paths to lists of objects, or objects of like objects, in an object, the nearest first."""
    return [path for _, path in sorted(_lists(values, (), 1), key=lambda each: each[0])]


def _lists(values: Mapping[str, Any], before: tuple[str, ...], depth: int) -> Iterator[tuple[int, str]]:
    for name, value in values.items():
        path = (*before, name)
        if steps_of(name) != [name]:  # no path leads to it
            continue
        if isinstance(value, list):
            if value and all(isinstance(member, Mapping) for member in value[:_LOOKED_AT]):
                yield depth, ".".join(path)
                if depth < _DEEPEST:
                    yield from _lists(value[0], path, depth + 1)
        elif isinstance(value, Mapping):
            if are_like_objects(value.values()):
                yield depth, ".".join(path)
            if depth < _DEEPEST:
                yield from _lists(value, path, depth + 1)


def are_like_objects(values: Iterable[Any]) -> bool:
    """Return whether there are several values, all objects with fields in common."""
    first = list(islice(values, _LOOKED_AT))
    if len(first) < _FEWEST_MEMBERS or not all(isinstance(value, Mapping) and value for value in first):
        return False
    common = set.intersection(*(set(value) for value in first))
    return len(common) >= 2


@dataclass(frozen=True, slots=True)
class Whole:
    """A file that is one JSON object."""

    file: str
    content: Mapping[str, Any]


def whole_object(path: Path, expected: str) -> Whole | None:
    """Return the content of a file that is one JSON object; None if it is anything else.

    Indented objects in sequence, JSON Lines and lists are not one object.
    """
    name = path.name.lower().removesuffix(".gz")
    if not name.endswith(_JSON):
        return None
    with open_bounded(path) as stream:
        head = stream.peek(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip()
        if head[:1] != b"{":
            return None
        first = stream.readline(LARGEST_OBJECT)
        if json_or_none(first.removeprefix(b"\xef\xbb\xbf")) is not None and stream.read(1 << 12).strip():
            return None
    with suppress(BadInputError):
        return Whole(path.name, json_object(path, expected))
    return None


def as_frame(content: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of a table that pandas wrote by columns or split; None for another object."""
    columns, data = content.get("columns"), content.get("data")
    if isinstance(columns, list) and isinstance(data, list) and set(content) <= {"columns", "index", "data"}:
        if all(isinstance(cells, list) and len(cells) == len(columns) for cells in data):
            return [dict(zip(map(str, columns), cells, strict=True)) for cells in data]
        return None
    lists = list(content.values())
    if len(lists) >= 2 and all(isinstance(cells, list) and cells for cells in lists):
        equal = len({len(cells) for cells in lists}) == 1
        if equal and not any(
            isinstance(cell, Mapping | list) for cells in lists for cell in cells[:_LOOKED_AT]
        ):
            return [dict(zip(content, cells, strict=True)) for cells in zip(*lists, strict=True)]
        return None
    inner = [tuple(value) if isinstance(value, Mapping) else () for value in lists]
    if len(inner) < 2 or not inner[0] or len(set(inner)) > 1:
        return None
    numbered = all(key.isdecimal() for key in inner[0])
    scalars = not any(
        isinstance(cell, Mapping | list) for value in lists for cell in islice(value.values(), _LOOKED_AT)
    )
    if not (numbered and scalars):
        return None
    return [{column: content[column][key] for column in content} for key in inner[0]]


def as_members(content: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of an object whose members are rows by name or number; None for another object."""
    if not are_like_objects(content.values()) or not all(isinstance(v, Mapping) for v in content.values()):
        return None
    numbers = [key.isdecimal() and int(key) == place for place, key in enumerate(content)]
    return [dict(v) if all(numbers) else {KEY: k, **v} for k, v in content.items()]


def file_rows(path: Path, tally: ImportStats, expected: str) -> Iterator[Row]:
    """Yield the rows of a table; a JSON object that is a table in another form is read as one.

    Any other object is a single row.
    """
    whole = whole_object(path, expected)
    if whole is None:
        yield from nested_rows(path, tally, expected)
        return
    rows = as_frame(whole.content) or as_members(whole.content) or [dict(whole.content)]
    for number, values in enumerate(rows, start=1):
        yield Row(path.name, number, values)


def unread_members(values: Mapping[str, Any], paths: Iterable[str]) -> dict[str, int]:
    """Return for each list that paths pick members of by number, how many members no path picks."""
    picked: dict[str, set[int]] = {}
    for path in paths:
        before, bracket, rest = path.partition("[")
        number = rest.partition("]")[0]
        if bracket and number.isdecimal() and path not in values:
            picked.setdefault(before, set()).add(int(number))
    unread = {}
    for before, numbers in picked.items():
        value: Any = values
        for step in before.split("."):
            value = _decoded(value.get(step)) if isinstance(value, Mapping) else None
        if isinstance(value, list) and (rest_of := len(set(range(len(value))) - numbers)):
            unread[before] = rest_of
    return unread
