"""How a judge treats its own responses, compared with judges outside its family (MEASURES section 15).

If a response convinces everybody, every judge credits it and none favours itself. The question here is
whether a judge credits its own responses more than other judges credit the same responses. Verdicts, scores
and pairs each have their own number; none needs a reference.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Floats, Ints
from engine.stats.ratios import rate

_BLOCK, _FEW = 1 << 22, 0.1


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
        everywhere = bool(judged.all())
        present = (judged[:, :1] if judged.ndim > 1 and everywhere else judged).astype(np.float64)
        shares = np.divide(favourable, common if everywhere else np.maximum(common, 1), dtype=np.float64)
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
    defined = own_judge.defined & own_outside.defined & other_judge.defined & other_outside.defined
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


def outside_means(values: Floats, cell: Ints, outside: Bools) -> Floats:
    """Return for each entry the mean of outside judges' values in its cell, a response; NaN for none."""
    total = np.bincount(cell[outside], weights=values[outside], minlength=int(cell.max(initial=-1)) + 1)
    return np.asarray(rate(total, np.bincount(cell[outside], minlength=len(total)))[cell])


def vote_gaps(votes: Floats, first: Ints, second: Ints, masks: FamilyMasks) -> Floats:
    """Return v_J - the mean vote of outside judges on the same pair, shape (pairs, judges); NaN: undefined.

    `votes` (pairs, judges) are 1, 0.5 or 0 for the pair's `first` generator, NaN for none. Outside judges are
    related neither to J nor to either generator.
    """
    present = ~np.isnan(votes)
    counts = present & masks.other[:, first].T & masks.other[:, second].T
    outside = masks.outside.astype(np.float64)
    return np.asarray(votes - rate(np.where(counts, votes, 0.0) @ outside.T, counts @ outside.T))
