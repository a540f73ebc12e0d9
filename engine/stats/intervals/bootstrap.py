"""Cluster bootstrap: resamples of instances, percentile intervals and p-values (MEASURES section 13).

`LEVEL` and `tail` decide what every bootstrap interval cuts off. Most rows of measures have the intervals of
`bootstrap_expanded` (`--interval expanded`, the default), which cuts off less where cases are few, and leaves
the quantiles to `percentile_interval`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Floats, Ints, Numbers, Weights

LEVEL = 0.95  # of an interval, unless its caller needs another
MOST_UNDEFINED = 0.05  # the share of undefined resamples above which there is no interval
_EXACT_IN_FLOAT32 = 2**24  # of the largest sum: the weights of a resample add up to the number of clusters
_FEW = 25  # times as many numbers as are not 0, from which adding those alone is faster
ROUNDING = 1e-12


@dataclass(frozen=True)
class Interval:
    """Percentile intervals, shape (values,): NaN where too many resamples are `undefined`, counted there."""

    low: Floats
    high: Floats
    undefined: Ints

    @property
    def alike(self) -> Bools:
        """Where resamples are alike, and show no sampling error, which does not mean that there is none."""
        return np.asarray(self.high - self.low <= ROUNDING)


def cluster_weights(n_clusters: int, resamples: int, rng: np.random.Generator) -> Weights:
    """Return how often each resample drew each cluster: shape (resamples, clusters).

    The weights of a cluster stand together in memory, as some of the clusters are often picked.
    """
    weights = np.empty((resamples, n_clusters), dtype=np.float32)
    for row in weights:
        row[:] = np.bincount(rng.integers(0, n_clusters, n_clusters), minlength=n_clusters)
    return np.asfortranarray(weights)


def resample(per_cluster: Numbers, weights: Weights) -> Floats:
    """Return the resampled sums of `per_cluster`, shape (..., clusters), as (resamples, ...).

    Whole numbers whose sums stay below 2**24 are added exactly in single precision, at half the cost. Then
    empty clusters are skipped if there are many, and of a few numbers that are not 0 only those are added.
    """
    flat = per_cluster.reshape(-1, per_cluster.shape[-1]).T
    largest = max(float(flat.max(initial=0)), -float(flat.min(initial=0)))
    if flat.dtype.kind == "f" or largest * weights.shape[1] >= _EXACT_IN_FLOAT32:
        sums = np.matmul(weights.astype(np.float64), flat.astype(np.float64, copy=False))
    else:
        occupied = np.flatnonzero(flat.any(axis=1))
        if 2 * len(occupied) < len(flat):
            flat, weights = flat[occupied], weights.T[occupied].T
        few = _FEW * np.count_nonzero(flat) < flat.size
        sums = _sum_few(flat, weights) if few else np.matmul(weights, flat.astype(np.float32))
    return np.asarray(sums, np.float64, order="C").reshape(len(weights), *per_cluster.shape[:-1])


def _sum_few(counts: Numbers, weights: Weights) -> NDArray[np.float32]:
    """Return the resampled sums of (clusters, values), most of them 0: shape (resamples, values)."""
    from scipy.sparse import csr_array  # only here: it takes a while to import

    places = np.flatnonzero(counts)
    starts = np.searchsorted(places, np.arange(len(counts) + 1) * counts.shape[1])
    values = counts.ravel()[places].astype(np.float32)
    those_alone = csr_array((values, places % counts.shape[1], starts), shape=counts.shape)
    return np.asarray((those_alone.T @ weights.T).T)


def tail(level: float = LEVEL) -> float:
    """Return the share of the resamples below an interval of that level, which is also that above it."""
    return (1 - level) / 2


def percentile_interval(draws: Floats, level: float = LEVEL, tails: Floats | None = None) -> Interval:
    """Return the percentile interval of each column of `draws`, shape (resamples, values).

    Undefined (NaN) draws are dropped and counted; above 5 % of them there is no interval. Quantiles
    interpolate linearly. `tails`, shape (values,): the shares cut off at each end, else `tail(level)`.
    """
    resamples = len(draws)
    ordered = np.sort(np.ascontiguousarray(draws.T), axis=-1)  # NaN come last; rows sort faster than columns
    undefined = np.isnan(ordered).sum(axis=-1)
    defined = resamples - undefined
    enough = (defined > 0) & (undefined <= MOST_UNDEFINED * resamples)
    cut = np.full(len(ordered), tail(level)) if tails is None else tails
    low, high = (_quantile(ordered, defined, q) for q in (cut, 1 - cut))
    return Interval(np.where(enough, low, np.nan), np.where(enough, high, np.nan), undefined)


def _quantile(ordered: Floats, defined: Ints, q: Floats) -> Floats:
    last, row = np.maximum(defined - 1, 0), np.arange(len(ordered))
    place = last * q
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, last)
    lower, upper = ordered[row, below], ordered[row, above]
    return lower + (place - below) * (upper - lower)


def bootstrap_p(draws: Floats, null: float) -> Floats:
    """Return the two-sided p-value of each column of `draws` against `null`.

    p = min(1, 2 (min(k, l) + 1) / (B + 1)): of B defined draws k are at or below the null value and l at or
    above it, rounding aside. NaN where none is defined.
    """
    defined = (~np.isnan(draws)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        below, above = (draws <= null + ROUNDING).sum(axis=0), (draws >= null - ROUNDING).sum(axis=0)
    p = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (defined + 1))
    return np.where(defined > 0, p, np.nan)


def is_smallest_p(draws: Floats, null: float) -> Bools:
    """Return whether the p-value of each column of `draws` is the smallest that so many defined ones give.

    No draw is on the other side of `null` then, so that more draws could only make p smaller: it is at most
    what was computed.
    """
    defined = (~np.isnan(draws)).sum(axis=0)
    smallest = 2 / (defined + 1) * (1 + ROUNDING)
    return np.asarray(bootstrap_p(draws, null) <= smallest, dtype=np.bool_)
