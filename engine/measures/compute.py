"""From a measure and its options to a `Result`: one path for all; and two slices compared."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.group_by import SliceGroup, compared, group_views
from engine.arrays.resolve import NoDataError
from engine.errors import UsageError, unknown
from engine.measures.entry import Field, Measure, Option
from engine.measures.result import Result, Values, columns_of
from engine.measures.rows import Column, Table, finish, named, plain
from engine.slices import FLAG_NAMES, Slice, parse_filters, switch, whole_number
from engine.stats import Floats
from engine.stats.bootstrap import Expansion, benjamini_hochberg, bootstrap_p, percentile_interval
from engine.stats.self_preference import ratio

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# From a request to rows: slices, intervals, p-values, reasons, and what was left out.


RESAMPLES = 1000
INTERVALS = ("expanded", "percentile")


def take(
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
    resamples, seed = checked_resamples(resamples), whole_number("seed", seed, least=0)
    if interval is None:
        interval = "expanded" if measure.sliced else "percentile"
    if interval not in INTERVALS:
        raise unknown("interval", interval, INTERVALS)
    if interval != "percentile" and not measure.sliced:
        raise UsageError(f"interval {interval!r} does not apply to {measure.name}; leave out --interval")
    if measure.level is not None:
        if flags.get("level") not in (None, measure.level):
            raise UsageError(f"{measure.name} is defined at level {measure.level!r} only; leave out --level")
        flags["level"] = measure.level
    spec = prepared(study, measure, Slice.of(**flags), options, by)
    if not measure.sliced:
        if against is not None or common:
            raise UsageError(f"{measure.name} cannot compare slices; leave out --against and --common")
        return _whole(study, measure, spec, options, by, resamples, seed)
    if against is not None:
        filters = parse_filters(against) if isinstance(against, str) else dict(against)
        other = prepared(study, measure, Slice.of(**(flags | filters)), options, by)
        doubt = BootstrapSettings(resamples, seed, interval)
        return compare(
            study, measure, (spec, other), options | {"seed": seed}, by=by, common=common, doubt=doubt
        )
    filters = spec.given() | {"by": by, "common": common, "resamples": resamples, "seed": seed} | options
    if resamples and (method := named(measure.name, interval)):
        filters["interval"] = method
    try:
        pieces = pieces_of(study, measure, spec, by, resamples, seed)
        expanded = interval == "expanded"
        return _rows(study, measure, pieces, filters, options | {"seed": seed}, expanded=expanded)
    except NoDataError as no_data:
        return Result(measure, study.name, filters, {}, {}, str(no_data), by)


def checked_resamples(resamples: object) -> int:
    """Return the number of resamples; UsageError unless it is a whole number from 0."""
    return whole_number("resamples", resamples, least=0, example="1000, or 0 for no intervals")


def prepared(
    study: "StudyArrays", measure: Measure, spec: Slice, options: Mapping[str, Any], by: str | None
) -> Slice:
    """Return the slice with the measure's own defaults, if it has `prepare`."""
    if measure.prepare is None:
        return spec
    chosen: Slice = measure.prepare(study, spec, options, by)
    return chosen


def pieces_of(
    study: "StudyArrays", measure: Measure, spec: Slice, by: str | None, resamples: int, seed: int
) -> list[SliceGroup]:
    """Return the slices of a request."""
    weights = study.weights(resamples, seed) if resamples else None
    return group_views(study, spec, by, weights, measure.paradigms)


def _rows(
    study: "StudyArrays",
    measure: Measure,
    pieces: list[SliceGroup],
    filters: dict[str, Any],
    options: dict[str, Any],
    *,
    expanded: bool,
) -> Result:
    pieces, left_out = compared(pieces, common=filters["common"])
    slices: list[tuple[Any, Values]] = []
    settled: list[Mapping[str, Any]] = []
    for piece in pieces:
        table = measure.function(piece.view, options)
        settled.append(table.filters)
        left_out.update(table.left_out)
        weights = piece.view.weights if expanded else None
        values = finish(measure, table, piece.view.request.spec.min_instances, weights)
        slices.append((piece.value, values))
    applied = filters | shared_filters([piece.view.request.filters() for piece in pieces])
    values = _joined(slices, filters["by"])
    reason = None if values else measure.empty or why_empty(pieces)
    return Result(
        measure, study.name, applied | shared_filters(settled), values, dict(left_out), reason, filters["by"]
    )


def _joined(slices: Sequence[tuple[Any, Values]], by: str | None) -> Values:
    """Return the values of one slice after another, the slice's name first if they are grouped."""
    groups = [
        {"slice": [name] * len(values["reasons"])} | values if by else values
        for name, values in slices
        if values["reasons"]
    ]
    if len(groups) < 2:
        return groups[0] if groups else {}
    return {name: [value for values in groups for value in values[name]] for name in groups[0]}


