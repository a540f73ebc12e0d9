"""Verdicts that are missing: more often on a judge's own cells than on others', beyond chance (section 16).

What was asked and has no verdict, and what has no row at all where others have one, are missing alike: to
drop rows before an import is what people do.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from engine.stats import Bools, Counts, Floats
from engine.stats.ratios import rate

GAP = 0.02
"""The difference of two shares of missing verdicts from which they count as unequal."""
SURE = 0.05
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class MissingShares:
    """Of some cells, the shares that were asked without a verdict and that have no row: (judges,).

    NaN without a cell.
    """

    missing: Floats
    absent: Floats

    @classmethod
    def of(cls, judged: Counts, missing: Counts, absent: Counts) -> "MissingShares":
        total = judged + missing + absent
        return cls(rate(missing, total), rate(absent, total))

    @property
    def together(self) -> Floats:
        return np.asarray(self.missing + self.absent)


def larger_by_gap(share: MissingShares, other: MissingShares) -> Bools:
    """Return where a share of missing verdicts exceeds another by 2 points or more."""
    return np.asarray(np.nan_to_num(share.together - other.together) >= GAP - _ROUNDING)


def beyond_chance(missing: Counts, cells: Counts, other_missing: Counts, other_cells: Counts) -> bool:
    """Return whether two shares of missing verdicts differ by the paired t over instances, p < .05.

    All have shape (instances,); only instances with cells of both kinds count.
    """
    both = (cells > 0) & (other_cells > 0)
    difference = missing[both] / cells[both] - other_missing[both] / other_cells[both]
    number = len(difference)
    if number < 2:
        return False
    mean, spread = float(difference.mean()), float(difference.std(ddof=1))
    if spread <= _ROUNDING:
        return abs(mean) > _ROUNDING
    return float(2 * stdtr(number - 1, -abs(mean) / (spread / np.sqrt(number)))) < SURE
