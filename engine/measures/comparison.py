"""Two slices side by side: the headline field of each row, their difference and its interval."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays.slicing.group_by import group_views
from engine.arrays.slicing.resolve import NoDataError
from engine.measures.entry import Field, Measure
from engine.measures.finished_rows import interval_of_draws, plain
from engine.measures.result import Result, columns_of
from engine.measures.rows import Intervals, Table
from engine.measures.slice_tables import tables_of_slices, weights_of
from engine.slices import Slice
from engine.stats import Floats, Weights
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.intervals.bootstrap import is_smallest_p
from engine.stats.intervals.bootstrap_expanded import Expansion
from engine.stats.ratios import ratio

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def compare_slices(
    study: "StudyArrays",
    measure: Measure,
    slices: tuple[Slice, Slice],
    filters: dict[str, Any],
    options: dict[str, Any],
    interval: str,
) -> Result:
    """Return a row for each row that both slices have: keys, and the numbers of `differences`."""
    weights = weights_of(study, filters["resamples"], filters["seed"])
    filters |= slices[0].filters() | {"against": slices[1].filters()}
    wide = None
    if weights is not None and interval == "expanded":
        filters["interval"], wide = interval, weights
    left_out: Counter[str] = Counter()
    try:
        sides = [group_views(study, spec, None, weights, measure.paradigms)[0] for spec in slices]
        tables = list(tables_of_slices(measure, sides, options, common=filters["common"]))
    except NoDataError as no_data:
        return Result(comparison_measure(measure), study.name, filters, {}, {}, str(no_data))
    for table in tables:
        left_out.update(table.left_out)
    few = min(table.instances for table in tables) < slices[0].min_instances
    pairs = matching_rows(measure, *tables)
    rows = differences(measure, tables, measure.headline, pairs, few=few, weights=wide)
    reason = None if rows else "no row is in both slices"
    applied = {**tables[0].filters, **filters, "against": tables[1].filters}
    return Result(comparison_measure(measure), study.name, applied, columns_of(rows), dict(left_out), reason)


def comparison_measure(measure: Measure) -> Measure:
    """Return the measure with the fields that its rows have when two slices are compared."""
    keys = tuple(field for field in measure.fields if field.name in measure.keys)
    (headline,) = (field for field in measure.fields if field.name == measure.headline)
    how = "a / b" if measure.compared_as == "ratio" else "a - b"
    kind = "difference" if headline.kind == "share" and measure.compared_as == "difference" else headline.kind
    axis, title, alike = "", "", ""
    if measure.compared_as == "ratio":
        axis, title, alike = "ratio now / before", "Ratio a / b", "; 1: no difference"
    numbers = (
        Field("a", headline.kind, f"{headline.meaning}, in the slice"),
        Field("b", headline.kind, f"{headline.meaning}, in the slice compared with"),
        Field("difference", kind, f"{measure.compared_as} {how}{alike}", title=title, axis=axis),
        Field("low", kind, f"lower end of the interval of {how}"),
        Field("high", kind, f"upper end of the interval of {how}"),
        Field("p", "number", "p-value of no difference"),
        Field("p_adjusted", "number", "p-value of no difference, adjusted over judges"),
    )
    return replace(measure, fields=(*keys, *numbers))


def differences(
    measure: Measure,
    tables: Sequence[Table],
    name: str,
    pairs: Sequence[tuple[int, int]],
    *,
    few: bool,
    weights: Weights | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each pair of rows of two tables: keys of the first, and the field `name` compared.

    The numbers are a, b, difference, low, high, p and p_adjusted; `p_is_smallest` says whether both p-values
    are at most what is given, as p is the smallest that so many resamples can give.
    Ratios are compared as a ratio of ratios, other numbers by their difference. The draws of the two tables
    are paired: they share resamples, or else are independent. `few`: too few instances for p-values.
    Intervals are percentiles; with the `weights` that drew both tables' resamples, expanded.
    """
    if not pairs:
        return []
    rows_a, rows_b = (np.array(side) for side in zip(*pairs, strict=True))
    a, b = (table.columns[name] for table in tables)
    sides = ((a, rows_a), (b, rows_b))
    as_ratio = compared_as_ratio(measure, name)
    compare: Callable[[Floats, Floats], Floats] = ratio if as_ratio else np.subtract
    values = [np.array(column.values, dtype=np.float64)[at] for column, at in sides]
    difference, draws = compare(*values), None
    if a.draws is not None and b.draws is not None:
        draws = np.where(np.isnan(difference), np.nan, compare(a.draws[:, rows_a], b.draws[:, rows_b]))
    few_of_sides = [(column.few, at) for column, at in sides if column.few is not None]
    untested = [
        _why_untested([(few.small[at[row]], few.reasons[at[row]]) for few, at in few_of_sides])
        for row in range(len(pairs))
    ]
    small = np.array([why is not None for why in untested])
    numbers = {"a": values[0], "b": values[1], "difference": difference}
    steps = any(field.name == name and field.steps for field in measure.fields)
    one_instance = min(table.instances for table in tables) == 1
    interval = _interval(
        draws, weights, len(pairs), as_ratio=as_ratio, steps=steps, one_instance=one_instance
    )
    numbers |= {end: np.where(small, np.nan, getattr(interval, end)) for end in ("low", "high")}
    numbers["p"] = np.where(small | few, np.nan, interval.p)
    no_interval = np.broadcast_to(np.asarray(interval.reason, dtype=object), len(pairs))
    judges = tables[0].columns["judge"].values if "judge" in measure.keys else ()
    of_means = [bool(len(judges)) and judges[i] is None for i in rows_a]
    numbers["p_adjusted"] = benjamini_hochberg(np.where(of_means, np.nan, numbers["p"]))
    null = 1.0 if as_ratio else 0.0
    smallest = np.zeros(len(pairs), dtype=bool) if draws is None else is_smallest_p(draws, null)
    rows = []
    for row, (i, j) in enumerate(pairs):
        cells = {key: plain(tables[0].columns[key].values[i]) for key in measure.keys}
        cells |= {name: plain(of_rows[row]) for name, of_rows in numbers.items()}
        of_sides = {"a": a.reason(i), "b": b.reason(j)}
        missing = (name for name in numbers if cells[name] is None)
        why = untested[row] or str(no_interval[row])
        reasons = {name: _why(name, cells, of_sides, few=few, untested=why) for name in missing}
        is_smallest = cells["p"] is not None and bool(smallest[row])
        rows.append(cells | {"p_is_smallest": is_smallest, "reasons": reasons})
    return rows


