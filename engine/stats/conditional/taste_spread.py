"""How much judges like some models for reasons other than self-preference (MEASURES section 15).

A placebo is a number of self-preference with another generator in place of the judge's own. If judges have
tastes, placebos vary by more than their errors, and so would the true numbers without any self-preference.
"""

import math
from dataclasses import dataclass

import numpy as np

from engine.stats import Floats, Ints

FEWEST_JUDGES = 5  # the fewest judges from which the spread is estimated
ASSUMED = 0.34  # the spread of log-odds assumed with fewer: that of the published study
_ASSIGNMENTS = 10_000


@dataclass(frozen=True)
class Tastes:
    """The spread tau of tastes; NaN if it is unknown and none is assumed."""

    spread: float
    assumed: bool = False


def taste_spread(theta: Floats, se: Floats, judges: int, assumed: float | None = None) -> Tastes:
    """Return tau of placebos (theta, se), NaN for none.

    tau^2 = max(0, (sum theta^2 / se^2 - m) / ((1 - 1/n)^2 sum 1 / se^2)) over the m placebos of n judges.
    With fewer than 5 judges, or without a placebo, tau is `assumed`, else NaN.
    """
    squared, number = squared_spread(theta, se, judges)
    if judges < FEWEST_JUDGES or not number:
        return Tastes(np.nan if assumed is None else assumed, assumed is not None)
    return Tastes(float(np.sqrt(squared)))


def squared_spread(theta: Floats, se: Floats, judges: int) -> tuple[float, int]:
    """Return tau^2 of placebos, 0 without one, and how many there are."""
    defined = np.isfinite(theta) & (se > 0)
    if judges < 2 or not defined.any():
        return 0.0, int(defined.sum())
    weight = se[defined] ** -2
    excess = (weight * theta[defined] ** 2).sum() - len(weight)
    return max(0.0, float(excess / ((1 - 1 / judges) ** 2 * weight.sum()))), len(weight)


def placebo_ranks(true: Floats, placebos: Floats) -> tuple[Ints, Ints]:
    """Return the rank of each judge's true number among its placebos, and how many are ranked.

    `true` has shape (judges,), `placebos` (judges, generators), NaN for none; the largest has rank 1, and
    equal placebos rank below it. Both are 0 where the true number is undefined.
    """
    defined = np.isfinite(true)
    above = (placebos > true[:, None]).sum(axis=1) + 1
    number = np.isfinite(placebos).sum(axis=1) + 1
    return np.where(defined, above, 0), np.where(defined, number, 0)


def placebo_p(true: Floats, placebos: Floats, rng: np.random.Generator) -> float:
    """Return p of the true numbers against random generators outside each judge's family.

    Each judge with a true number and a placebo draws one of its placebos; p is the share of all these
    assignments, or of 10,000 drawn where there are more, and of the true one among them, with at least the
    mean of the true numbers: 1 of their number + 1 at least. NaN where no judge has both.
    """
    judged = np.flatnonzero(np.isfinite(true) & np.isfinite(placebos).any(axis=1))
    if not len(judged):
        return np.nan
    of_judges = [row[np.isfinite(row)] for row in placebos[judged]]
    if math.prod(map(len, of_judges)) <= _ASSIGNMENTS:
        sums = np.zeros(1)
        for values in of_judges:
            sums = np.add.outer(sums, values).ravel()
    else:
        sums = sum((rng.choice(values, _ASSIGNMENTS) for values in of_judges), np.zeros(_ASSIGNMENTS))
    as_large = np.count_nonzero(sums >= true[judged].sum() - 1e-12)
    return (as_large + 1) / (len(sums) + 1)
