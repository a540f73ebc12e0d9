"""How many points a judge gives its own responses above outside judges, and others' (MEASURES section 15)."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Floats, Ints, Numbers
from engine.stats.intervals.delete_one import deleted_means, error_of_deleting
from engine.stats.outside.outside import FamilyMasks, blocks
from engine.stats.ratios import mean_of_defined, rate


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
    from scipy import sparse  # takes as long to load as everything else a study needs

    total, number = np.zeros_like(scores), np.zeros(scores.shape, dtype=np.int64)
    outside = masks.outside if also is None else masks.outside & ~also
    inside = sparse.csr_array(~outside, dtype=np.float64)
    for part in blocks(scores.shape[1], scores.size):  # few generators at a time: they stay in the cache
        block, present = scores[:, part], ~np.isnan(scores[:, part])
        counts = present & masks.other[:, part, None]
        sums, heads = (
            values.sum(axis=0) - (inside @ values.reshape(len(outside), -1)).reshape(block.shape)
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
