"""Rows of another tool's file, their values, and the count of those left out."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.errors import BadInputError, bad_row
from engine.importers.option_spelling import FLAGS, OptionSpelling
from engine.importers.reading.value_maps import spelling_of
from engine.phrases import shortened
from engine.values import float_in, parse_float

_EXAMPLES = 3  # shown of the rows left out for one reason
_LONGEST_VALUE = 80  # characters of a value that are shown
_MOST_VALUES = 100  # without a known meaning that are counted of a column

OVERALL = "overall"
"""The id of the criterion of verdicts that name none."""


def different_criteria(rubrics: Iterable[Mapping[str, Any]]) -> int:
    """Return how many rows of the table rubrics differ in text, those of several questions counted once.

    What has no text is the same criterion if it is the importer's own.
    """
    words = {
        row.get("criterion") or (row["rubric_id"], row["rubric_id"] != OVERALL and row["instance_id"])
        for row in rubrics
    }
    return len(words)


class BadRowError(Exception):
    """A row cannot be imported: `reason` groups it with others, `excerpt` shows the value.

    The reader's caller counts these errors and goes on with the next row. A file that cannot be read any
    further (not UTF-8, not JSON as a whole, too large) raises BadInputError.
    """

    def __init__(self, reason: str, value: object = None) -> None:
        super().__init__(reason, value)
        self.reason = reason
        self.excerpt = None if value is None else excerpt(value)


class UnknownValueError(BadRowError):
    """A row cannot be imported as a value of our `column` has no meaning that is known."""

    def __init__(self, reason: str, column: str, value: object) -> None:
        super().__init__(reason, value)
        self.column, self.value = column, value


def excerpt(value: object) -> str:
    """Return the beginning of a value, for messages."""
    text = value[: 4 * _LONGEST_VALUE] if isinstance(value, str) else repr(value)
    return shortened(" ".join(text.split()), _LONGEST_VALUE)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: `number` counts lines without the header, or members of a list, from 1.

    A required field that is missing or null raises BadRowError, an optional one (`maybe_`) does not; one of
    another kind always does. Texts may be numbers. Objects are rows at the same place.
    """

    file: str
    number: int
    values: Mapping[str, Any]

    def get(self, name: str) -> Any:
        value = self.values.get(name)
        if value is None:
            raise BadRowError(f"no {name}")
        return value

    def text(self, name: str) -> str:
        """Return a required text that is not blank."""
        text = self.maybe_text(name)
        if text is None or not text.strip():
            raise BadRowError(f"no {name}")
        return text

    def maybe_text(self, name: str) -> str | None:
        value = self.values.get(name)
        return None if value is None else text_of(value, name)

    def words(self, name: str) -> str:
        """Return a required text that may be blank, like a response."""
        return text_of(self.get(name), name)

    def list_of(self, name: str) -> list[Any]:
        value = self.get(name)
        if not isinstance(value, list):
            raise BadRowError(f"{name} is not a list", value)
        return value

    def maybe_list(self, name: str) -> list[Any]:
        return [] if self.values.get(name) is None else self.list_of(name)

    def object_of(self, name: str) -> "Row":
        return self.within(name, self.get(name))

    def maybe_object(self, name: str) -> "Row":
        return self.within(name, {}) if self.values.get(name) is None else self.object_of(name)

    def within(self, name: str, value: object) -> "Row":
        """Return an object inside this row as a row at the same place."""
        if not isinstance(value, dict):
            raise BadRowError(f"{name} is not an object", value)
        return Row(self.file, self.number, value)


def text_of(value: object, name: str) -> str:
    """Return a text, number or boolean as text; BadRowError for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if isinstance(value, list | dict):
        raise BadRowError(f"{name} is not text", value)
    kind = type(value).__name__
    raise BadRowError(f"{name} is not text but of the type {kind} (astype(str) makes it text)", value)


def text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def object_or_empty(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def json_or_none(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def first_of(values: Mapping[str, Any], *names: str) -> Any:
    """Return the first of several fields that is not null; None if there is none."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def first_text(values: Iterable[object]) -> str | None:
    """Return the first non-empty string among the values; None if there is none."""
    return next((value for value in values if isinstance(value, str) and value), None)


def number_of(value: object) -> float | None:
    """Return a finite number, possibly written as text; None for anything else."""
    return float_in(value) if isinstance(value, str) else parse_float(value)


