"""Standard errors by deleting one instance, and how much judges' tastes add to them (MEASURES section 15).

Readings:
 1. Delete-one: se^2 = (m - 1)/m times the sum of (theta without i - theta)^2 over the m instances with a
    counted cell (pair) of the judge, t with (instances with an own cell or pair) - 1 degrees of freedom.
    Ratios on the log scale. Where a deletion leaves the number undefined there is no se.
 2. n of the spread and of (1 + 1/(n - 1))^2 are the judges in the model, for scores and votes the judges with
    any score or outcome. A placebo without an se takes no part in the spread, but in ranks and assignments.
 3. `p with tastes` keeps the degrees of freedom; f_J takes the same spread as s_J.
 4. The variance of one judge is at least that of all: its own squared tau, from its m placebos alone, counts
    m times, that of all judges 5 times.
 5. `placebo_rank`: 1 + the placebos that exceed the true number by more than 1e-9; `placebo_of` counts all of
    the judge's placebos, None where the true number is undefined.
 6. `p_placebo`: judges with a number and a placebo; each draws one of its placebos, independently and evenly.
    All assignments are counted up to 100,000 of them, else as many are drawn as `draws` says; a mean within
    1e-9 of the true one counts as reaching it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np

from plain.conditional import Estimate, Placebo

ASSUMED = 0.34
FEWEST_JUDGES = 5
SMALLEST = 1e-9
Statistic = Callable[[str | None], float | None]


def delete_one(statistic: Statistic, instances: Iterable[str], own: Iterable[str]) -> Estimate:
    """A number with its standard error; `statistic(x)` is the number without instance x."""
    value = statistic(None)
    if value is None:
        return Estimate(None)
    units, df = sorted(set(instances)), len(set(own)) - 1
    without = [statistic(unit) for unit in units]
    if df < 1 or None in without:
        return Estimate(value, None, max(df, 0), "few_clusters")
    squares = sum((theta - value) ** 2 for theta in without)  # type: ignore[operator]
    return Estimate(value, math.sqrt(squares * (len(units) - 1) / len(units)), df)


def taste_spread(placebos: Sequence[Placebo], judges: int) -> float | None:
    """Tau, in the unit of the placebos; None without a placebo."""
    known = [placebo for placebo in placebos if placebo.se > SMALLEST]
    if not known or judges < 2:
        return None
    excess = sum(p.theta**2 / p.se**2 for p in known) - len(known)
    return math.sqrt(max(0.0, excess / ((1 - 1 / judges) ** 2 * sum(1 / p.se**2 for p in known))))


def taste_variance(tau: float | None, judges: int) -> float | None:
    """The variance added to se^2."""
    return None if tau is None or judges < 2 else tau**2 * (1 + 1 / (judges - 1)) ** 2


def variance_of_judge(own: Sequence[Placebo], tau: float | None, judges: int) -> float | None:
    """The variance added to one judge's se^2, from its own placebos and the tau of all."""
    if tau is None or judges < 2:
        return None
    number = sum(placebo.se > SMALLEST for placebo in own)
    squared = (number * (taste_spread(own, judges) or 0.0) ** 2 + 5 * tau**2) / (number + 5)
    return taste_variance(math.sqrt(max(squared, tau**2)), judges)


def rank_among(value: float | None, placebos: Sequence[float]) -> tuple[int | None, int | None]:
    """The place of the true number among the placebos, 1 the highest, and how many places there are."""
    if value is None:
        return None, None
    return 1 + sum(bool(placebo > value + SMALLEST) for placebo in placebos), len(placebos) + 1


def p_of_assignments(
    true: Sequence[float], placebos: Sequence[Sequence[float]], draws: int = 10_000, seed: int = 0
) -> float | None:
    """The share of assignments of judges to others' responses whose mean is at least the true one's."""
    used = [(value, others) for value, others in zip(true, placebos, strict=True) if others]
    if not used:
        return None
    aim = sum(value for value, _others in used) - SMALLEST * len(used)
    if math.prod(len(others) for _value, others in used) <= 100_000:
        sums = [sum(choice) for choice in product(*(others for _value, others in used))]
        return sum(total >= aim for total in sums) / len(sums)
    generator = np.random.default_rng(seed)
    totals = sum(generator.choice(np.array(others), draws) for _value, others in used)
    return float(np.mean(totals >= aim))
