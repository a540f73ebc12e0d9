"""Overestimation and the HSPP ratio (MEASURES section 2; RSP equations 1 to 4)."""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Floats, Numbers
from engine.stats.ratios import rate, ratio


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


def self_preference(over: Numbers, failed: Numbers, relations: Relations) -> SelfPreference:
    """Return O and HSPP-R for each judge (RSP equations 1 and 2).

    O(J, G) = over / failed, both of shape (..., judges, generators): of the unfavourable references, those
    that the judge called favourable; a generator without one is left out of the means. HSPP-R_self = O(J, J)
    / mean of O(J, G) over the unrelated; the family forms take the mean over J's relatives, without and with
    J. NaN where a part is missing or the denominator is 0.
    """
    rates = rate(over, failed)
    defined = ~np.isnan(rates)
    filled = np.where(defined, rates, 0.0)

    def mean_over(who: Bools) -> Floats:
        return rate(_sum_over(filled, who), _sum_over(defined, who))

    o_self, o_family = mean_over(relations.self_mask), mean_over(relations.family)
    o_other = mean_over(relations.unrelated_mask)
    return SelfPreference(
        o_self=o_self,
        o_family=o_family,
        o_other=o_other,
        hspp_self=ratio(o_self, o_other),
        hspp_family=ratio(o_family, o_other),
        hspp_family_with_self=ratio(mean_over(relations.family_with_self), o_other),
        difference_self=o_self - o_other,
    )


def _sum_over(values: Numbers, who: Bools) -> Floats:
    """Return the sums over each judge's generators in `who`, shape (..., judges)."""
    return np.asarray(np.einsum("...jg,jg->...j", values, who, dtype=np.float64))
