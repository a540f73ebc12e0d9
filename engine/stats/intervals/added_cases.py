"""Resamples with a case or two added on each side, for shares and ratios (MEASURES section 13)."""

import numpy as np

from engine.stats import Floats
from engine.stats.ratios import rate, ratio

OF_A_SHARE, OF_A_DIFFERENCE, OF_A_RATIO, OF_A_CHANGE = 2.0, 1.0, 1.0, 0.25
"""Cases added on each side; fewer for changes: most cases do not change, and one each is too cautious."""


def padded_share(hits: Floats, trials: Floats, each: float, rng: np.random.Generator) -> Floats:
    """Return the resampled share with `each` hits and as many misses added; NaN where there is no trial.

    Resampled counts have shape (resamples, ...); values of one resample share the cases added to it.
    """
    hit, miss = _added_cases(hits, each, rng), _added_cases(hits, each, rng)
    return np.where(trials > 0, rate(hits + hit, np.maximum(trials + hit + miss, 1)), np.nan)


def padded_change(net: Floats, trials: Floats, rng: np.random.Generator) -> Floats:
    """Return the resampled change of a share on the same cases, with a few gains and losses added.

    `net` are hits afterwards less hits before (Bonett and Price, JEBS 37, 2012). NaN without a trial.
    """
    gains, losses = (_added_cases(net, OF_A_CHANGE, rng) for _ in range(2))
    return np.where(trials > 0, rate(net + gains - losses, np.maximum(trials + gains + losses, 1)), np.nan)


def padded_ratio(one: Floats, other: Floats, rng: np.random.Generator) -> Floats:
    """Return the resampled ratio of two counts with a case added to each; NaN where the other is 0."""
    added, added_other = (_added_cases(one, OF_A_RATIO, rng) for _ in range(2))
    return ratio(one + added, np.where(other > 0, other + added_other, 0.0))


def _added_cases(like: Floats, each: float, rng: np.random.Generator) -> Floats:
    """Return how many added cases each resample has, in a shape that broadcasts over its values."""
    number = rng.poisson(each, size=len(like)).astype(np.float64)
    return number.reshape(-1, *(1,) * (like.ndim - 1))
