"""Scores corrected for a judge's errors, and the places they give (Rogan and Gladen; Angelopoulos et al.).

A judge's errors differ between its own responses, its relatives' and others', and a leaderboard from its
verdicts inherits that. If some instances have a reference, two corrections are known. Rogan and Gladen's
turns the share of favourable verdicts into the share of favourable references, by error rates estimated
here for each group of generators. The prediction-powered mean corrects the judge's mean by its error on the
instances with a reference, for each generator alone; it assumes nothing about the rates.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from engine.stats import Floats, Ints, Numbers
from engine.stats.intervals.jackknife import leave_one_out
from engine.stats.ratios import rate

_ROUNDING = 1e-12
_DRAWS = 4000
_LEAST_SEPARATION = 2.0  # the least distance of the judge's rates of passing, in standard errors


@dataclass(frozen=True, eq=False)
class Labelled:
    """A judge's verdicts where there is a reference, counts of shape (generators, instances)."""

    over: Numbers  # called favourable, of
    failed: Numbers  # unfavourable references
    credited: Numbers  # called favourable, of
    passed: Numbers  # favourable references


@dataclass(frozen=True, eq=False)
class CorrectedShares:
    """Corrected shares of favourable references, shape (generators,); NaN where there is a reason."""

    value: Floats
    low: Floats
    high: Floats
    error: Floats
    share: Floats  # the judge's own, uncorrected
    overestimation: Floats  # unfavourable references of the generator's group called favourable
    reason: NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class PoweredMeans:
    """Prediction-powered means, shape (generators,); `freedom` is that of the t."""

    value: Floats
    low: Floats
    high: Floats
    error: Floats
    covariance: Floats  # (generators, generators)
    freedom: Floats
    labels_to_halve: Floats  # unlabelled instances to label for half the width; NaN: more than all


@dataclass(frozen=True, eq=False)
class RankPlaces:
    """The place of each generator, 1 the highest, with the best and the worst it may have: (generators,)."""

    place: Floats
    low: Ints
    high: Ints


def rogan_gladen(share: Floats, overestimation: Floats, sensitivity: Floats) -> Floats:
    """Return (share - overestimation) / (sensitivity - overestimation), elementwise; it may leave 0 to 1.

    The share of favourable references behind this share of verdicts (Rogan and Gladen, American Journal of
    Epidemiology 107, 1978). NaN where sensitivity <= overestimation: verdicts then say nothing about it.
    """
    gap = sensitivity - overestimation
    empty = np.full(np.shape(gap), np.nan)
    return np.asarray(np.divide(share - overestimation, gap, out=empty, where=gap > _ROUNDING))


def corrected_shares(
    favourable: Numbers, judged: Numbers, labelled: Labelled, group: Ints
) -> CorrectedShares:
    """Return each generator's corrected share of favourable references on the instances without one.

    `favourable` of `judged` verdicts have shape (generators, instances without a reference); `group` (for
    example 0 for the judge itself, 1 for relatives, 2 for others) says whose errors are estimated together,
    pooled over generators. The error is that of the jackknife over both sets of instances; the interval is a
    t's with Satterthwaite's degrees of freedom. Value and interval are clipped to 0 to 1. Undefined where the
    group has no unfavourable or no favourable reference, or where its rates of calling them favourable are
    not `_LEAST_SEPARATION` errors apart.
    """
    together = group[:, None] == group[None, :]
    pooled = {name: np.tensordot(together, part, axes=1) for name, part in vars(labelled).items()}
    judge = {"favourable": favourable, "judged": judged}
    total = {name: part.sum(axis=-1).astype(np.float64) for name, part in (pooled | judge).items()}
    value = _shares(total)
    both = (leave_one_out(part, lambda without: _shares(total | dict(without))) for part in (pooled, judge))
    one, other = map(_jackknife, both)
    error = np.sqrt(one + other)
    freedom = _freedom(one, other, labelled.over.shape[-1], favourable.shape[-1])
    with np.errstate(invalid="ignore"):
        close = _gap(total) <= _LEAST_SEPARATION * np.sqrt(_jackknife(leave_one_out(pooled, _gap)))
    reason = np.where(close, "judge_does_not_tell_apart", "")
    reason = np.where((total["failed"] == 0) | (total["passed"] == 0), "no_rates", reason)
    reason = np.where(total["judged"] == 0, "no_verdicts", reason)
    reason = np.where((reason == "") & np.isnan(error), "too_few_instances", reason)
    reach = stdtrit(freedom, 0.975) * error
    ends = (value, value - reach, value + reach)
    value, low, high = (np.where(reason == "", np.clip(end, 0, 1), np.nan) for end in ends)
    error = np.where(reason == "", error, np.nan)
    share, over = rate(total["favourable"], total["judged"]), rate(total["over"], total["failed"])
    return CorrectedShares(value, low, high, error, share, over, reason)


