"""How a judge treats its own responses, compared with judges outside its family (MEASURES section 15)."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Counts, Floats, Ints, Numbers
from engine.stats.few_events import leave_one_out
from engine.stats.self_preference import mean_of_defined, rate

# ------------------------------------------------------------------------------
# What a judge's discernment explains of how it treats its own responses (MEASURES section 15).
#
# A judge that distinguishes responses less well than others credits more of what all others see through, and
# less of what convinces them, its own responses included. That is not self-preference. How well it
# distinguishes them shows in its placebos: the same number with another generator in place of its own.


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


# ------------------------------------------------------------------------------
# How much judges like some models for reasons other than self-preference (MEASURES section 15).
#
# A placebo is a number of self-preference with another generator in place of the judge's own. If judges have
# tastes, placebos vary by more than their errors, and so would the true numbers without any self-preference.


FEWEST_JUDGES = 5  # the fewest judges from which the spread is estimated
ASSUMED = 0.34  # the spread of log-odds assumed with fewer: that of the published study
_PRIOR_PLACEBOS = 5  # how many placebos the spread of all judges counts for in that of one
_ASSIGNMENTS = 10_000


@dataclass(frozen=True)
class Tastes:
    """The spread tau of tastes among so many judges; NaN if it is unknown and none is assumed."""

    spread: float
    judges: int
    assumed: bool = False

    @property
    def variance(self) -> float:
        """What tastes add to the squared error of a judge's own number: tau^2 (1 + 1 / (n - 1))^2."""
        return self.spread**2 * self._inflation

    def variance_of_judges(self, theta: Floats, se: Floats) -> Floats:
        """Return the same for each judge, with its own spread where that is larger: shape (judges,).

        `theta` and `se`, shape (judges, generators), are the placebos, NaN for none. The squared spread of
        the m placebos of one judge counts m times, that of all judges 5 times.
        """
        of_each = [squared_spread(*placebos, self.judges) for placebos in zip(theta, se, strict=True)]
        own, number = np.array(of_each).reshape(-1, 2).T
        pooled = (number * own + _PRIOR_PLACEBOS * self.spread**2) / (number + _PRIOR_PLACEBOS)
        return np.asarray(np.maximum(pooled, self.spread**2) * self._inflation)

    @property
    def _inflation(self) -> float:
        return (1 + 1 / max(self.judges - 1, 1)) ** 2


def taste_spread(theta: Floats, se: Floats, judges: int, assumed: float | None = None) -> Tastes:
    """Return tau of placebos (theta, se), NaN for none.

    tau^2 = max(0, (sum theta^2 / se^2 - m) / ((1 - 1/n)^2 sum 1 / se^2)) over the m placebos of n judges.
    With fewer than 5 judges, or without a placebo, tau is `assumed`, else NaN.
    """
    squared, number = squared_spread(theta, se, judges)
    if judges < FEWEST_JUDGES or not number:
        return Tastes(np.nan if assumed is None else assumed, judges, assumed is not None)
    return Tastes(float(np.sqrt(squared)), judges)


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

    Each judge with a true number and a placebo draws one of its placebos; p is the share of 10,000 draws, the
    true assignment among them, with at least the mean of the true numbers. NaN where no judge has both.
    """
    judged = np.flatnonzero(np.isfinite(true) & np.isfinite(placebos).any(axis=1))
    if not len(judged):
        return np.nan
    sums = np.zeros(_ASSIGNMENTS)
    for row in placebos[judged]:
        sums += rng.choice(row[np.isfinite(row)], _ASSIGNMENTS)
    as_large = np.count_nonzero(sums >= true[judged].sum() - 1e-12)
    return (as_large + 1) / (_ASSIGNMENTS + 1)


# ------------------------------------------------------------------------------
# How a judge treats its own responses, compared with judges outside its family (MEASURES section 15).
#
# If a response convinces everybody, every judge credits it and none favours itself. The question here is
# whether a judge credits its own responses more than other judges credit the same responses. Verdicts, scores
# and pairs each have their own number; none needs a reference.


_BLOCK, _FEW = 1 << 22, 0.1
_ROUNDING = 1e-11


@dataclass(frozen=True, eq=False)
class FamilyMasks:
    """Which judges and generators are of different families.

    `own`, `family` and `other`, disjoint masks of shape (judges, generators): the judge itself, its
    relatives, all others. `outside` (judges, judges): the second is of another family than the first.
    `unrelated` (generators, generators): likewise for generators.
    """

    own: Bools
    family: Bools
    other: Bools
    outside: Bools
    unrelated: Bools

    @property
    def has_own(self) -> Bools:
        return np.asarray(self.own.any(axis=1))

    @property
    def has_family(self) -> Bools:
        return np.asarray(self.family.any(axis=1))

    @property
    def has_outside(self) -> Bools:
        return np.asarray(self.outside.any(axis=1))


@dataclass(frozen=True, eq=False)
class CommonCells:
    """The cells that two judges both judged, counted for one judge at a time.

    `place` (judges, generators) numbers the set of a generator's cells that a judge judged: the generator's
    own number if those are all cells that any judge judged, else a further one, shared by all judges that
    lack the same verdicts. `generator` (places,) is that of each place. `of(a)` counts the cells of each
    place that judge a judged, and those it calls favourable, shape (places, ...).
    """

    place: Ints
    generator: Ints
    of: Callable[[int], tuple[NDArray[np.number], NDArray[np.number]]]

    def adder(self, of: Bools) -> Callable[[Floats], Floats]:
        """Return a function that sums values of places, the first axis, over each judge's generators `of`."""
        from scipy import sparse

        generators, many = of.shape[1], of.mean() > _FEW
        judge, place = np.nonzero(of)[0], self.place[of]
        single = np.flatnonzero((place >= generators) | ~many)
        complete = (of & (self.place < generators)).astype(np.float64)
        shape = (len(of), len(self.generator))
        partial = sparse.csr_array((np.ones(len(single)), (judge[single], place[single])), shape)

        def added(values: Floats) -> Floats:
            return np.asarray(partial @ values + (complete @ values[:generators] if many else 0))

        return added


