"""Overestimation, HSPP plain and matched by rubric, score delta, ranks; what familiarity explains."""

from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Floats, Ints, Numbers
from engine.stats.few_events import (
    Estimate,
    Texts,
    cases_of_weights,
    few,
    leave_one_out,
    ratio_of_rates,
    studentised,
)

# ------------------------------------------------------------------------------
# Overestimation and the HSPP ratio (MEASURES section 2; RSP equations 1 to 4).


@dataclass(frozen=True)
class Relations:
    """Disjoint masks (judges, generators): the judge itself, its relatives without itself, everyone else."""

    self_mask: Bools
    family: Bools
    unrelated_mask: Bools

    @property
    def family_with_self(self) -> Bools:
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


def rate(hits: Numbers, trials: Numbers) -> Floats:
    """Return hits / trials, NaN where there are no trials."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(trials > 0, np.divide(hits, trials, dtype=np.float64), np.nan)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator / denominator, NaN where the denominator is 0 or either is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator != 0, numerator / denominator, np.nan)


def mean_of_defined(values: Floats, who: Bools | bool = True) -> Floats:
    """Return the mean over the last axis of what is defined and in `who`; NaN where nothing is.

    For rates (..., judges, generators), `who` marks the generators that count for each judge, each once.
    """
    defined = who & ~np.isnan(values)
    return rate(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))


def self_preference(over: Numbers, failed: Numbers, relations: Relations) -> SelfPreference:
    """Return O and HSPP-R for each judge (RSP equations 1 and 2).

    O(J, G) = over / failed, both of shape (..., judges, generators): of the unfavourable references, those
    that the judge called favourable; a generator without one is left out of the means. HSPP-R_self = O(J, J)
    / mean of O(J, G) over the unrelated; the family forms take the mean over J's relatives, without and with
    J. NaN where a part is missing or the denominator is 0.
    """
    rates = rate(over, failed)
    o_self, o_family = mean_of_defined(rates, relations.self_mask), mean_of_defined(rates, relations.family)
    o_other = mean_of_defined(rates, relations.unrelated_mask)
    return SelfPreference(
        o_self=o_self,
        o_family=o_family,
        o_other=o_other,
        hspp_self=ratio(o_self, o_other),
        hspp_family=ratio(o_family, o_other),
        hspp_family_with_self=ratio(mean_of_defined(rates, relations.family_with_self), o_other),
        difference_self=o_self - o_other,
    )


# ------------------------------------------------------------------------------
# The score of a response on an instance and of a model on all of them (MEASURES section 3).

ScoreKind = Literal["fraction", "weighted", "weighted_mean_clipped", "uniform"]

TOLERANCE = 1e-9  # numbers of a study that differ by less are equal: what is left is rounding


def levels(scores: Floats) -> NDArray[np.int32]:
    """Return the rank of each score among its instance's, equal for ties, -1 where there is none.

    `scores` has shape (..., generators, instances), NaN for none. Ranks compare within an instance only.
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


def system_score(totals: Floats, counts: Floats, kind: ScoreKind) -> Floats:
    """Return the mean score over instances from its total and their number; NaN where there is none.

    With `weighted_mean_clipped` only this mean is clipped to [0, 1], as HealthBench does.
    """
    mean = rate(totals, counts)
    return np.clip(mean, 0.0, 1.0) if kind == "weighted_mean_clipped" else mean


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
    others = mean_of_defined(centered, relations.unrelated_mask)
    return Deltas(
        raw=raw,
        centered=centered,
        leniency=leniency,
        bonus=mean_of_defined(centered, relations.self_mask) - others,
        family_bonus=mean_of_defined(centered, relations.family) - others,
    )


def average_ranks(scores: Floats) -> Floats:
    """Return the rank of each of a few scores, shape (..., scores), 1 the best; ties share one."""
    lead = scores[..., None, :] - scores[..., :, None]
    alike = (np.abs(lead) < TOLERANCE).sum(axis=-1)
    return np.asarray(1.0 + (lead >= TOLERANCE).sum(axis=-1) + (alike - 1) / 2)


def average_rank(scores: Floats, place: int) -> Floats:
    """Return `average_ranks` for only the score at `place` of the last axis; NaN where a score is NaN.

    It saves time: all ranks of 200 models in 1,000 resamples take half a minute.
    """
    lead = scores - scores[..., place, None]
    above, alike = lead >= TOLERANCE, np.abs(lead) < TOLERANCE
    rank = 1.0 + above.sum(axis=-1) + (alike.sum(axis=-1) - 1) / 2
    return np.where(np.isnan(scores).any(axis=-1), np.nan, rank)