def count_of(value: object) -> int | None:
    """Return a number from 0, possibly written as text, without its fraction; None for anything else."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 else None


def met_of_number(value: object) -> bool | None:
    """Return the truth value of a boolean, 0 or 1; None for anything else."""
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None


def message_text(content: object) -> str:
    """Return the text of a chat message, whose content is a string or a list of parts."""
    if isinstance(content, list):
        parts = map(object_or_empty, content)
        texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


@dataclass(slots=True)
class LeftOut:
    """Rows left out for one reason: their number, and the places and values of the first."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(example)


@dataclass(slots=True)
class ImportStats:
    """Counts of an import: rows read, fields seen, and rows left out by reason.

    With `strict` the first bad row raises BadInputError. `spelling` is how the user writes options.
    `stored` are fields that a reader stores although its format does not name them, such as metrics.
    `left_out_names` are metrics that the user left out. `out_of_range` counts values that a scale, named by
    the key, cannot have: they are no verdicts. `truth_alone` are rows of which only what is true is stored:
    their verdict has no judge. `no_judge` counts them and those without a verdict too. `cautions` are the
    notes of which somebody who sees no report is warned, and `doubts` those without which a conclusion may
    mislead. `not_stored` says why fields are not stored; `by_semicolons` are the text tables whose cells
    semicolons separate. `unknown_values` has, by our column, the values without a known meaning for which
    rows are left out, with their counts.
    """

    strict: bool = False
    spelling: OptionSpelling = FLAGS
    rows_read: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    stored: set[str] = field(default_factory=set)
    left_out_names: set[str] = field(default_factory=set)
    out_of_range: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    truth_alone: LeftOut = field(default_factory=LeftOut)
    no_judge: int = 0
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    not_stored: dict[str, str] = field(default_factory=dict)
    by_semicolons: set[str] = field(default_factory=set)
    unknown_values: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def note(self, text: str, *, is_caution: bool = False, is_doubt: bool = False) -> None:
        """Add a sentence to the report, unless it is there already."""
        if text not in self.notes:
            self.notes.append(text)
            self.cautions += [text] if is_caution or is_doubt else []
            self.doubts += [text] if is_doubt else []

    def count(self, row: Row) -> None:
        self.rows_read += 1
        self.fields.update(name for name, value in row.values.items() if value is not None)

    def skip(self, file: str, number: int, bad: BadRowError) -> None:
        """Count something that is not a row as read and left out."""
        self.rows_read += 1
        self.leave_out(file, number, bad)

    def leave_out(self, file: str, number: int, bad: BadRowError) -> None:
        """Count a bad row; BadInputError if `strict`."""
        self._check_strict(file, number, bad)
        value = "" if bad.excerpt is None else f" ({bad.excerpt})"
        self.left_out.setdefault(bad.reason, LeftOut()).add(f"{file}, row {number}{value}")
        if isinstance(bad, UnknownValueError):
            values, key = self.unknown_values[bad.column], spelling_of(bad.value)
            if key in values or len(values) < _MOST_VALUES:
                values[key] += 1

    def keep_truth_alone(self, file: str, number: int, bad: BadRowError) -> None:
        """Count a row whose verdict is left out, and whose truth is stored; BadInputError if `strict`."""
        self._check_strict(file, number, bad)
        self.truth_alone.add(f"{file}, row {number}")

    def _check_strict(self, file: str, number: int, bad: BadRowError) -> None:
        if self.strict:
            problem = bad.reason if bad.excerpt is None else f"{bad.reason}: {bad.excerpt}"
            remedy = f"correct the row, or leave out {self.spelling.option('strict')} to import the others"
            raise bad_row(file, number, problem, remedy)

    @property
    def rows_lost(self) -> int:
        return sum(out.count for out in self.left_out.values())


def objects(file: str, members: Iterable[object], tally: ImportStats) -> Iterator[Row]:
    """Yield the objects of a list as rows, counted from 1; other members are skipped and counted."""
    for number, member in enumerate(members, start=1):
        if isinstance(member, dict):
            yield Row(file, number, member)
        else:
            tally.skip(file, number, BadRowError("it is not an object", member))


def refuse(path: str, problem: str, expected: str) -> BadInputError:
    """Return the error for a file that is not of the format."""
    return BadInputError(f"{path!r}: {problem}; expected ", expected)


Choice = Literal["generator", "opponent", "tie"]


def verdict(column: str, value: object) -> dict[str, Any]:
    """Return the columns of a verdict: `ok` with the value of `column`, or `unparsed` without a value."""
    return {"status": "unparsed"} if value is None else {"status": "ok", column: value}
