"""Own failures against others' on the same rubrics, each weighted by its information (MEASURES section 2).

A judge's own failures may be the hard ones. So its own response and others' are compared where both failed
the same rubric. `hspp_matched` counts each own failure once for every other response that failed the rubric
too, so that rubrics that many failed decide it: their own verdict is one, however often it is counted. Mantel
and Haenszel's risk ratio (Greenland and Robins, Biometrics 41, 1985) gives the own verdict on a rubric on
which n others failed the weight n / (n + 1), from a half to nearly one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from engine.stats.few_events import FEW, Estimate, Texts, cases_of_weights, ratio_of_rates
from engine.stats.jackknife import Studentised, leave_one_out, studentised
from engine.stats.self_preference import rate
from engine.stats.types import Bools, Floats, Ints

T_ON_THE_LOG = "t on the log, one instance left out at a time"

_MOST_SHARED = 2.0
_LEAST_INSTANCES = 5


@dataclass(frozen=True, eq=False)
class Matched:
    """What matched rubrics amount to in each instance, shape (..., instances).

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
    """A ratio over matched rubrics, shape (...,); `reason` says why there is no interval, "" where there is.

    `rubrics` counts the own failures that some other response shares, `instances` those that have any.
    """

    value: Floats
    low: Floats
    high: Floats
    p: Floats
    method: Texts
    reason: Texts
    rubrics: Ints
    instances: Ints


def mantel_haenszel_parts(
    own_credited: Bools,
    own_failed: Bools,
    other_credited: NDArray[np.number],
    other_failed: NDArray[np.number],
    instance_of: Ints,
    n_instances: int,
) -> Matched:
    """Return the parts of the Mantel-Haenszel ratio by instance.

    All counts have shape (..., rubrics), one place for each rubric of an instance: whether J's own response
    failed it and was credited, and on how many of others' responses J judged one that failed it, and credited
    it. `instance_of` has shape (rubrics,). With n others a rubric gives its own verdict n / (n + 1), each of
    theirs 1 / (n + 1); without an own failure, or another's, nothing.
    """
    return _parts(own_credited, own_failed, other_credited, other_failed, instance_of, n_instances, one=1.0)


def matched_parts(
    own_credited: Bools,
    own_failed: Bools,
    other_credited: NDArray[np.number],
    other_failed: NDArray[np.number],
    instance_of: Ints,
    n_instances: int,
) -> Matched:
    """Return the parts of `hspp_matched` by instance: an own verdict weighs n, each of the n others' 1."""
    return _parts(own_credited, own_failed, other_credited, other_failed, instance_of, n_instances, one=None)


def mantel_haenszel(own_credited: Bools, other_credited: Ints, other_failed: Ints) -> float:
    """Return the Mantel-Haenszel ratio of one judge alone, without its interval; NaN where it is undefined.

    Each shape (own failures,), as in `mantel_haenszel_parts`.
    """
    own = (own_credited * (other_failed / (other_failed + 1.0))).sum()
    other = (other_credited / (other_failed + 1.0)).sum()
    return float(own / other) if other > 0 else float("nan")


def matched_ratio(parts: Matched, *, level: float = 0.95) -> MatchedRatio:
    """Return own / other, with the interval of instances as clusters.

    Of the Mantel-Haenszel parts: RR = sum a n / (n + 1) / sum c / (n + 1) over rubrics, a whether the own
    failure was credited, c how many of the n others' were (one own failure in each stratum). The interval is
    that of Student's t on the logarithm; where fewer than `FEW` distinct failures of either side are
    credited, or uncredited, the score interval of effective cases. Undefined without a matched rubric, or
    where no failure of others is credited.
    """
    value = _ratio_of({"own": parts.own.sum(axis=-1), "other": parts.other.sum(axis=-1)})
    flat = {"own": parts.own, "other": parts.other}
    large = studentised(value, leave_one_out(flat, _ratio_of), null=1.0, log=True, level=level)
    small = _small(parts, level)
    few = np.minimum(
        np.minimum(parts.credited_own, parts.n_own - parts.credited_own),
        np.minimum(parts.credited_other, parts.n_other - parts.credited_other),
    ) < FEW  # fmt: skip
    return _choose(value, large, small, few | np.isnan(large.low), parts)


