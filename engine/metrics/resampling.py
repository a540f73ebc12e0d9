"""Cluster bootstrap, p-values and their adjustment (MEASURES section 13).

The clusters are instances. Resampling instances with replacement is the same as weighting them by
multinomial counts; with counts added up for each instance, a thousand resamples of every cell are one
matrix product. The weights depend on the seed alone, so that all judges and slices share the draws.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_UNDEFINED = 0.05
"""The share of undefined resamples above which there is no interval."""

_EXACT_IN_FLOAT32 = 2**24
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Interval:
    """Percentile intervals: `low` and `high` of shape (values,), NaN where too much is undefined.

    `undefined` counts the resamples in which each number was undefined.
    """

    low: Floats
    high: Floats
    undefined: NDArray[np.int64]
    resamples: int


def cluster_weights(n_clusters: int, resamples: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return how often each resample drew each cluster: shape (resamples, clusters)."""
    weights = np.empty((resamples, n_clusters), dtype=np.float32)
    for row in weights:
        row[:] = np.bincount(rng.integers(0, n_clusters, n_clusters), minlength=n_clusters)
    return weights


def resample(per_cluster: NDArray[np.number], weights: NDArray[np.float32]) -> Floats:
    """Return the resampled sums of `per_cluster`, shape (..., clusters), as (resamples, ...).

    Whole numbers whose sums stay below 2**24 are added exactly in single precision, at half the cost, and
    without the clusters in which nothing is counted where these are many.
    """
    flat = per_cluster.reshape(-1, per_cluster.shape[-1])
    exact = np.issubdtype(flat.dtype, np.integer) and _largest_sum(flat, weights) < _EXACT_IN_FLOAT32
    kind = np.float32 if exact else np.float64
    filled = np.flatnonzero(flat.any(axis=0))
    if exact and 2 * len(filled) < flat.shape[1]:
        flat, weights = flat[:, filled], weights[:, filled]
    sums = np.matmul(weights.astype(kind, copy=False), flat.astype(kind, copy=False).T)
    return np.asarray(sums, dtype=np.float64).reshape(len(weights), *per_cluster.shape[:-1])


def _largest_sum(flat: NDArray[np.number], weights: NDArray[np.float32]) -> float:
    """Bound every resampled sum: the weights of one resample add up to the number of clusters."""
    if flat.size == 0 or weights.size == 0:
        return 0.0
    return float(np.abs(flat).max()) * float(weights.shape[1])


def percentile_interval(draws: Floats, level: float = 0.95, tails: Floats | None = None) -> Interval:
    """Return the percentile interval of each column of `draws`, shape (resamples, values).

    Undefined (NaN) draws are dropped and counted; above 5 % of them there is no interval. Quantiles
    interpolate linearly between the ordered draws. `tails`, shape (values,), is the share of the draws cut
    off at each end, where it is another than (1 - level) / 2.
    """
    resamples = len(draws)
    ordered = np.sort(np.ascontiguousarray(draws.T), axis=-1)  # NaN come last; rows sort faster than columns
    undefined = np.isnan(ordered).sum(axis=-1)
    defined = resamples - undefined
    enough = (defined > 0) & (undefined <= MOST_UNDEFINED * resamples)
    tail = np.full(len(ordered), (1 - level) / 2) if tails is None else tails
    low, high = (_quantile(ordered, defined, q) for q in (tail, 1 - tail))
    return Interval(np.where(enough, low, np.nan), np.where(enough, high, np.nan), undefined, resamples)


def _quantile(ordered: Floats, defined: NDArray[np.int64], q: Floats) -> Floats:
    place = np.maximum(defined - 1, 0) * q
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    row = np.arange(len(ordered))
    lower, upper = ordered[row, below], ordered[row, above]
    return lower + (place - below) * (upper - lower)


def bootstrap_p(draws: Floats, null: float) -> Floats:
    """Return the two-sided p-value of each column of `draws` against `null`.

    p = min(1, 2 (min(k, l) + 1) / (B + 1)) with k and l the defined draws at or below and at or above
    the null value and B their number; NaN where there is none. A draw that differs from the null value by
    rounding alone equals it.
    """
    defined = (~np.isnan(draws)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        below, above = (draws <= null + _ROUNDING).sum(axis=0), (draws >= null - _ROUNDING).sum(axis=0)
    p = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (defined + 1))
    return np.where(defined > 0, p, np.nan)


def benjamini_hochberg(p: Floats) -> Floats:
    """Return the adjusted p-values of one family of tests; NaN stay NaN and are not counted."""
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted
