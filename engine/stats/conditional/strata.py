"""Verdicts on cells, and the rows in which cells of one generator, the same judges and n are counted."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Floats, Ints, ParallelArrays

FEWEST_ROWS = 16
"""The fewest rows that are computed at a time, however many numbers each takes."""
_FEW_VALUES = 5_000  # below which counting into bins is faster than a sparse matrix
_SAMPLE = 64


@dataclass(frozen=True, eq=False)
class Verdicts(ParallelArrays):
    """Verdicts of shape (cells, judges)."""

    favourable: Bools
    present: Bools
    generator: Ints  # the place of each cell's generator; so `instance`: (cells,)
    instance: Ints
    weight: Floats | None = None  # how often each cell counts; None: once
    rubric: Ints | None = None  # for those who weigh cells by it

    def without(self, dropped: Bools) -> "Verdicts":
        """Return the cells on which verdicts differ without those of `dropped` (judges, generators)."""
        present = self.present & ~dropped.T[self.generator]
        favourable = self.favourable & present
        number = favourable.sum(axis=1)
        keep = (number > 0) & (number < present.sum(axis=1))
        return replace(self, favourable=favourable, present=present).select(keep)

    def weighted(self, values: Floats) -> Floats:
        return values if self.weight is None else values * self.weight[:, None]


def sum_by(place: Ints, values: NDArray[np.generic], size: int) -> Floats:
    """Return the sums of the rows of `values` that share a place, shape (size, columns)."""
    rows, columns = values.shape
    if values.size < _FEW_VALUES:  # a sparse matrix would take longer to make than to use
        places = (place[:, None] * columns + np.arange(columns)).ravel()
        sums = np.bincount(places, values.ravel(), size * columns)
        return np.asarray(sums.reshape(size, columns), dtype=np.float64)
    from scipy import sparse  # takes as long to load as everything else a study needs

    # Each row is a column of the matrix, with one entry.
    pick = sparse.csc_array((np.ones(rows), place, np.arange(rows + 1)), shape=(size, rows))
    return np.asarray(pick @ values.astype(np.float64), dtype=np.float64)


def members(ends: Ints, group: Ints) -> tuple[Ints, Ints]:
    """Return the members, from ends[g] to ends[g + 1], of some groups g in turn, and where each begins."""
    starts = np.concatenate([[0], np.cumsum(ends[group + 1] - ends[group])])
    return np.arange(starts[-1]) + np.repeat(ends[group] - starts[:-1], np.diff(starts)), starts


@dataclass(frozen=True, eq=False)
class Strata:
    """Cells grouped in rows that share generator, judges present and number of favourable verdicts.

    Cells are ordered by generator and instance, rows by generator. `favourable` are the favourable verdicts
    by generator and judge.
    """

    cells: Verdicts
    row: Ints
    generator: Ints
    present: Bools
    credited: Ints
    count: Floats
    favourable: Floats

    @property
    def n_generators(self) -> int:
        return len(self.favourable)

    @classmethod
    def of(cls, cells: Verdicts, n_generators: int) -> "Strata":
        cells = cells.select(np.lexsort((cells.instance, cells.generator)))
        credited = cells.favourable.sum(axis=1).astype(np.int64)
        sets = same_sets(cells.present)
        key = (cells.generator * (sets.max(initial=0) + 1) + sets) * (cells.present.shape[1] + 1) + credited
        _, first, row = np.unique(key, return_index=True, return_inverse=True)
        row = row.reshape(-1).astype(np.int64)
        count = np.bincount(row, cells.weight, len(first)).astype(np.float64)
        generator, present = cells.generator[first], cells.present[first]
        verdicts = cells.weighted(cells.favourable.astype(np.float64))
        favourable = sum_by(cells.generator, verdicts, n_generators)
        return cls(cells, row, generator, present, credited[first], count, favourable)

    @classmethod
    def of_rows(
        cls, generator: Ints, present: Bools, credited: Ints, count: Floats, favourable: Floats
    ) -> "Strata":
        """Return rows without their cells, for a fit; those on which all agree are left out.

        `favourable` are the favourable verdicts on all of them, (generators, judges).
        """
        number = present.sum(axis=1)
        passed, disputed = credited == number, (credited > 0) & (credited < number)
        unanimous = sum_by(generator[passed], count[passed, None] * present[passed], len(favourable))
        nothing = np.zeros((0, present.shape[1]), dtype=bool)
        cells = Verdicts(nothing, nothing, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        rows = generator[disputed], present[disputed], credited[disputed], count[disputed]
        return cls(cells, np.zeros(0, dtype=np.int64), *rows, favourable - unanimous)

    def weighted(self, weight: Floats) -> "Strata":
        """Return the rows with other weights of the cells, for a fit: those without any are left out."""
        count = np.bincount(self.row, weight, len(self.count)).astype(np.float64)
        keep = count > 0
        rows = self.generator[keep], self.present[keep], self.credited[keep], count[keep]
        favourable = np.zeros_like(self.favourable)
        for g in np.flatnonzero(np.diff(self.cell_ends)):
            of = slice(*self.cell_ends[g : g + 2])
            favourable[g] = weight[of].astype(np.float32) @ self._passes[of]
        return Strata(self.cells, self.row, *rows, favourable)

    @cached_property
    def _passes(self) -> NDArray[np.float32]:
        return self.cells.favourable.astype(np.float32)

    @cached_property
    def row_ends(self) -> Ints:
        """Where the rows of each generator begin, and the end."""
        return np.searchsorted(self.generator, np.arange(self.n_generators + 1))

    @cached_property
    def cell_ends(self) -> Ints:
        """Where the cells of each generator begin, and the end."""
        return np.searchsorted(self.cells.generator, np.arange(self.n_generators + 1))


def same_sets(present: Bools) -> Ints:
    """Return a number for each row of flags, equal where the rows are."""
    number = np.zeros(len(present), dtype=np.int64)
    if present.all():
        return number
    packed = np.packbits(present, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    words = padded.view(np.uint64)
    order = np.lexsort(words.T)
    ordered = words[order]
    number[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return number


def usual_values(values: Floats) -> Floats:
    """Return the value that most rows have in each column, if there is one: the median of a sample."""
    some = np.sort(values[:: len(values) // _SAMPLE + 1], axis=0)
    return np.asarray(some[len(some) // 2] if len(some) else np.zeros(values.shape[1]))