def _parts(
    own_credited: Bools,
    own_failed: Bools,
    other_credited: NDArray[np.number],
    other_failed: NDArray[np.number],
    instance_of: Ints,
    n_instances: int,
    one: float | None,
) -> Matched:
    """Sum by instance; another's verdict weighs 1 / (n + `one`), 1 without `one`, the own n times as much."""
    there = own_failed & (other_failed > 0)
    n = np.where(there, other_failed, 0).astype(np.float64)
    each = np.where(there, 1.0 if one is None else 1 / (n + one), 0.0)
    credited = own_credited & there
    theirs = np.where(there, other_credited, 0)

    def by_instance(values: Floats) -> Floats:
        rows = values.reshape(prod(values.shape[:-1]), values.shape[-1])
        place = instance_of + n_instances * np.arange(len(rows))[:, None]
        summed = np.bincount(place.ravel(), rows.ravel(), n_instances * len(rows))
        return np.asarray(summed.reshape(*values.shape[:-1], n_instances), dtype=np.float64)

    return Matched(
        own=by_instance(n * each * credited),
        other=by_instance(each * theirs),
        weights=by_instance(n * each),
        own_squares=by_instance((n * each) ** 2),
        other_squares=by_instance(n * each**2),
        n_own=there.sum(axis=-1),
        n_other=n.sum(axis=-1).astype(np.int64),
        credited_own=credited.sum(axis=-1),
        credited_other=theirs.sum(axis=-1).astype(np.int64),
    )


def _ratio_of(sums: Mapping[str, Floats]) -> Floats:
    return rate(sums["own"], sums["other"])


def _small(parts: Matched, level: float) -> Estimate:
    """Return the score interval of effective cases, in which what both sides share cancels.

    A rubric that is easily passed is so for both sides. Where that makes the variance of own - other smaller
    than were they independent, the cases are worth so much more, at most `_MOST_SHARED` times: few cases
    cannot tell more. Few instances cannot tell even that: of the gain, 5 / instances is not taken.
    """
    one = cases_of_weights(parts.own, parts.weights, parts.own_squares)
    rest = cases_of_weights(parts.other, parts.weights, parts.other_squares)
    mine, theirs = (
        credited - cases.rate[..., None] * parts.weights
        for credited, cases in ((parts.own, one), (parts.other, rest))
    )
    apart = (mine**2 + theirs**2).sum(axis=-1)
    together = ((mine - theirs) ** 2).sum(axis=-1)
    shared = np.divide(apart, together, out=np.full(np.shape(apart), _MOST_SHARED), where=together > 0)
    known = np.maximum(1 - _LEAST_INSTANCES / np.maximum((parts.weights > 0).sum(axis=-1), 1), 0.0)
    worth = 1 + known * np.where(apart > 0, np.clip(shared, 1.0, _MOST_SHARED) - 1, 0.0)
    return ratio_of_rates(
        replace(one, number=one.number * worth), replace(rest, number=rest.number * worth), level=level
    )


def _choose(value: Floats, large: Studentised, small: Estimate, few: Bools, parts: Matched) -> MatchedRatio:
    low, high, p = (
        np.where(few, a, b) for a, b in ((small.low, large.low), (small.high, large.high), (small.p, large.p))
    )
    reason = np.where(few, small.reason, "")
    reason = np.where(parts.n_own == 0, "no_matched_rubrics", reason)
    method = np.where(reason == "", np.where(few, small.method, T_ON_THE_LOG), "")
    instances = (parts.weights > 0).sum(axis=-1)
    return MatchedRatio(value, low, high, p, method, reason, parts.n_own, instances)
