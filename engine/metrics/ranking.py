"""System scores over complete instances, and ranks (MEASURES section 3)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.scores import TOLERANCE

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CompleteScores:
    """The scores of sources in their complete instances, elsewhere 0.

    `values` has shape (sources, generators, instances), `complete` (sources, instances), `scored` (sources,
    generators): whether the source has any score for the generator.
    """

    values: Floats
    complete: Bools
    scored: Bools


def complete_scores(values: Floats) -> CompleteScores:
    """Keep the instances in which a source has a score for every generator that it scored at all.

    `values` has shape (sources, generators, instances), NaN where there is no score.
    """
    known = ~np.isnan(values)
    scored: Bools = np.asarray(known.any(axis=-1))
    some = scored.any(axis=-1, keepdims=True)
    complete: Bools = np.asarray((known | ~scored[..., None]).all(axis=-2) & some)
    kept = np.where(known & complete[..., None, :], values, 0.0)
    return CompleteScores(kept, complete, scored)


def ranks(scores: Floats) -> Floats:
    """Return the rank of each score along the last axis, 1 the highest; equal ones share their mean rank.

    NaN has no rank and no place among the others.
    """
    distance = scores[..., None, :] - scores[..., :, None]
    with np.errstate(invalid="ignore"):
        higher, equal = (distance > TOLERANCE).sum(axis=-1), (np.abs(distance) <= TOLERANCE).sum(axis=-1)
    return np.where(np.isnan(scores), np.nan, higher + (equal + 1) / 2)
