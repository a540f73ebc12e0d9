"""The evaluator quality baseline (MEASURES section 10; EQB equations 1 to 12)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.overestimation import rate, ratio

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def binary_entropy(p: Floats) -> Floats:
    """Return H2(p) in bits (EQB equation 10); 0 at both ends."""
    from scipy.special import entr

    bits: Floats = (entr(p) + entr(1 - p)) / np.log(2)
    return bits


@dataclass(frozen=True)
class PairedTest:
    """A one-sided paired t-test (greater) for each row: shape (rows,), NaN where it is undefined."""

    se: Floats
    t: Floats
    p: Floats


def paired_t(total: Floats, squares: Floats, n: Ints) -> PairedTest:
    """Test means of differences against 0, from their sums, the sums of squared deviations and their number.

    se = sd / sqrt(n) with n - 1 in the variance, t = mean / se (EQB equation 9). Undefined with fewer than
    two examples; t and p also where all differences are equal.
    """
    from scipy.special import stdtr

    variance = rate(squares, np.maximum(n - 1, 0))
    se = np.sqrt(rate(variance, n))
    t = ratio(rate(total, n), np.where(se > 1e-12, se, 0.0))
    return PairedTest(se, t, np.where(np.isnan(t), np.nan, stdtr(np.maximum(n - 1, 1), -t)))


def relative_change(updated: Floats, matched: Floats) -> Floats:
    """Return by how many percent ILSP changes when the proxies' share is taken off; NaN where it was 0."""
    return 100 * ratio(updated - matched, matched)


def group_means(values: Floats, group: Ints, size: int) -> Floats:
    """Return the mean of the values of each group, NaN where a group is empty."""
    return rate(np.bincount(group, weights=values, minlength=size), np.bincount(group, minlength=size))


def means_of_first(values: Floats, group: Ints, keys: NDArray[np.uint64], size: int) -> Floats:
    """Return the means of the first 1, 2, ... values of each group, in the order of their keys.

    Shape (groups, most values of a group); NaN where a group has not as many.
    """
    order = np.lexsort((keys, group))
    sizes = np.bincount(group, minlength=size)
    rank = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    ordered = np.full((size, int(sizes.max(initial=0))), np.nan)
    ordered[group[order], rank] = values[order]
    means: Floats = np.cumsum(ordered, axis=1) / np.arange(1, ordered.shape[1] + 1)
    return means
