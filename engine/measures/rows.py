"""A measure's columns made into rows with intervals, p-values and reasons."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import isfinite
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.entry import Field, Measure
from engine.measures.result import Cells, Values, plain_values
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.adjusted_p import benjamini_hochberg
from engine.stats.bootstrap import bootstrap_p, percentile_interval
from engine.stats.expanded import Expansion

# ------------------------------------------------------------------------------
# What a measure computes for one slice: named columns of values, with their draws and reasons.

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

    def codes(self, rows: Ints) -> Codes:
        """Return the reason of each of these rows."""
        if self.reasons is None or isinstance(self.reasons, str):
            return self.reasons or "undefined"
        return _first_code(np.array(self.reasons, dtype=object)[rows], "undefined")


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
    codes = np.full(len(conditions[0][0]), None, dtype=object)
    for condition, code in reversed(conditions):
        codes[np.flatnonzero(condition)] = code
    of_rows: list[str | None] = codes.tolist()
    return of_rows


def _first_code(codes: Codes, other: Codes) -> Codes:
    """Return the codes, and where there is none the other ones."""
    return _choose(codes.astype(bool), codes, other) if isinstance(codes, np.ndarray) else codes or other


def _choose(condition: Bools, codes: Codes, other: Codes) -> NDArray[np.object_]:
    """Return for each row its code, or the other one where the condition does not hold."""
    first, second = (np.asarray(each, dtype=object) for each in (codes, other))
    values: NDArray[np.object_] = np.where(condition, first, second)
    return values


# ------------------------------------------------------------------------------
# A measure's table made into rows: plain values, intervals, p-values, reasons.


def finish(measure: Measure, table: Table, min_instances: int, weights: Weights | None = None) -> Values:
    """Return by column the rows that the table keeps, in its order, with every column that fields declare.

    Undefined numbers are null, and `reasons` of the row says why. Intervals and p-values are those of the
    percentiles; with the `weights` that drew the table's resamples, the expanded ones (docs/intervals.md).
    """
    places = np.flatnonzero(table.keep)
    cells = {field.name: _cells(table.columns[field.name].values, places) for field in measure.fields}
    intervals = _intervals(measure, table, places, cells, weights)
    rows = _Rows(len(places))
    for field in measure.fields:
        column = table.columns[field.name]
        rows.put(field.name, cells[field.name], partial(column.codes, places))
        if not field.interval:
            continue
        ends, few = intervals.get(field.name), None
        if column.few is not None and (weights is not None or column.few.always):
            few = column.few.changed(lambda part: part[places])
        if ends is None and few is None:
            rows.put_nothing(field, "no_resamples")
            continue
        _put_interval(rows, field.name, ends, few)
        if field.null is not None:
            _put_p(rows, field.name, ends, few, table.instances < min_instances)
    return rows.columns | {"reasons": rows.reasons()}


def _intervals(
    measure: Measure, table: Table, places: Ints, cells: Mapping[str, Cells], weights: Weights | None
) -> dict[str, Intervals]:
    """Return the intervals of each field: its own, or those of its draws; none of a field without."""
    intervals: dict[str, Intervals] = {}
    defined_rows, draws = dict[str, Ints](), dict[str, Floats]()
    for field in measure.fields:
        column = table.columns[field.name]
        if field.interval and column.intervals is not None:
            intervals[field.name] = column.intervals.select(places)
        elif field.interval and column.draws is not None:
            defined = np.flatnonzero(~_undefined(cells[field.name]))
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
    """Rows built column by column, and why values of each are undefined."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.columns: Values = {}
        self.undefined: dict[str, Bools] = {}
        self.codes: dict[str, NDArray[np.object_]] = {}

    def put(self, name: str, column: Cells, why: Callable[[], Codes]) -> None:
        """Put a column; `why` gives the reason of each row, which counts where its value is undefined."""
        self.columns[name] = column
        undefined = self.undefined[name] = _undefined(column)
        if undefined.any():
            self.codes[name] = _choose(undefined, why(), None)

    def put_nothing(self, field: Field, why: str) -> None:
        """Put the interval and p-values of a field that has none; `why`: the reason of rows with a value."""
        nothing, everywhere = np.full(self.number, np.nan), np.ones(self.number, dtype=bool)
        codes = _choose(everywhere, _first_code(self.codes.get(field.name), why), None)
        for name in field.columns()[1:]:
            self.columns[name], self.undefined[name], self.codes[name] = nothing, everywhere, codes
        if field.null is not None:
            name = f"{field.name}_p_adjusted"
            self.codes[name] = _choose(self.has_judge(), codes, "row_of_means")

    def has_judge(self) -> Bools:
        """Return which rows are of a judge; a row of means is of none."""
        return ~self.undefined["judge"] if "judge" in self.columns else np.zeros(self.number, dtype=bool)

    def reasons(self) -> list[dict[str, str]]:
        """Return for each row the codes of its undefined values by column; few rows differ in them."""
        if not self.codes:
            return [{} for _ in range(self.number)]
        codes_of_rows = list(zip(*(codes.tolist() for codes in self.codes.values()), strict=True))
        reasons = {
            codes: {name: code for name, code in zip(self.codes, codes, strict=True) if code is not None}
            for codes in set(codes_of_rows)
        }
        return [reasons[codes].copy() for codes in codes_of_rows]


