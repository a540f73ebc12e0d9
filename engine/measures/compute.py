"""From a measure and its options to a `Result`: one path for all; and two slices compared."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays.group_by import SliceGroup, group_views, slices_to_compare
from engine.arrays.resolve import NoDataError
from engine.errors import UsageError, unknown
from engine.measures.entry import Field, Measure, Option
from engine.measures.result import Result, Values, columns_of, plain_values
from engine.measures.rows import Table, finish, plain
from engine.slices import (
    FLAG_NAMES,
    Slice,
    finite_number,
    name_of,
    parse_filters,
    parts_of,
    switch,
    whole_number,
)
from engine.stats import Floats, Weights
from engine.stats.adjusted_p import benjamini_hochberg
from engine.stats.bootstrap import bootstrap_p, percentile_interval
from engine.stats.expanded import Expansion
from engine.stats.ratios import ratio

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# From a request to rows: slices, intervals, p-values, reasons, and what was left out.


RESAMPLES = 1000
FEWEST_RESAMPLES = 10
"""With one resample an interval has no width; with a few it is far too narrow."""
INTERVALS = ("expanded", "percentile")


def compute_measure(
    study: "StudyArrays",
    measure: Measure,
    *,
    by: str | None = None,
    against: str | Mapping[str, Any] | None = None,
    common: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    interval: str | None = None,
    **arguments: Any,
) -> Result:
    """Compute a measure of a slice; see `Study.measure`."""
    options, flags = _options(measure, arguments)
    common = switch("common", common)
    resamples, seed = check_resamples(resamples), whole_number("seed", seed, least=0)
    if interval is None:
        interval = "expanded" if measure.sliced else "percentile"
    elif interval not in INTERVALS:
        raise unknown("interval", interval, INTERVALS)
    elif interval != "percentile" and not measure.sliced:
        raise UsageError(f"interval {interval!r} does not apply to {measure.name}; leave out --interval")
    if measure.level is not None:
        if flags.get("level") not in (None, measure.level):
            raise UsageError(f"{measure.name} is defined at level {measure.level!r} only; leave out --level")
        flags["level"] = measure.level
    spec = prepare_slice(study, measure, Slice.of(**flags), options, by)
    _check_grouping(measure, by, comparing=against is not None, common=common)
    sampling = ({"common": common} if measure.sliced else {}) | {"resamples": resamples, "seed": seed}
    filters, options = sampling | options, options | {"seed": seed}
    if against is not None:
        other_flags = parse_filters(against) if isinstance(against, str) else dict(against)
        other_spec = prepare_slice(study, measure, Slice.of(**(flags | other_flags)), options, by)
        return _compare(study, measure, (spec, other_spec), filters, options, interval)
    filters = spec.filters() | {"by": by} | filters
    if resamples and (words := measure.interval_words(interval)):
        filters["interval"] = words
    return _rows(study, measure, spec, filters, options, expanded=interval == "expanded")


def weights_of(study: "StudyArrays", resamples: int, seed: int) -> Weights | None:
    return study.weights(resamples, seed) if resamples else None


def check_resamples(resamples: object) -> int:
    """Return the number of resamples; UsageError unless it is 0 or enough for an interval."""
    number = whole_number("resamples", resamples, least=0, example="1000, or 0 for no intervals")
    if 0 < number < FEWEST_RESAMPLES:
        raise UsageError(
            f"resamples {number}: too few for an interval; give {FEWEST_RESAMPLES} or more, "
            "1000 to report numbers, or 0 for no intervals"
        )
    return number


def prepare_slice(
    study: "StudyArrays", measure: Measure, spec: Slice, options: Mapping[str, Any], by: str | None
) -> Slice:
    return spec if measure.prepare is None else measure.prepare(study, spec, options, by)


def _check_grouping(measure: Measure, by: str | None, *, comparing: bool, common: bool) -> None:
    if not measure.sliced:
        if comparing or common:
            raise UsageError(f"{measure.name} cannot compare slices; leave out --against and --common")
        if by is not None and not measure.groups:
            raise UsageError(f"{measure.name} cannot be grouped; leave out --by")
        if by is not None and by not in measure.groups:
            raise unknown("column to group by", by, measure.groups)
    elif comparing and by is not None:
        raise UsageError(
            "--against cannot be combined with --by; leave out --by, or compare the groups one by one"
        )


def _rows(
    study: "StudyArrays",
    measure: Measure,
    spec: Slice,
    filters: dict[str, Any],
    options: dict[str, Any],
    *,
    expanded: bool,
) -> Result:
    by, weights = filters["by"], weights_of(study, filters["resamples"], filters["seed"])
    slices: list[Values] = []
    table_filters: list[Mapping[str, Any]] = []
    left_out: Counter[str] = Counter()
    try:
        if measure.sliced:
            pieces = group_views(study, spec, by, weights, measure.paradigms)
            tables: Iterable[Table] = _slice_tables(measure, pieces, options, common=filters["common"])
        else:  # it reads the study itself
            tables = measure.function(study, spec, options | {"by": by}, weights)
        for table in [tables] if isinstance(tables, Table) else tables:
            table_filters.append(table.filters)
            left_out.update(table.left_out)
            if table.keep.any():
                values = finish(measure, table, spec.min_instances, weights if expanded else None)
                name: Values = {"slice": [plain(table.slice)] * len(values["reasons"])}
                slices.append(name | values if by else values)
    except NoDataError as no_data:
        return Result(measure, study.name, filters, {}, {}, str(no_data), by)
    columns = slices[0] if slices else {}
    if len(slices) > 1:
        columns = {
            name: [cell for values in slices for cell in plain_values(values[name])] for name in columns
        }
    reason = None if slices else why_empty(measure, table_filters)
    applied = filters | shared_filters(table_filters)
    return Result(measure, study.name, applied, columns, dict(left_out), reason, by)


def _slice_tables(
    measure: Measure, pieces: list[SliceGroup], options: dict[str, Any], *, common: bool
) -> Iterator[Table]:
    """Yield the table of each slice with all filters that applied; the first has what `common` leaves out."""
    pieces, left_out = slices_to_compare(pieces, common=common)
    for piece in pieces:
        table = measure.function(piece.view, options)
        left_out.update(table.left_out)
        filters = {**piece.view.request.filters(), **table.filters}
        yield replace(table, slice=piece.value, filters=filters, left_out=left_out)
        left_out = Counter()


def why_empty(measure: Measure, table_filters: Sequence[Mapping[str, Any]]) -> str:
    if measure.empty:
        return measure.empty
    if not measure.sliced:
        return "no judgment of this slice counts"
    if table_filters and all(filters["reference"] is None for filters in table_filters):
        return "the study has no reference; import one, or let a committee of judges vote"
    return "no judgment of this slice has a verdict and a reference"


def shared_filters(table_filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the filters that all tables share: null where they differ, lists of names merged."""
    shared = {
        key: value if all(other.get(key) == value for other in table_filters) else None
        for key, value in (table_filters[0] if table_filters else {}).items()
    }
    names_by_key: dict[str, dict[Any, None]] = {}
    for filters in table_filters:
        for key, value in filters.items():
            if isinstance(value, list):
                names_by_key.setdefault(key, {}).update(dict.fromkeys(value))
    return shared | {key: list(names) for key, names in names_by_key.items()}


