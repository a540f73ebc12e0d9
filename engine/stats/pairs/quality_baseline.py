"""The evaluator quality baseline (MEASURES section 10; EQB equations 1 to 12)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, stdtr

from engine.stats import Floats, Ints
from engine.stats.intervals.seeded_draws import ranked
from engine.stats.ratios import rate, ratio


def binary_entropy(p: Floats) -> Floats:
    """Return H2(p) in bits (EQB equation 10); 0 at both ends."""
    return np.asarray((entr(p) + entr(1 - p)) / np.log(2))


@dataclass(frozen=True)
class PairedTest:
    """A paired t-test for each row: shape (rows,), NaN where it is undefined; `p` is one-sided (greater)."""

    se: Floats
    t: Floats
    p: Floats
    p_two_sided: Floats


def paired_t(total: Floats, squares: Floats, n: Ints) -> PairedTest:
    """Test means of differences against 0, from their sums, the sums of squared deviations and their number.

    se = sd / sqrt(n) with n - 1 in the variance, t = mean / se (EQB equation 9). Undefined with fewer than
    two examples; t and p also where all differences are equal.
    """
    variance = rate(squares, np.maximum(n - 1, 0))
    se = np.sqrt(rate(variance, n))
    t = ratio(rate(total, n), np.where(se > 1e-12, se, 0.0))
    greater, either = (stdtr(np.maximum(n - 1, 1), x) for x in (-t, -np.abs(t)))
    undefined = np.isnan(t)
    return PairedTest(se, t, np.where(undefined, np.nan, greater), np.where(undefined, np.nan, 2 * either))


def relative_change(updated: Floats, matched: Floats) -> Floats:
    """Return the change of ILSP in percent after subtracting the proxies' share; NaN where it was 0."""
    return 100 * ratio(updated - matched, matched)


def group_means(values: Floats, group: Ints, size: int) -> Floats:
    """Return the mean of the values of each group, NaN where a group is empty."""
    return rate(np.bincount(group, weights=values, minlength=size), np.bincount(group, minlength=size))


def means_of_first(values: Floats, group: Ints, keys: NDArray[np.uint64], size: int) -> Floats:
    """Return the means of the first 1, 2, ... values of each group by key: (groups, values), NaN for none."""
    order, rank = ranked(group, keys)
    ordered = np.full((size, int(rank.max(initial=-1)) + 1), np.nan)
    ordered[group[order], rank] = values[order]
    return np.asarray(np.cumsum(ordered, axis=1) / np.arange(1, ordered.shape[1] + 1))
