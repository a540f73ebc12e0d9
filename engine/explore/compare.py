"""Compares two sides: slices, judges, runs or studies."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from engine.arrays.encoding import integers
from engine.arrays.slicing.group_by import SliceGroup, cells_in_all, group_views
from engine.arrays.slicing.resolve import NoDataError
from engine.errors import UsageError, unknown
from engine.explore.rank_swaps import Swap, ranks_of, swaps_of
from engine.measures.catalogue import MEASURES
from engine.measures.comparison import differences, matching_rows
from engine.measures.compute import RESAMPLES, why_empty
from engine.measures.entry import Measure
from engine.measures.finished_rows import finish
from engine.measures.result import Result
from engine.measures.rows import FEW, Table
from engine.measures.slice_tables import weights_of
from engine.slices import Slice
from engine.stats import Bools, Weights

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


COMPARED_NUMBERS = {
    "hspp_self": ("hspp", "n_self"),
    "hspp_matched": ("hspp", "n_matched"),
    "hspp_family": ("hspp", "n_family"),
    "o_self": ("hspp", "n_self"),
    "o_other": ("hspp", "n_other"),
    "mra": ("accuracy", "mra_total"),
    "mipa": ("accuracy", "mipa_total"),
}
"""The numbers that can be compared: the measure of each, and the field that counts its cases."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a study, filters (`engine.slices`), and optionally a single judge."""

    study: "MeasuredStudy"
    filters: Mapping[str, Any]
    judge: str | None = None

    def spec(self) -> Slice:
        """Return the slice, restricted to the judge if there is one."""
        spec = Slice.of(**self.filters)
        return spec if self.judge is None else replace(spec, judges=(self.judge,))


@dataclass(frozen=True)
class Common:
    """Numbers of responses: counted on both sides (`both`), and the others of A and of B.

    If `applied`, only the former were compared, and the others were dropped.
    """

    both: int
    dropped_a: int
    dropped_b: int
    applied: bool


@dataclass(frozen=True)
class Comparison:
    """Both sides' rows, and a row for each judge on both: judge, a, b, difference, low, high, p, p_adjusted.

    A row also has `field`, `judge_b` (differs from `judge` if two judges are compared), `n_a`, `n_b`,
    `small`, `rank_a` and `rank_b` (1 is highest; None without a number), and the ends of each side's own
    interval. `swaps` are the pairs of judges whose order differs. `reason` says why there are no rows, if so.
    """

    measure: Measure
    fields: tuple[str, ...]
    sides: tuple[Result, Result]
    rows: list[dict[str, Any]]
    swaps: list[Swap]
    common: Common
    shared_draws: bool
    reason: str | None


