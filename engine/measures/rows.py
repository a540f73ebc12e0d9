"""A measure's columns made into rows with intervals, p-values and reasons."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.entry import Measure
from engine.measures.result import Values
from engine.stats import Floats, Ints, Weights
from engine.stats.bootstrap import Expansion, benjamini_hochberg, bootstrap_p, percentile_interval

# ------------------------------------------------------------------------------
# What a measure computes for one slice: named columns of values, with their draws and reasons.

Options = Mapping[str, Any]
"""The options of a measure, by name."""

Reasons = Sequence[str | None] | str | None

FEW = 30
"""Cases below which a number is marked as resting on few (MEASURES section 13)."""

SURE = 0.05
"""The p below which something counts as certain, adjusted for all that was tested."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """The interval and p-value of each row; `reason` says why a row that has a value has no interval."""

    low: Floats
    high: Floats
    p: Floats
    reason: str

    def select(self, rows: Ints) -> "Intervals":
        return Intervals(self.low[rows], self.high[rows], self.p[rows], self.reason)


@dataclass(frozen=True, eq=False)
class FewCases:
    """Intervals and p-values in place of those from resamples, one for each row (MEASURES section 17).

    `replaced` marks the rows that have them; `small` those that rest on few cases, whose difference from
    another slice is not tested. NaN where there is no interval, with the code of the reason. `always`:
    whatever interval was requested.
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


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one field, one for each row; NaN or None where undefined.

    `draws` has shape (resamples, rows). `reasons` says why a value is undefined: one code for all rows or one
    for each; it counts only where the value is undefined. `intervals` are by a formula, in place of those of
    the draws. `few` are the intervals of rows that rest on few cases, `tail` the p-values of rows whose
    resamples are all on one side of the null value.
    """

    values: Sequence[Any] | NDArray[Any]
    draws: Floats | None = None
    reasons: Reasons = None
    intervals: Intervals | None = None
    few: FewCases | None = None
    tail: Floats | None = None

    def reason(self, row: int) -> str:
        if isinstance(self.reasons, str):
            return self.reasons
        code = self.reasons[row] if self.reasons is not None else None
        return code or "undefined"


def stack(rows: Sequence[Column]) -> Column:
    """Return one column of the columns' rows, in order; draws and intervals if all have them."""
    values = [value for column in rows for value in column.values]
    reasons = [column.reason(i) for column in rows for i in range(len(column.values))]
    all_draws = [column.draws for column in rows if column.draws is not None]
    draws = np.concatenate(all_draws, axis=1) if len(all_draws) == len(rows) else None
    parts = [column.intervals for column in rows if column.intervals is not None]
    intervals = None
    if len(parts) == len(rows):
        ends = {end: np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high", "p")}
        intervals = Intervals(**ends, reason=parts[0].reason)
    return Column(values, draws, reasons, intervals)


def stack_rows(rows: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    return {name: stack([row[name] for row in rows]) for name in rows[0]} if rows else {}


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one slice.

    `keep` marks the rows to show (a judge without a counted row has none). `instances` is the number of
    instances with a counted row: with too few there are no p-values. `filters` says what the measure
    itself decided. One that reads the study itself returns a table for each group, whose value is `slice`.
    """

    columns: Mapping[str, Column]
    keep: NDArray[np.bool_]
    instances: int
    left_out: Mapping[str, int] = dataclasses.field(default_factory=dict)
    filters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    slice: Any = None

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
    codes: list[str | None] = [None] * len(conditions[0][0])
    for condition, code in reversed(conditions):
        for row in np.flatnonzero(condition):
            codes[int(row)] = code
    return codes


# ------------------------------------------------------------------------------
# A measure's table made into rows: plain values, intervals, p-values, reasons.


def finish(measure: Measure, table: Table, min_instances: int, weights: Weights | None = None) -> Values:
    """Return by column the rows that the table keeps, in its order, with every column that fields declare.

    Undefined numbers are None, and `reasons` of the row says why. Intervals and p-values are those of the
    percentiles; with the `weights` that drew the table's resamples, the expanded ones (docs/intervals.md).
    """
    places = np.flatnonzero(table.keep)
    cells = {}
    for field in measure.fields:
        values = table.columns[field.name].values
        of_rows = values[places] if isinstance(values, np.ndarray) else [values[i] for i in places.tolist()]
        cells[field.name] = _plain_values(of_rows)
    intervals = _intervals(measure, table, places, cells, weights)
    rows = _Rows(len(places))

    def why(column: Column, row: int) -> str:
        return column.reason(int(places[row]))

    for field in measure.fields:
        column = table.columns[field.name]
        rows.put(field.name, cells[field.name], partial(why, column))
        if not field.interval:
            continue
        ends, few = intervals.get(field.name), None
        if column.few is not None and (weights is not None or column.few.always):
            few = column.few.changed(lambda part: part[places])
        _put_interval(rows, field.name, ends, few)
        if field.null is not None:
            _put_p(rows, field.name, ends, few, table.instances < min_instances)
    reasons: list[dict[str, str]] = [{} for _ in places]
    for name, codes in rows.codes.items():
        for of_row, code in zip(reasons, codes, strict=True):
            if code is not None:
                of_row[name] = code
    return rows.columns | {"reasons": reasons}


def _intervals(
    measure: Measure, table: Table, places: Ints, cells: Mapping[str, Sequence[Any]], weights: Weights | None
) -> dict[str, Intervals]:
    """Return the intervals of each field: its own, or those of its draws; none of a field without."""
    intervals: dict[str, Intervals] = {}
    defined_rows, draws = dict[str, Ints](), dict[str, Floats]()
    for field in measure.fields:
        column = table.columns[field.name]
        if field.interval and column.intervals is not None:
            intervals[field.name] = column.intervals.select(places)
        elif field.interval and column.draws is not None:
            defined = np.flatnonzero([value is not None for value in cells[field.name]])
            defined_rows[field.name], draws[field.name] = defined, column.draws[:, places[defined]]
    plainly = [name for name in draws if measure.method(name) is None]
    expansions: dict[str, Expansion] = {}
    if weights is not None and plainly:  # of all fields in one product
        every = Expansion.of(np.concatenate([draws[name] for name in plainly], axis=1), weights)
        ends = np.cumsum([draws[name].shape[1] for name in plainly])
        parts = zip(plainly, np.split(every.freedom, ends[:-1]), strict=True)
        expansions = {name: dataclasses.replace(every, freedom=freedom) for name, freedom in parts}
    nulls = {field.name: field.null for field in measure.fields}
    for name, defined in defined_rows.items():
        low, high, p = (np.full(len(places), np.nan) for _ in range(3))
        wide, null = expansions.get(name), nulls[name]
        interval = percentile_interval(draws[name]) if wide is None else wide.interval(draws[name])
        low[defined], high[defined] = interval.low, interval.high
        if null is not None:
            p[defined] = bootstrap_p(draws[name], null) if wide is None else wide.p(draws[name], null)
        tail = table.columns[name].tail
        if wide is not None and tail is not None:  # refines a p at its floor; NaN: no tail
            p = np.fmin(p, tail[places])
        intervals[name] = Intervals(low, high, p, "too_many_undefined_resamples")
    return intervals


class _Rows:
    """Rows built column by column, and why values of each are missing."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.columns: Values = {}
        self.codes: dict[str, list[str | None]] = {}

    def put(self, name: str, column: list[Any], why: Callable[[int], str]) -> None:
        """Put a column of plain values; `why` gives the reason for a row's missing value."""
        self.columns[name] = column
        if None in column:
            self.codes[name] = [why(row) if value is None else None for row, value in enumerate(column)]

    def missing(self, name: str) -> NDArray[np.bool_]:
        return np.array([value is None for value in self.columns[name]], dtype=bool)

    def reason(self, name: str, row: int) -> str | None:
        codes = self.codes.get(name)
        return None if codes is None else codes[row]


def _plain_values(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    if not isinstance(values, np.ndarray):
        return [plain(value) for value in values]
    items: list[Any] = values.tolist()
    return [value if isfinite(value) else None for value in items] if values.dtype.kind == "f" else items


def plain(value: Any) -> Any:
    """Return a Python value that JSON can hold; NaN and infinities become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


def _put_interval(rows: _Rows, name: str, ends: Intervals | None, few: FewCases | None) -> None:
    """Put the ends of the interval, or of that for few cases if a row rests on few."""

    def why(row: int) -> str:
        code = rows.reason(name, row)
        if code is None and few is not None and few.replaced[row]:
            code = str(few.reasons[row])
        return code or ("no_resamples" if ends is None else ends.reason)

    for end in ("low", "high"):
        values = np.full(rows.number, np.nan) if ends is None else getattr(ends, end)
        if few is not None:
            values = np.where(few.replaced, getattr(few, end), values)
        rows.put(f"{name}_{end}", _plain_values(np.where(rows.missing(name), np.nan, values)), why)


def _put_p(rows: _Rows, name: str, ends: Intervals | None, few: FewCases | None, too_few: bool) -> None:
    """Put the p-values; the adjusted ones are over the judges of this slice, without its row of means."""
    low = f"{name}_low"
    p = np.full(rows.number, np.nan) if ends is None else ends.p
    if few is not None:
        p = np.where(few.replaced, few.p, p)
    p = np.where(too_few | rows.missing(low), np.nan, p)
    nothing = [None] * rows.number
    has_judge = np.array([judge is not None for judge in rows.columns.get("judge", nothing)], dtype=bool)
    # a judge may have a row at each level, against each opponent, in each variant
    apart = [rows.columns.get(key, nothing) for key in ("level", "opponent", "variant")]
    families: dict[tuple[Any, ...], list[int]] = {}
    for row in np.flatnonzero(has_judge & ~np.isnan(p)).tolist():
        families.setdefault(tuple(column[row] for column in apart), []).append(row)
    adjusted = np.full(rows.number, np.nan)
    for family in families.values():
        adjusted[family] = benjamini_hochberg(p[family])

    def why(row: int) -> str:
        return rows.reason(low, row) or ("too_few_instances" if too_few else "no_resamples")

    rows.put(f"{name}_p", _plain_values(p), why)
    why_not_adjusted = ["" if judge else "row_of_means" for judge in has_judge]
    rows.put(f"{name}_p_adjusted", _plain_values(adjusted), lambda row: why_not_adjusted[row] or why(row))
