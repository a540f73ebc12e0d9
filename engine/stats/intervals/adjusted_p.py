"""P-values adjusted for the number of tests (MEASURES section 13)."""

import numpy as np

from engine.stats import Floats


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the adjusted p-values of one family of tests; NaN stay NaN and are not counted."""
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN last
    steps = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted


def holm(p: Floats, tests: int) -> Floats:
    """Return p-values adjusted to bound the chance of any false rejection among `tests`.

    `p` are the smallest of them: the others are taken to be no smaller. NaN stay NaN.
    """
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN last
    steps = p[order] * np.maximum(tests - np.arange(len(order)), 1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted
