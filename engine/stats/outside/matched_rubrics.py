"""Own failures against others' on the same rubrics, each weighted by its information (MEASURES section 2).

A judge's own failures may be the hard ones. So its own response and others' are compared where both failed
the same rubric. `hspp_matched` counts each own failure once for every other response that failed the rubric
too, so that rubrics that many failed dominate: each has one own verdict, however often it is counted.
Mantel and Haenszel's risk ratio (Greenland and Robins, Biometrics 41, 1985) gives the own verdict on a
rubric that n others failed the weight n / (n + 1), from a half to nearly one.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from engine.stats import Bools, Floats, Ints, Numbers
from engine.stats.intervals.few_events import Estimate, Texts, cases_of_weights, few, ratio_of_rates
from engine.stats.intervals.jackknife import leave_one_out, studentised
from engine.stats.ratios import rate

T_ON_THE_LOG = "t on the log, one question left out at a time"

_MOST_SHARED = 2.0
_LEAST_INSTANCES = 5


@dataclass(frozen=True, eq=False)
class MatchedSums:
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
) -> MatchedSums:
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

    return MatchedSums(
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


def matched_terms(own_credited: Bools, other_credited: Ints, other_failed: Ints) -> Floats:
    """Return what the ratios of one judge sum over its own failures, shape (5, failures).

    With n others' responses that failed the rubric too, c of them credited, and a whether the own failure
    was: n, n a and c; by Mantel and Haenszel n a / (n + 1) and c / (n + 1).
    """
    n = other_failed.astype(np.float64)
    counts = np.stack([n, n * own_credited, other_credited])
    return np.concatenate([counts, counts[1:] / (n + 1)])


def matched_ratio(parts: MatchedSums) -> MatchedRatio:
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


def _small(parts: MatchedSums) -> Estimate:
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
