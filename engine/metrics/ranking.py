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


@dataclass(frozen=True)
class Apart:
    """How far two rankings are apart, shape (...,): Kendall's tau-b, mean places moved, pairs turned."""

    tau: Floats
    shift: Floats
    flips: Floats


def apart(ours: Floats, theirs: Floats) -> Apart:
    """Compare two sources' scores, shape (..., generators), on the generators of which both have one.

    tau-b = (pairs in one order - pairs turned round) / sqrt(pairs apart in ours x pairs apart in theirs);
    `shift` is the mean over generators of |rank - rank|, ranks among these generators; `flips` counts the
    pairs turned round. NaN where fewer than two generators have both scores, tau also where a source puts
    all on one place.
    """
    both = ~(np.isnan(ours) | np.isnan(theirs))
    a, b = (np.where(both, scores, np.nan) for scores in (ours, theirs))
    first, second = (_order(scores) for scores in (a, b))
    product = first * second
    number = both.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(np.abs(first).sum(axis=(-2, -1)) * np.abs(second).sum(axis=(-2, -1)))
        tau = product.sum(axis=(-2, -1)) / np.where(spread > 0, spread, np.nan)
        moved = np.nansum(np.abs(ranks(a) - ranks(b)), axis=-1) / number
    flips = (product < 0).sum(axis=(-2, -1)) / 2
    few = number < 2
    return Apart(*(np.where(few, np.nan, values) for values in (tau, moved, flips)))


def _order(scores: Floats) -> Floats:
    """Return for each two scores which is higher: 1, -1, or 0 for equal ones and for NaN."""
    distance = scores[..., :, None] - scores[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(distance) > TOLERANCE, np.sign(distance), 0.0)
