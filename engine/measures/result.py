"""The result of a measure: rows, with the filters that applied and what was left out."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.measures.entry import Measure
from engine.phrases import quantity
from engine.slices import BY_RUBRIC
from engine.values import without_formula
from engine.wording import in_python

if TYPE_CHECKING:
    import pandas as pd

Rows = list[Any]
"""Rows, each a value by column: who reads a measure's rows names their type (`engine.measures.row_types`)."""

Cells = list[Any] | NDArray[Any]
"""A column: plain values, None where undefined, or an array of numbers, NaN where undefined."""

Values = dict[str, Cells]


def plain_values(column: Cells) -> list[Any]:
    """Return the values of a column as JSON can hold them, None where undefined."""
    if not isinstance(column, np.ndarray):
        return column
    values: list[Any] = column.tolist()
    return [None if value != value else value for value in values] if column.dtype.kind == "f" else values


CRITERION = "criterion"
"""The column of a frame that says of a made id what its criterion is."""


@dataclass(frozen=True, eq=False)
class Result:
    """The values of a measure by column, read as columns or as rows; without any, `reason` says why."""

    measure: Measure
    study: str
    filters: dict[str, Any]
    values: Values
    left_out: dict[str, int]
    reason: str | None
    by: str | tuple[str, ...] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """What people read for a value grouped by that is an id made of a text; data keep the id."""
    other_variants: int = 0
    """Judgments of the variants that are not counted, where none is named."""

    def __repr__(self) -> str:
        """Return what was measured, and how many rows there are or why there are none."""
        rows = quantity(len(self.rows), "row") if self.rows else f"no rows: {self.reason}"
        return f"<{type(self).__name__}: {self.measure.name} of {self.study}, {rows}>"

    def __eq__(self, other: object) -> bool:
        """Compare what is said of a result and its rows, which arrays alone could not."""
        parts = ("measure", "study", "filters", "rows", "left_out", "reason", "by", "other_variants")
        same_kind = isinstance(other, Result) and type(other) is type(self)
        return same_kind and all(getattr(self, part) == getattr(other, part) for part in parts)

    __hash__ = None  # type: ignore[assignment] # it holds what changes

    @cached_property
    def rows(self) -> Rows:
        """The rows, each a value by column."""
        return [dict(zip(self.values, row, strict=True)) for row in self._lines()]

    def _lines(self) -> Iterator[tuple[Any, ...]]:
        return zip(*map(plain_values, self.values.values()), strict=True)

    def with_rows(self, rows: Sequence[Mapping[str, Any]]) -> Self:
        """Return the result with other rows, which all have the same columns."""
        return replace(self, values=columns_of(rows))

    @property
    def uncounted(self) -> dict[str, int]:
        """What people read of judgments that do not count: those left out, and those of other variants."""
        return self.left_out | ({"other_variant": self.other_variants} if self.other_variants else {})

    @property
    def columns(self) -> list[str]:
        """The columns of the rows, `reasons` last."""
        if self.values:
            return list(self.values)
        declared = [name for field in self.measure.fields for name in field.columns()]
        return [*self.group_columns, *declared, "reasons"]

    @property
    def _numbers(self) -> list[str]:
        """The columns that declare a number which may be undefined, with the ends and tests of any."""
        fields = [field for field in self.measure.fields if field.kind != "list"]
        return [name for field in fields for name in field.columns()[0 if field.is_number else 1 :]]

    @property
    def by_one(self) -> str | None:
        """The column grouped by, None if there is none, or two."""
        return self.by if isinstance(self.by, str) else None

    @property
    def group_columns(self) -> dict[str, str]:
        """The columns of the rows that say of which group each is, with the column grouped by."""
        return {"slice": self.by} if isinstance(self.by, str) else {name: name for name in self.by or ()}

    def has_values(self, name: str) -> bool:
        """Return whether some row has a value of a field."""
        return any(row[name] is not None for row in self.rows)

    @property
    def has_numbers(self) -> bool:
        """Whether some row has a number, beside what names it and what is counted for it."""
        names = [field.name for field in self.measure.fields if field.is_number]
        numbers = {self.measure.headline, *names} - {*self.measure.keys}
        return any(row.get(name) not in (None, []) for row in self.rows for name in numbers)

    def json(self, remarks: Sequence[str] | None = None) -> str:
        """Return the one object that `--format json` prints, with the remarks on it if they are given."""
        parts = ("study", "filters", "rows", "left_out", "reason")
        document = {"measure": self.measure.name} | {part: getattr(self, part) for part in parts}
        document |= {} if remarks is None else {"remarks": list(remarks)}
        return json.dumps(document, ensure_ascii=False, allow_nan=False)

    def csv(self) -> str:
        """Return the rows as CSV: null is an empty cell, lists and reasons are joined by `; `.

        A text that a spreadsheet would take for a formula has an apostrophe in front.
        """
        lines = [_line(self.columns)]
        lines += [_line([_cell(value) for value in row]) for row in self._lines()]
        return "".join(f"{line}\n" for line in lines)

    def frame(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; `attrs` has filters, left_out, any other_variants, and reason.

        A number is NaN where it is undefined, in a column of floats even where all are.
        Beside ids of criteria that an import made of their texts stands `criterion`, the text.
        """
        import pandas as pd

        columns = {name: _array(self.values.get(name, [])) for name in self.columns}
        for name in self._numbers:
            if (column := columns.get(name)) is not None and all(value is None for value in column):
                columns[name] = np.full(len(column), np.nan)
        frame = pd.DataFrame(columns, copy=False)
        of_criteria = [name for name, by in self.group_columns.items() if by == BY_RUBRIC]
        if self.names and of_criteria and CRITERION not in columns:
            texts = frame[of_criteria[0]].map(lambda each: self.names.get(each, each))
            frame.insert(len(self.group_columns), CRITERION, texts)
        parts = {part: getattr(self, part) for part in ("study", "filters", "left_out")}
        parts |= {"other_variants": self.other_variants} if self.other_variants else {}
        reason = None if self.reason is None else in_python(self.reason)
        frame.attrs |= {"measure": self.measure.name, **parts, "reason": reason}
        return frame


def columns_of(rows: Sequence[Mapping[str, Any]]) -> Values:
    """Return the values of rows by column; none where there is no row."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _array(column: Cells) -> Any:
    """Return the array that pandas would make of a column's plain values, without its type inference."""
    if isinstance(column, np.ndarray):
        return column.copy()
    kinds = set(map(type, column))
    if kinds == {int} or kinds == {bool}:
        return np.array(column)
    if kinds & {int, float} and kinds <= {int, float, NoneType}:
        return np.array(column, dtype=np.float64)
    if kinds <= {dict, NoneType}:
        return np.fromiter(column, dtype=object, count=len(column))
    return column


def _line(cells: Sequence[Any]) -> str:
    """Return the cells as a line of CSV without its end; a cell with any line break is quoted."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)  # with "\n" as the line end, a lone "\r" stays unquoted
    return text.getvalue().removesuffix("\r\n")


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return without_formula("; ".join(f"{name}={code}" for name, code in value.items()))
    if isinstance(value, list):
        return without_formula("; ".join(str(item) for item in value))
    return without_formula(value)
