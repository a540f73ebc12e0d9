"""Overestimation and the HSPP ratio (MEASURES section 2; RSP equations 1 to 4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Kinship:
    """Who is who to whom: three masks of shape (judges, generators), disjoint.

    `own` marks the judge itself, `family` its relatives without itself, `other` everyone else.
    """

    own: Bools
    family: Bools
    other: Bools

    @property
    def family_with_self(self) -> Bools:
        """The judge and its relatives."""
        return self.own | self.family


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


def self_preference(over: NDArray[np.number], failed: NDArray[np.number], kin: Kinship) -> SelfPreference:
    """Return O and HSPP-R for each judge (RSP equations 1 and 2).

    O(J, G) = over / failed, both of shape (..., judges, generators): of the unfavourable references,
    those that the judge called favourable. A generator without an unfavourable reference has no rate
    and is left out of the means. HSPP-R_self = O(J, J) / mean of O(J, G) over `kin.other`; the family
    forms take the mean over J's relatives, without and with J. Undefined (NaN) where a part is missing
    or the denominator is 0.
    """
    rates = rate(over, failed)
    o_self, o_family = mean_over(rates, kin.own), mean_over(rates, kin.family)
    o_other = mean_over(rates, kin.other)
    return SelfPreference(
        o_self=o_self,
        o_family=o_family,
        o_other=o_other,
        hspp_self=ratio(o_self, o_other),
        hspp_family=ratio(o_family, o_other),
        hspp_family_with_self=ratio(mean_over(rates, kin.family_with_self), o_other),
        difference_self=o_self - o_other,
    )


def mean_of_defined(values: Floats) -> Floats:
    """Return the mean over the last axis of what is defined; NaN where nothing is."""
    defined = ~np.isnan(values)
    return rate(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))
