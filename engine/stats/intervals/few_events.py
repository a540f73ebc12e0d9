"""Intervals for shares, ratios and differences of few cases (MEASURES section 17).

With 0 of 4 credited every resample has 0 of 4: the percentile interval has no width, and its p is as small
as p can be. Here a share has Wilson's interval, a ratio and a difference of two shares those of the score
test (Miettinen and Nurminen, Statistics in Medicine 4, 1985), which stay honest at 0. All three take cases
as independent: counts by instance first become the number of independent cases that they are worth
(`EventCases`), then an `Estimate`. docs/intervals.md says how often each of these intervals covers the truth.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from engine.stats import Bools, Floats, Numbers
from engine.stats.intervals.jackknife import ROUNDING

Texts = NDArray[np.str_]

FEW = 5  # credited or uncredited cases on a side of a comparison below which percentiles are not used
EXPECTED = 1.0
"""Expected credited and uncredited effective cases that a side needs: with fewer, no interval covers the
truth in 93 to 97 % of studies, as cases are whole numbers."""

WILSON = "Wilson, effective cases"
SCORE = "score, effective cases"

_MOST_STEPS, _SOLVED = 60, 1e-14
_FURTHEST = 20.0  # of a ratio's logarithm, in either direction


@dataclass(frozen=True, eq=False)
class EventCases:
    """A rate and the number of independent cases it is worth, shape (...,), NaN without a case."""

    rate: Floats
    number: Floats
    clusters: int  # instances in which there could be cases

    @classmethod
    def stacked(cls, groups: "Sequence[EventCases]") -> "EventCases":
        """Return the cases of several groups along a new first axis."""
        rates, numbers = ([getattr(group, name) for group in groups] for name in ("rate", "number"))
        return cls(np.stack(rates), np.stack(numbers), groups[0].clusters)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A number, its 95 % interval and its two-sided p-value, shape (...,); NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats  # NaN for a share, which has none
    method: str
    reason: Texts  # why there is no interval, else ""

    def each(self) -> "list[Estimate]":
        """Return the estimates along the first axis."""
        columns = zip(self.value, self.low, self.high, self.p, self.reason, strict=True)
        return [Estimate(value, low, high, p, self.method, reason) for value, low, high, p, reason in columns]


def few(credited: Numbers, cases: Numbers, below: int = FEW) -> Bools:
    """Return where a side has fewer than `below` credited or uncredited cases, raw counts of (..., sides).

    There the intervals of this module replace percentiles of resamples.
    """
    return np.asarray((np.minimum(credited, cases - credited) < below).any(axis=-1))


def correlation(credited: Numbers, cases: Numbers) -> Floats:
    """Return how strongly verdicts on one response to one instance correlate, from 0 to 1, shape (...,).

    The intraclass correlation by moments: the sum of (credited - p cases)^2 less what independence would
    give, over the sum of p (1 - p) cases (cases - 1). Counts have shape (..., generators, clusters), p is the
    rate of each generator; all are pooled, as few cases cannot show it for one side alone.
    """
    total = cases.sum(axis=-1, keepdims=True)
    p = credited.sum(axis=-1, keepdims=True) / np.maximum(total, 1)
    variance = p * (1 - p)
    within = ((credited - p * cases) ** 2 - variance * cases).sum(axis=(-2, -1))
    pairs = (variance * cases * (cases - 1)).sum(axis=(-2, -1))
    correlations = np.divide(within, pairs, out=np.zeros_like(pairs), where=pairs > ROUNDING)
    return np.asarray(np.clip(correlations, 0, 1))


def cases_of_share(credited: Numbers, cases: Numbers, within: Floats | None = None) -> EventCases:
    """Return the share credited of cases in clusters, both of shape (..., clusters).

    It is worth n / (1 + (m - 1) within) cases: n their number, m their mean number in the cluster of a case,
    `within` from `correlation`; without it, that of these cases alone.
    """
    number = cases.sum(axis=-1).astype(np.float64)
    if within is None:
        within = correlation(credited[..., None, :], cases[..., None, :])
    some = np.where(number > 0, number, np.nan)
    together = (cases.astype(np.float64) ** 2).sum(axis=-1) / some
    return EventCases(credited.sum(axis=-1) / some, some / (1 + (together - 1) * within), cases.shape[-1])


def cases_of_alike(rate: Floats, cases: Floats, draws: Floats, clusters: int) -> EventCases:
    """Return a rate of 0 or 1 and the number of clusters that its cases are worth, all of shape (...,).

    Cases that are all alike do not show how strongly those of a cluster correlate, so a cluster counts as
    one case; clusters with n cases each are worth (sum n)^2 / sum n^2 (Kish). sum n^2 is the variance of the
    resampled number of `cases`, `draws` of (resamples, ...), plus (sum n)^2 / clusters.
    """
    some = np.where(cases > 0, cases, np.nan)
    return EventCases(rate, some**2 / (draws.var(axis=0) + some**2 / clusters), clusters)


def cases_of_mean(credited: Numbers, cases: Numbers, who: Bools) -> EventCases:
    """Return the mean over the generators in `who` of their shares (each counts once: RSP eq. 2).

    Counts have shape (..., generators, clusters), `who` (..., generators). The mean p varies as much as the
    share of p (1 - p) / V independent cases, V its variance linearised over the clusters, in which all
    generators' verdicts are taken together; but at most what it would be worth if all cases were independent.
    """
    number = np.where(who, cases.sum(axis=-1), 0).astype(np.float64)
    present, size = number > 0, (number > 0).sum(axis=-1)
    some, members = np.where(present, number, np.nan), np.where(size > 0, size, np.nan)
    rates = credited.sum(axis=-1) / some
    mean = np.nansum(rates, axis=-1) / members
    influence = (credited - np.nan_to_num(rates)[..., None] * cases) / some[..., None]
    spread = _spread(np.nansum(influence, axis=-2)) / members**2
    independent = members**2 / np.where(present, 1 / some, 0.0).sum(axis=-1)
    return EventCases(mean, _worth(mean, spread, independent), cases.shape[-1])


def cases_of_weights(credited: Numbers, weights: Numbers, squares: Numbers) -> EventCases:
    """Return the weighted share of cases in clusters, all of shape (..., clusters).

    `credited` and `weights` are sums over a cluster's cases of the weights of those credited and of all,
    `squares` of the squared weights. Independent cases would be worth (sum w)^2 / sum w^2 (Kish).
    """
    total = weights.sum(axis=-1).astype(np.float64)
    some = np.where(total > 0, total, np.nan)
    rate = credited.sum(axis=-1) / some
    spread = _spread((credited - rate[..., None] * weights) / some[..., None])
    return EventCases(rate, _worth(rate, spread, some**2 / squares.sum(axis=-1)), credited.shape[-1])


def share(cases: EventCases) -> Estimate:
    """Return a share with Wilson's interval of its effective cases, a quantile of t in place of z.

    The t has one degree of freedom fewer than there are clusters or effective cases, whichever is smaller. It
    never has width 0. Franco, Little, Louis and Slud (Journal of Survey Statistics and Methodology 7, 2019)
    compare seven such intervals and recommend this one, the design effect taken from a model.
    """
    x, n = cases.rate, cases.number
    z = stdtrit(np.maximum(np.fmin(n, cases.clusters) - 1, 1.0), 0.975)
    middle, denominator = x + z**2 / (2 * n), 1 + z**2 / n
    half = z * np.sqrt(x * (1 - x) / n + z**2 / (4 * n**2))
    low = np.where(x <= ROUNDING, 0.0, (middle - half) / denominator)
    high = np.where(x >= 1 - ROUNDING, 1.0, (middle + half) / denominator)
    reason = np.where(np.isnan(x), "no_cases", "")
    low, high = (np.where(np.isnan(x), np.nan, end) for end in (low, high))
    return Estimate(x, low, high, np.full(np.shape(x), np.nan), WILSON, reason)


def ratio_of_rates(own: EventCases, other: EventCases) -> Estimate:
    """Return own rate / other rate with the score interval: the ratios that its test does not reject.

    The test of a ratio R divides own - R other by its error where the ratio is R, the rates fitted under it;
    `p` is that of R = 1, the same as for `difference`. None where the other rate is 0 (the number is
    undefined), and where fewer than `EXPECTED` cases are expected credited or uncredited.
    """
    reason = np.where(other.rate <= ROUNDING, "no_overestimation_of_others", _reasons(own, other))
    bound = np.full(np.shape(own.rate), _FURTHEST)
    low, high = _invert(lambda log_ratio: _z_of_ratio(own, other, np.exp(log_ratio)), bound)
    low = np.where(own.rate <= ROUNDING, 0.0, np.exp(low))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(other.rate > ROUNDING, own.rate / other.rate, np.nan)
    return _estimate(value, low, np.exp(high), own, other, reason)


def difference(own: EventCases, other: EventCases) -> Estimate:
    """Return own rate - other rate with the score interval: the differences that its test does not reject.

    Defined where both rates are, unless fewer than `EXPECTED` cases are expected credited or uncredited.
    """
    bound = np.full(np.shape(own.rate), 1 - ROUNDING)
    low, high = _invert(lambda gap: _z_of_difference(own, other, gap), bound)
    return _estimate(own.rate - other.rate, low, high, own, other, _reasons(own, other))


def _spread(influence: Floats) -> Floats:
    """Return the variance of a sum over clusters, from the influence of each."""
    n = influence.shape[-1]
    return np.asarray((influence**2).sum(axis=-1) * n / max(n - 1, 1))


def _worth(rate: Floats, spread: Floats, independent: Floats) -> Floats:
    """Return the effective number of cases, `independent` where nothing varies."""
    varies = spread > ROUNDING**2
    worth = np.divide(rate * (1 - rate), spread, out=np.full(np.shape(rate), np.inf), where=varies)
    return np.asarray(np.minimum(worth, independent))


def _reasons(own: EventCases, other: EventCases) -> Texts:
    n, m = own.number, other.number
    with np.errstate(invalid="ignore"):
        pooled = (n * own.rate + m * other.rate) / (n + m)
        expected = np.minimum(n, m) * np.minimum(pooled, 1 - pooled)
    absent = np.isnan(own.rate) | np.isnan(other.rate)
    return np.where(absent, "no_cases", np.where(expected < EXPECTED, "too_few_expected", ""))


def _estimate(
    value: Floats, low: Floats, high: Floats, own: EventCases, other: EventCases, reason: Texts
) -> Estimate:
    """Return the estimate, with an interval where there is no reason against; `p` is that of equal rates."""
    p = np.asarray(2 * ndtr(-np.abs(_z_of_difference(own, other, np.zeros(np.shape(own.rate))))))
    low, high, p = (np.where(reason == "", column, np.nan) for column in (low, high, p))
    return Estimate(value, low, high, p, SCORE, reason)


def _z_of_ratio(own: EventCases, other: EventCases, at: Floats) -> Floats:
    """Return the score statistic of own rate = `at` x other rate."""
    n, m = own.number, other.number
    x, y = n * own.rate, m * other.rate
    a, b, c = (n + m) * at, -(n * at + x + m + y * at), x + y
    fitted_other = (-b - np.sqrt(np.maximum(b**2 - 4 * a * c, 0))) / (2 * a)
    fitted_own = at * fitted_other
    variance = fitted_own * (1 - fitted_own) / n + at**2 * fitted_other * (1 - fitted_other) / m
    return _z(own.rate - at * other.rate, variance, n + m)


def _z_of_difference(own: EventCases, other: EventCases, gap: Floats) -> Floats:
    """Return the score statistic of own rate = other rate + `gap`."""
    n, m = own.number, other.number
    x, y, total = n * own.rate, m * other.rate, n + m
    second = (n + 2 * m) * gap - total - (x + y)
    first = (m * gap - total - 2 * y) * gap + (x + y)
    last = y * gap * (1 - gap)
    q = (second / (3 * total)) ** 3 - first * second / (6 * total**2) + last / (2 * total)
    size = np.sqrt(np.maximum((second / (3 * total)) ** 2 - first / (3 * total), 0))
    p = np.where(q < 0, -size, size)
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = (np.pi + np.arccos(np.clip(np.where(p == 0, 1.0, q / p**3), -1, 1))) / 3
    fitted_other = np.clip(2 * p * np.cos(angle) - second / (3 * total), 0, 1)
    fitted_own = np.clip(fitted_other + gap, 0, 1)
    variance = fitted_own * (1 - fitted_own) / n + fitted_other * (1 - fitted_other) / m
    return _z(own.rate - other.rate - gap, variance, total)


def _z(distance: Floats, variance: Floats, total: Floats) -> Floats:
    """Return distance / error, variance with the small-sample factor N / (N - 1); 0 for 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance * total / np.maximum(total - 1, 0.5))
        z = np.where(error > ROUNDING, distance / error, np.sign(distance) * np.inf)
    return np.where(np.abs(distance) <= ROUNDING, 0.0, z)


