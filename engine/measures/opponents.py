"""Rows for each judge: all its opponents pooled, then one by one (MEASURES sections 10 and 11)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pair_rows import Bools, Floats, Ints
from engine.measures.table import Column
from engine.metrics.overestimation import rate
from engine.views import View
from engine.views.counted import Counted, combine


@dataclass(frozen=True, eq=False)
class ByOpponent:
    """Examples told apart by judge and opponent: `judge` is a place among those shown, `opponent` a model."""

    view: View
    judge: Ints
    instance: Ints
    opponent: Ints

    @property
    def opponents(self) -> Ints:
        """The opponents of any judge, ascending."""
        return np.unique(self.opponent)

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.view.judges) * (1 + len(self.opponents))

    @property
    def rows(self) -> tuple[Ints, Ints]:
        """The pooled row and the opponent's row of each example."""
        width = 1 + len(self.opponents)
        return self.judge * width, self.judge * width + 1 + np.searchsorted(self.opponents, self.opponent)

    def add(self, values: NDArray[np.number] | Bools, *, resampled: bool = True) -> Counted:
        """Add the examples' values up in each row, and in its resamples; shape (rows,)."""
        shape = (self.size, self.view.study.index.n_instances)
        cell = np.concatenate([row * shape[1] + self.instance for row in self.rows])
        twice = np.concatenate([values, values])
        chosen = np.flatnonzero(twice)
        if twice.dtype.kind == "f":
            total = np.bincount(cell[chosen], weights=twice[chosen], minlength=shape[0] * shape[1])
        else:
            total = np.bincount(np.repeat(cell[chosen], twice[chosen]), minlength=shape[0] * shape[1])
        return Counted.over_instances(total.reshape(shape), self.view.weights if resampled else None)

    def each(self) -> list[NDArray[np.int64]]:
        """Return the examples of every row."""
        pooled, single = self.rows
        order = np.argsort(np.concatenate([pooled, single]), kind="stable") % max(len(pooled), 1)
        sizes = np.bincount(np.concatenate([pooled, single]), minlength=self.size)
        return np.split(order, np.cumsum(sizes)[:-1])

    def names(self) -> dict[str, Column]:
        """Return the columns that name the rows."""
        models = self.view.study.index.models
        family = self.view.study.index.model_fields["family"]
        judges = [j for j in self.view.judges for _ in range(1 + len(self.opponents))]
        against = [None, *(models[o] for o in self.opponents)] * len(self.view.judges)
        return {
            "judge": Column([models[j] for j in judges]),
            "family": Column([family[j] for j in judges]),
            "opponent": Column(against, reasons="pooled"),
        }


def means(total: Counted, number: Counted) -> tuple[Floats, Floats | None]:
    """Return mean values and their draws; NaN without an example."""
    value, draws = combine(rate, total, number)
    return value, draws
