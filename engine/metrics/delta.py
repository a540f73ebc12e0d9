"""Score deltas: how far a judge lifts a model above the reference (MEASURES section 8; RSP Figure 5)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.overestimation import Kinship, mean_of_defined, mean_over
from engine.metrics.scores import TOLERANCE

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Deltas:
    """Shares of shape (..., judges, generators) and, for each judge, (..., judges); NaN where undefined."""

    raw: Floats
    centered: Floats
    leniency: Floats
    bonus: Floats
    family_bonus: Floats


def deltas(judge: Floats, reference: Floats, kin: Kinship) -> Deltas:
    """Return raw(J, G) = Score_J(G) - Score*(G), its deviation from the judge's mean, and the bonuses.

    `judge` and `reference` hold system scores of shape (..., judges, generators), over the instances where
    both exist. leniency(J) is the mean of raw over generators; bonus(J) is the judge's own centered delta
    minus the mean over generators outside its family, family_bonus its relatives' mean minus the same.
    """
    raw = judge - reference
    leniency = mean_of_defined(raw)
    centered = raw - leniency[..., None]
    others = mean_over(centered, kin.other)
    return Deltas(
        raw=raw,
        centered=centered,
        leniency=leniency,
        bonus=mean_over(centered, kin.own) - others,
        family_bonus=mean_over(centered, kin.family) - others,
    )


def average_ranks(scores: Floats) -> Floats:
    """Return the rank of each of a few scores, shape (..., scores), 1 the best; ties share one."""
    lead = scores[..., None, :] - scores[..., :, None]
    alike = (np.abs(lead) < TOLERANCE).sum(axis=-1)
    ranks: Floats = 1.0 + (lead >= TOLERANCE).sum(axis=-1) + (alike - 1) / 2
    return ranks


def average_rank(scores: Floats, place: int) -> Floats:
    """Return the rank of the score at `place` of the last axis as `average_ranks` does; NaN where a score is.

    What is needed of it alone: all ranks of 200 models in 1,000 resamples take half a minute.
    """
    lead = scores - scores[..., place, None]
    above, alike = lead >= TOLERANCE, np.abs(lead) < TOLERANCE
    rank = 1.0 + above.sum(axis=-1) + (alike.sum(axis=-1) - 1) / 2
    return np.where(np.isnan(scores).any(axis=-1), np.nan, rank)


def pair_order(judge: Floats, reference: Floats) -> Floats:
    """Return the share of pairs of generators that `judge` orders as `reference` does, ties included.

    Both have shape (..., generators), of which there must be two at least. NaN where a score is.
    """
    n = judge.shape[-1]
    alike = np.zeros(judge.shape[:-1], dtype=np.int64)
    for place in range(n - 1):  # with those after it: all pairs at once would leave the processor's cache
        above, below = _order(judge, place)
        truly_above, truly_below = _order(reference, place)
        alike += ((above == truly_above) & (below == truly_below)).sum(axis=-1)
    known = ~np.isnan(judge + reference).any(axis=-1)
    return np.where(known, alike / (n * (n - 1) / 2), np.nan)


def _order(scores: Floats, place: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which of the scores after `place` lie above it, and which below."""
    lead = scores[..., place + 1 :] - scores[..., place, None]
    return lead >= TOLERANCE, lead <= -TOLERANCE
