"""Percentile intervals that allow for how few cases stand behind a number (MEASURES section 13).

The percentile bootstrap takes the spread of the resamples for that of the number, as if it were known. With
few instances, or few that matter, that spread is itself an estimate, and the interval is too narrow: the
reason why the mean of a small sample has a t interval and not a normal one. The expanded interval cuts off
less at each end, as the t distribution has it (Hesterberg, The American Statistician 69, 2015, section 4.1).
How much less depends on the degrees of freedom of the spread, which come from the data: a number that rests
on twelve instances out of five thousand has some twenty.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from engine.metrics.resampling import Interval, bootstrap_p, percentile_interval

Floats = NDArray[np.float64]

_NO_SPREAD = 1e-30  # of a number that is the same in every resample, but for rounding


@dataclass(frozen=True, eq=False)
class Expansion:
    """How much wider than the percentile interval: one entry of `freedom` for each of the columns of draws.

    A normal quantile z is taken for z = t sqrt(n / (n - 1)), t with `freedom` degrees of freedom and n the
    number of `clusters`; the factor is that by which a bootstrap of n clusters falls short.
    """

    freedom: Floats
    clusters: int

    @classmethod
    def of(cls, draws: Floats, weights: NDArray[np.float32]) -> "Expansion":
        """Measure it from draws (resamples, values) and how often each drew each cluster."""
        return cls(degrees_of_freedom(draws, weights), weights.shape[1])

    def interval(self, draws: Floats, level: float = 0.95) -> Interval:
        """Return the expanded interval of each column; undefined draws count as in `percentile_interval`."""
        z = stdtrit(self.freedom, (1 - level) / 2) * self._factor
        return percentile_interval(draws, level, np.asarray(ndtr(z), dtype=np.float64))

    def p(self, draws: Floats, null: float) -> Floats:
        """Return the two-sided p-value that belongs to the interval, NaN where that of `bootstrap_p` is."""
        z = ndtri(bootstrap_p(draws, null) / 2)
        return np.asarray(2 * stdtr(self.freedom, z / self._factor), dtype=np.float64)

    @property
    def _factor(self) -> float:
        return float(np.sqrt(self.clusters / max(self.clusters - 1, 1)))


def degrees_of_freedom(draws: Floats, weights: NDArray[np.float32]) -> Floats:
    """Return the degrees of freedom of the bootstrap variance of each column, shape (values,).

    With u the influence of a cluster on the number, the variance is a sum of u^2, whose own relative variance
    is (kurtosis of u - 1) / n; Satterthwaite's degrees of freedom are 2 over that, here from 1 to n - 1.
    The influences are the covariances of the draws with the weights (the infinitesimal jackknife). B draws
    give each of them a noise of variance var(draws) / B, which is taken out of both moments.
    """
    resamples, clusters = weights.shape
    most = max(clusters - 1.0, 1.0)
    centred = _centred(draws)
    influence = np.matmul((weights - 1).T, centred) / resamples
    noise = (centred**2).sum(axis=0) / resamples**2
    second = (influence**2).sum(axis=0) - clusters * noise
    fourth = (influence**4).sum(axis=0) - 6 * noise * second - 3 * clusters * noise**2
    relative = fourth - second**2 / clusters
    known = (second > _NO_SPREAD) & (relative * most > 2 * second**2)
    freedom = np.divide(2 * second**2, relative, out=np.full(len(second), most), where=known)
    return np.asarray(np.maximum(freedom, 1.0), dtype=np.float64)


def _centred(draws: Floats) -> Floats:
    """Return the draws less their mean; 0 where a draw is undefined."""
    defined = ~np.isnan(draws)
    mean = np.where(defined, draws, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    return np.asarray(np.where(defined, draws - mean, 0.0))