def prediction_powered(
    reference: Floats, judge: Floats, judge_alone: Floats, *, tuning: Floats | None = None
) -> PoweredMeans:
    """Return each generator's mean reference score, with the judge's scores where there is no reference.

    `reference` and `judge` have shape (generators, n labelled instances), `judge_alone` (generators, N
    others), no score missing; NaN with fewer than 3 labelled instances or 2 others. With Y, f and f' these
    scores and lambda the tuning,
    value = mean(lambda f') + mean(Y - lambda f), error^2 = var(lambda f') / N + var(Y - lambda f) / n
    (Angelopoulos et al., Science 382, 2023). Unless given, lambda is the best one between 0 and 1: cov(Y, f)
    / ((1 + n / N) var f), the variance over all instances (Angelopoulos, Duchi and Zrnic, PPI++, 2023), which
    costs the labels one degree of freedom. The interval is a t's with Satterthwaite's degrees of freedom.
    """
    n, n_alone = reference.shape[-1], judge_alone.shape[-1]
    if n < 3 or n_alone < 2:
        none = np.full(len(reference), np.nan)
        return PoweredMeans(none, none, none, none, np.full((len(none),) * 2, np.nan), none, none)
    if tuning is None:
        spread = (1 + n / n_alone) * np.concatenate([judge, judge_alone], axis=-1).var(axis=-1, ddof=1)
        best = np.divide(_covariance(reference, judge), spread, out=np.zeros(len(spread)), where=spread > 0)
        lam = np.clip(best, 0, 1)[:, None]
    else:
        lam = np.broadcast_to(np.asarray(tuning, dtype=np.float64), reference.shape[:1])[:, None]
    fitted = int(tuning is None)
    rectifier, imputed = reference - lam * judge, lam * judge_alone
    value = imputed.mean(axis=-1) + rectifier.mean(axis=-1)
    labels = np.atleast_2d(np.cov(rectifier)) / n * (n - 1) / (n - 1 - fitted)
    parts = [labels, np.atleast_2d(np.cov(imputed)) / n_alone]
    covariance = parts[0] + parts[1]
    error = np.sqrt(np.diag(covariance))
    freedom = _freedom(np.diag(parts[0]), np.diag(parts[1]), n - fitted, n_alone)
    reach = stdtrit(freedom, 0.975) * error
    further = labels_to_halve(reference, judge, judge_alone)
    return PoweredMeans(value, value - reach, value + reach, error, covariance, freedom, further)


def labels_to_halve(reference: Floats, judge: Floats, judge_alone: Floats) -> Floats:
    """Return how many of the N unlabelled instances need a reference to halve the interval's width.

    With the best tuning the squared error of n labels among T = n + N instances is
    var(Y) ((1 - r^2) / n + r^2 / T), r the correlation of judge and reference (not below 0); the target is a
    quarter of it. NaN where that needs more than T: then more instances are needed, not only more labels.
    """
    n, every = reference.shape[-1], reference.shape[-1] + judge_alone.shape[-1]
    spread = reference.var(axis=-1) * judge.var(axis=-1)
    r = np.divide(_covariance(reference, judge), np.sqrt(spread), out=np.zeros(len(spread)), where=spread > 0)
    squared = np.clip(r, 0, 1) ** 2
    room = ((1 - squared) / n + squared / every) / 4 - squared / every
    labels = np.divide(1 - squared, room, out=np.full(len(room), np.inf), where=room > _ROUNDING)
    return np.where(labels <= every * (1 + _ROUNDING), np.ceil(labels - n - 1e-9), np.nan)


def places(value: Floats, covariance: Floats, rng: np.random.Generator) -> RankPlaces:
    """Return the interval of each generator's place (Mogstad, Romano, Shaikh and Wilhelm, 2024).

    A generator is surely below another if the interval of their difference excludes 0. All of its intervals
    hold at once with probability .95: their bound is the quantile of the largest |t|, drawn from the
    `covariance`. Its place is at best 1 + those surely above it, at worst all but those surely below. So each
    interval holds the true place with at least that probability; equal scores share their mean place.
    """
    gap = value[:, None] - value[None, :]
    variance = np.diag(covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0))
    noise = rng.multivariate_normal(np.zeros(len(value)), covariance, size=_DRAWS, method="eigh")
    usable = error > _ROUNDING
    safe = np.where(usable, error, np.inf)
    largest = [(np.abs(noise[:, [one]] - noise) / safe[one]).max(axis=1) for one in range(len(value))]
    bound = np.quantile(largest, 0.95, axis=1)[:, None] * np.where(usable, error, 0.0)
    above, below = (gap < -bound - _ROUNDING).sum(axis=1), (gap > bound + _ROUNDING).sum(axis=1)
    equal = (np.abs(gap) <= _ROUNDING).sum(axis=1)
    place = (gap < -_ROUNDING).sum(axis=1) + (equal + 1) / 2
    return RankPlaces(place, (1 + above).astype(np.int64), (len(value) - below).astype(np.int64))


def _shares(sums: Mapping[str, Floats]) -> Floats:
    rates = (("favourable", "judged"), ("over", "failed"), ("credited", "passed"))
    return rogan_gladen(*np.broadcast_arrays(*(rate(sums[hits], sums[cases]) for hits, cases in rates)))


def _gap(sums: Mapping[str, Floats]) -> Floats:
    return rate(sums["credited"], sums["passed"]) - rate(sums["over"], sums["failed"])


def _jackknife(left_out: Floats) -> Floats:
    """Return the jackknife's variance from numbers without each instance, shape (instances, ...)."""
    n = len(left_out)
    if n < 2:
        return np.full(left_out.shape[1:], np.nan)
    return np.asarray((n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))


def _freedom(one: Floats, other: Floats, n: int, m: int) -> Floats:
    """Return Satterthwaite's degrees of freedom of a sum of two variances, from n and m instances.

    With one instance a variance is NaN, and so is what is made of it.
    """
    spread = one**2 / (n - 1) + other**2 / (m - 1)
    freedom = (one + other) ** 2 / np.where(spread > 0, spread, 1.0)
    return np.asarray(np.where(spread > 0, freedom, min(n, m) - 1.0), dtype=np.float64)


def _covariance(a: Floats, b: Floats) -> Floats:
    """Return the mean product of deviations along the last axis."""
    centred = (a - a.mean(axis=-1, keepdims=True)) * (b - b.mean(axis=-1, keepdims=True))
    return np.asarray(centred.mean(axis=-1))