@dataclass(frozen=True, eq=False)
class RankedScores:
    """The place of each score in its row, ties sharing one."""

    places: NDArray[np.unsignedinteger]  # (generators, rows), of the smallest type
    complete: Bools  # rows without a missing score
    shape: tuple[int, ...]  # of the rows

    @classmethod
    def of(cls, scores: Floats) -> "RankedScores":
        """Rank scores (..., generators); places have the smallest type, which compares fastest."""
        rows = scores.reshape(-1, scores.shape[-1])
        places = np.ascontiguousarray(levels(rows.T).astype(np.min_scalar_type(rows.shape[-1])))
        return cls(places, np.asarray(~np.isnan(rows).any(axis=-1)), scores.shape[:-1])


def pair_order(judge: RankedScores, reference: RankedScores) -> Floats:
    """Return the share of pairs of generators that `judge` orders like `reference`, ties included.

    Both have the same rows and at least two generators. NaN where a score is missing.
    """
    judged, truth = judge.places, reference.places
    n = len(judged)
    alike = np.zeros(judged.shape[1], dtype=np.int64)
    for place in range(n - 1):  # with those after it: all pairs at once would not fit the processor's cache
        after = slice(place + 1, None)
        same = (judged[after] > judged[place]) == (truth[after] > truth[place])
        same &= (judged[after] < judged[place]) == (truth[after] < truth[place])
        alike += np.add.reduce(same.view(np.uint8), axis=0, dtype=judged.dtype)
    share = np.where(judge.complete & reference.complete, alike / (n * (n - 1) / 2), np.nan)
    return share.reshape(judge.shape)


# ------------------------------------------------------------------------------
# System scores over complete instances, and ranks (MEASURES section 3).


@dataclass(frozen=True, eq=False)
class CompleteScores:
    """The scores of sources in their complete instances, 0 elsewhere."""

    values: Floats  # (sources, generators, instances)
    complete: Bools  # (sources, instances)
    scored: Bools  # (sources, generators) where a source has any score


def complete_scores(values: Floats) -> CompleteScores:
    """Keep the instances in which a source has a score for every generator that it scored at all."""
    present = ~np.isnan(values)
    scored = np.asarray(present.any(axis=-1))
    complete = np.asarray((present | ~scored[..., None]).all(axis=-2) & scored.any(axis=-1, keepdims=True))
    masked = np.where(present & complete[..., None, :], values, 0.0)
    return CompleteScores(masked, complete, scored)


def ranks(scores: Floats) -> Floats:
    """Return ranks along the last axis, 1 the highest; equal scores share their mean rank, NaN has none."""
    return _ranks(_order(scores), ~np.isnan(scores))


def _ranks(order: Floats, scored: Bools) -> Floats:
    """Return the ranks of scores in an `_order`; NaN where there is no score."""
    higher = (order < 0).sum(axis=-1)
    equal = scored.sum(axis=-1, keepdims=True) - (order != 0).sum(axis=-1)
    return np.where(scored, higher + (equal + 1) / 2, np.nan)


@dataclass(frozen=True)
class RankDistance:
    """The distance of two rankings, shape (...,): Kendall's tau-b, mean places moved, pairs reversed."""

    tau: Floats
    shift: Floats
    flips: Floats


def rank_distance(one: Floats, other: Floats) -> RankDistance:
    """Compare two sources' scores, shape (..., generators), on the generators that both have scored.

    tau-b = (pairs in one order - pairs reversed) / sqrt(pairs not tied in ours x pairs not tied in theirs);
    `shift` is the mean of |rank - rank|, ranks among these generators; `flips` counts the pairs reversed. NaN
    where fewer than two generators have both scores, tau also where a source ties them all.
    """
    both = ~(np.isnan(one) | np.isnan(other))
    a, b = (np.where(both, scores, np.nan) for scores in (one, other))
    first, second = _order(a), _order(b)
    product, number = first * second, both.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(np.abs(first).sum(axis=(-2, -1)) * np.abs(second).sum(axis=(-2, -1)))
        tau = product.sum(axis=(-2, -1)) / np.where(spread > 0, spread, np.nan)
        shift = np.nansum(np.abs(_ranks(first, both) - _ranks(second, both)), axis=-1) / number
    flips = (product < 0).sum(axis=(-2, -1)) / 2
    return RankDistance(*(np.where(number < 2, np.nan, values) for values in (tau, shift, flips)))


