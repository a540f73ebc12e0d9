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


@dataclass(frozen=True)
class Curves:
    """By number of proxies from 1 on: the share of examples that have as many, T with as many, and its se."""

    coverage: list[float]
    t: list[float | None]
    t_se: list[float | None]


def proxy_curves(own: Floats, proxies: list[Floats], orders: list[list[Ints]]) -> Curves:
    """Return coverage and T by number of proxies, of one row's examples.

    `own` (examples,) is the share for the judge's response, `proxies` those for its proxies, example by
    example. `orders` holds for each seed and example the order in which proxies are taken. T with n proxies
    is the mean over seeds, of the examples with at least n; its se is that of the mean over seeds.
    """
    sizes = np.array([len(shares) for shares in proxies], dtype=np.int64)
    coverage, mean, se = [], [], []
    for n in range(1, int(sizes.max(initial=0)) + 1):
        enough = np.flatnonzero(sizes >= n)
        coverage.append(float(len(enough) / len(sizes)))
        found = np.array(
            [np.mean([own[i] - proxies[i][order[i][:n]].mean() for i in enough]) for order in orders]
        )
        mean.append(float(found.mean()))
        se.append(float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None)
    return Curves(coverage, list(mean), se)