def compare(
    a: Side,
    b: Side,
    fields: tuple[str, ...] = ("hspp_self",),
    *,
    common: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare two sides by some numbers of one measure (`COMPARED_NUMBERS`).

    With `common` only responses counted on both sides are compared; if there are none, all are, and
    `Comparison.common.applied` is false. Sides with a judge compare these two, others judge by judge. Raises
    UsageError for an unknown number or filter, or if only one side has a judge.
    """
    measure = _measure_of(fields)
    if (a.judge is None) != (b.judge is None):
        raise UsageError(
            "one side names a judge and the other does not; name a judge on both sides, or on neither"
        )
    same_study = a.study is b.study
    draws = [{"resamples": resamples, "seed": each} for each in (seed, seed if same_study else seed + 1)]
    try:
        pieces = [
            group_views(side.study, side.spec(), None, weights_of(side.study, **draw), measure.paradigms)[0]
            for side, draw in zip((a, b), draws, strict=True)
        ]
    except NoDataError as error:
        empty = _empty(measure, a, str(error)), _empty(measure, b, str(error))
        return Comparison(measure, fields, empty, [], [], Common(0, 0, 0, False), same_study, str(error))
    pieces, overlap = _in_common(pieces, restrict=common)
    options = measure.defaults | {"seed": seed}
    tables = [measure.function(piece.view, options) for piece in pieces]
    results = _results(measure, pieces, tables, draws, overlap.applied)
    pairs = matching_rows(measure, *tables) if a.judge is None else _of_two_judges(tables, (a.judge, b.judge))
    least = pieces[0].view.request.spec.min_instances
    few = min(table.instances for table in tables) < least
    weights = pieces[0].view.weights if same_study else None
    rows = [
        row for field in fields for row in _rows_of(tables, results, field, pairs, few=few, weights=weights)
    ]
    swaps = [swap for field in fields for swap in swaps_of(tables, field, pairs)]
    why = next((result.reason for result in results if not result.rows), "no judge is on both sides")
    reason = None if rows else why
    return Comparison(measure, fields, results, rows, swaps, overlap, same_study, reason)


def _measure_of(fields: tuple[str, ...]) -> Measure:
    for field in fields:
        if field not in COMPARED_NUMBERS:
            raise unknown("number to compare", field, COMPARED_NUMBERS)
    names = {COMPARED_NUMBERS[field][0] for field in fields}
    if len(names) != 1:
        raise UsageError(f"{', '.join(fields)!r} belong to several measures; compare one measure at a time")
    return MEASURES[names.pop()]


def _empty(measure: Measure, side: Side, reason: str) -> Result:
    return Result(measure, side.study.name, side.spec().filters(), {}, {}, reason)


def _results(
    measure: Measure,
    pieces: list[SliceGroup],
    tables: list[Table],
    draws: list[dict[str, int]],
    common: bool,
) -> tuple[Result, Result]:
    """Return each side's own result."""
    results = []
    for piece, table, draw in zip(pieces, tables, draws, strict=True):
        request, name = piece.view.request, piece.view.study.name
        values = finish(measure, table, request.spec.min_instances, piece.view.weights)
        filters = request.filters() | {"common": common} | draw
        reason = None if values["reasons"] else why_empty(piece.view.study, measure, [filters])
        results.append(Result(measure, name, filters, values, dict(table.left_out), reason))
    return results[0], results[1]


def _in_common(pieces: list[SliceGroup], *, restrict: bool) -> tuple[list[SliceGroup], Common]:
    """Count the responses on both sides and, with `restrict`, select only them if there are any."""
    a, b = pieces
    compared = [cells_in_all([piece]) for piece in pieces]
    both = compared[0] & _as_in(compared[1], b, a), compared[1] & _as_in(compared[0], a, b)
    applied = restrict and bool(both[0].any())
    dropped = []
    for piece, common in zip(pieces, both, strict=True):
        counted = np.zeros_like(common)
        counted[piece.view.generators] = piece.view.counted_cells.any(axis=0)
        dropped.append(int((counted & ~common).sum()))
    overlap = Common(int(both[0].sum()), dropped[0], dropped[1], applied)
    if not applied:
        return pieces, overlap
    restricted = [
        SliceGroup(piece.value, piece.view.only(cells[piece.view.cube.generators]))
        for piece, cells in zip(pieces, both, strict=True)
    ]
    return restricted, overlap


def _as_in(cells: Bools, source: SliceGroup, target: SliceGroup) -> Bools:
    """Return cells (model, instance) of one study, re-indexed by the models and instances of another."""
    source_index, target_index = source.view.study.index, target.view.study.index
    if source_index is target_index:
        return cells
    reindexed = np.zeros((len(target_index.models), target_index.n_instances), dtype=bool)
    models = integers(pc.index_in(source_index.model_names, target_index.model_names), -1)
    instances = integers(pc.index_in(source_index.instances, target_index.instances), -1)
    shared = models >= 0, instances >= 0
    reindexed[np.ix_(models[shared[0]], instances[shared[1]])] = cells[np.ix_(*shared)]
    return reindexed


def _of_two_judges(tables: list[Table], judges: tuple[str | None, str | None]) -> list[tuple[int, int]]:
    """Return the places of the two judges' rows; empty if either has no row."""
    places = [
        [row for row in np.flatnonzero(table.keep).tolist() if table.columns["judge"].values[row] == judge]
        for table, judge in zip(tables, judges, strict=True)
    ]
    return [(places[0][0], places[1][0])] if all(places) else []


def _rows_of(
    tables: list[Table],
    results: tuple[Result, Result],
    field: str,
    pairs: list[tuple[int, int]],
    *,
    few: bool,
    weights: Weights | None,
) -> list[dict[str, Any]]:
    """Return the compared rows of one number, with each side's own values.

    `weights` are those of both sides' resamples; None if each side has its own, for percentile intervals.
    """
    counts = COMPARED_NUMBERS[field][1]
    by_judge = [{row["judge"]: row for row in result.rows} for result in results]
    ranks = ranks_of(tables, field, pairs)
    rows = []
    compared_rows = differences(results[0].measure, tables, field, pairs, few=few, weights=weights)
    for place, row in enumerate(compared_rows):
        judge_b = tables[1].columns["judge"].values[pairs[place][1]]
        sides = by_judge[0][row["judge"]], by_judge[1][judge_b]
        cells = {
            f"{name}_{end}": side[f"{field}_{end}"]
            for name, side in zip("ab", sides, strict=True)
            for end in ("low", "high")
        }
        cells |= {f"n_{name}": side[counts] for name, side in zip("ab", sides, strict=True)}
        small = min(side[counts] for side in sides) < FEW
        facts = {"field": field, "judge_b": judge_b, "small": small}
        rows.append(row | cells | facts | {"rank_a": ranks[place][0], "rank_b": ranks[place][1]})
    return rows
