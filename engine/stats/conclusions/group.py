"""The judges together: whether they favour themselves as a group (MEASURES section 18).

A self-preference that every judge has is found in no single row. Families are the units: the mean of their
judges' numbers is tested by Student's t over families, and against the assignment of families to other
families' responses.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.special import stdtr, stdtrit

from engine.stats import Bools, Floats, Ints

FEWEST_FAMILIES = 4
"""With fewer families the judges together are not tested."""
MOST_ASSIGNMENTS = 10_000
"""With more derangements than this, as many are drawn."""
_ALL_UP_TO = 7  # families: 1,854 derangements; 8 have 14,833
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class GroupEstimate:
    """The mean of the families' means, its interval and p by Student's t; NaN with fewer than 4 families.

    `which` are the families, `of_family` their means.
    """

    estimate: float
    low: float
    high: float
    p: float
    which: Ints
    of_family: Floats

    @property
    def families(self) -> int:
        return len(self.which)

    @property
    def tested(self) -> bool:
        return self.families >= FEWEST_FAMILIES


def group_estimate(value: Floats, weight: Floats, family: Ints) -> GroupEstimate:
    """Return the mean over families of the weighted means of their judges, shape (judges,); NaN are left out.

    theta_F = sum w theta / sum w over the judges of F, w = 1 / (se^2 + T) (1 / se^2 where T is unknown); the
    estimate is the plain mean of theta_F, tested against 0 with (families - 1) degrees of freedom, two-sided.
    """
    counted = np.isfinite(value) & np.isfinite(weight) & (weight > 0)
    which, place = np.unique(family[counted], return_inverse=True)
    total = np.bincount(place, weight[counted], len(which))
    of_family = np.bincount(place, weight[counted] * value[counted], len(which)) / total
    number = len(which)
    if not number:
        return GroupEstimate(np.nan, np.nan, np.nan, np.nan, which, of_family)
    mean = float(of_family.mean())
    if number < FEWEST_FAMILIES:
        return GroupEstimate(mean, np.nan, np.nan, np.nan, which, of_family)
    se = float(of_family.std(ddof=1) / np.sqrt(number))
    reach = float(stdtrit(number - 1, 0.975)) * se
    p = float(2 * stdtr(number - 1, -abs(mean) / se)) if se > 0 else float(mean == 0)
    return GroupEstimate(mean, mean - reach, mean + reach, p, which, of_family)


@dataclass(frozen=True)
class Assignments:
    """The share of assignments whose mean lies at least as far in the estimate's direction, and their number.

    NaN without a placebo.
    """

    p: float
    number: int


def assignment_p(estimate: float, placebos: Floats, assigned: Ints) -> Assignments:
    """Return how often families assigned to other families' responses reach the estimate.

    `placebos`, (families, families), are the means of the row's judges on the column's responses; `assigned`
    are `derangements` of the families. Where a family has no placebo on the responses assigned to it, the
    mean is that of the others.
    """
    if len(placebos) < 2 or not np.isfinite(placebos).any() or not np.isfinite(estimate):
        return Assignments(np.nan, 0)
    values = placebos[np.arange(len(placebos)), assigned]
    defined = np.isfinite(values)
    some = defined.any(axis=1)
    means = np.where(defined, values, 0.0).sum(axis=1)[some] / defined.sum(axis=1)[some]
    as_far = np.sign(estimate) * means >= abs(estimate) - _ROUNDING
    return Assignments(float(as_far.mean()), len(means))


def derangements(size: int, rng: np.random.Generator) -> Ints:
    """Return permutations that leave nothing in its place, one a row: all of them, or 10,000 drawn."""
    places = np.arange(size)
    if size <= _ALL_UP_TO:
        everything = np.array(list(permutations(range(size))), dtype=np.int64)
        return np.asarray(everything[(everything != places).all(axis=1)])
    sample = np.empty((0, size), dtype=np.int64)
    while len(sample) < MOST_ASSIGNMENTS:
        shuffled = rng.permuted(np.tile(places, (MOST_ASSIGNMENTS, 1)), axis=1)
        sample = np.concatenate([sample, shuffled[(shuffled != places).all(axis=1)]])
    return sample[:MOST_ASSIGNMENTS]


def share_left(estimate: float, value: Floats, weight: Floats, family: Ints) -> float:
    """Return the group's estimate of other values, with the same weights, as a share of `estimate`."""
    return group_estimate(value, weight, family).estimate / estimate


def given_or_replaced(value: Floats, other: Floats) -> Floats:
    """Return `other` where it is defined, else `value`: what cannot be told of a judge changes nothing."""
    return np.where(np.isfinite(other), other, value)


def mean_over_families(value: Floats, family: Ints, counted: Bools) -> float:
    """Return the mean over families of the plain means of their judges."""
    keep = counted & np.isfinite(value)
    if not keep.any():
        return np.nan
    which, place = np.unique(family[keep], return_inverse=True)
    return float(
        (np.bincount(place, value[keep], len(which)) / np.bincount(place, minlength=len(which))).mean()
    )