def _order(scores: Floats) -> Floats:
    """Return for each two scores which is higher: 1, -1, or 0 for equal ones and for NaN."""
    distance = scores[..., :, None] - scores[..., None, :]
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(distance) > TOLERANCE, np.sign(distance), 0.0)


# ------------------------------------------------------------------------------
# Own failures against others' on the same rubrics, each weighted by its information (MEASURES section 2).
#
# A judge's own failures may be the hard ones. So its own response and others' are compared where both failed
# the same rubric. `hspp_matched` counts each own failure once for every other response that failed the rubric
# too, so that rubrics that many failed dominate: each has one own verdict, however often it is counted.
# Mantel and Haenszel's risk ratio (Greenland and Robins, Biometrics 41, 1985) gives the own verdict on a
# rubric that n others failed the weight n / (n + 1), from a half to nearly one.


T_ON_THE_LOG = "t on the log, one instance left out at a time"

_MOST_SHARED = 2.0
_LEAST_INSTANCES = 5


@dataclass(frozen=True, eq=False)
class Matched:
    """Sums over the matched rubrics of each instance, shape (..., instances).

    `own` and `other` are the weights of credited own failures and of credited failures of others, `weights`
    those of all failures: the same sum on both sides. `own_squares` and `other_squares` sum squared weights.
    The counts, of shape (...,), are of distinct own failures and of others' failures, and of those credited.
    """

    own: Floats
    other: Floats
    weights: Floats
    own_squares: Floats
    other_squares: Floats
    n_own: Ints
    n_other: Ints
    credited_own: Ints
    credited_other: Ints


@dataclass(frozen=True, eq=False)
class MatchedRatio:
    """A ratio over matched rubrics, shape (...,)."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats
    method: Texts
    reason: Texts  # why there is no interval, "" where there is
    rubrics: Ints  # own failures that some other response shares
    instances: Ints  # those that have any


def matched_parts(
    own_credited: Bools,
    own_failed: Bools,
    other_credited: Numbers,
    other_failed: Numbers,
    instance_of: Ints,
    n_instances: int,
    *,
    mantel_haenszel: bool,
) -> Matched:
    """Return the parts of `hspp_matched`, or those of the Mantel-Haenszel ratio, by instance.

    All counts have shape (..., rubrics), one place for each rubric of an instance: whether J's own response
    failed it, and was credited; how many others' responses that J judged failed it, and were credited.
    `instance_of` has shape (rubrics,). Where the own response and n others failed, the own verdict weighs n
    and each other 1; by Mantel and Haenszel n / (n + 1) and 1 / (n + 1).
    """
    matched = own_failed & (other_failed > 0)
    n = np.where(matched, other_failed, 0).astype(np.float64)
    weight = np.where(matched, 1 / (n + 1) if mantel_haenszel else 1.0, 0.0)
    credited = own_credited & matched
    credited_others = np.where(matched, other_credited, 0)

    def by_instance(values: Floats) -> Floats:
        rows = values.reshape(prod(values.shape[:-1]), values.shape[-1])
        place = instance_of + n_instances * np.arange(len(rows))[:, None]
        summed = np.bincount(place.ravel(), rows.ravel(), n_instances * len(rows))
        return np.asarray(summed.reshape(*values.shape[:-1], n_instances), dtype=np.float64)

    return Matched(
        own=by_instance(n * weight * credited),
        other=by_instance(weight * credited_others),
        weights=by_instance(n * weight),
        own_squares=by_instance((n * weight) ** 2),
        other_squares=by_instance(n * weight**2),
        n_own=matched.sum(axis=-1),
        n_other=n.sum(axis=-1).astype(np.int64),
        credited_own=credited.sum(axis=-1),
        credited_other=credited_others.sum(axis=-1).astype(np.int64),
    )


def mantel_haenszel(own_credited: Bools, other_credited: Ints, other_failed: Ints) -> float:
    """Return one judge's Mantel-Haenszel ratio from own failures (`matched_parts`); NaN where undefined."""
    own = (own_credited * (other_failed / (other_failed + 1.0))).sum()
    other = (other_credited / (other_failed + 1.0)).sum()
    return float(own / other) if other > 0 else float("nan")


