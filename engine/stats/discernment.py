"""What a judge's discernment explains of how it treats its own responses (MEASURES section 15).

A judge that sees less of what distinguishes responses than other judges do credits more of what all others
see through, and less of what convinces all others: its own among them. That is no self-preference. How much
it sees shows in its placebos, which are the same number with another generator in the place of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats.self_preference import rate
from engine.stats.types import Bools, Floats

Counts = NDArray[np.integer]

FEWEST = 3
"""With fewer placebos a judge's slope cannot be told."""

SLOPES = 0.5
"""The spread of judges' slopes around 0 that is taken beforehand.

With few generators a slope is known too little to say what it explains: without this, a judge planted at
twice the ratio among six generators (the demonstration of checked instructions) is not found.
"""


@dataclass(frozen=True, eq=False)
class Discerned:
    """Each judge's number less what its discernment explains, with its standard error; NaN where untold.

    `slope` is by how much the judge's placebos rise with the generators' appeal: 0 where it sees what others
    see, -1 (of log-odds) where it sees nothing.
    """

    value: Floats
    se: Floats
    slope: Floats


def allow_for_discernment(
    value: Floats, se: Floats, placebo: Floats, placebo_se: Floats, appeal: Floats, own: Bools, spread: float
) -> Discerned:
    """Return each judge's number (`value`, `se`, shape (judges,)) less what its discernment explains.

    `placebo`, `placebo_se`, `appeal` and `own` have shape (judges, generators): the placebos of each judge,
    NaN for none; how favourable other judges are to each generator; which generator is the judge itself, or
    which are its relatives. The slope is that of the weighted regression of a judge's placebos on the appeal,
    weights 1 / (placebo_se^2 + spread^2), `spread` being that of tastes (NaN: none), shrunk to 0 by
    `SLOPES`. The number is moved along it from its own appeal to the placebos' mean, and the slope's error is
    added to its own. NaN with fewer than 3 placebos.
    """
    known = np.isfinite(placebo) & (placebo_se > 0) & np.isfinite(appeal)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(known, placebo_se, 1.0) ** 2 + np.nan_to_num(spread) ** 2
        weight = np.where(known, 1 / variance, 0.0)
        total = weight.sum(axis=1)
        mean = np.where(known, weight * appeal, 0.0).sum(axis=1) / total
        apart = np.where(known, appeal - mean[:, None], 0.0)
        squares = (weight * apart**2).sum(axis=1) + SLOPES**-2
        slope = (weight * apart * np.where(known, placebo, 0.0)).sum(axis=1) / squares
        gap = np.where(own, appeal, 0.0).sum(axis=1) / np.maximum(own.sum(axis=1), 1) - mean
        error = np.sqrt(se**2 + gap**2 / squares)
    untold = (known.sum(axis=1) < FEWEST) | ~own.any(axis=1)
    numbers = (value - slope * gap, error, slope)
    return Discerned(*(np.where(untold, np.nan, number) for number in numbers))


def appeal_in_log_odds(favourable: Counts, number: Counts, outside: Bools, other: Bools) -> Floats:
    """Return how favourable other judges' verdicts on each generator are, shape (judges, generators).

    `favourable` of `number` verdicts of each judge on each generator are added up over the judges outside the
    judge's family (`outside`, (judges, judges)) and the generator's (`other`, (judges, generators)), and
    given as log-odds, half a verdict added on either side; NaN where no such judge has a verdict.
    """
    credited, judged = (_of_outside(counts, outside, other) for counts in (favourable, number))
    odds = np.log((credited + 0.5) / (judged - credited + 0.5))
    return np.where(judged > 0, odds, np.nan)


def mean_appeal(total: Floats, number: Counts, outside: Bools, other: Bools) -> Floats:
    """Return the mean of what other judges give each generator, shape (judges, generators).

    `total` over `number` scores or votes of each judge on each generator; whose count, and where it is NaN,
    as of `appeal_in_log_odds`.
    """
    given, judged = (_of_outside(counts, outside, other) for counts in (total, number))
    return rate(given, judged)


def _of_outside(counts: Counts | Floats, outside: Bools, other: Bools) -> Floats:
    return np.asarray(outside.astype(np.float64) @ np.where(other, counts, 0.0))