def _whole(
    study: "StudyArrays",
    measure: Measure,
    spec: Slice,
    options: dict[str, Any],
    by: str | None,
    resamples: int,
    seed: int,
) -> Result:
    """Compute a measure that reads the study itself; `by` and `seed` are among its options."""
    if by is not None and by not in measure.groups:
        if not measure.groups:
            raise UsageError(f"{measure.name} cannot be grouped; leave out --by")
        raise unknown("column to group by", by, measure.groups)
    shared = {"by": by, "resamples": resamples, "seed": seed}
    filters = spec.given() | shared | options
    if resamples and (method := named(measure.name, "percentile")):
        filters["interval"] = method
    weights = study.weights(resamples, seed) if resamples else None
    try:
        result = measure.function(study, spec, options | {"by": by, "seed": seed}, weights)
    except NoDataError as no_data:
        return Result(measure, study.name, filters, {}, {}, str(no_data), by)
    tables: list[Table] = [result] if isinstance(result, Table) else result
    slices: list[tuple[Any, Values]] = []
    left_out: Counter[str] = Counter()
    for table in tables:
        if table.keep.any():
            slices.append((plain(table.slice), finish(measure, table, spec.min_instances)))
        left_out.update(table.left_out)
    values = _joined(slices, by)
    reason = None if values else measure.empty or "no judgment of this slice counts"
    applied = filters | shared_filters([table.filters for table in tables])
    return Result(measure, study.name, applied, values, dict(left_out), reason, by)


def why_empty(pieces: list[SliceGroup]) -> str:
    """Return why a measure that compares with a reference has no row for these slices."""
    if pieces and all(piece.view.request.source is None for piece in pieces):
        return "the study has no reference; import one, or let a committee of judges vote"
    return "no judgment of this slice has a verdict and a reference"


def shared_filters(settled: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settled filters that all slices share; those that differ between slices are null.

    Lists of names are merged over all slices.
    """
    shared = {
        key: settled[0][key] if all(other.get(key) == settled[0][key] for other in settled) else None
        for key in (settled[0] if settled else {})
    }
    joined: dict[str, dict[Any, None]] = {}
    for one in settled:
        for key, value in one.items():
            if isinstance(value, list):
                joined.setdefault(key, {}).update(dict.fromkeys(value))
    return shared | {key: list(names) for key, names in joined.items()}


def _options(measure: Measure, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the measure's own options from the slice flags."""
    known = {option.name: option for option in measure.options}
    defaults = {name: option.default for name, option in known.items()}
    flags = {name: value for name, value in arguments.items() if name not in known}
    for name in flags:
        if name not in FLAG_NAMES:
            raise unknown("filter or option", name, (*FLAG_NAMES, "slice", *known, *_SHARED))
    given = {name: value for name, value in arguments.items() if name in known and value is not None}
    return defaults | {name: _option(known[name], value) for name, value in given.items()}, flags


_SHARED = ("by", "against", "common", "resamples", "seed", "interval")


def _option(option: Option, value: Any) -> Any:
    if option.kind == "switch":
        return switch(option.name, value)
    if option.kind == "names":
        return tuple(value.split(",")) if isinstance(value, str) else tuple(value)
    if option.choices and value not in option.choices:
        raise unknown(option.name.replace("_", " "), value, option.choices)
    if option.kind in ("number", "integer"):
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise UsageError(
                f"{option.name} {value!r} is not a number; give a number such as {option.default!r}"
            )
        return int(number) if option.kind == "integer" else number
    return value


# ------------------------------------------------------------------------------
# Two slices side by side: the headline field of each row, their difference and its interval.


Weights = NDArray[np.float32]


@dataclass(frozen=True)
class BootstrapSettings:
    """How intervals are made: the number of resamples, their seed, and the kind of interval."""

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
    doubt: BootstrapSettings,
) -> Result:
    """Return a row for each row that both slices have: keys, a, b, difference, low, high, p, p_adjusted.

    Raises UsageError if `by` is given too: each side is one slice.
    """
    if by is not None:
        raise UsageError(
            "--against cannot be combined with --by; leave out --by, or compare the groups one by one"
        )
    filters: dict[str, Any] = {"common": common, "resamples": doubt.resamples, "seed": doubt.seed} | options
    filters |= slices[0].given() | {"against": slices[1].given()}
    if doubt.resamples and doubt.interval != "percentile":
        filters["interval"] = doubt.interval
    weights = study.weights(doubt.resamples, doubt.seed) if doubt.resamples else None
    try:
        sides = [group_views(study, spec, None, weights, measure.paradigms)[0] for spec in slices]
        return _side_by_side(study, measure, sides, filters, options, common)
    except NoDataError as no_data:
        return Result(side_by_side(measure), study.name, filters, {}, {}, str(no_data))


def side_by_side(measure: Measure) -> Measure:
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