def matched_ratio(parts: Matched) -> MatchedRatio:
    """Return own / other, with an interval that takes instances as clusters.

    For the Mantel-Haenszel parts: RR = sum a n / (n + 1) / sum c / (n + 1) over rubrics, a whether the own
    failure was credited, c how many of the n others' were (one own failure in each stratum). The interval is
    that of Student's t on the logarithm; where either side has `few` credited or uncredited failures, the
    score interval of effective cases. Undefined without a matched rubric, or a credited failure of others.
    """
    value = rate(parts.own.sum(axis=-1), parts.other.sum(axis=-1))
    without = leave_one_out({"hits": parts.own, "trials": parts.other}, lambda sums: rate(**sums))
    large = studentised(value, without, null=1.0, log=True)
    small = _small(parts)
    credited = np.stack([parts.credited_own, parts.credited_other], axis=-1)
    on_few = few(credited, np.stack([parts.n_own, parts.n_other], axis=-1)) | np.isnan(large.low)
    ends = ((small.low, large.low), (small.high, large.high), (small.p, large.p))
    low, high, p = (np.where(on_few, of_few, of_many) for of_few, of_many in ends)
    reason = np.where(parts.n_own == 0, "no_matched_rubrics", np.where(on_few, small.reason, ""))
    method = np.where(reason == "", np.where(on_few, small.method, T_ON_THE_LOG), "")
    instances = (parts.weights > 0).sum(axis=-1)
    return MatchedRatio(value, low, high, p, method, reason, parts.n_own, instances)


def _small(parts: Matched) -> Estimate:
    """Return the score interval of effective cases, in which what both sides share cancels.

    A rubric that is easy to pass is easy for both sides. If that makes the variance of own - other smaller
    than under independence, the cases are worth more by that factor, at most `_MOST_SHARED`: few cases cannot
    show more. Few instances cannot show even that: the share 5 / instances of the gain is dropped.
    """
    own = cases_of_weights(parts.own, parts.weights, parts.own_squares)
    other = cases_of_weights(parts.other, parts.weights, parts.other_squares)
    own_residual = parts.own - own.rate[..., None] * parts.weights
    other_residual = parts.other - other.rate[..., None] * parts.weights
    independent = (own_residual**2 + other_residual**2).sum(axis=-1)
    paired = ((own_residual - other_residual) ** 2).sum(axis=-1)
    gain = np.divide(independent, paired, out=np.full(np.shape(independent), _MOST_SHARED), where=paired > 0)
    trust = np.maximum(1 - _LEAST_INSTANCES / np.maximum((parts.weights > 0).sum(axis=-1), 1), 0.0)
    worth = 1 + trust * np.where(independent > 0, np.clip(gain, 1.0, _MOST_SHARED) - 1, 0.0)
    return ratio_of_rates(*(replace(cases, number=cases.number * worth) for cases in (own, other)))


# ------------------------------------------------------------------------------
# The effect of authorship on a preference, alone and with familiarity held equal (Wataoka et al. 2024).
#
# Two regressions without intercept on the same cases, v on o, and v on o and f: v is how far a judge goes
# beyond outside judges, o is 1 for its own response and 0 for another's (their difference in pairs), f the
# familiarity of the response to the judge. Cases of one instance come as deviations from its means, or as
# differences within pairs, so that neither depends on what an instance is like.


MOMENTS = 5  # the number of sums that determine both regressions: oo, of, ff, ov, fv
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Effects:
    """Slopes for authorship alone (`own`), with familiarity `held` equal, and for familiarity itself."""

    own: Floats
    held: Floats
    familiarity: Floats

    @property
    def explained(self) -> Floats:
        """The part of the effect of authorship that vanishes when familiarity is held equal."""
        return self.own - self.held


def moments(o: Floats, f: Floats, v: Floats, instance: np.ndarray, n_instances: int) -> Floats:
    """Return the sums of products of cases, shape (MOMENTS, instances)."""
    products = (o * o, o * f, f * f, o * v, f * v)
    return np.stack([np.bincount(instance, weights=each, minlength=n_instances) for each in products])


def effects(sums: Floats) -> Effects:
    """Return the least-squares slopes from sums of products, shape (..., MOMENTS).

    All are NaN without an own response, `held` and `familiarity` also where the two always go together.
    """
    oo, of, ff, ov, fv = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    determinant = oo * ff - of * of
    separable = determinant > _ROUNDING * np.maximum(oo * ff, np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(oo > 0, ov / oo, np.nan)
        held = np.where(separable, (ov * ff - fv * of) / determinant, np.nan)
        familiarity = np.where(separable, (oo * fv - of * ov) / determinant, np.nan)
    return Effects(own, held, familiarity)
