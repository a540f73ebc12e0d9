"""Correlations of two scores of the same items, with their draws over instances."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.measures.table import Column
from engine.metrics.agreement import weighted_pearson, weighted_spearman
from engine.metrics.resampling import resample

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats, Floats], Floats]

STATISTICS: dict[str, Statistic] = {"pearson": weighted_pearson, "spearman": weighted_spearman}
UNDEFINED = "fewer_than_3_items_or_a_constant_side"


def correlation(
    statistic: Statistic, a: Floats, b: Floats, instance: Ints, weights: NDArray[np.float32] | None
) -> Column:
    """Return one correlation of two series of shape (items,); `instance` says which cluster an item is of.

    Items with the same two scores are weighed as one, which is what a correlation makes of them.
    """
    value = float(statistic(a, b, np.ones(len(a)))) if len(a) else float("nan")
    if weights is None:
        return Column([value], reasons=UNDEFINED)
    if not len(a):
        return Column([value], np.full((len(weights), 1), np.nan), UNDEFINED)
    scores, alike = np.unique(np.stack([a, b]), axis=1, return_inverse=True)
    size, clusters = scores.shape[1], weights.shape[1]
    cell = alike.reshape(-1) * clusters + instance
    counts = np.bincount(cell, minlength=size * clusters).reshape(size, clusters)
    draws = statistic(scores[0], scores[1], resample(counts, weights))
    return Column([value], np.asarray(draws)[:, None], UNDEFINED)


def difference(one: Column, two: Column) -> Column:
    """Return one number minus another, drawn together; undefined where either is, for its reason."""
    a, b = (np.array(column.values, dtype=np.float64) for column in (one, two))
    draws = None if one.draws is None or two.draws is None else one.draws - two.draws
    missing = one if np.isnan(a[0]) else two
    return Column(a - b, draws, missing.reason(0))
