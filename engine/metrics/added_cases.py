"""Resamples with a case or two added on each side, for shares and ratios of few cases (MEASURES section 13).

A share that comes out 1 in the study is 1 in every resample of it, which says that it is known exactly; and
one near 1 is resampled as if it could not be lower still. Agresti and Coull (The American Statistician 52,
1998) add two hits and two misses before a share's interval is taken, Agresti and Caffo (54, 2000) one of each
to both shares of a difference. Here they are drawn as the instances are: a case among many is in a resample
a Poisson number of times. The number itself stays as counted. docs/intervals.md has what it does to coverage.
"""

import numpy as np
from numpy.typing import NDArray

from engine.metrics.overestimation import rate, ratio

Floats = NDArray[np.float64]

OF_A_SHARE, OF_A_DIFFERENCE, OF_A_RATIO, OF_A_CHANGE = 2.0, 1.0, 1.0, 0.25
"""Cases added on each side. Fewer to changes: most cases do not change, and one of each is too careful."""


def drawn_share(hits: Floats, trials: Floats, each: float, rng: np.random.Generator) -> Floats:
    """Return the resampled share with `each` hits and as many misses added; NaN where there is no trial.

    `hits` and `trials` are resampled counts of shape (resamples, ...); values of one resample share the
    cases added to it.
    """
    hit, miss = _added(hits, each, rng), _added(hits, each, rng)
    return np.where(trials > 0, rate(hits + hit, np.maximum(trials + hit + miss, 1)), np.nan)


def drawn_change(gained: Floats, trials: Floats, rng: np.random.Generator) -> Floats:
    """Return the resampled change of a share on the same cases, a little gained and lost added.

    `gained` are hits afterwards less hits before (Bonett and Price, JEBS 37, 2012). NaN without a trial.
    """
    more, less = (_added(gained, OF_A_CHANGE, rng) for _ in range(2))
    return np.where(trials > 0, rate(gained + more - less, np.maximum(trials + more + less, 1)), np.nan)


def drawn_ratio(one: Floats, other: Floats, rng: np.random.Generator) -> Floats:
    """Return the resampled ratio of two counts with a case added to each; NaN where the other is 0."""
    more, fewer = (_added(one, OF_A_RATIO, rng) for _ in range(2))
    return ratio(one + more, np.where(other > 0, other + fewer, 0.0))


def _added(like: Floats, each: float, rng: np.random.Generator) -> Floats:
    """Return how often the added cases are in each resample, to be broadcast over its values."""
    number = rng.poisson(each, size=len(like)).astype(np.float64)
    return number.reshape(-1, *(1,) * (like.ndim - 1))
