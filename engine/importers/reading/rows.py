"""Rows of other tools' files: each with its place, its fields asked for by kind, bad ones counted.

A bad row does not stop the good ones: it raises BadRowError, which the reader's caller counts. A file that
cannot be gone on with (not UTF-8, not JSON as a whole, too large) raises BadInputError.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import BadInputError, bad_row
from engine.values import parse_float

EXAMPLES = 3
"""Rows that are shown of those left out for one reason."""

SHOWN = 80
"""Characters that are shown of a value."""


class BadRowError(Exception):
    """A row cannot be taken: `reason` groups it with others, `shown` is the value."""

    def __init__(self, reason: str, shown: object = None) -> None:
        super().__init__(reason, shown)
        self.reason = reason
        self.shown = None if shown is None else clipped(shown)


def clipped(value: object) -> str:
    """Return the beginning of a value as it is shown in messages."""
    text = value[: 4 * SHOWN] if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: `number` counts lines, or members of a list, from 1 without a header."""

    file: str
    number: int
    values: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """Return a field that must be there and not null; BadRowError where it is not."""
        value = self.values.get(name)
        if value is None:
            raise BadRowError(f"no {name}")
        return value

    def text(self, name: str) -> str:
        """Return a field that must be a text or a number, as text, and not blank."""
        text = self.maybe_text(name)
        if text is None or not text.strip():
            raise BadRowError(f"no {name}")
        return text

    def maybe_text(self, name: str) -> str | None:
        """Return a field that may be missing; BadRowError where it is a list or an object."""
        value = self.values.get(name)
        return None if value is None else text_of(value, name)

    def words(self, name: str) -> str:
        """Return a text that must be there, and may be blank, as a response may."""
        return text_of(self.get(name), name)

    def listed(self, name: str) -> list[Any]:
        """Return a field that must be a list."""
        value = self.get(name)
        if not isinstance(value, list):
            raise BadRowError(f"{name} is no list", value)
        return value

    def maybe_listed(self, name: str) -> list[Any]:
        """Return a field that must be a list where it is there; an empty one where it is not."""
        return [] if self.values.get(name) is None else self.listed(name)

    def object_of(self, name: str) -> "Row":
        """Return a field that must be an object, as a row at the same place."""
        return self.within(name, self.get(name))

    def maybe_object(self, name: str) -> "Row":
        """Return a field that must be an object where it is there; an empty one where it is not."""
        return self.within(name, {}) if self.values.get(name) is None else self.object_of(name)

    def within(self, name: str, value: object) -> "Row":
        """Return an object found in this row as a row at the same place."""
        if not isinstance(value, dict):
            raise BadRowError(f"{name} is no object", value)
        return Row(self.file, self.number, value)


def text_of(value: object, name: str) -> str:
    """Return a text or number as text; BadRowError where it is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    raise BadRowError(f"{name} is no text", value)


def text_or_none(value: object) -> str | None:
    """Return a text as it is, None for anything else."""
    return value if isinstance(value, str) else None


def object_or_empty(value: object) -> dict[str, Any]:
    """Return an object as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_or_empty(value: object) -> list[Any]:
    """Return a list as it is, an empty one for anything else."""
    return value if isinstance(value, list) else []


def json_or_none(text: str | bytes) -> Any:
    """Return what a JSON text holds; None where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def first_of(values: Mapping[str, Any], *names: str) -> Any:
    """Return the first of several fields that is there; None where none is."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def first_text(values: Iterable[object]) -> str | None:
    """Return the first of several values that is a text and not empty; None where none is."""
    return next((value for value in values if isinstance(value, str) and value), None)


def number_of(value: object) -> float | None:
    """Return a finite number, also one written as text; None for anything else."""
    if not isinstance(value, str):
        return parse_float(value)
    try:
        return parse_float(float(value))
    except ValueError:
        return None


def count_of(value: object) -> int | None:
    """Return a number of 0 or more without its fraction, also one written as text; None for anything else."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 else None


@dataclass(slots=True)
class LeftOut:
    """Rows left out for one reason: how many, and the places and values of the first."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportStats:
    """What was read: rows, the fields that they had, and those left out by reason.

    With `strict` the first bad row raises BadInputError. `stored` are fields that a reader took though its
    format does not name them, such as metrics.
    """

    strict: bool = False
    read: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    stored: set[str] = field(default_factory=set)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep a sentence for the report, once."""
        if text not in self.notes:
            self.notes.append(text)

    def saw(self, row: Row) -> None:
        """Count a row and its fields."""
        self.read += 1
        self.fields.update(name for name, value in row.values.items() if value is not None)

    def skip(self, file: str, number: int, bad: BadRowError) -> None:
        """Count something in the place of a row that is none, as `leave_out` does."""
        self.read += 1
        self.leave_out(file, number, bad)

    def leave_out(self, file: str, number: int, bad: BadRowError) -> None:
        """Count a row that cannot be taken; BadInputError where that is not to be suffered."""
        if self.strict:
            problem = bad.reason if bad.shown is None else f"{bad.reason}: {bad.shown}"
            raise bad_row(
                file, number, problem, "correct the row, or leave out --strict to import the others"
            )
        out = self.left_out.setdefault(bad.reason, LeftOut())
        out.count += 1
        if len(out.examples) < EXAMPLES:
            shown = "" if bad.shown is None else f" ({bad.shown})"
            out.examples.append(f"{file}, row {number}{shown}")

    @property
    def lost(self) -> int:
        """How many rows were left out."""
        return sum(out.count for out in self.left_out.values())


def objects(file: str, members: Iterable[object], tally: ImportStats) -> Iterator[Row]:
    """Yield the objects of a list as rows, counted from 1; what is none is left to the tally."""
    for number, member in enumerate(members, start=1):
        if isinstance(member, dict):
            yield Row(file, number, member)
        else:
            tally.skip(file, number, BadRowError("it is no object", member))


def refuse(path: str, problem: str, expected: str) -> BadInputError:
    """Return the error for a file that is not of the format."""
    return BadInputError(f"{path!r}: {problem}; expected {expected}")
