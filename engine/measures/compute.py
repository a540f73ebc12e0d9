"""Two slices side by side: the headline field of each row, their difference and its doubt.

Both slices share the resamples, so that the difference has an interval of its own; ratios are compared
as a ratio of ratios (MEASURES section 13).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import UsageError
from engine.grouping import Part, compared, parts
from engine.measures.catalogue import Field, Measure
from engine.measures.result import Result
from engine.measures.rows import expansion, plain
from engine.measures.table import Table
from engine.metrics.overestimation import ratio
from engine.metrics.resampling import benjamini_hochberg, bootstrap_p, percentile_interval
from engine.request import LackingError
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays
    from engine.metrics.expanded import Expansion

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Doubt:
    """How intervals are made: so many resamples of a seed, and the interval that is taken of them."""

    resamples: int
    seed: int
    interval: str


def compare(
    study: "StudyArrays",
    measure: Measure,
    slices: tuple[Slice, Slice],
    options: dict[str, Any],
    *,
    by: str | None,
    common: bool,
    doubt: Doubt,
) -> Result:
    """Return a row for each row that both slices have: keys, a, b, difference, low, high, p, p_adjusted.

    Raises UsageError where `by` is given too: each side is one slice.
    """
    if by is not None:
        raise UsageError("--against compares two slices; leave out --by, or compare the groups one by one")
    filters: dict[str, Any] = {"common": common, "resamples": doubt.resamples, "seed": doubt.seed} | options
    filters |= slices[0].given() | {"against": slices[1].given()}
    if doubt.resamples and doubt.interval != "percentile":
        filters["interval"] = doubt.interval
    weights = study.weights(doubt.resamples, doubt.seed) if doubt.resamples else None
    try:
        sides = [parts(study, spec, None, weights, measure.paradigms)[0] for spec in slices]
        return _side_by_side(study, measure, sides, filters, options, common)
    except LackingError as lacking:
        return Result(side_by_side(measure), study.name, filters, [], {}, str(lacking))


def side_by_side(measure: Measure) -> Measure:
    """Return the measure with the fields that its rows have where two slices are compared."""
    keys = tuple(field for field in measure.fields if field.name in measure.keys)
    (headline,) = (field for field in measure.fields if field.name == measure.headline)
    how = "a / b" if measure.compared_as == "ratio" else "a - b"
    numbers = (
        Field("a", headline.kind, f"{headline.meaning}, in the slice"),
        Field("b", headline.kind, f"{headline.meaning}, in the slice that it is held against"),
        Field("difference", headline.kind, how),
        Field("low", headline.kind, f"lower end of the interval of {how}"),
        Field("high", headline.kind, f"upper end of the interval of {how}"),
        Field("p", "number", "p-value of no difference"),
        Field("p_adjusted", "number", "the same, adjusted for the judges tested"),
    )
    return replace(measure, fields=(*keys, *numbers))


def _side_by_side(
    study: "StudyArrays",
    measure: Measure,
    sides: list[Part],
    filters: dict[str, Any],
    options: dict[str, Any],
    common: bool,
) -> Result:
    from engine.measures.driver import load

    sides, left_out = compared(sides, common=common)
    tables = [load(measure)(side.view, options) for side in sides]
    for table in tables:
        left_out.update(table.left_out)
    settled = [side.view.request.filters() for side in sides]
    filters = settled[0] | filters | {"against": settled[1]}
    view = sides[0].view
    few = min(table.instances for table in tables) < view.request.spec.min_instances
    pairs = matching(measure, *tables)
    weights = view.weights if filters.get("interval") == "expanded" else None
    rows = differences(measure, tables, measure.headline, pairs, few=few, weights=weights)
    reason = None if rows else "no row is in both slices"
    return Result(side_by_side(measure), study.name, filters, rows, dict(left_out), reason)


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

    Ratios are compared as a ratio of ratios, other numbers by their difference. The draws of the two
    tables are taken one by one: they share resamples, or else are independent. `few`: too few instances
    for p-values. Intervals are percentiles; with the `weights` that drew both tables' resamples, expanded.
    """
    if not pairs:
        return []
    one, two = tables
    here, there = (np.array(side) for side in zip(*pairs, strict=True))
    a, b = one.columns[name], two.columns[name]
    as_ratio = compared_as_ratio(measure, name)
    values = [np.array([_number(column.values[i]) for i in at]) for column, at in ((a, here), (b, there))]
    difference = _difference(values[0], values[1], as_ratio)
    drawn = None
    if a.draws is not None and b.draws is not None:
        drawn = _difference(a.draws[:, here], b.draws[:, there], as_ratio)
        drawn = np.where(np.isnan(difference), np.nan, drawn)
    numbers = {"a": values[0], "b": values[1], "difference": difference}
    wide = None if drawn is None else expansion(_on_logs(drawn) if as_ratio else drawn, weights)
    numbers |= _doubt(drawn, 1.0 if as_ratio else 0.0, few, len(here), wide)
    numbers["p_adjusted"] = benjamini_hochberg(_of_judges(numbers["p"], one, measure, here))
    why = {"a": [a.reason(i) for i in here], "b": [b.reason(i) for i in there]}
    return [_row(measure, one, int(i), row, numbers, why, few) for row, i in enumerate(here)]


