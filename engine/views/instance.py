"""Counts of comparisons, and sums of scores, in one slice."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.cubes.responses import ResponseScores
from engine.metrics.comparisons import Comparisons, PairOutcomes, compare_levels, compare_pairs
from engine.views.counted import Counted, Weights

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoredResponses:
    """Scores of the judges and generators shown, by judge and by reference, in the instances kept.

    Both have shape (judges or 1, generators, instances), NaN where there is no score.
    """

    judge: ResponseScores
    reference: ResponseScores

    @cached_property
    def both(self) -> Bools:
        """Where judge and reference both have a score, shape (judges, generators, instances)."""
        return ~np.isnan(self.judge.values) & ~np.isnan(self.reference.values)


class InstanceCounts:
    """What the judges' comparisons amount to, for each judge and generator shown.

    Every count has shape (judges, generators), seen from the generator.
    """

    def __init__(self, comparisons: Comparisons, cells: Bools, weights: Weights | None) -> None:
        """Keep comparisons of shape (judges, generators, instances) and where a row counts (`cells`)."""
        self._comparisons, self.cells, self._weights = comparisons, cells, weights

    @cached_property
    def over(self) -> Counted:
        """Losses that the judge made wins or ties."""
        return self._counted(self._comparisons.over)

    @cached_property
    def to_win(self) -> Counted:
        """Losses that the judge made wins; never resampled, as shares of types have no interval."""
        return Counted.over_instances(self._comparisons.to_win, None)

    @cached_property
    def failed(self) -> Counted:
        """Comparisons lost by the reference."""
        return self._counted(self._comparisons.lost)

    @cached_property
    def under(self) -> Counted:
        """Wins that the judge made losses or ties."""
        return self._counted(self._comparisons.won_missed)

    @cached_property
    def passed(self) -> Counted:
        """Comparisons won by the reference."""
        return self._counted(self._comparisons.won)

    @cached_property
    def correct(self) -> Counted:
        """Unordered pairs with the reference's outcome, shape (judges,)."""
        return self._counted(self._comparisons.correct)

    @cached_property
    def counted(self) -> Counted:
        """Unordered pairs with an outcome by judge and reference, shape (judges,)."""
        return self._counted(self._comparisons.total)

    @property
    def present(self) -> Bools:
        """Which (judge, generator) have a counted row."""
        return np.asarray(self.cells.any(axis=-1))

    @property
    def instances(self) -> int:
        """The number of instances with a counted row."""
        return int(self.cells.any(axis=(0, 1)).sum())

    def _counted(self, by_instance: NDArray[np.integer]) -> Counted:
        return Counted.over_instances(by_instance, self._weights)


def count_scored(scored: ScoredResponses, weights: Weights | None) -> InstanceCounts:
    """Compare the responses by their scores."""
    judge, reference = scored.judge.levels, scored.reference.levels
    if len(judge) == 0:
        judge = np.empty((0, *reference.shape[1:]), dtype=np.int32)
    return InstanceCounts(compare_levels(judge, reference), scored.both, weights)


def places_of(pairs: PairOutcomes, judges: Ints, generators: Ints) -> PairOutcomes:
    """Return the pairs of the models shown, with their places among those in the place of the models."""
    shown = (
        np.isin(pairs.judge, judges)
        & np.isin(pairs.generator, generators)
        & np.isin(pairs.opponent, generators)
    )
    pairs = pairs.select(shown)
    return PairOutcomes(
        np.searchsorted(judges, pairs.judge),
        pairs.instance,
        np.searchsorted(generators, pairs.generator),
        np.searchsorted(generators, pairs.opponent),
        pairs.outcome,
    )


def count_pairs(
    places: PairOutcomes, rows: int, reference: ResponseScores, weights: Weights | None
) -> InstanceCounts:
    """Compare the responses as pairs say, which hold places of so many rows of judges and of generators.

    `reference` has shape (1 or rows, generators, instances). Pairs in which a response has no reference score
    are left out.
    """
    row = np.minimum(places.judge, len(reference.levels) - 1)
    one = reference.levels[row, places.generator, places.instance]
    two = reference.levels[row, places.opponent, places.instance]
    known = (one >= 0) & (two >= 0)
    places, truth = places.select(known), np.sign(one - two)[known].astype(np.int8)
    shape = (rows, *reference.values.shape[1:])
    cells = np.zeros(shape, dtype=bool)
    cells[places.judge, places.generator, places.instance] = True
    cells[places.judge, places.opponent, places.instance] = True
    return InstanceCounts(compare_pairs(places, truth, shape), cells, weights)
