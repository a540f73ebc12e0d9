"""May a judge stand in for a person? The alternative annotator test (Calderon et al. 2025)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from engine.stats import Bools, Floats, Ints

FEWEST_PEOPLE, FEWEST_INSTANCES = 3, 30
"""The fewest people, and instances of each, for a test."""
LEVEL = 0.05
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Contests:
    """A judge against each person, by whom the other people are met better: shape (people, instances).

    On an item with at least one other person, the judge wins if it agrees with the others no less than the
    person does, and the person if it agrees no less than the judge; a draw is won by both. `judge` and
    `person` sum these over the items of an instance, `number` counts the items.
    """

    judge: Floats
    person: Floats
    number: Ints

    @property
    def testable(self) -> Bools:
        """Which people share items with others on enough instances."""
        return np.asarray((self.number > 0).sum(axis=1) >= FEWEST_INSTANCES)


def contests(
    judge: Floats, people: Floats, instance: Ints, n_instances: int, *, of_scores: bool = False
) -> Contests:
    """Compare a judge with each person, for values of items: `judge` (items,), `people` (people, items).

    NaN for none. Agreement with the others is the share of them with the same class, or (`of_scores`) the
    negative root of the mean squared difference.
    """
    totals = np.zeros((3, len(people), n_instances))
    for place, own in enumerate(people):
        others = np.delete(people, place, axis=0)
        items = ~np.isnan(judge) & ~np.isnan(own) & ~np.isnan(others).all(axis=0)
        of_judge, of_person = (
            _agreement(values[items], others[:, items], of_scores=of_scores) for values in (judge, own)
        )
        wins = (of_judge >= of_person - _ROUNDING, of_person >= of_judge - _ROUNDING, np.ones(items.sum()))
        for total, part in zip(totals, wins, strict=True):
            total[place] = np.bincount(instance[items], weights=part, minlength=n_instances)
    return Contests(totals[0], totals[1], totals[2].astype(np.int64))


def _agreement(values: Floats, others: Floats, *, of_scores: bool) -> Floats:
    if of_scores:
        return np.asarray(-np.sqrt(np.nanmean((others - values) ** 2, axis=0)))
    return np.asarray(np.nanmean(np.where(np.isnan(others), np.nan, others == values), axis=0))


@dataclass(frozen=True, eq=False)
class StandIn:
    """How a judge fares against people: shape (...), NaN where there are too few.

    `winning_rate` is the share of people whom it may stand in for, `advantage` the mean over people of the
    probability that it does no worse than they.
    """

    winning_rate: Floats
    advantage: Floats


def stand_in(contests: Contests, epsilon: float, weights: Floats | None = None) -> StandIn:
    """Test for each person that the judge wins as often but for `epsilon`, and count whom it passes.

    d = person's wins - judge's wins, H0: mean d >= epsilon, one-sided t with errors that hold for items which
    hang together within instances (the paper's t test where each instance is one item); Benjamini and
    Yekutieli's adjustment at .05. `weights` (resamples, instances) weigh instances, for draws. NaN with fewer
    than 3 people of 30 instances each.
    """
    people = contests.testable
    w = np.ones((1, contests.number.shape[1])) if weights is None else np.asarray(weights, dtype=np.float64)
    if people.sum() < FEWEST_PEOPLE:
        nothing = np.full(len(w), np.nan)
        return StandIn(nothing, nothing)
    judge, person, number = (
        np.asarray(part[people], dtype=np.float64)
        for part in (contests.judge, contests.person, contests.number)
    )
    gap, total = person - judge, w @ number.T
    mean = (w @ gap.T) / total
    squares = w @ (gap**2).T - 2 * mean * (w @ (gap * number).T) + mean**2 * (w @ (number**2).T)
    n = w @ (number > 0).T.astype(np.float64)
    se = np.sqrt(np.maximum(squares, 0.0) * n / np.maximum(n - 1, 1)) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (mean - epsilon) / se
    p = np.where(se > _ROUNDING, stdtr(np.maximum(n - 1, 1), t), (mean >= epsilon).astype(np.float64))
    return StandIn(rejected_by_yekutieli(p).mean(axis=-1), ((w @ judge.T) / total).mean(axis=-1))


def rejected_by_yekutieli(p: Floats, level: float = LEVEL) -> Bools:
    """Return which of the tests along the last axis are rejected at a false discovery rate (2001)."""
    m = p.shape[-1]
    order = np.argsort(p, axis=-1)
    bound = level * np.arange(1, m + 1) / (m * (1 / np.arange(1, m + 1)).sum())
    below = np.take_along_axis(p, order, axis=-1) <= bound
    last = np.where(below.any(axis=-1), m - 1 - np.argmax(below[..., ::-1], axis=-1), -1)
    rank = np.argsort(order, axis=-1)
    return np.asarray(rank <= last[..., None])
