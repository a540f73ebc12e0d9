"""Counts of comparisons, and sums of scores, in one slice."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import Resampled
from engine.arrays.instance_counts import CountsByInstance
from engine.arrays.scores.scores import ResponseScores
from engine.stats import Bools, Ints, Weights
from engine.stats.pairs.compared_responses import Comparisons, PairOutcomes, compare_levels, compare_pairs


@dataclass(frozen=True, eq=False)
class ScoredResponses:
    """Scores of those shown in the instances kept: (judges or 1, generators, instances), NaN for none."""

    judge: ResponseScores
    reference: ResponseScores

    @cached_property
    def both(self) -> Bools:
        """Where judge and reference both have a score, shape (judges, generators, instances)."""
        return ~np.isnan(self.judge.values) & ~np.isnan(self.reference.values)


def _summed(name: str) -> "cached_property[Resampled]":
    """Return a property of `InstanceCounts`: `Comparisons` of that name over instances, and its draws."""
    return cached_property(
        lambda counts: Resampled.over_instances(getattr(counts._comparisons, name), counts._weights)
    )


class InstanceCounts(CountsByInstance):
    """Counts of the judges' comparisons, for each judge and generator shown, seen from the generator.

    Shape (judges, generators), but (judges,) of the unordered pairs in `correct` and `counted`. Comparisons
    have shape (judges, generators, instances), as have `cells`, where a row counts.
    """

    def __init__(self, comparisons: Comparisons, cells: Bools, weights: Weights | None) -> None:
        self._comparisons, self.cells, self._weights = comparisons, cells, weights

    over = _summed("over")
    failed = _summed("lost")
    under = _summed("won_missed")
    passed = _summed("won")
    correct = _summed("correct")
    counted = _summed("total")

    @cached_property
    def to_win(self) -> Resampled:
        """Losses that the judge calls wins; never resampled, as shares of types have no interval."""
        return Resampled.over_instances(self._comparisons.to_win, None)

    @property
    def present(self) -> Bools:
        return np.asarray(self.cells.any(axis=-1))

    @cached_property
    def counted_instances(self) -> Bools:
        """Which instances have a counted comparison."""
        return np.asarray(self.cells.any(axis=(0, 1)))

    def by_instance(self, name: str) -> NDArray[np.integer]:
        """Return a count by its name (`over`) in each instance."""
        of = {"over": "over", "failed": "lost", "under": "won_missed", "passed": "won"}
        return np.asarray(getattr(self._comparisons, of[name]))


def count_scored(scored: ScoredResponses, weights: Weights | None) -> InstanceCounts:
    """Compare the responses by their scores."""
    judge, reference = scored.judge.levels, scored.reference.levels
    if len(judge) == 0:
        judge = np.empty((0, *reference.shape[1:]), dtype=np.int32)
    return InstanceCounts(compare_levels(judge, reference), scored.both, weights)


def places_of(pairs: PairOutcomes, judges: Ints, generators: Ints) -> PairOutcomes:
    """Return the pairs of the models shown, with places among those instead of the models' positions."""
    shown = np.isin(pairs.generator, generators) & np.isin(pairs.opponent, generators)
    pairs = pairs.select(shown & np.isin(pairs.judge, judges))
    generator, opponent = (np.searchsorted(generators, side) for side in (pairs.generator, pairs.opponent))
    judge = np.searchsorted(judges, pairs.judge)
    return replace(pairs, judge=judge, generator=generator, opponent=opponent)


def count_pairs(
    places: PairOutcomes, rows: int, reference: ResponseScores, weights: Weights | None
) -> InstanceCounts:
    """Compare the responses by pairs, which hold places among `rows` judges and among generators.

    `reference` has shape (1 or rows, generators, instances). Pairs in which a response has no reference score
    are left out.
    """
    row = np.minimum(places.judge, len(reference.levels) - 1)
    one = reference.levels[row, places.generator, places.instance]
    two = reference.levels[row, places.opponent, places.instance]
    scored = (one >= 0) & (two >= 0)
    places, truth = places.select(scored), np.sign(one - two)[scored].astype(np.int8)
    shape = (rows, *reference.values.shape[1:])
    cells = np.zeros(shape, dtype=bool)
    cells[places.judge, places.generator, places.instance] = True
    cells[places.judge, places.opponent, places.instance] = True
    return InstanceCounts(compare_pairs(places, truth, shape), cells, weights)
