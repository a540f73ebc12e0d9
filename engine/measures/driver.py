"""From a question to rows: slices, intervals, p-values, reasons, and what was left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import UsageError, unknown
from engine.grouping import Part, compared, parts
from engine.measures.catalogue import Measure, Option, find
from engine.measures.intervals import named
from engine.measures.result import Result
from engine.measures.rows import finish, plain
from engine.measures.table import Table
from engine.request import LackingError
from engine.slices import Slice, parse_filters

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

RESAMPLES = 1000
INTERVALS = ("percentile", "expanded")


def take(
    study: "StudyArrays",
    name: str,
    *,
    by: str | None = None,
    against: str | Mapping[str, Any] | None = None,
    common: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    interval: str = "percentile",
    **asked: Any,
) -> Result:
    """Take a measure of a slice; see `Study.measure`."""
    measure = find(name)
    options, flags = _options(measure, asked)
    if resamples < 0:
        raise UsageError(f"resamples {resamples!r} is below 0; give 0 for no intervals, or 1000")
    if interval not in INTERVALS:
        raise unknown("interval", interval, INTERVALS)
    if interval != "percentile" and not measure.sliced:
        raise UsageError(f"interval {interval!r} is of a measure of slices; leave it out here")
    if measure.level is not None:
        if flags.get("level") not in (None, measure.level):
            raise UsageError(f"{measure.name} is taken at level {measure.level!r} only; leave out --level")
        flags["level"] = measure.level
    spec = prepared(study, measure, Slice.of(**flags), options, by)
    if not measure.sliced:
        if against is not None or common:
            raise UsageError(f"{measure.name} is taken of one selection; leave out --against and --common")
        return _whole(study, measure, spec, options, by, resamples, seed)
    if against is not None:
        from engine.measures.against import Doubt, compare

        filters = parse_filters(against) if isinstance(against, str) else dict(against)
        other = prepared(study, measure, Slice.of(**(flags | filters)), options, by)
        doubt = Doubt(resamples, seed, interval)
        return compare(
            study, measure, (spec, other), options | {"seed": seed}, by=by, common=common, doubt=doubt
        )
    filters = spec.given() | {"by": by, "common": common, "resamples": resamples, "seed": seed} | options
    if resamples and (method := named(measure.name, interval)):
        filters["interval"] = method
    try:
        pieces = pieces_of(study, measure, spec, by, resamples, seed)
        expanded = interval == "expanded"
        return _rows(study, measure, pieces, filters, options | {"seed": seed}, common, expanded=expanded)
    except LackingError as lacking:
        return Result(measure, study.name, filters, [], {}, str(lacking), by)


def prepared(
    study: "StudyArrays", measure: Measure, spec: Slice, options: Mapping[str, Any], by: str | None
) -> Slice:
    """Return the slice with the defaults that are the measure's own, where its module has `prepare`."""
    prepare = getattr(import_module(measure.module), "prepare", None)
    return spec if prepare is None else prepare(study, spec, options, by)


def pieces_of(
    study: "StudyArrays", measure: Measure, spec: Slice, by: str | None, resamples: int, seed: int
) -> list[Part]:
    """Return the slices of a request."""
    weights = study.weights(resamples, seed) if resamples else None
    return parts(study, spec, by, weights, measure.paradigms)


def _rows(
    study: "StudyArrays",
    measure: Measure,
    pieces: list[Part],
    filters: dict[str, Any],
    options: dict[str, Any],
    common: bool,
    *,
    expanded: bool,
) -> Result:
    pieces, left_out = compared(pieces, common=common)
    rows: list[dict[str, Any]] = []
    compute = load(measure)
    by = filters["by"]
    settled: list[Mapping[str, Any]] = []
    for piece in pieces:
        table = compute(piece.view, options)
        settled.append(table.filters)
        left_out.update(table.left_out)
        weights = piece.view.weights if expanded else None
        made = finish(measure, table, piece.view.request.spec.min_instances, weights)
        rows += [{"slice": piece.value} | row for row in made] if by else made
    applied = _applied(pieces, filters) | shared_filters(settled)
    reason = None if rows else measure.empty or _why_empty(pieces)
    return Result(measure, study.name, applied, rows, dict(left_out), reason, by)


def _whole(
    study: "StudyArrays",
    measure: Measure,
    spec: Slice,
    options: dict[str, Any],
    by: str | None,
    resamples: int,
    seed: int,
) -> Result:
    """Take a measure that reads the study itself; it is told `by` and `seed` among its options."""
    if by is not None and by not in measure.groups:
        if not measure.groups:
            raise UsageError(f"{measure.name} has no groups; leave out --by")
        raise unknown("column to group by", by, measure.groups)
    shared = {"by": by, "resamples": resamples, "seed": seed}
    filters = spec.given() | shared | options
    if resamples and (method := named(measure.name, "percentile")):
        filters["interval"] = method
    weights = study.weights(resamples, seed) if resamples else None
    try:
        made = load(measure)(study, spec, options | {"by": by, "seed": seed}, weights)
    except LackingError as lacking:
        return Result(measure, study.name, filters, [], {}, str(lacking), by)
    tables: list[Table] = [made] if isinstance(made, Table) else made
    rows: list[dict[str, Any]] = []
    left_out: Counter[str] = Counter()
    for table in tables:
        finished = finish(measure, table, spec.min_instances) if table.keep.any() else []
        rows += [{"slice": plain(table.slice)} | row for row in finished] if by else finished
        left_out.update(table.left_out)
    reason = None if rows else "no judgment of this selection counts"
    applied = filters | shared_filters([table.filters for table in tables])
    return Result(measure, study.name, applied, rows, dict(left_out), reason, by)


def _why_empty(pieces: list[Part]) -> str:
    if pieces and all(piece.view.request.source is None for piece in pieces):
        return "the study has no reference; import references, or write a committee with `spb committee`"
    return "no judgment of this slice has a verdict and a reference"


def load(measure: Measure) -> Any:
    """Return the measure's function."""
    return import_module(measure.module).compute


def _applied(pieces: list[Part], filters: dict[str, Any]) -> dict[str, Any]:
    """Return the filters with the defaults that were settled."""
    return filters | shared_filters([piece.view.request.filters() for piece in pieces])


def shared_filters(settled: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what was settled for every slice alike; what differs between slices is null."""
    return {
        key: settled[0][key] if all(other.get(key) == settled[0][key] for other in settled) else None
        for key in (settled[0] if settled else {})
    }


def _options(measure: Measure, asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part the measure's own options from the slice flags."""
    known = {option.name: option for option in measure.options}
    options = {name: option.default for name, option in known.items()}
    flags = {}
    for name, value in asked.items():
        if name in known:
            if value is not None:
                options[name] = _option(known[name], value)
        else:
            flags[name] = value
    return options, flags


def _option(option: Option, value: Any) -> Any:
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
            raise UsageError(f"{option.name} {value!r} is not a number; give one such as {option.default!r}")
        return int(number) if option.kind == "integer" else number
    return value