@dataclass(frozen=True, eq=False)
class OutsideComparison:
    """The four shares of a judge and their two comparisons, shape (judges, ...); NaN where undefined."""

    own_judge: Floats
    own_outside: Floats
    other_judge: Floats
    other_outside: Floats
    ratio: Floats
    difference: Floats
    judges: Ints  # outside judges for which all four shares exist


def compare_with_outside(cells: CommonCells, masks: FamilyMasks, *owns: Bools) -> list[OutsideComparison]:
    """Return `ratio_outside` and `difference_outside` of each judge, for the generators in each of `owns`.

    For each outside judge b of J: the shares of J and of b on the own cells both judged (the mean over
    generators in `own`, which is `masks.own`, or `masks.family` for the judge's relatives), and the means
    of both over the generators outside both families. The four shares are means over the outside judges that
    have all four; ratio = (own_judge / own_outside) / (other_judge / other_outside), NaN where one of the
    last three is 0, difference = (own_judge - own_outside) - (other_judge - other_outside).
    """
    others, own_adders = cells.adder(masks.other), [cells.adder(own) for own in owns]
    for a in range(len(masks.own)):
        common, favourable = cells.of(a)
        if a == 0:
            shape = (*masks.outside.shape, *common.shape[1:])
            other, *near = (_Means.empty(shape) for _ in range(1 + 2 * len(owns)))
        judged = common > 0
        present = (judged[:, :1] if judged.ndim > 1 and judged.all() else judged).astype(np.float64)
        shares = favourable / np.maximum(common, 1, out=common)
        for own, add, of_judge, of_outside in zip(owns, own_adders, near[::2], near[1::2], strict=True):
            places = cells.place[:, own[a]]
            of_judge.set_row(a, shares[places].sum(axis=1), present[places].sum(axis=1))
            of_outside.swapped().set_row(a, add(shares), add(present))
        related = ~masks.other[a, cells.generator]
        shares[related] = present[related] = 0
        other.set_row(a, others(shares), others(present))
    return [
        _compare(of_judge, of_outside, other, other.swapped(), outside=masks.outside)
        for of_judge, of_outside in zip(near[::2], near[1::2], strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Means:
    """Means of shares, shape (judges, other judges, ...), and where there are any; 0 elsewhere."""

    value: Floats
    defined: Bools

    @classmethod
    def empty(cls, shape: tuple[int, ...]) -> "_Means":
        return cls(np.empty(shape), np.empty(shape, dtype=bool))

    def swapped(self) -> "_Means":
        return _Means(self.value.swapaxes(0, 1), self.defined.swapaxes(0, 1))

    def set_row(self, judge: int, added: Floats, number: Floats) -> None:
        np.divide(added, np.maximum(number, 1), out=self.value[judge])
        self.defined[judge] = number > 0


def _compare(
    own_judge: _Means, own_outside: _Means, other_judge: _Means, other_outside: _Means, *, outside: Bools
) -> OutsideComparison:
    """Compare each judge's shares with each other judge's, which have the same place in the arrays."""
    parts = (own_judge, own_outside, other_judge, other_outside)
    defined = np.logical_and.reduce([part.defined for part in parts])
    defined &= outside.reshape(outside.shape + (1,) * (defined.ndim - 2))
    number = defined.sum(axis=1)
    weight = defined.astype(np.float64)
    sums = (np.einsum("jb...,jb...->j...", weight, part.value) for part in parts)
    of_judge, of_outside, others, others_outside = (rate(total, number) for total in sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (of_judge / of_outside) / (others / others_outside)
    zero = (of_outside == 0) | (others == 0) | (others_outside == 0)
    ratio, difference = np.where(zero, np.nan, ratio), (of_judge - of_outside) - (others - others_outside)
    return OutsideComparison(of_judge, of_outside, others, others_outside, ratio, difference, number)


def blocks(number: int, size: int) -> Iterator[slice]:
    """Yield slices of `number` items of `size` numbers each, small enough to process at a time."""
    step = max(1, _BLOCK // max(size, 1))
    return (slice(first, min(first + step, number)) for first in range(0, number, step))


def error_of_deleting(value: Floats, without: Floats, instances: Ints) -> Floats:
    """Return the standard error of values (...,) by the delete-one jackknife.

    `without` has shape (all instances, ...): the values with each instance left out. The squared changes, 0
    within rounding, are summed and multiplied by (n - 1) / n, n the `instances` (...,) with a counted case,
    changing or not. NaN where the value is undefined, or becomes so without some instance.
    """
    change = without - value
    change = np.where(np.abs(change) <= _ROUNDING * np.maximum(np.abs(value), 1.0), 0.0, change)
    with np.errstate(invalid="ignore"):
        total = (change**2).sum(axis=0)
    return np.asarray(np.sqrt(total * np.maximum(instances - 1, 0) / np.maximum(instances, 1)))


def mean_by_instance(total: Floats, number: Numbers) -> tuple[Floats, Floats]:
    """Return means of sums and numbers by instance, (..., instances), and their errors of deleting one."""
    value, without = deleted_means(total, number)
    return value, error_of_deleting(value, without, (number > 0).sum(axis=-1))


def deleted_means(total: Floats, number: Numbers) -> tuple[Floats, Floats]:
    """Return means of sums and numbers by instance, and those without each instance: (instances, ...)."""
    without = leave_one_out({"hits": total, "trials": number}, lambda sums: rate(**sums))
    return rate(total.sum(axis=-1), number.sum(axis=-1)), without


def outside_means(values: Floats, cell: Ints, outside: Bools) -> Floats:
    """Return for each entry the mean of outside judges' values in its cell, a response; NaN for none."""
    total = np.bincount(cell[outside], weights=values[outside], minlength=int(cell.max(initial=-1)) + 1)
    return np.asarray(rate(total, np.bincount(cell[outside], minlength=len(total)))[cell])


@dataclass(frozen=True, eq=False)
class Points:
    """A judge's score less the mean of outside judges': sums and numbers (judges, generators, instances)."""

    total: Floats
    number: Ints

    def instances(self, of: Bools) -> Ints:
        """Return how many instances have a case of the generators in `of`, for each judge."""
        present = np.einsum("jgi,jg->ji", self.number, of.astype(self.number.dtype)) > 0
        return np.asarray(present.sum(axis=1))


def points_against(scores: Floats, masks: FamilyMasks, also: Bools | None = None) -> Points:
    """Return s_J - mean over outside judges of s_b, for scores (judges, generators, instances), NaN for none.

    Outside judges of (J, G) are of neither family; those marked in `also` (judges,) are left out too.
    """
    total, number = np.zeros_like(scores), np.zeros(scores.shape, dtype=np.int64)
    outside = (masks.outside if also is None else masks.outside & ~also).astype(np.float64)
    for part in blocks(scores.shape[1], scores.size):  # few generators at a time: they stay in the cache
        block, present = scores[:, part], ~np.isnan(scores[:, part])
        counts = present & masks.other[:, part, None]
        sums, heads = (
            (outside @ values.reshape(len(outside), -1)).reshape(block.shape)
            for values in (np.where(counts, block, 0.0), counts.astype(np.float64))
        )
        counted = present & (heads > 0)
        total[:, part] = np.where(counted, block - sums / np.maximum(heads, 1), 0.0)
        number[:, part] = counted
    return Points(total, number)


def bonus_outside(total: Floats, number: Numbers, own: Bools, others: Bools) -> Floats:
    """Return 100 (mean over own responses - mean over `others` of their means), shape (..., judges).

    `total` and `number`, (..., judges, generators), sum `Points` over instances; the masks lack leading axes.
    """
    mean = rate(total, number)
    return 100 * (mean_of_defined(mean, own) - mean_of_defined(mean, others))


@dataclass(frozen=True, eq=False)
class Placebos:
    """A number with each generator in place of the judge's own, and its error: (judges, generators).

    NaN for the judge itself and its relatives.
    """

    value: Floats
    se: Floats

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> "Placebos":
        return cls(np.full(shape, np.nan), np.full(shape, np.nan))

    def without(self, copies: Bools) -> "Placebos":
        """Return the placebos less those on near copies of a judge's own responses."""
        return Placebos(np.where(copies, np.nan, self.value), np.where(copies, np.nan, self.se))


def near_copies(verdicts: NDArray[np.generic], informative: Bools, masks: FamilyMasks) -> Bools:
    """Return which generators' responses have the same verdicts throughout as a judge's own.

    `verdicts` (judges, generators, ...) are all that is stored on a generator's responses, what is not judged
    included; `informative` (generators,) marks those with enough verdicts that differ. A judge that favours
    its own responses favours a copy as much, which therefore says nothing about its tastes. Shape (judges,
    generators).
    """
    numbers: dict[bytes, int] = {}
    columns = np.moveaxis(verdicts, 1, 0)
    which = np.array([numbers.setdefault(column.tobytes(), len(numbers)) for column in columns])
    same = (which[:, None] == which) & informative
    return np.asarray((masks.own @ same) & masks.other)


def placebo_bonuses(scores: Floats, masks: FamilyMasks) -> Placebos:
    """Return `bonus_outside` with each generator in place of the judge's own.

    Generators and outside judges of that generator's family are then left out, like the judge's own.
    """
    shape = scores.shape[:2]
    value, se = np.full(shape, np.nan), np.full(shape, np.nan)
    families = defaultdict(list)
    for g in range(shape[1]):
        families[masks.other[:, g].tobytes() + masks.unrelated[g].tobytes()].append(g)
    for family in families.values():
        related = ~masks.other[:, family[0]]
        points = points_against(scores, masks, related)
        mean, without = deleted_means(points.total, points.number)
        others = masks.other & masks.unrelated[family[0]]
        rest, rest_without = (mean_of_defined(values, others) for values in (mean, without))
        for g in family:
            target = np.zeros(shape, dtype=bool)
            target[:, g] = ~related
            value[:, g] = np.where(related, np.nan, 100 * (mean[:, g] - rest))
            deleted = 100 * (without[..., g] - rest_without)
            se[:, g] = error_of_deleting(value[:, g], deleted, points.instances(target | others))
    return Placebos(value, se)


def vote_gaps(votes: Floats, first: Ints, second: Ints, masks: FamilyMasks) -> Floats:
    """Return v_J - the mean vote of outside judges on the same pair, shape (pairs, judges); NaN: undefined.

    `votes` (pairs, judges) are 1, 0.5 or 0 for the pair's `first` generator, NaN for none. Outside judges are
    related neither to J nor to either generator.
    """
    present = ~np.isnan(votes)
    counts = present & masks.other[:, first].T & masks.other[:, second].T
    outside = masks.outside.astype(np.float64)
    return np.asarray(votes - rate(np.where(counts, votes, 0.0) @ outside.T, counts @ outside.T))