def _options(measure: Measure, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the measure's own options from the slice flags."""
    declared = {option.name: option for option in measure.options}
    defaults = {name: option.default for name, option in declared.items()}
    flags = {name: value for name, value in arguments.items() if name not in declared}
    for name in flags:
        if name not in FLAG_NAMES:
            raise unknown("filter or option", name, (*FLAG_NAMES, "slice", *declared, *_SHARED))
    values = {name: value for name, value in arguments.items() if name in declared and value is not None}
    return defaults | {name: _option(declared[name], value) for name, value in values.items()}, flags


_SHARED = ("by", "against", "common", "resamples", "seed", "interval")


def _option(option: Option, value: Any) -> Any:
    if option.kind == "switch":
        return switch(option.name, value)
    if option.kind == "names":
        return tuple(parts_of(value))
    example = "3" if option.default is None else str(option.default)
    if option.kind == "integer":
        return whole_number(option.name, value, least=0, example=example)
    if option.kind == "number":
        return finite_number(option.name, value, example)
    return name_of(option, value)


# ------------------------------------------------------------------------------
# Two slices side by side: the headline field of each row, their difference and its interval.


def _compare(
    study: "StudyArrays",
    measure: Measure,
    slices: tuple[Slice, Slice],
    filters: dict[str, Any],
    options: dict[str, Any],
    interval: str,
) -> Result:
    """Return a row for each row that both slices have: keys, a, b, difference, low, high, p, p_adjusted."""
    weights = weights_of(study, filters["resamples"], filters["seed"])
    filters |= slices[0].filters() | {"against": slices[1].filters()}
    wide = None
    if weights is not None and interval == "expanded":
        filters["interval"], wide = interval, weights
    left_out: Counter[str] = Counter()
    try:
        sides = [group_views(study, spec, None, weights, measure.paradigms)[0] for spec in slices]
        tables = list(_slice_tables(measure, sides, options, common=filters["common"]))
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
    numbers = (
        Field("a", headline.kind, f"{headline.meaning}, in the slice"),
        Field("b", headline.kind, f"{headline.meaning}, in the slice compared with"),
        Field("difference", kind, f"{measure.compared_as} {how}"),
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
    of_few = [column.few.small[at] for column, at in sides if column.few is not None]
    small = np.logical_or.reduce([np.zeros(len(pairs), dtype=bool), *of_few])
    numbers = {"a": values[0], "b": values[1], "difference": difference}
    interval = _interval(draws, weights, len(pairs), as_ratio=as_ratio, few=few)
    numbers |= {end: np.where(small, np.nan, of_rows) for end, of_rows in interval.items()}
    judges = tables[0].columns["judge"].values if "judge" in measure.keys else ()
    of_means = [bool(len(judges)) and judges[i] is None for i in rows_a]
    numbers["p_adjusted"] = benjamini_hochberg(np.where(of_means, np.nan, numbers["p"]))
    rows = []
    for row, (i, j) in enumerate(pairs):
        cells = {key: plain(tables[0].columns[key].values[i]) for key in measure.keys}
        cells |= {name: plain(of_rows[row]) for name, of_rows in numbers.items()}
        of_sides = {"a": a.reason(i), "b": b.reason(j)}
        missing = (name for name in numbers if cells[name] is None)
        reasons = {name: _why(name, cells, of_sides, few=few, small=small[row]) for name in missing}
        rows.append(cells | {"reasons": reasons})
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
    draws: Floats | None, weights: Weights | None, rows: int, *, as_ratio: bool, few: bool
) -> dict[str, Floats]:
    """Return the ends of the intervals and the p-values of no difference; expanded if there are `weights`."""
    nothing = np.full(rows, np.nan)
    if draws is None:
        return dict.fromkeys(("low", "high", "p"), nothing)
    null = 1.0 if as_ratio else 0.0
    if weights is None:
        interval, p = percentile_interval(draws), bootstrap_p(draws, null)
    else:
        wide = Expansion.of(np.log(np.where(draws > 0, draws, np.nan)) if as_ratio else draws, weights)
        interval, p = wide.interval(draws), wide.p(draws, null)
    p = nothing if few else np.where(np.isnan(interval.low), np.nan, p)
    return {"low": interval.low, "high": interval.high, "p": p}


def _why(name: str, cells: Mapping[str, Any], of_sides: Mapping[str, str], *, few: bool, small: bool) -> str:
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
    if small:
        return "few_cases"
    return "no_resamples" if cells["low"] is None else "undefined"
