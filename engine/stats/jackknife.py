"""Student's t from leaving out one instance at a time: intervals and p-values without a floor.

A p-value from B resamples cannot go below 2 / (B + 1), so that with 1,000 resamples and 30 judges nobody can
be found after adjustment. A t can be as large as the data make it (MEASURES sections 13 and 17).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from engine.stats.types import Floats

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Studentised:
    """A number with its jackknife error and what follows from it, shape (values,); NaN where undefined.

    `error` and `freedom` are those of the logarithm where `log` is set. `p` is two-sided against `null`.
    """

    value: Floats
    low: Floats
    high: Floats
    p: Floats
    error: Floats
    freedom: Floats
    null: float
    log: bool


def leave_one_out(
    parts: Mapping[str, NDArray[np.number]], statistic: Callable[[Mapping[str, Floats]], Floats]
) -> Floats:
    """Return the number without each cluster in turn, shape (clusters, values).

    `parts` are counts of shape (..., clusters); `statistic` takes them added up, with any leading axes. Room
    is made for (clusters, ...) numbers: give it the rows that need it, not all of a large study.
    """
    without = {
        name: np.moveaxis(part.sum(axis=-1, keepdims=True) - part, -1, 0).astype(np.float64)
        for name, part in parts.items()
    }
    return np.asarray(statistic(without), dtype=np.float64)


def studentised(
    value: Floats,
    left_out: Floats,
    *,
    null: float,
    log: bool,
    instances: ArrayLike | None = None,
    level: float = 0.95,
) -> Studentised:
    """Return the interval and the p-value of Student's t with the jackknife's error.

    `left_out` has shape (clusters, values). The squared error is (n - 1) / n times the sum of squares of the
    left-out numbers around their mean; its degrees of freedom are Satterthwaite's, 2 n / (kurtosis of the
    influences - 1), from 1 to n - 1, and at most `instances` - 1, the instances that hold the cases of the
    thinner side: without that bound the far tail is too light. With `log` all is done on logarithms, as for
    ratios. NaN where the number is undefined without some instance, or nothing varies.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, each = (np.log(value), np.log(left_out)) if log else (value, left_out)
        target = np.log(null) if log else null
        n = len(each)
        influence = each.mean(axis=0) - each
        second = (influence**2).sum(axis=0)
        error = np.sqrt((n - 1) / n * second)
        excess = n * (influence**4).sum(axis=0) / second**2 - 1
        freedom = np.where(excess * (n - 1) > 2 * n, 2 * n / excess, n - 1.0)
    most = n - 1.0 if instances is None else np.minimum(np.asarray(instances, dtype=np.float64), n) - 1
    freedom = np.clip(freedom, 1.0, np.maximum(most, 1.0))
    known = np.isfinite(middle) & np.isfinite(error) & (error > _ROUNDING) & (np.asarray(most) >= 1)
    error, freedom = np.where(known, error, np.nan), np.where(known, freedom, np.nan)
    reach = stdtrit(freedom, (1 + level) / 2) * error
    p = 2 * stdtr(freedom, -np.abs(middle - target) / error)
    low, high = middle - reach, middle + reach
    if log:
        with np.errstate(over="ignore"):
            low, high = np.exp(low), np.exp(high)
        low, high = (np.where(np.isfinite(high), end, np.nan) for end in (low, high))
    return Studentised(value, np.asarray(low), np.asarray(high), p, error, freedom, null, log)


def refine(p: Floats, tail: Floats, resamples: ArrayLike) -> Floats:
    """Return the p-values of resamples, those at their floor continued by a studentised tail.

    The floor of B resamples is 2 / (B + 1): no draw, or none but ties, lies beyond the null value. There p is
    the smaller of the floor and `tail`, elsewhere it stays; so it never rises, and order is kept. A `tail` of
    NaN changes nothing. MEASURES section 17.
    """
    floor = 2 / (np.asarray(resamples, dtype=np.float64) + 1)
    at_floor = (p <= floor * (1 + _ROUNDING)) & ~np.isnan(tail)
    return np.where(at_floor, np.fmin(p, tail), p)
