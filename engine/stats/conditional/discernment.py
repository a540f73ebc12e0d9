"""What a judge's discernment explains of how it treats its own responses (MEASURES section 15).

A judge that distinguishes responses less well than others credits more of what all others see through, and
less of what convinces them, its own responses included. That is not self-preference. How well it
distinguishes them shows in its placebos: the same number with another generator in place of its own.
"""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Counts, Floats
from engine.stats.ratios import mean_of_defined, rate

FEWEST = 3  # placebos; with fewer, what a judge's slope is comes from the prior more than from the data
FEWEST_COPIED = 20  # the fewest verdicts from which responses that are judged alike count as copies
SLOPES = 0.5
"""The prior spread of judges' slopes around 0.

With few generators a slope is too uncertain to say what it explains: without the prior, a judge planted at
twice the ratio among six generators (the demonstration of checked instructions) goes undetected. Of a judge
without placebos, as where only one other model answers, the prior is all that is known.
"""


@dataclass(frozen=True, eq=False)
class Discerned:
    """Each judge's number less what its discernment explains, with its standard error; NaN where unknown.

    `slope` is by how much the judge's placebos rise with the generators' appeal: 0 if it distinguishes
    responses as well as others do, -1 (of log-odds) if not at all.
    """

    value: Floats
    se: Floats
    slope: Floats


def allow_for_discernment(
    value: Floats,
    se: Floats,
    placebo: Floats,
    placebo_se: Floats,
    appeal: Floats,
    own: Bools,
    others: Bools,
    spread: float,
) -> Discerned:
    """Return each judge's number (`value`, `se`, shape (judges,)) less what its discernment explains.

    The others have shape (judges, generators): the placebos of each judge, NaN for none, with their errors;
    how favourable other judges are to each generator (`appeal`); which generator is the judge itself, or
    which are its relatives (`own`); which are of other families. The slope is that of the weighted regression
    of a judge's placebos on the appeal, weights 1 / (placebo_se^2 + spread^2), `spread` being that of tastes
    (NaN: none), shrunk towards 0 by `SLOPES`. The number is moved along it from its own appeal to the
    placebos' mean, and the slope's error is added to its own. Without a placebo the slope is 0, its error
    `SLOPES`, and the mean appeal that of `others`. NaN where its own appeal, or that of others, is unknown.
    """
    defined = np.isfinite(placebo) & (placebo_se > 0) & np.isfinite(appeal)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(defined, placebo_se, 1.0) ** 2 + np.nan_to_num(spread) ** 2
        weight = np.where(defined, 1 / variance, 0.0)
        total = weight.sum(axis=1)
        mean = np.where(defined, weight * appeal, 0.0).sum(axis=1) / total
        mean = np.where(total > 0, mean, mean_of_defined(appeal, others))
        apart = np.where(defined, appeal - mean[:, None], 0.0)
        squares = (weight * apart**2).sum(axis=1) + SLOPES**-2
        slope = (weight * apart * np.where(defined, placebo, 0.0)).sum(axis=1) / squares
        gap = np.where(own, appeal, 0.0).sum(axis=1) / np.maximum(own.sum(axis=1), 1) - mean
        error = np.sqrt(se**2 + gap**2 / squares)
    undefined = np.isnan(gap) | ~own.any(axis=1)
    numbers = (value - slope * gap, error, slope)
    return Discerned(*(np.where(undefined, np.nan, number) for number in numbers))


def appeal_in_log_odds(favourable: Counts, number: Counts, outside: Bools, other: Bools) -> Floats:
    """Return how favourable other judges' verdicts on each generator are, shape (judges, generators).

    `favourable` of `number` verdicts of each judge on each generator are summed over the judges outside the
    judge's family (`outside`, (judges, judges)) and the generator's (`other`, (judges, generators)), and
    given as log-odds, half a verdict added on either side; NaN where no such judge has a verdict.
    """
    credited, judged = (_of_outside(counts, outside, other) for counts in (favourable, number))
    odds = np.log((credited + 0.5) / (judged - credited + 0.5))
    return np.where(judged > 0, odds, np.nan)


def mean_appeal(total: Floats, number: Counts, outside: Bools, other: Bools) -> Floats:
    """Return the mean score or vote of other judges for each generator, shape (judges, generators).

    `total` sums `number` scores or votes of each judge on each; otherwise like `appeal_in_log_odds`.
    """
    return rate(_of_outside(total, outside, other), _of_outside(number, outside, other))


def _of_outside(counts: Counts | Floats, outside: Bools, other: Bools) -> Floats:
    return np.asarray(outside.astype(np.float64) @ np.where(other, counts, 0.0))
