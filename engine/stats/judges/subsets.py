"""Subsets of judges, all of one size or a sample of them, and a number's values over them."""

from itertools import combinations
from math import comb

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.ratios import rate


def subsets(members: int, size: int, most: int, rng: np.random.Generator) -> Bools:
    """Return all subsets of one size, or `most` different random ones, as marks (subsets, members)."""
    if comb(members, size) <= most:
        groups = list(combinations(range(members), size))
    else:
        distinct: dict[tuple[int, ...], None] = {}
        while len(distinct) < most:
            samples = rng.permuted(np.tile(np.arange(members), (most, 1)), axis=1)[:, :size]
            distinct |= dict.fromkeys(map(tuple, np.sort(samples, axis=1).tolist()))
        groups = list(distinct)[:most]
    marks = np.zeros((len(groups), members), dtype=bool)
    marks[np.arange(len(groups))[:, None], np.array(groups, dtype=np.int64).reshape(len(groups), size)] = True
    return marks


class Spread:
    """A number over subsets: its mean, extremes, and mean in each resample, of those where it is defined."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self._total: Floats | float = 0.0
        self._number: Ints | int = 0

    def add(self, value: float | Floats, draws: Floats | None) -> None:
        """Add a subset's number, with one draw for each resample."""
        if np.isnan(value):
            return
        self.values.append(float(value))
        if draws is not None:
            defined = ~np.isnan(draws)
            self._total = self._total + np.where(defined, draws, 0.0)
            self._number = self._number + defined

    @property
    def mean(self) -> float:
        return float(np.mean(self.values)) if self.values else float("nan")

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value, NaN if the number is undefined for all subsets."""
        return (min(self.values), max(self.values)) if self.values else (float("nan"), float("nan"))

    def draws(self, resamples: int) -> Floats:
        """Return the mean over subsets in each resample, NaN where it is undefined for all."""
        return np.full(resamples, rate(np.asarray(self._total), np.asarray(self._number)))
