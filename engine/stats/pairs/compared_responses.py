"""Comparisons of two responses to one instance: judge against reference (RSP equations 3 and 5)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Counts, Ints, ParallelArrays

Levels = NDArray[np.int32]


@dataclass(frozen=True)
class Comparisons:
    """Comparisons with an outcome by judge and reference: (judges, generators, instances)."""

    lost: Counts  # by the generator, according to the reference
    to_win: Counts  # of these, won according to the judge
    to_tie: Counts  # and tied
    won: Counts  # by the generator, according to the reference
    won_missed: Counts  # of these, tied or lost according to the judge
    correct: Counts  # unordered pairs, shape (judges, instances), as `total`
    total: Counts

    @property
    def over(self) -> Counts:
        """The overestimations: losses that the judge calls wins or ties."""
        return self.to_win + self.to_tie


def compare_levels(judge: Levels, reference: Levels) -> Comparisons:
    """Compare every generator with every other on every instance.

    Shapes (judges, generators, instances), `reference` of 1 or all judges; -1, a missing score, is left out.
    """
    n_judges, n_generators, n_instances = judge.shape
    n_pairs = n_generators * (n_generators - 1) // 2
    highest = max(judge.max(initial=0), reference.max(initial=0))
    # the smallest types that hold -1 and the largest number: they compare and add fastest
    others, pairs, level = (np.min_scalar_type(-1 - int(most)) for most in (n_generators, n_pairs, highest))
    lost, to_win, to_tie, won, missed = (np.zeros(judge.shape, dtype=others) for _ in range(5))
    correct, total = (np.zeros((n_judges, n_instances), dtype=pairs) for _ in range(2))
    judge, reference = judge.astype(level), reference.astype(level)

    def number(marks: Bools) -> Counts:
        return np.asarray(marks.view(np.int8).sum(axis=0, dtype=others))  # of one type: fastest

    for j in range(n_judges):
        levels, truth = judge[j], reference[j if len(reference) > 1 else 0]
        scored = (levels >= 0) & (truth >= 0)
        for g in range(n_generators):
            both_scored = scored & scored[g]
            loses, wins = (truth > truth[g]) & both_scored, (truth < truth[g]) & both_scored
            says_win, says_tie = levels < levels[g], levels == levels[g]
            lost[j, g], won[j, g] = number(loses), number(wins)
            to_win[j, g], to_tie[j, g] = number(loses & says_win), number(loses & says_tie)
            hits = number(wins & says_win)
            missed[j, g] = won[j, g] - hits
            later = slice(g + 1, None)
            tied = both_scored[later] & (truth[later] == truth[g]) & says_tie[later]
            correct[j] += hits + number(tied)
            total[j] += number(both_scored[later])
    return Comparisons(lost, to_win, to_tie, won, missed, correct, total)


@dataclass(frozen=True, eq=False)
class PairOutcomes(ParallelArrays):
    """Resolved pairs, shape (pairs,): who judged what, and the outcome (+1, 0, -1) for `generator`."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    outcome: NDArray[np.int8]


def compare_pairs(pairs: PairOutcomes, truth: NDArray[np.int8], shape: tuple[int, int, int]) -> Comparisons:
    """Count judged pairs against the reference's outcomes `truth` (+1, 0, -1), seen from `generator`.

    `shape` is (judges, generators, instances). Every pair counts for both of its responses.
    """
    n_judges, _, n_instances = shape

    def both_sides(true_outcome: int, judged_outcome: int | None) -> Counts:
        total = np.zeros(np.prod(shape), dtype=np.int64)
        for side, sign in ((pairs.generator, 1), (pairs.opponent, -1)):
            keep = truth * sign == true_outcome
            if judged_outcome is not None:
                keep &= pairs.outcome * sign == judged_outcome
            cell = np.ravel_multi_index((pairs.judge[keep], side[keep], pairs.instance[keep]), shape)
            total += np.bincount(cell, minlength=len(total))
        return total.astype(np.int32).reshape(shape)

    def by_judge(marks: Bools | slice) -> Counts:
        cell = (pairs.judge * n_instances + pairs.instance)[marks]
        number = np.bincount(cell, minlength=n_judges * n_instances)
        return number.astype(np.int32).reshape(n_judges, n_instances)

    lost, won = both_sides(-1, None), both_sides(1, None)
    to_win, to_tie, won_missed = both_sides(-1, 1), both_sides(-1, 0), won - both_sides(1, 1)
    correct, total = by_judge(pairs.outcome == truth), by_judge(slice(None))
    return Comparisons(lost, to_win, to_tie, won, won_missed, correct, total)
