"""The score of a response on an instance and of a model on all of them (MEASURES section 3)."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ScoreKind = Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"]

TOLERANCE = 1e-9
"""Scores that differ by less are ties."""


def levels(scores: Floats) -> NDArray[np.int32]:
    """Return the rank of each score among its instance's, equal for ties, -1 where there is none.

    `scores` has shape (..., generators, instances), NaN where a response has no score. Only the order
    of two ranks of one instance means anything.
    """
    by_instance = np.moveaxis(scores, -2, -1)
    order = np.argsort(by_instance, axis=-1)
    ascending = np.take_along_axis(by_instance, order, axis=-1)
    with np.errstate(invalid="ignore"):
        steps = np.diff(ascending, axis=-1) >= TOLERANCE
    ranked = np.zeros(by_instance.shape, dtype=np.int32)
    np.cumsum(steps, axis=-1, out=ranked[..., 1:])
    ranks = np.empty_like(ranked)
    np.put_along_axis(ranks, order, ranked, axis=-1)
    ranks[np.isnan(by_instance)] = -1
    return np.moveaxis(ranks, -1, -2)


def clip_to_unit(scores: Floats) -> Floats:
    """Return the scores clipped to [0, 1]; NaN stay."""
    return np.clip(scores, 0.0, 1.0)


def system_score(totals: Floats, counts: Floats, kind: ScoreKind) -> Floats:
    """Return the mean score over instances from its total and the number of instances.

    With `weighted_mean_clipped` only this mean is clipped to [0, 1], as HealthBench does. NaN where no
    instance has a score.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(counts > 0, totals / counts, np.nan)
    return clip_to_unit(mean) if kind == "weighted_mean_clipped" else mean
