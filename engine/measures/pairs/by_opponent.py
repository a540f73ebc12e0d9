"""Rows for each judge: all its opponents pooled, then one by one (MEASURES sections 10 and 11)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.confusion import Resampled, combine
from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.columns import share_column
from engine.measures.entry import Option
from engine.measures.rows import Column
from engine.stats import Bools, Floats, Ints, Numbers
from engine.stats.intervals import jackknife
from engine.stats.intervals.bootstrap import is_smallest_p
from engine.stats.ratios import rate


@dataclass(frozen=True, eq=False)
class ByOpponent:
    """Examples by judge and opponent: `judge` is a place among those shown, `opponent` a model.

    `opponents` are the opponents of any judge, ascending.
    """

    view: SliceView
    judge: Ints
    instance: Ints
    opponent: Ints
    opponents: Ints

    def at(self, places: Ints) -> "ByOpponent":
        """Return the examples at these places, which may repeat, with the same rows."""
        parts = (self.judge[places], self.instance[places], self.opponent[places])
        return ByOpponent(self.view, *parts, self.opponents)

    @property
    def size(self) -> int:
        return len(self.view.judges) * (1 + len(self.opponents))

    @property
    def rows(self) -> tuple[Ints, Ints]:
        """The pooled row and the opponent's row of each example."""
        width = 1 + len(self.opponents)
        return self.judge * width, self.judge * width + 1 + np.searchsorted(self.opponents, self.opponent)

    def sums(self, values: NDArray[np.number] | Bools) -> Numbers:
        """Sum the examples' values in each row by instance; shape (rows, instances)."""
        shape = (self.size, self.view.study.index.n_instances)
        cell = np.concatenate([row * shape[1] + self.instance for row in self.rows])
        total = np.bincount(cell, np.concatenate([values, values]), shape[0] * shape[1]).reshape(shape)
        return total if values.dtype.kind == "f" else total.astype(np.int64)

    def add(self, values: NDArray[np.number] | Bools, *, resampled: bool = True) -> Resampled:
        """Sum the examples' values in each row, and in its resamples; shape (rows,)."""
        return Resampled.over_instances(self.sums(values), self.view.weights if resampled else None)

    def mean(self, values: NDArray[np.number] | Bools, number: Resampled) -> tuple[Floats, Floats | None]:
        """Return the rows' mean values and their draws; NaN without an example."""
        return combine(rate, self.add(values), number)

    def share(self, values: NDArray[np.number] | Bools, number: Resampled, why: str) -> Column:
        """Return the rows' shares that values of 0 to 1 are of the examples."""
        return share_column(self.add(values), number, self.view.weights, why)

    def tails(self, values: Floats, counted: Bools, mean: Floats, draws: Floats | None) -> Floats | None:
        """Return for each mean the p of Student's t where that of the resamples is at its floor, else NaN.

        With the error of leaving out one question at a time (MEASURES section 17).
        """
        if draws is None:
            return None
        p, at_floor = np.full(self.size, np.nan), np.flatnonzero(is_smallest_p(draws, 0.0))
        sums, numbers = (self.sums(part)[at_floor] for part in (values * counted, counted))
        for row, total, number in zip(at_floor, sums, numbers, strict=True):
            some = number > 0
            parts = {"total": total[None, some], "number": number[None, some]}
            left_out = jackknife.leave_one_out(parts, lambda left: rate(left["total"], left["number"]))
            p[row] = jackknife.studentised(mean[[row]], left_out, null=0.0, log=False).p[0]
        return p

    def each(self) -> list[Ints]:
        pooled, single = self.rows
        order = np.argsort(np.concatenate([pooled, single]), kind="stable") % max(len(pooled), 1)
        sizes = np.bincount(np.concatenate([pooled, single]), minlength=self.size)
        return np.split(order, np.cumsum(sizes)[:-1])

    def names(self) -> dict[str, Column]:
        models = self.view.study.index.models
        family = self.view.study.index.model_fields["family"]
        judges = [j for j in self.view.judges for _ in range(1 + len(self.opponents))]
        against = [None, *(models[o] for o in self.opponents)] * len(self.view.judges)
        return {
            "judge": Column([models[j] for j in judges]),
            "family": Column([family[j] for j in judges]),
            "opponent": Column(against, reasons="pooled"),
        }


GOLD_OPTION = Option("gold", "names", "gold judges and people whose preferences count (default: all)", ())
OPPONENT = entry.key("opponent", "the model compared with; empty on the pooled row")
