"""How often the longer of two answers is preferred."""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.scores.ranks import TOLERANCE


@dataclass(frozen=True)
class LongerVotes:
    """Pairs of answers of unequal length, by judge and instance, and how many went to the longer one.

    A tie is half for each. `others` and `others_longer` are those without the judge's own answer. All of
    shape (judges, instances).
    """

    pairs: Ints
    longer: Floats
    others: Ints
    others_longer: Floats


def longer_in_scores(scores: Floats, lengths: Floats, own: Bools) -> LongerVotes:
    """Compare each judge's scores of every two answers to an instance.

    `scores` has shape (judges, models, instances), `lengths` (models, instances), `own` (judges, models); an
    answer without a score or a length is in no pair. Scores that differ by rounding alone are a tie.
    """
    judges, models, instances = scores.shape
    sums = np.zeros((4, judges, instances))
    for model in range(models - 1):
        apart = np.sign(lengths[model] - lengths[model + 1 :])
        above = scores[:, model, None, :] - scores[:, model + 1 :, :]
        higher = np.where(np.abs(above) < TOLERANCE, 0.0, np.sign(above))
        counts = ~np.isnan(higher) & (np.abs(apart) == 1)
        to_longer = np.where(counts, (1 + higher * apart) / 2, 0.0)
        others = counts & ~(own[:, model, None] | own[:, model + 1 :])[:, :, None]
        parts = (counts, to_longer, others, np.where(others, to_longer, 0.0))
        sums += [part.sum(axis=1) for part in parts]
    return LongerVotes(sums[0].astype(np.int64), sums[1], sums[2].astype(np.int64), sums[3])


def longer_in_votes(votes: Floats, target: Floats, other: Floats) -> Floats:
    """Return how far each vote went to the longer answer: 1, half for a tie, 0; NaN for equal lengths.

    `votes` are for `target` over `other` (1, half or 0), whose lengths are given.
    """
    apart = np.sign(target - other)
    return np.where(np.abs(apart) == 1, 0.5 + (votes - 0.5) * apart, np.nan)
