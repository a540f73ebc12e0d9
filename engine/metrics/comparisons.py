"""Comparisons of two responses to one instance: judge against reference (RSP equations 3 and 5)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.integer]
Levels = NDArray[np.int32]


@dataclass(frozen=True)
class Comparisons:
    """What a judge made of the comparisons in which it and the reference have an outcome.

    Counts of shape (judges, generators, instances), seen from the generator: `lost` (the reference has
    it lose), of these `to_win` and `to_tie` (what the judge made of them); `won`, of these `won_missed`
    (the judge has it tie or lose). `correct` and `total` have shape (judges, instances) and count
    unordered pairs.
    """

    lost: Counts
    to_win: Counts
    to_tie: Counts
    won: Counts
    won_missed: Counts
    correct: Counts
    total: Counts

    @property
    def over(self) -> Counts:
        """The overestimations: losses that the judge made wins or ties."""
        return self.to_win + self.to_tie


def compare_levels(judge: Levels, reference: Levels) -> Comparisons:
    """Compare every generator with every other on every instance.

    `judge` has shape (judges, generators, instances), `reference` the same or 1 in place of judges;
    -1 marks a missing score, and a comparison with one is left out.
    """
    n_judges, n_generators, n_instances = judge.shape
    shape = (n_judges, n_generators, n_instances)
    others, pairs = _smallest(n_generators), _smallest(n_generators * (n_generators - 1) // 2)
    lost, to_win, to_tie, won, missed = (np.zeros(shape, dtype=others) for _ in range(5))
    agreed, both = (np.zeros((n_judges, n_instances), dtype=pairs) for _ in range(2))
    level = _smallest(max(judge.max(initial=0), reference.max(initial=0)))
    judge, reference = judge.astype(level), reference.astype(level)

    def number(marks: NDArray[np.bool_]) -> Counts:
        added: Counts = marks.view(np.int8).sum(axis=0, dtype=others)  # of one type: fastest
        return added

    for j in range(n_judges):
        mine, truth = judge[j], reference[j if len(reference) > 1 else 0]
        known = (mine >= 0) & (truth >= 0)
        for g in range(n_generators):
            paired = known & known[g]
            loses, wins = (truth > truth[g]) & paired, (truth < truth[g]) & paired
            says_win, says_tie = mine < mine[g], mine == mine[g]
            lost[j, g], won[j, g] = number(loses), number(wins)
            to_win[j, g], to_tie[j, g] = number(loses & says_win), number(loses & says_tie)
            hits = number(wins & says_win)
            missed[j, g] = won[j, g] - hits
            later = slice(g + 1, None)
            tied = paired[later] & (truth[later] == truth[g]) & says_tie[later]
            agreed[j] += hits + number(tied)
            both[j] += number(paired[later])
    return Comparisons(lost, to_win, to_tie, won, missed, agreed, both)


def _smallest(largest: int) -> type[np.signedinteger]:
    """Return the smallest type of whole numbers that holds -1 and `largest`: it compares and adds fastest."""
    return next(kind for kind in (np.int8, np.int16, np.int32) if largest <= np.iinfo(kind).max)


@dataclass(frozen=True)
class PairOutcomes:
    """Resolved pairs, one entry each: who judged what, and who won by the judge (+1, 0, -1).

    `outcome` is seen from `generator`. All arrays have shape (pairs,) and hold indices.
    """

    judge: NDArray[np.int64]
    instance: NDArray[np.int64]
    generator: NDArray[np.int64]
    opponent: NDArray[np.int64]
    outcome: NDArray[np.int8]

    def select(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> "PairOutcomes":
        """Return some of the pairs."""
        return PairOutcomes(**{name: values[keep] for name, values in vars(self).items()})


def compare_pairs(pairs: PairOutcomes, truth: NDArray[np.int8], shape: tuple[int, int, int]) -> Comparisons:
    """Count judged pairs against the reference's outcomes `truth` (+1, 0, -1), seen from `generator`.

    `shape` is (judges, generators, instances). Every pair counts for both of its responses.
    """
    n_judges, _, n_instances = shape

    def tally(side: NDArray[np.int64], keep: NDArray[np.bool_]) -> Counts:
        cell = np.ravel_multi_index((pairs.judge[keep], side[keep], pairs.instance[keep]), shape)
        return np.bincount(cell, minlength=int(np.prod(shape))).astype(np.int32).reshape(shape)

    def both_sides(wanted_truth: int, wanted_outcome: int | None) -> Counts:
        total = np.zeros(shape, dtype=np.int32)
        for side, sign in ((pairs.generator, 1), (pairs.opponent, -1)):
            keep = truth * sign == wanted_truth
            if wanted_outcome is not None:
                keep &= pairs.outcome * sign == wanted_outcome
            total += tally(side, keep)
        return total

    cell = pairs.judge * n_instances + pairs.instance
    size = n_judges * n_instances
    correct = np.bincount(cell, weights=pairs.outcome == truth, minlength=size)
    won = both_sides(1, None)
    return Comparisons(
        lost=both_sides(-1, None),
        to_win=both_sides(-1, 1),
        to_tie=both_sides(-1, 0),
        won=won,
        won_missed=won - both_sides(1, 1),
        correct=correct.astype(np.int32).reshape(n_judges, n_instances),
        total=np.bincount(cell, minlength=size).astype(np.int32).reshape(n_judges, n_instances),
    )
