"""Score deltas: how far a judge lifts a model above the reference (MEASURES section 8; RSP Figure 5)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.overestimation import Kinship, mean_of_defined, mean_over
from engine.metrics.scores import TOLERANCE, levels

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


@dataclass(frozen=True, eq=False)
class Placed:
    """Scores put in order: the place of each among its row's, ties sharing one, shape (generators, rows).

    `known` marks the rows in which every score is there, `shape` is that of the rows.
    """

    places: NDArray[np.unsignedinteger]
    known: NDArray[np.bool_]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, scores: Floats) -> "Placed":
        """Put scores of shape (..., generators) in order.

        The places are the smallest whole numbers that can count the generators: they compare fastest.
        """
        rows = scores.reshape(-1, scores.shape[-1])
        kind = next(kind for kind in (np.uint8, np.uint16, np.uint32) if rows.shape[-1] <= np.iinfo(kind).max)
        places = np.ascontiguousarray(levels(rows.T).astype(kind))
        return cls(places, np.asarray(~np.isnan(rows).any(axis=-1)), scores.shape[:-1])


def pair_order(judge: Placed, reference: Placed) -> Floats:
    """Return the share of pairs of generators that `judge` orders as `reference` does, ties included.

    Both are of as many rows, and of two generators at least. NaN where a score is.
    """
    mine, truth = judge.places, reference.places
    n = len(mine)
    alike = np.zeros(mine.shape[1], dtype=np.int64)
    for place in range(n - 1):  # with those after it: all pairs at once would leave the processor's cache
        after = slice(place + 1, None)
        same = (mine[after] > mine[place]) == (truth[after] > truth[place])
        same &= (mine[after] < mine[place]) == (truth[after] < truth[place])
        alike += np.add.reduce(same.view(np.uint8), axis=0, dtype=mine.dtype)
    share = np.where(judge.known & reference.known, alike / (n * (n - 1) / 2), np.nan)
    return share.reshape(judge.shape)
