"""How much judges like some model or other for reasons that are not themselves (MEASURES section 15).

A placebo is a number of self-preference with another generator in the place of the judge's own. Where judges
have tastes, placebos spread beyond their errors, and so would the true numbers without any self-preference.
"""

from dataclasses import dataclass

import numpy as np

from engine.stats.types import Floats, Ints

FEWEST_JUDGES = 5
"""With fewer the spread cannot be told."""

ASSUMED = 0.34
"""The spread of log-odds taken then: that of the published study."""

_ASSIGNMENTS = 10_000


@dataclass(frozen=True)
class Tastes:
    """The spread tau of tastes among so many judges; NaN where it cannot be told and none is assumed."""

    spread: float
    judges: int
    assumed: bool = False

    @property
    def variance(self) -> float:
        """What tastes add to the squared error of a judge's own number: tau^2 (1 + 1 / (n - 1))^2."""
        return self.spread**2 * (1 + 1 / max(self.judges - 1, 1)) ** 2


def taste_spread(theta: Floats, se: Floats, judges: int, assumed: float | None = None) -> Tastes:
    """Return tau of placebos (theta, se), NaN for none.

    tau^2 = max(0, (sum theta^2 / se^2 - m) / ((1 - 1/n)^2 sum 1 / se^2)) over the m placebos of n judges.
    With fewer than 5 judges, or without a placebo, tau is `assumed`, else NaN.
    """
    known = np.isfinite(theta) & (se > 0)
    if judges < FEWEST_JUDGES or not known.any():
        return Tastes(np.nan if assumed is None else assumed, judges, assumed is not None)
    weight = se[known] ** -2
    excess = (weight * theta[known] ** 2).sum() - len(weight)
    return Tastes(float(np.sqrt(max(0.0, excess / ((1 - 1 / judges) ** 2 * weight.sum())))), judges)


def placebo_ranks(true: Floats, placebos: Floats) -> tuple[Ints, Ints]:
    """Return the place of each judge's true number among its placebos, and their number with it.

    `true` has shape (judges,), `placebos` (judges, generators), NaN for none; the largest has place 1, and
    equals do not stand before it. Both are 0 where the true number is undefined.
    """
    there = np.isfinite(true)
    above = (placebos > true[:, None]).sum(axis=1) + 1
    number = np.isfinite(placebos).sum(axis=1) + 1
    return np.where(there, above, 0), np.where(there, number, 0)


def placebo_p(true: Floats, placebos: Floats, rng: np.random.Generator) -> float:
    """Return how often judges given random generators outside their family do as the true ones do, or more.

    Each judge with a true number and a placebo draws one of its placebos; p is the share of 10,000 such
    draws, the true assignment counted among them, whose mean is at least the mean of the true numbers. NaN
    where no judge has both.
    """
    judged = np.flatnonzero(np.isfinite(true) & np.isfinite(placebos).any(axis=1))
    if not len(judged):
        return np.nan
    drawn = np.zeros(_ASSIGNMENTS)
    for row in placebos[judged]:
        drawn += rng.choice(row[np.isfinite(row)], _ASSIGNMENTS)
    reached = np.count_nonzero(drawn >= true[judged].sum() - 1e-12)
    return (reached + 1) / (_ASSIGNMENTS + 1)
