"""How judges treat their families' responses, also where none judges its own (MEASURES section 20)."""

from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.joint_verdicts import family_masks
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.view import SliceView
from engine.measures.columns import HANGS, student_t_column
from engine.measures.outside_pairs import pair_gaps
from engine.measures.rows import Column, Intervals, Options, Table, first_reason, stack_rows
from engine.stats import Bools, Floats, Ints, outside
from engine.stats.bootstrap import resample
from engine.stats.family_effects import FamilyEffects, family_effects
from engine.stats.self_preference import rate

FAMILY_ROW = "row_of_family"
OF_FAMILIES = ("effect_family", "low", "high", "p")


@dataclass(frozen=True, eq=False)
class FamilyGaps:
    """`vote_outside_family` or `bonus_outside_family` of each judge, with its error and draws.

    `judged` marks the judges with any score of, or vote on, a relative's response.
    """

    value: Floats
    se: Floats
    draws: Floats | None
    instances: Ints
    n_family: Ints
    judged: Bools
    why: list[str | None]

    def column(self, *, errors: bool) -> Column:
        if not errors:
            return Column(self.value, reasons=self.why)
        return student_t_column(self.value, self.se, self.instances - 1, self.draws, self.why, HANGS)


def family_gaps(view: SliceView, options: Options) -> FamilyGaps:
    """Return the number of the view's scores or pairs; `view` shows all judges."""
    return _votes(view, options) if isinstance(view.cube, PairCube) else _points(view)


def _points(view: SliceView) -> FamilyGaps:
    """Return 100 (mean over relatives - mean over S_J) of s_J - mean score of outside judges."""
    scores, masks = view.scored.judge.values, family_masks(view)
    points = outside.points_against(scores, masks)
    total, number = points.total.sum(axis=-1), points.number.sum(axis=-1)
    value = outside.bonus_outside(total, number, masks.family, masks.other)
    without = [
        np.moveaxis(part.sum(axis=-1, keepdims=True) - part, -1, 0) for part in (points.total, points.number)
    ]
    deleted = outside.bonus_outside(without[0], without[1], masks.family, masks.other)
    se = outside.error_of_deleting(value, deleted, points.instances(masks.family | masks.other))
    draws = None
    if view.weights is not None:
        sums = [resample(part, view.weights) for part in (points.total, points.number)]
        draws = outside.bonus_outside(sums[0], sums[1], masks.family, masks.other)
    judged = np.asarray(((~np.isnan(scores)).any(axis=-1) & masks.family).any(axis=1))
    n_family = (number * masks.family).sum(axis=1)
    why = _why(masks, n_family, value, "no_common_cell")
    return FamilyGaps(value, se, draws, points.instances(masks.family), n_family, judged, why)


def _votes(view: SliceView, options: Options) -> FamilyGaps:
    """Return the mean of v_J - mean vote of outside judges, over relatives' pairs with other families'."""
    masks = family_masks(view)
    pairs, gaps = pair_gaps(view, options)
    judges, n_instances = len(view.judges), view.study.index.n_instances
    sums, counted = np.zeros(judges * n_instances), np.zeros(judges * n_instances, dtype=np.int64)
    judged = np.zeros(judges, dtype=bool)
    for (target, opponent, counts), sign in zip(pairs.sides(), (1, -1), strict=True):
        near = masks.family[:, target].T & masks.other[:, opponent].T & counts
        judged |= (near & ~np.isnan(pairs.votes)).any(axis=0)
        pair, judge = np.nonzero(near & ~np.isnan(gaps))
        cell = judge * n_instances + pairs.instance[pair]
        sums += np.bincount(cell, weights=sign * gaps[pair, judge], minlength=len(sums))
        counted += np.bincount(cell, minlength=len(counted))
    total, number = sums.reshape(judges, n_instances), counted.reshape(judges, n_instances)
    value, se = outside.mean_by_instance(total, number)
    draws = None
    if view.weights is not None:
        draws = rate(resample(total, view.weights), resample(number, view.weights))
    n_family = number.sum(axis=1)
    why = _why(masks, n_family, value, "no_common_pair")
    return FamilyGaps(value, se, draws, (number > 0).sum(axis=1), n_family, judged, why)


def _why(masks: outside.FamilyMasks, n_family: Ints, value: Floats, nothing: str) -> list[str | None]:
    return first_reason(
        (~masks.has_family, "no_relatives"),
        (~masks.has_outside, "no_outside_judge"),
        (n_family == 0, nothing),
        (np.isnan(value), nothing),
    )


def effects_of_families(view: SliceView) -> tuple[list[str], FamilyEffects]:
    """Return the families that score relatives, and the effect of each in points of 100."""
    index, relatives = view.study.index, view.request.spec.relatives
    masks = family_masks(view)
    labels = index.model_fields[relatives]
    of_models = [
        name if label is None else str(label) for name, label in zip(index.models, labels, strict=True)
    ]
    names = [of_models[judge] for judge in view.judges[masks.has_family]]
    families = list(dict.fromkeys(names))
    places = {name: place for place, name in enumerate(families)}

    def number(models: Ints, beyond: int) -> Ints:
        """Return the numbers of models' families; `beyond` stands for all without relatives."""
        return np.array([places.get(of_models[model], beyond) for model in models], dtype=np.int64)

    n = len(families)
    of_judge, of_generator = number(view.judges, n), number(view.generators, n + 1)
    scores = 100 * view.scored.judge.values
    return families, family_effects(scores, of_judge, of_generator, masks.own, n)


COUNTS = ("n_own", "n_other", "n_outside", "n_family", "placebo_of")


def with_families(view: SliceView, table: Table) -> Table:
    """Return the table of judges with a row for each family behind them; `view` shows all judges."""
    families, effects = effects_of_families(view)
    if not families:
        return table
    n, estimates = len(families), effects.estimates
    low, high = estimates.interval()
    why = first_reason(
        (np.isnan(estimates.value), "not_identified"),
        (estimates.freedom < 1, "one_judge_of_family"),
    )
    rows = {
        name: _without_value(column, n, of_count=name in COUNTS) for name, column in table.columns.items()
    }
    rows |= {
        "family": Column(families),
        "effect_family": Column(estimates.value, reasons=why),
        "low": Column(np.where(estimates.defined, low, np.nan), reasons=why),
        "high": Column(np.where(estimates.defined, high, np.nan), reasons=why),
        "p": Column(np.where(estimates.defined, estimates.p(), np.nan), reasons=why),
        "n_family": Column(effects.cells),
        "n_other": Column(effects.n - effects.cells),
        "n_outside": Column(effects.judges),
        "tastes_assumed": Column([False] * n),
    }
    keep = np.concatenate([table.keep, effects.cells > 0])
    return replace(table, columns=stack_rows([dict(table.columns), rows]), keep=keep)


def _without_value(column: Column, n: int, *, of_count: bool) -> Column:
    """Return n rows without a value, with draws and intervals where the column has them."""
    if of_count:
        return Column(np.zeros(n, dtype=np.int64))
    nothing = np.full(n, np.nan)
    draws = None if column.draws is None else np.full((len(column.draws), n), np.nan)
    intervals = None
    if column.intervals is not None:
        intervals = Intervals(nothing, nothing, nothing, FAMILY_ROW)
    return Column([None] * n, draws, FAMILY_ROW, intervals)