def compared_as_ratio(measure: Measure, name: str) -> bool:
    """Return whether two values of a field are compared as a ratio.

    The headline is as its measure says, another field where it is a ratio tested against 1.
    """
    if name == measure.headline:
        return measure.compared_as == "ratio"
    return any(field.name == name and field.null == 1.0 for field in measure.fields)


def matching(measure: Measure, one: Table, two: Table) -> list[tuple[int, int]]:
    """Return the places of the rows that both tables keep, by their keys, in the order of the first."""

    def keyed(table: Table) -> dict[tuple[Any, ...], int]:
        columns = [table.columns[key].values for key in measure.keys]
        return {tuple(values[int(i)] for values in columns): int(i) for i in np.flatnonzero(table.keep)}

    others = keyed(two)
    return [(row, others[key]) for key, row in keyed(one).items() if key in others]


def _difference(a: Floats, b: Floats, as_ratio: bool) -> Floats:
    return ratio(a, b) if as_ratio else a - b


def _on_logs(ratios: Floats) -> Floats:
    """Return the logs of ratios, on which they are compared; NaN of those that are 0."""
    return np.log(np.where(ratios > 0, ratios, np.nan))


def _doubt(
    drawn: Floats | None, null: float, few: bool, rows: int, wide: "Expansion | None"
) -> dict[str, Floats]:
    nothing = np.full(rows, np.nan)
    if drawn is None:
        return {"low": nothing, "high": nothing, "p": nothing}
    interval = percentile_interval(drawn) if wide is None else wide.interval(drawn)
    found = bootstrap_p(drawn, null) if wide is None else wide.p(drawn, null)
    p = nothing if few else np.where(np.isnan(interval.low), np.nan, found)
    return {"low": interval.low, "high": interval.high, "p": p}


def _of_judges(p: Floats, one: Table, measure: Measure, here: NDArray[np.int64]) -> Floats:
    """Return the p-values that are adjusted together: those of judges, not of a row of means."""
    if "judge" not in measure.keys:
        return p
    return np.array(
        [
            np.nan if one.columns["judge"].values[i] is None else value
            for i, value in zip(here, p, strict=True)
        ]
    )


def _row(
    measure: Measure,
    table: Table,
    at: int,
    row: int,
    numbers: dict[str, Floats],
    why: dict[str, list[str]],
    few: bool,
) -> dict[str, Any]:
    made: dict[str, Any] = {key: plain(table.columns[key].values[at]) for key in measure.keys}
    reasons: dict[str, str] = {}
    for name, values in numbers.items():
        made[name] = plain(values[row])
        if made[name] is None:
            reasons[name] = _why(name, row, made, why, few)
    return made | {"reasons": reasons}


def _why(name: str, row: int, made: dict[str, Any], why: dict[str, list[str]], few: bool) -> str:
    if name in why:
        return why[name][row]
    if made["a"] is None or made["b"] is None:
        return why["a" if made["a"] is None else "b"][row]
    if name == "difference":
        return "denominator_is_zero"
    if name.startswith("p") and few:
        return "too_few_instances"
    if name == "p_adjusted" and made.get("p") is not None:
        return "row_of_means"
    return "no_resamples" if made.get("low") is None else "undefined"


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
