"""Overestimation, HSPP, delta, ranks."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.stats.types import Bools, Floats

# ------------------------------------------------------------------------------
# Overestimation and the HSPP ratio (MEASURES section 2; RSP equations 1 to 4).


@dataclass(frozen=True)
class Relations:
    """Who is who to whom: three masks of shape (judges, generators), disjoint.

    `self_mask` marks the judge itself, `family` its relatives without itself, `unrelated_mask` everyone else.
    """

    self_mask: Bools
    family: Bools
    unrelated_mask: Bools

    @property
    def family_with_self(self) -> Bools:
        """The judge and its relatives."""
        return self.self_mask | self.family


@dataclass(frozen=True)
class SelfPreference:
    """Overestimation rates and their ratios, one for each judge: shape (..., judges)."""

    o_self: Floats
    o_family: Floats
    o_other: Floats
    hspp_self: Floats
    hspp_family: Floats
    hspp_family_with_self: Floats
    difference_self: Floats


def rate(hits: NDArray[np.number], trials: NDArray[np.number]) -> Floats:
    """Return hits / trials, NaN where there are no trials."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(trials > 0, np.divide(hits, trials, dtype=np.float64), np.nan)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator / denominator, NaN where the denominator is 0 or either is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator != 0, numerator / denominator, np.nan)


def mean_over(rates: Floats, who: Bools) -> Floats:
    """Return the mean over the generators in `who`; each defined rate counts once.

    `rates` has shape (..., judges, generators), `who` (judges, generators). NaN where no generator
    in `who` has a rate.
    """
    defined = who & ~np.isnan(rates)
    total = np.where(defined, rates, 0.0).sum(axis=-1)
    return rate(total, defined.sum(axis=-1))


def self_preference(
    over: NDArray[np.number], failed: NDArray[np.number], relations: Relations
) -> SelfPreference:
    """Return O and HSPP-R for each judge (RSP equations 1 and 2).

    O(J, G) = over / failed, both of shape (..., judges, generators): of the unfavourable references,
    those that the judge called favourable. A generator without an unfavourable reference has no rate
    and is left out of the means. HSPP-R_self = O(J, J) / mean of O(J, G) over the unrelated; the family
    forms take the mean over J's relatives, without and with J. Undefined (NaN) where a part is missing
    or the denominator is 0.
    """
    rates = rate(over, failed)
    o_self, o_family = mean_over(rates, relations.self_mask), mean_over(rates, relations.family)
    o_other = mean_over(rates, relations.unrelated_mask)
    return SelfPreference(
        o_self=o_self,
        o_family=o_family,
        o_other=o_other,
        hspp_self=ratio(o_self, o_other),
        hspp_family=ratio(o_family, o_other),
        hspp_family_with_self=ratio(mean_over(rates, relations.family_with_self), o_other),
        difference_self=o_self - o_other,
    )


def mean_of_defined(values: Floats) -> Floats:
    """Return the mean over the last axis of what is defined; NaN where nothing is."""
    defined = ~np.isnan(values)
    return rate(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))


# ------------------------------------------------------------------------------
# The score of a response on an instance and of a model on all of them (MEASURES section 3).

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


# ------------------------------------------------------------------------------
# Score deltas: how far a judge lifts a model above the reference (MEASURES section 8; RSP Figure 5).


@dataclass(frozen=True)
class Deltas:
    """Shares of shape (..., judges, generators) and, for each judge, (..., judges); NaN where undefined."""

    raw: Floats
    centered: Floats
    leniency: Floats
    bonus: Floats
    family_bonus: Floats


def deltas(judge: Floats, reference: Floats, relations: Relations) -> Deltas:
    """Return raw(J, G) = Score_J(G) - Score*(G), its deviation from the judge's mean, and the bonuses.

    `judge` and `reference` hold system scores of shape (..., judges, generators), over the instances where
    both exist. leniency(J) is the mean of raw over generators; bonus(J) is the judge's own centered delta
    minus the mean over generators outside its family, family_bonus its relatives' mean minus the same.
    """
    raw = judge - reference
    leniency = mean_of_defined(raw)
    centered = raw - leniency[..., None]
    others = mean_over(centered, relations.unrelated_mask)
    return Deltas(
        raw=raw,
        centered=centered,
        leniency=leniency,
        bonus=mean_over(centered, relations.self_mask) - others,
        family_bonus=mean_over(centered, relations.family) - others,
    )


def average_ranks(scores: Floats) -> Floats:
    """Return the rank of each of a few scores, shape (..., scores), 1 the best; ties share one."""
    lead = scores[..., None, :] - scores[..., :, None]
    alike = (np.abs(lead) < TOLERANCE).sum(axis=-1)
    return np.asarray(1.0 + (lead >= TOLERANCE).sum(axis=-1) + (alike - 1) / 2)


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
    known: Bools
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


# ------------------------------------------------------------------------------
# System scores over complete instances, and ranks (MEASURES section 3).


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
    scored = np.asarray(known.any(axis=-1))
    complete = np.asarray((known | ~scored[..., None]).all(axis=-2) & scored.any(axis=-1, keepdims=True))
    counted = np.where(known & complete[..., None, :], values, 0.0)
    return CompleteScores(counted, complete, scored)


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
