"""Student's t from leaving out one instance at a time: intervals and p-values without a floor.

A p-value from B resamples cannot go below 2 / (B + 1), so that with 1,000 resamples and 30 judges nothing
can be significant after adjustment. A t can be as large as the data make it (MEASURES sections 13 and 17).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtr, stdtrit

from engine.stats import Bools, Floats, Ints, Numbers

POWER = 0.8
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Estimates:
    """Numbers with errors and Student's degrees of freedom; results are NaN where one is not `defined`."""

    value: Floats
    se: Floats
    freedom: Ints | Floats

    @classmethod
    def none(cls, judges: int) -> "Estimates":
        nothing = np.full(judges, np.nan)
        return cls(nothing, nothing, np.zeros(judges, dtype=np.int64))

    @cached_property
    def defined(self) -> Bools:
        """Which have a value, an error and a degree of freedom."""
        return np.asarray(np.isfinite(self.value) & (self.se > 0) & np.isfinite(self.se) & (self.freedom > 0))

    def p(self, taste: Floats | float = 0.0, *, null: float = 0.0) -> Floats:
        """Return two-sided p-values of `null`; `taste` is a variance that is added to the squared error."""
        distance = np.abs(self.value - null)
        return np.asarray(2 * stdtr(self._freedom, -distance / self._error(taste)), dtype=np.float64)

    def interval(self, taste: float = 0.0, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of 95 %, or another level; `taste` as for `p`."""
        reach = stdtrit(self._freedom, (1 + level) / 2) * self._error(taste)
        return self.value - reach, self.value + reach

    def with_variance(self, variance: Floats | float, freedom: float) -> "Estimates":
        """Return the numbers with an independent variance V in their errors, known with nu_V degrees.

        The degrees of freedom are Satterthwaite's, (se^2 + V)^2 / (se^4 / nu + V^2 / nu_V); those of the
        number itself where V is 0. Undefined where V is NaN.
        """
        own = self.se**2
        with np.errstate(divide="ignore", invalid="ignore"):
            total = (own + variance) ** 2 / (own**2 / self._freedom + np.square(variance) / freedom)
        degrees = np.where(np.isfinite(total) & (self.freedom > 0), total, self.freedom)
        return Estimates(self.value, np.sqrt(own + variance), degrees)

    def detectable(self, taste: float) -> Floats:
        """Return the smallest value that would be detected with power .8, given these errors."""
        reach = stdtrit(self._freedom, 0.975) + stdtrit(self._freedom, POWER)
        return np.asarray(reach * self._error(np.nan_to_num(taste)))

    def times_needed(self, taste: float, within: float) -> Floats:
        """Return how many times as many cases would decide if the values were true; NaN if none would.

        Errors fall with the root of the number of cases; what tastes add does not. Decided means a value
        detected with power .8, or a 95 % interval within `within` of 0, whichever takes fewer.
        """
        se = self._error(0.0)
        distance, room = np.abs(self.value), within - np.abs(self.value)
        reach = (ndtri(0.975) + ndtri(POWER)) ** 2
        spare = distance**2 - reach * np.nan_to_num(taste)
        with np.errstate(divide="ignore", invalid="ignore"):
            to_find = np.where(spare > 0, reach * se**2 / spare, np.nan)
            to_exclude = np.where(room > 0, (ndtri(0.975) * se / room) ** 2, np.nan)
        return np.asarray(np.fmin(to_find, to_exclude))

    @property
    def _freedom(self) -> Ints | Floats:
        return np.maximum(self.freedom, 1)

    def _error(self, taste: Floats | float) -> Floats:
        return np.sqrt(np.where(self.defined, self.se, np.nan) ** 2 + taste)


@dataclass(frozen=True, eq=False)
class Studentised:
    """Intervals and two-sided p from a jackknife error, shape (values,); NaN where undefined."""

    low: Floats
    high: Floats
    p: Floats
    error: Floats  # that of the logarithm if it was used; so is `freedom`
    freedom: Floats


def leave_one_out(
    parts: Mapping[str, Numbers], statistic: Callable[[Mapping[str, Floats]], Floats]
) -> Floats:
    """Return the number without each cluster in turn, shape (clusters, values).

    `parts` are counts of shape (..., clusters); `statistic` takes their sums, with any leading axes. It needs
    memory for (clusters, ...) numbers: pass only the rows that need it, not all of a large study.
    """
    without = {
        name: np.moveaxis(part.sum(axis=-1, keepdims=True) - part, -1, 0).astype(np.float64, order="C")
        for name, part in parts.items()
    }
    return np.asarray(statistic(without), dtype=np.float64)


def studentised(
    value: Floats, left_out: Floats, *, null: float, log: bool, instances: ArrayLike | None = None
) -> Studentised:
    """Return the interval of 95 % and the p-value of Student's t with the jackknife's error.

    `left_out` has shape (clusters, values). The squared error is (n - 1) / n times the sum of squares of the
    left-out numbers around their mean; its degrees of freedom are Satterthwaite's, 2 n / (kurtosis of the
    influences - 1), from 1 to n - 1, and at most `instances` - 1, the instances that hold the cases of the
    thinner side: without that bound the far tail is too light. With `log` logarithms are used, as for ratios.
    NaN where the number is undefined without some instance, or nothing varies.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, each = (np.log(value), np.log(left_out)) if log else (value, left_out)
        target = np.log(null) if log else null
        n = len(each)
        squared = (each.mean(axis=0) - each) ** 2  # of the influences
        second = squared.sum(axis=0)
        error = np.sqrt((n - 1) / n * second)
        excess = n * (squared**2).sum(axis=0) / second**2 - 1
        freedom = np.where(excess * (n - 1) > 2 * n, 2 * n / excess, n - 1.0)
    most = n - 1.0 if instances is None else np.minimum(np.asarray(instances, dtype=np.float64), n) - 1
    freedom = np.clip(freedom, 1.0, np.maximum(most, 1.0))
    defined = np.isfinite(middle) & np.isfinite(error) & (error > ROUNDING) & (np.asarray(most) >= 1)
    error, freedom = np.where(defined, error, np.nan), np.where(defined, freedom, np.nan)
    reach = stdtrit(freedom, 0.975) * error
    p = 2 * stdtr(freedom, -np.abs(middle - target) / error)
    low, high = middle - reach, middle + reach
    if log:
        with np.errstate(over="ignore"):
            low, high = np.exp(low), np.exp(high)
        low, high = (np.where(np.isfinite(high), end, np.nan) for end in (low, high))
    return Studentised(np.asarray(low), np.asarray(high), p, error, freedom)
