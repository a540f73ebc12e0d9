"""Subsets of a set of judges, all of a size or a draw of them, and what a number is over them."""

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def subsets(members: int, size: int, most: int, rng: np.random.Generator) -> Bools:
    """Return subsets of one size as rows of marks, shape (subsets, members).

    All of them where there are at most `most`, else that many different ones, drawn with equal chances.
    """
    if comb(members, size) <= most:
        chosen = list(combinations(range(members), size))
    else:
        found: dict[tuple[int, ...], None] = {}
        while len(found) < most:
            drawn = rng.permuted(np.tile(np.arange(members), (most, 1)), axis=1)[:, :size]
            found |= dict.fromkeys(map(tuple, np.sort(drawn, axis=1).tolist()))
        chosen = list(found)[:most]
    marks = np.zeros((len(chosen), members), dtype=bool)
    marks[np.arange(len(chosen))[:, None], np.array(chosen, dtype=np.int64).reshape(len(chosen), size)] = True
    return marks


class Spread:
    """A number taken of one subset after the other: its mean, ends, and the mean in each resample.

    A subset without the number is left out; a resample in which it has none, of that resample's mean.
    """

    def __init__(self) -> None:
        """Begin with no subset."""
        self.values: list[float] = []
        self._total: Floats | None = None
        self._number: NDArray[np.int64] | None = None

    def add(self, value: float | Floats, draws: Floats | None) -> None:
        """Add a subset's number, with one draw for each resample."""
        if np.isnan(value):
            return
        self.values.append(float(value))
        if draws is None:
            return
        if self._total is None or self._number is None:
            self._total, self._number = np.zeros(len(draws)), np.zeros(len(draws), dtype=np.int64)
        there = ~np.isnan(draws)
        self._total[there] += draws[there]
        self._number += there

    @property
    def mean(self) -> float:
        """The mean over subsets, NaN where none has the number."""
        return float(np.mean(self.values)) if self.values else float("nan")

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest, NaN where no subset has the number."""
        return (min(self.values), max(self.values)) if self.values else (float("nan"), float("nan"))

    def draws(self, resamples: int) -> Floats:
        """Return the mean over subsets in each resample, NaN where no subset has the number."""
        mean = np.full(resamples, np.nan)
        if self._total is not None and self._number is not None:
            np.divide(self._total, self._number, out=mean, where=self._number > 0)
        return mean