def _side_by_side(
    study: "StudyArrays",
    measure: Measure,
    sides: list[SliceGroup],
    filters: dict[str, Any],
    options: dict[str, Any],
    common: bool,
) -> Result:
    sides, left_out = compared(sides, common=common)
    tables = [measure.function(side.view, options) for side in sides]
    for table in tables:
        left_out.update(table.left_out)
    settled = [
        {**side.view.request.filters(), **table.filters} for side, table in zip(sides, tables, strict=True)
    ]
    filters = settled[0] | filters | {"against": settled[1]}
    view = sides[0].view
    few = min(table.instances for table in tables) < view.request.spec.min_instances
    pairs = matching(measure, *tables)
    weights = view.weights if filters.get("interval") == "expanded" else None
    rows = differences(measure, tables, measure.headline, pairs, few=few, weights=weights)
    reason = None if rows else "no row is in both slices"
    return Result(side_by_side(measure), study.name, filters, columns_of(rows), dict(left_out), reason)


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
    one, two = tables
    here, there = (np.array(side) for side in zip(*pairs, strict=True))
    a, b = one.columns[name], two.columns[name]
    as_ratio = compared_as_ratio(measure, name)
    values = [
        np.array([column.values[i] for i in at], dtype=np.float64) for column, at in ((a, here), (b, there))
    ]
    difference = _difference(values[0], values[1], as_ratio)
    drawn = None
    if a.draws is not None and b.draws is not None:
        drawn = _difference(a.draws[:, here], b.draws[:, there], as_ratio)
        drawn = np.where(np.isnan(difference), np.nan, drawn)
    numbers = {"a": values[0], "b": values[1], "difference": difference}
    wide = None
    if drawn is not None and weights is not None:
        on_scale = np.log(np.where(drawn > 0, drawn, np.nan)) if as_ratio else drawn
        wide = Expansion.of(on_scale, weights)
    numbers |= _interval(drawn, 1.0 if as_ratio else 0.0, few, len(here), wide)
    small = _rests_on_few(a, here) | _rests_on_few(b, there)
    numbers |= {name: np.where(small, np.nan, numbers[name]) for name in ("low", "high", "p")}
    numbers["p_adjusted"] = benjamini_hochberg(_of_judges(numbers["p"], one, measure, here))
    why = {"a": [a.reason(i) for i in here], "b": [b.reason(i) for i in there]}
    return [
        _row(measure, one, int(i), row, numbers, why, few, small=bool(small[row]))
        for row, i in enumerate(here)
    ]


def _rests_on_few(column: Column, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows have too few credited or uncredited cases for resamples to be of use."""
    return np.zeros(len(rows), dtype=bool) if column.few is None else column.few.small[rows]


def compared_as_ratio(measure: Measure, name: str) -> bool:
    """Return whether two values of a field are compared as a ratio.

    The headline is compared as its measure says, another field as a ratio if it is tested against 1.
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


def _interval(
    drawn: Floats | None, null: float, few: bool, rows: int, wide: Expansion | None
) -> dict[str, Floats]:
    nothing = np.full(rows, np.nan)
    if drawn is None:
        return {"low": nothing, "high": nothing, "p": nothing}
    interval = percentile_interval(drawn) if wide is None else wide.interval(drawn)
    probability = bootstrap_p(drawn, null) if wide is None else wide.p(drawn, null)
    p = nothing if few else np.where(np.isnan(interval.low), np.nan, probability)
    return {"low": interval.low, "high": interval.high, "p": p}


def _of_judges(p: Floats, one: Table, measure: Measure, here: NDArray[np.int64]) -> Floats:
    """Return the p-values that are adjusted together: those of judges, not of a row of means."""
    if "judge" not in measure.keys:
        return p
    of_means = [one.columns["judge"].values[i] is None for i in here]
    return np.where(of_means, np.nan, p)


def _row(
    measure: Measure,
    table: Table,
    at: int,
    row: int,
    numbers: dict[str, Floats],
    why: dict[str, list[str]],
    few: bool,
    *,
    small: bool,
) -> dict[str, Any]:
    cells: dict[str, Any] = {key: plain(table.columns[key].values[at]) for key in measure.keys}
    reasons: dict[str, str] = {}
    for name, values in numbers.items():
        cells[name] = plain(values[row])
        if cells[name] is None:
            reasons[name] = _why(name, row, cells, why, few)
            if small and reasons[name] in ("no_resamples", "undefined"):
                reasons[name] = "few_cases"
    return cells | {"reasons": reasons}


def _why(name: str, row: int, cells: dict[str, Any], why: dict[str, list[str]], few: bool) -> str:
    if name in why:
        return why[name][row]
    if cells["a"] is None or cells["b"] is None:
        return why["a" if cells["a"] is None else "b"][row]
    if name == "difference":
        return "denominator_is_zero"
    if name.startswith("p") and few:
        return "too_few_instances"
    if name == "p_adjusted" and cells.get("p") is not None:
        return "row_of_means"
    return "no_resamples" if cells.get("low") is None else "undefined"
