"""How many own cases a judge gave, and how many were expected of judges as strict (MEASURES section 19)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from engine.stats import Floats
from engine.stats.conclusions.conclusion_rules import Scale
from engine.stats.conditional.counted_cells import OwnCells
from engine.stats.conditional.marginal_fit import MarginalFit

_FURTHEST = 40.0  # log-odds beyond which a rate is 0 or 1
_MOST_SOLVING = 100


@dataclass(frozen=True, eq=False)
class Rates:
    """The rate at which each judge passes its cells, made more lenient by d: sum weight expit(level + d).

    Both have shape (judges, points), with weights of 0 where a judge has fewer points.
    """

    level: Floats
    weight: Floats

    def at(self, shift: Floats) -> Floats:
        return np.asarray((self.weight * expit(self.level + shift[:, None])).sum(axis=1))

    def shifts_to(self, rate: Floats) -> Floats:
        """Return the d at which each rate is this one, by Newton's steps within a bracket; NaN for NaN."""
        low, high, shift = (np.full(len(rate), end) for end in (-_FURTHEST, _FURTHEST, 0.0))
        for _ in range(_MOST_SOLVING):
            p = expit(self.level + shift[:, None])
            gap = (self.weight * p).sum(axis=1) - rate
            far = np.abs(gap) >= 1e-12
            if not far.any():
                break
            low, high = np.where(gap > 0, low, shift), np.where(gap > 0, shift, high)
            slope = (self.weight * p * (1 - p)).sum(axis=1)
            step = shift - gap / np.maximum(slope, 1e-300)
            step = np.where((low < step) & (step < high), step, (low + high) / 2)
            shift = np.where(far, step, shift)
        return np.where(np.isnan(rate), np.nan, shift)


@dataclass(frozen=True, eq=False)
class Expectations:
    """Of own cases, the share that each judge gave, of 1, and how the expected one follows from its number.

    Odds: rate(`shift` - log odds), with the `rates` of a judge as strict as J; a ratio: given / ratio; a
    difference of votes or points: given less the difference, points being of 100. `given` and `shift` have
    shape (judges,); a shift is NaN without a case, or where all or none was passed.
    """

    given: Floats
    scale: Scale
    rates: Rates | None = None
    shift: Floats | None = None

    def with_given(self, given: Floats) -> "Expectations":
        """Return the same for judges that gave other shares of their own cases."""
        if self.rates is None:
            return replace(self, given=given)
        has_rate = self.rates.weight.any(axis=1)
        return replace(self, given=given, shift=self.rates.shifts_to(np.where(has_rate, given, np.nan)))

    def expected(self, number: Floats | float) -> Floats:
        """Return the shares expected if the deciding numbers were these, logarithms for odds and ratios.

        One number stands for all judges. NaN where the number or the shift is.
        """
        if self.scale == "ratio":
            return np.asarray(self.given / np.exp(number))
        if self.scale != "odds":
            return self.given - number / (100 if self.scale == "points" else 1)
        if self.rates is None or self.shift is None:
            return np.full(len(self.given), np.nan)
        shift = self.shift - number
        rate = np.where(np.isinf(shift), shift > 0, self.rates.at(shift))
        return np.where(np.isnan(shift), np.nan, rate)


def expectations(fit: MarginalFit, cells: Sequence[OwnCells]) -> Expectations:
    """Return what was given and expected of each judge's own cells."""
    given = np.array([own.given for own in cells])
    each = {j: fit.rates(j, own) for j, own in enumerate(cells) if len(own.count) and 0 < own.given < 1}
    level, weight = np.zeros((2, len(cells), max((len(of) for of, _ in each.values()), default=0)))
    for j, (of_level, of_weight) in each.items():
        level[j, : len(of_level)], weight[j, : len(of_level)] = of_level, of_weight
    rates = Rates(level, weight)
    return Expectations(given, "odds", rates, rates.shifts_to(np.where(weight.any(axis=1), given, np.nan)))
