"""What a measure computes for one slice: named columns of values, with their draws and reasons."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Floats, Ints

Options = Mapping[str, Any]
"""The options of a measure, by name."""

Reasons = Sequence[str | None] | str | None

Codes = NDArray[np.object_] | str | None
"""The code of a reason: one for each row, or for all; None or empty where there is none."""

FEW = 30
"""Cases below which a number is marked as resting on few (MEASURES section 13)."""

SURE = 0.05
"""The p below which something counts as certain, adjusted for all that was tested."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """The interval and p-value of each row; `reason` says why one that has a value has no interval."""

    low: Floats
    high: Floats
    p: Floats
    reason: Codes

    def select(self, rows: Ints) -> "Intervals":
        reason = self.reason[rows] if isinstance(self.reason, np.ndarray) else self.reason
        return Intervals(self.low[rows], self.high[rows], self.p[rows], reason)


@dataclass(frozen=True, eq=False)
class FewCases:
    """Intervals and p-values in place of those from resamples, one for each row (MEASURES section 17).

    `replaced` marks the rows that have them; `small` those that rest on few cases or whose cases are all
    alike: their difference from another slice is not tested. NaN where there is no interval, with the code
    of the reason. `always`: whatever interval was requested.
    """

    replaced: NDArray[np.bool_]
    small: NDArray[np.bool_]
    low: Floats
    high: Floats
    p: Floats
    reasons: NDArray[np.str_]
    always: bool = False

    def changed(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> "FewCases":
        """Return them with other rows: those that `change` makes of each array."""
        parts = {name: part for name, part in vars(self).items() if name != "always"}
        return FewCases(**{name: change(part) for name, part in parts.items()}, always=self.always)

    @classmethod
    def nowhere(cls, rows: int) -> "FewCases":
        """Return none for this number of rows."""
        no, nothing = np.zeros(rows, dtype=bool), np.full(rows, np.nan)
        return cls(no, no, nothing, nothing, nothing, np.zeros(rows, dtype=np.str_))

    @classmethod
    def without(cls, reason: str) -> "FewCases":
        """Return those of one row that has no interval, for this reason."""
        yes, nothing = np.ones(1, dtype=bool), np.full(1, np.nan)
        return cls(yes, yes, nothing, nothing, nothing, np.array([reason]))


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one field, one for each row; NaN or None where undefined.

    `draws` has shape (resamples, rows). `reasons` says why a value is undefined: one code for all rows or one
    for each; it counts only where the value is undefined. `intervals` are by a formula, in place of those of
    the draws. `few` are the intervals of rows that rest on few cases, `tail` the p-values of rows whose
    resamples are all on one side of the null value, `freedom` the degrees of freedom of expanded intervals
    where they are not left to the draws.
    """

    values: Sequence[Any] | NDArray[Any]
    draws: Floats | None = None
    reasons: Reasons = None
    intervals: Intervals | None = None
    few: FewCases | None = None
    tail: Floats | None = None
    freedom: Floats | None = None

    def reason(self, row: int) -> str:
        if isinstance(self.reasons, str):
            return self.reasons
        code = self.reasons[row] if self.reasons is not None else None
        return code or "undefined"

    def row_reasons(self) -> Sequence[str | None]:
        """Return the reasons one for each row, as they were given."""
        if self.reasons is None or isinstance(self.reasons, str):
            return [self.reasons] * len(self.values)
        return self.reasons

    def codes(self, rows: Ints) -> Codes:
        """Return the reason of each of these rows."""
        if self.reasons is None or isinstance(self.reasons, str):
            return self.reasons or "undefined"
        return first_codes(np.array(self.reasons, dtype=object)[rows], "undefined")


def stack(columns: Sequence[Column]) -> Column:
    """Return one column of the columns' rows, in order; draws and intervals if all have them.

    The intervals of few cases stay with their rows.
    """
    values = [value for column in columns for value in column.values]
    reasons = [column.reason(i) for column in columns for i in range(len(column.values))]
    all_draws = [column.draws for column in columns if column.draws is not None]
    draws = np.concatenate(all_draws, axis=1) if len(all_draws) == len(columns) else None
    parts = [column.intervals for column in columns if column.intervals is not None]
    intervals = None
    if len(parts) == len(columns):
        ends = {end: np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high", "p")}
        intervals = Intervals(**ends, reason=parts[0].reason)
    few = None
    if any(column.few is not None for column in columns):
        each = [column.few or FewCases.nowhere(len(column.values)) for column in columns]
        names = ("replaced", "small", "low", "high", "p", "reasons")
        arrays = {name: np.concatenate([getattr(part, name) for part in each]) for name in names}
        few = FewCases(**arrays, always=any(part.always for part in each))
    return Column(values, draws, reasons, intervals, few)


def stack_rows(rows: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    return {name: stack([row[name] for row in rows]) for name in rows[0]} if rows else {}


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one slice.

    `keep` marks the rows to show (a judge without a counted row has none). `instances` is the number of
    instances with a counted row: with too few there are no p-values. `counted` marks those instances where
    the measure knows them; no other then matters to its numbers. `filters` says what the measure itself
    decided. One that reads the study itself returns a table for each group, whose value is `slice`.
    `tested` marks the rows, shown or not, over which p-values are adjusted, where not over those to show.
    `why_empty` says why no row is to be shown, where the measure's own reason does not.
    """

    columns: Mapping[str, Column]
    keep: NDArray[np.bool_]
    instances: int
    left_out: Mapping[str, int] = dataclasses.field(default_factory=dict)
    filters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    slice: Any = None
    counted: NDArray[np.bool_] | None = None
    tested: NDArray[np.bool_] | None = None
    why_empty: str = ""

    @classmethod
    def of(
        cls,
        rows: Sequence[Mapping[str, Column]],
        instances: int,
        left_out: Mapping[str, int] | None = None,
        filters: Mapping[str, Any] | None = None,
        value: Any = None,
    ) -> "Table":
        """Return the table of these rows, all of them to show; `value` is that of the slice."""
        columns = stack_rows(rows)
        size = len(next(iter(columns.values())).values) if columns else 0
        return cls(columns, np.ones(size, dtype=bool), instances, left_out or {}, filters or {}, value)


Columns = dict[str, Column]


def first_reason(*conditions: tuple[NDArray[np.bool_], str]) -> list[str | None]:
    """Return for each row the code of the first condition that holds, None where none does."""
    codes = np.full(len(conditions[0][0]), None, dtype=object)
    for condition, code in reversed(conditions):
        codes[np.flatnonzero(condition)] = code
    of_rows: list[str | None] = codes.tolist()
    return of_rows


def first_codes(codes: Codes, other: Codes) -> Codes:
    """Return the codes, and where there is none the other ones."""
    return choose_codes(codes.astype(bool), codes, other) if isinstance(codes, np.ndarray) else codes or other


def choose_codes(condition: Bools, codes: Codes, other: Codes) -> NDArray[np.object_]:
    """Return for each row its code, or the other one where the condition does not hold."""
    first, second = (np.asarray(each, dtype=object) for each in (codes, other))
    values: NDArray[np.object_] = np.where(condition, first, second)
    return values
