"""Bootstrap intervals widened for numbers based on few cases (MEASURES section 13; `--interval expanded`).

Resamples, level, quantiles and p-values are those of `bootstrap`; here its tails become smaller.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from engine.stats import Bools, Floats, Weights
from engine.stats.intervals.bootstrap import Interval, bootstrap_p, percentile_interval, tail

_EXACT = 2**24  # whole numbers up to here are exact in single precision
_AWAY_FROM_HALVES = 1 + 1e-9  # shares often end in exactly a half of a unit, and in the last digit beside it
_CLUSTERS_AT_ONCE = 512  # so that their influences stay in the processor's cache
_NO_SPREAD = 1e-30  # of a number that is the same in every resample, but for rounding


@dataclass(frozen=True, eq=False)
class Expansion:
    """How much to widen percentile intervals: `freedom` has one entry for each column of draws.

    The normal quantile becomes t sqrt(n / (n - 1)), t with `freedom` degrees of freedom and n the number of
    `clusters`; the factor is that by which a bootstrap of n clusters falls short.
    """

    freedom: Floats
    clusters: int

    @classmethod
    def of(cls, draws: Floats, weights: Weights, counted: Bools | None = None) -> "Expansion":
        return cls(degrees_of_freedom(draws, weights, counted), weights.shape[1])

    def interval(self, draws: Floats) -> Interval:
        """Return the expanded interval of each column; undefined draws count as in `percentile_interval`."""
        z = stdtrit(self.freedom, tail()) * self._factor
        return percentile_interval(draws, tails=np.asarray(ndtr(z), dtype=np.float64))

    def p(self, draws: Floats, null: float) -> Floats:
        """Return the two-sided p-value that matches the interval, NaN where `bootstrap_p` is."""
        z = ndtri(bootstrap_p(draws, null) / 2)
        return np.asarray(2 * stdtr(self.freedom, z / self._factor), dtype=np.float64)

    @property
    def _factor(self) -> float:
        return float(np.sqrt(self.clusters / max(self.clusters - 1, 1)))


def degrees_of_freedom(draws: Floats, weights: Weights, counted: Bools | None = None) -> Floats:
    """Return the degrees of freedom of the bootstrap variance of each column, shape (values,).

    With u the influence of a cluster on the number, the variance is a sum of u^2, whose own relative variance
    is (kurtosis of u - 1) / n; Satterthwaite's degrees of freedom are 2 over that, clipped to 1 to n - 1. The
    influences are the covariances of the draws with the weights (the infinitesimal jackknife). B draws give
    each of them a noise of variance var(draws) / B, which is subtracted from both moments.

    `counted`, shape (clusters,), marks the clusters with cases; none of the others has an influence, and
    leaving them out leaves out their noise.
    """
    resamples, clusters = weights.shape
    defined = ~np.isnan(draws)
    mean = np.where(defined, draws, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    centred = np.where(defined, draws - mean, 0.0)
    noise = (centred**2).sum(axis=0) / resamples**2
    if counted is not None and not counted.all():
        weights = weights[:, counted]
    second, fourth = _moments(centred, weights)
    second -= weights.shape[1] * noise
    fourth -= 6 * noise * second + 3 * weights.shape[1] * noise**2
    return _freedom(second, fourth, clusters)


def freedom_of_rates(hits: NDArray[np.integer], trials: NDArray[np.integer], *, clusters: int) -> Floats:
    """Return the degrees of freedom of rates, hits / trials, from their own influences: shape (values,).

    Counts have shape (clusters with cases, values); `clusters` are all that are resampled. The influence of a
    cluster is (hits - rate trials) / the sum of trials: no draws are needed, whose noise would be in it.
    """
    number = np.maximum(trials.sum(axis=0, dtype=np.float64), 1.0)
    rates = hits.sum(axis=0) / number
    blocks = (slice(first, first + _CLUSTERS_AT_ONCE) for first in range(0, len(hits), _CLUSTERS_AT_ONCE))
    second, fourth = _sums_of_powers((hits[part] - rates * trials[part] for part in blocks), len(rates))
    return _freedom(second / number**2, fourth / number**4, clusters)


def _freedom(second: Floats, fourth: Floats, clusters: int) -> Floats:
    """Return Satterthwaite's degrees of freedom from sums of powers of the influences, (values,) each."""
    most = max(clusters - 1.0, 1.0)
    relative = fourth - second**2 / clusters
    clear = (second > _NO_SPREAD) & (relative * most > 2 * second**2)
    freedom = np.divide(2 * second**2, relative, out=np.full(len(second), most), where=clear)
    return np.asarray(np.maximum(freedom, 1.0), dtype=np.float64)


def _sums_of_powers(influences: Iterable[Floats], values: int) -> tuple[Floats, Floats]:
    """Return the sums of squares and of fourth powers over blocks of (clusters, values), (values,) each."""
    second, fourth = np.zeros(values), np.zeros(values)
    for powers in influences:
        powers *= powers
        second += powers.sum(axis=0)
        powers *= powers
        fourth += powers.sum(axis=0)
    return second, fourth


def _moments(centred: Floats, weights: Weights) -> tuple[Floats, Floats]:
    """Return the sums over clusters of the squares and fourth powers of the influences, (values,) each.

    The influences are the covariances of each column with the weight of each cluster.
    Draws are rounded to whole numbers of so few digits that their products with weights add up exactly in
    single precision, which takes half the time and is the same on every processor. What is rounded off is
    a thousandth of the noise of 1,000 resamples.
    """
    largest = np.abs(centred).max(axis=0, initial=0.0)
    heaviest = float(weights.sum(axis=0).max(initial=1.0))
    unit = np.where(largest > 0, largest, 1.0) * heaviest / (_EXACT - heaviest)  # as rounding up adds a half
    whole = np.rint(centred / (unit / _AWAY_FROM_HALVES))
    factors, at_mean = whole.astype(np.float32), whole.sum(axis=0)
    blocks = range(0, weights.shape[1], _CLUSTERS_AT_ONCE)
    sums = (np.matmul(weights[:, first : first + _CLUSTERS_AT_ONCE].T, factors) for first in blocks)
    about_mean = (np.subtract(each, at_mean, dtype=np.float64) for each in sums)
    second, fourth = _sums_of_powers(about_mean, whole.shape[1])
    scale = (unit / len(centred)) ** 2
    return second * scale, fourth * scale**2