def _invert(z: Callable[[Floats], Floats], bound: Floats) -> tuple[Floats, Floats]:
    """Return where the falling statistic z crosses its upper and its lower quantile, within -bound and bound.

    An end itself, if it does not cross them there.
    """
    quantile = float(ndtri(0.975))
    targets = np.array([quantile, -quantile]).reshape(2, *[1] * np.ndim(bound))
    lower, upper = _root(lambda at: z(at) - targets, np.stack([-bound] * 2), np.stack([bound] * 2))
    return lower, upper


def _root(gap: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Return where each gap, falling and perhaps infinite at the ends, is 0; the nearer end if it never is.

    The next point is that of inverse quadratic interpolation where this is safe, and else the middle
    (Chandrupatla, Advances in Engineering Software 28, 1997).
    """
    new, other, of_new, of_other = high, low, gap(high), gap(low)
    root, unsolved = np.where(of_new > 0, high, low), (of_other > 0) & (of_new <= 0)
    share = np.full(low.shape, 0.5)
    for _ in range(_MOST_STEPS):
        if not unsolved.any():
            break
        at = new + share * (other - new)
        value = gap(at)
        root = np.where(unsolved, at, root)
        unsolved = unsolved & (np.abs(value) > _SOLVED)
        same_side = (value > 0) == (of_new > 0)
        last, of_last = np.where(same_side, new, other), np.where(same_side, of_new, of_other)
        other, of_other = np.where(same_side, other, new), np.where(same_side, of_other, of_new)
        new, of_new = at, value
        with np.errstate(all="ignore"):  # infinite and equal values have no interpolation
            place, height = (new - other) / (last - other), (of_new - of_other) / (of_last - of_other)
            first = of_new / (of_other - of_new) * of_last / (of_other - of_last)
            second = of_new / (of_last - of_new) * of_other / (of_last - of_other)
            share = first + (last - new) / (other - new) * second
            safe = (height**2 < place) & ((1 - height) ** 2 < 1 - place) & (share > 0) & (share < 1)
        share = np.where(safe, share, 0.5)
    return root
