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
    above = _order(scores[..., None, :] - scores[..., :, None])
    ranks: Floats = 1.0 + (above > 0).sum(axis=-1) + ((above == 0).sum(axis=-1) - 1) / 2
    return ranks


def pair_order(judge: Floats, reference: Floats) -> Floats:
    """Return the share of pairs of generators that `judge` orders as `reference` does, ties included.

    Both have shape (..., generators), of which there must be two at least. NaN where a score is.
    """
    one, two = np.triu_indices(judge.shape[-1], 1)
    alike = _order(judge[..., one] - judge[..., two]) == _order(reference[..., one] - reference[..., two])
    known = ~np.isnan(judge + reference).any(axis=-1)
    return np.where(known, alike.mean(axis=-1), np.nan)


def _order(difference: Floats) -> Floats:
    order: Floats = np.where(np.abs(difference) < TOLERANCE, 0.0, np.sign(difference))
    return order