def _cells(values: Sequence[Any] | NDArray[Any], rows: Ints) -> Cells:
    """Return the values of some rows: an array, NaN where undefined, or plain values."""
    if not isinstance(values, np.ndarray):
        picked = [values[row] for row in rows.tolist()]
        return picked if set(map(type, picked)) <= _PLAIN else [plain(value) for value in picked]
    if values.dtype.kind == "f":
        return _finite(values[rows])
    if values.dtype.kind in "iu":
        return values[rows].astype(np.int64)
    return values[rows] if values.dtype.kind == "b" else list(values[rows].tolist())


_PLAIN = {str, int, bool, NoneType}


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan).astype(np.float64, copy=False)


def _undefined(cells: Cells) -> Bools:
    if not isinstance(cells, np.ndarray):
        return np.array([value is None for value in cells], dtype=bool)
    return np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), dtype=bool)


def plain(value: Any) -> Any:
    """Return a Python value that JSON can hold; NaN and infinities become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


def _put_interval(rows: _Rows, name: str, ends: Intervals | None, few: FewCases | None) -> None:
    """Put the ends of the interval, or of that for few cases if a row rests on few."""

    @cache  # for both ends
    def why() -> Codes:
        codes: Codes = rows.codes.get(name)
        if few is not None:
            codes = _first_code(codes, _choose(few.replaced, few.reasons.astype(object), None))
        return _first_code(codes, "no_resamples" if ends is None else ends.reason)

    for end in ("low", "high"):
        values = np.full(rows.number, np.nan) if ends is None else getattr(ends, end)
        if few is not None:
            values = np.where(few.replaced, getattr(few, end), values)
        rows.put(f"{name}_{end}", _finite(np.where(rows.undefined[name], np.nan, values)), why)


def _put_p(rows: _Rows, name: str, ends: Intervals | None, few: FewCases | None, too_few: bool) -> None:
    """Put the p-values; the adjusted ones are over the judges of this slice, without its row of means."""
    low = f"{name}_low"
    p = np.full(rows.number, np.nan) if ends is None else ends.p
    if few is not None:
        p = np.where(few.replaced, few.p, p)
    p = np.where(too_few | rows.undefined[low], np.nan, p)
    has_judge = rows.has_judge()
    # a judge may have a row at each level, against each opponent, in each variant
    keys = [key for key in ("level", "opponent", "variant") if key in rows.columns]
    apart = [plain_values(rows.columns[key]) for key in keys]
    families: dict[tuple[Any, ...], list[int]] = {}
    for row in np.flatnonzero(has_judge & ~np.isnan(p)).tolist():
        families.setdefault(tuple(column[row] for column in apart), []).append(row)
    adjusted = np.full(rows.number, np.nan)
    for family in families.values():
        adjusted[family] = benjamini_hochberg(p[family])

    def why() -> Codes:
        return _first_code(rows.codes.get(low), "too_few_instances" if too_few else "no_resamples")

    rows.put(f"{name}_p", _finite(p), why)
    rows.put(f"{name}_p_adjusted", _finite(adjusted), lambda: _choose(has_judge, why(), "row_of_means"))