def compared_as_ratio(measure: Measure, name: str) -> bool:
    """Return whether a field is compared as a ratio: the headline as declared, others if tested at 1."""
    if name == measure.headline:
        return measure.compared_as == "ratio"
    return any(field.name == name and field.null == 1.0 for field in measure.fields)


def matching_rows(measure: Measure, first: Table, second: Table) -> list[tuple[int, int]]:
    """Return the places of the rows that both tables keep, by their keys, in the order of the first."""

    def rows_by_key(table: Table) -> dict[tuple[Any, ...], int]:
        if not table.keep.any():
            return {}
        columns = [table.columns[key].values for key in measure.keys]
        return {tuple(values[int(i)] for values in columns): int(i) for i in np.flatnonzero(table.keep)}

    second_rows = rows_by_key(second)
    return [(row, second_rows[key]) for key, row in rows_by_key(first).items() if key in second_rows]


def _interval(
    draws: Floats | None,
    weights: Weights | None,
    rows: int,
    *,
    as_ratio: bool,
    steps: bool,
    one_instance: bool,
) -> Intervals:
    """Return the intervals and the p-values of no difference; expanded if there are `weights`."""
    if draws is None:
        nothing = np.full(rows, np.nan)
        return Intervals(nothing, nothing, nothing, "no_resamples")
    wide = None
    if weights is not None:
        wide = Expansion.of(np.log(np.where(draws > 0, draws, np.nan)) if as_ratio else draws, weights)
    null = 1.0 if as_ratio else 0.0
    return interval_of_draws(draws, wide, null, steps=steps, one_instance=one_instance)


def _why_untested(sides: Sequence[tuple[bool, str]]) -> str | None:
    """Return why a difference is not tested: that a side is `small`, by its reason if it has one."""
    reasons = [str(reason) for small, reason in sides if small]
    return next(filter(None, reasons), "few_cases") if reasons else None


def _why(
    name: str, cells: Mapping[str, Any], of_sides: Mapping[str, str], *, few: bool, untested: str
) -> str:
    """Return why a cell is empty: for the reason of its side, else of the comparison."""
    side = name if name in of_sides else next((side for side in of_sides if cells[side] is None), None)
    if side is not None:
        return of_sides[side]
    if name == "difference":
        return "denominator_is_zero"
    if name.startswith("p") and few:
        return "too_few_instances"
    if name == "p_adjusted" and cells["p"] is not None:
        return "row_of_means"
    return untested
