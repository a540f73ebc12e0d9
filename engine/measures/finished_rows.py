"""A measure's table made into rows: plain values, intervals, p-values, reasons."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import isfinite
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.entry import Field, Measure
from engine.measures.result import Cells, Values, plain_values
from engine.measures.rows import Codes, FewCases, Intervals, Table, choose_codes, first_codes
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.intervals.bootstrap import bootstrap_p, percentile_interval
from engine.stats.intervals.bootstrap_expanded import Expansion, degrees_of_freedom


def finish(measure: Measure, table: Table, min_instances: int, weights: Weights | None = None) -> Values:
    """Return by column the rows that the table keeps, in its order, with every column that fields declare.

    Undefined numbers are null, and `reasons` of the row says why. Intervals and p-values are those of the
    percentiles; with the `weights` that drew the table's resamples, the expanded ones (docs/intervals.md).
    """
    places = np.flatnonzero(table.keep if table.tested is None else table.keep | table.tested)
    cells = {field.name: _cells(table.columns[field.name].values, places) for field in measure.fields}
    intervals = _intervals(measure, table, places, cells, weights)
    rows = _ColumnarRows(len(places))
    for field in measure.fields:
        column = table.columns[field.name]
        rows.add(field.name, cells[field.name], partial(column.codes, places))
        if not field.interval:
            continue
        ends, few = intervals.get(field.name), None
        if column.few is not None and (weights is not None or column.few.always):
            few = column.few.changed(lambda part: part[places])
        if ends is None and few is None:
            rows.add_empty(field, "no_resamples")
            continue
        _add_interval(rows, field.name, ends, few)
        if field.null is not None:
            _add_p_values(rows, field.name, ends, few, table.instances < min_instances)
    values = rows.columns | {"reasons": rows.reasons()}
    shown = np.flatnonzero(table.keep[places])
    if len(shown) == len(places):
        return values
    return {name: _cells(column, shown) for name, column in values.items()}


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
    expansions: dict[str, Expansion] = {}
    if weights is not None:
        given = {name: table.columns[name].freedom for name in draws if measure.method(name) is None}
        of_draws = {name: draws[name] for name, each in given.items() if each is None}
        freedom = _freedom_of_draws(of_draws, weights, table.counted)
        for name, stated in given.items():
            of_rows = freedom[name] if stated is None else stated[places[defined_rows[name]]]
            expansions[name] = Expansion(of_rows, weights.shape[1])
    one_instance = table.instances == 1
    for field in (field for field in measure.fields if field.name in draws):
        wide, tail = expansions.get(field.name), table.columns[field.name].tail
        own, at = draws[field.name], defined_rows[field.name]
        each = interval_of_draws(own, wide, field.null, steps=field.steps, one_instance=one_instance)
        low, high, p = (np.full(len(places), np.nan) for _ in range(3))
        low[at], high[at], p[at] = each.low, each.high, each.p
        why = np.full(len(places), None, dtype=object)
        why[at] = each.reason
        if wide is not None and tail is not None:  # refines a p at its floor; NaN: no tail
            p = np.fmin(p, tail[places])
        intervals[field.name] = Intervals(low, high, p, why)
    return intervals


def interval_of_draws(
    draws: Floats,
    wide: Expansion | None,
    null: float | None,
    *,
    steps: bool = False,
    one_instance: bool = False,
) -> Intervals:
    """Return the intervals of draws, and p-values of `null` if there is one; of one instance there are none.

    Draws that are all alike have no interval. Their p says on which side of `null` all are; where some are
    undefined, which happens if they rest on a handful of instances, it is given only if it is 1.
    """
    nothing = np.full(draws.shape[1], np.nan)
    if one_instance:
        return Intervals(nothing, nothing, nothing, "one_instance")
    interval = percentile_interval(draws) if wide is None else wide.interval(draws)
    alike = interval.alike & (not steps)
    low, high = (np.where(alike, np.nan, end) for end in (interval.low, interval.high))
    why = choose_codes(alike, "resamples_alike", "too_many_undefined_resamples")
    if null is None:
        return Intervals(low, high, nothing, why)
    p = bootstrap_p(draws, null) if wide is None else wide.p(draws, null)
    has_p = ~np.isnan(low) | (alike & ((interval.undefined == 0) | (p == 1)))
    return Intervals(low, high, np.where(has_p, p, np.nan), why)


def _freedom_of_draws(
    draws: Mapping[str, Floats], weights: Weights, counted: Bools | None
) -> dict[str, Floats]:
    """Return the degrees of freedom of the draws of each field, of all fields in one product."""
    if not draws:
        return {}
    every = degrees_of_freedom(np.concatenate(list(draws.values()), axis=1), weights, counted)
    ends = np.cumsum([each.shape[1] for each in draws.values()])
    return dict(zip(draws, np.split(every, ends[:-1]), strict=True))


class _ColumnarRows:
    """Rows built column by column, and why values of each are undefined."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.columns: Values = {}
        self.undefined: dict[str, Bools] = {}
        self.codes: dict[str, NDArray[np.object_]] = {}

    def add(self, name: str, column: Cells, why: Callable[[], Codes]) -> None:
        """Put a column; `why` gives the reason of each row, which counts where its value is undefined."""
        self.columns[name] = column
        undefined = self.undefined[name] = _undefined(column)
        if undefined.any():
            self.codes[name] = choose_codes(undefined, why(), None)

    def add_empty(self, field: Field, why: str) -> None:
        """Put the interval and p-values of a field that has none; `why`: the reason of rows with a value."""
        nothing, everywhere = np.full(self.number, np.nan), np.ones(self.number, dtype=bool)
        codes = choose_codes(everywhere, first_codes(self.codes.get(field.name), why), None)
        for name in field.columns()[1:]:
            self.columns[name], self.undefined[name], self.codes[name] = nothing, everywhere, codes
        if field.null is not None:
            name = f"{field.name}_p_adjusted"
            self.codes[name] = choose_codes(self.has_judge(), codes, "row_of_means")

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


def _add_interval(rows: _ColumnarRows, name: str, ends: Intervals | None, few: FewCases | None) -> None:
    """Put the ends of the interval, or of that for few cases if a row rests on few."""

    @cache  # for both ends
    def why() -> Codes:
        codes: Codes = rows.codes.get(name)
        if few is not None:
            codes = first_codes(codes, choose_codes(few.replaced, few.reasons.astype(object), None))
        return first_codes(codes, "no_resamples" if ends is None else ends.reason)

    for end in ("low", "high"):
        values = np.full(rows.number, np.nan) if ends is None else getattr(ends, end)
        if few is not None:
            values = np.where(few.replaced, getattr(few, end), values)
        rows.add(f"{name}_{end}", _finite(np.where(rows.undefined[name], np.nan, values)), why)


def _add_p_values(
    rows: _ColumnarRows, name: str, ends: Intervals | None, few: FewCases | None, too_few: bool
) -> None:
    """Put the p-values; the adjusted ones are over the judges tested, without the row of means."""
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
        return first_codes(rows.codes.get(low), "too_few_instances" if too_few else "no_resamples")

    rows.add(f"{name}_p", _finite(p), why)
    rows.add(f"{name}_p_adjusted", _finite(adjusted), lambda: choose_codes(has_judge, why(), "row_of_means"))
