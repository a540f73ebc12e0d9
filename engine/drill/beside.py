"""The verdict beside another: of a second judge on the same response, or on a second response."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import Ints
from engine.drill.cells import Cells, cells_of
from engine.errors import UsageError, unknown
from engine.views import View

ROLES = ("judge", "generator")


@dataclass(frozen=True)
class Beside:
    """What is set beside each judgment: that of the `judge`, or that on the `generator`'s response, `name`.

    `differ` keeps the judgments whose verdict is another one.
    """

    role: Literal["judge", "generator"]
    name: str
    differ: bool = False

    @classmethod
    def of(cls, written: str, *, differ: bool = False) -> "Beside":
        """Read `judge:NAME` or `generator:NAME`; UsageError for anything else."""
        role, found, name = written.partition(":")
        if role not in ROLES:
            raise unknown("role", role, ROLES)
        if not found or not name:
            raise UsageError(f"{written!r} names no model; write {role}:NAME")
        return cls(role, name, differ)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Return it as `of` reads it."""
        return f"{self.role}:{self.name}"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Cells and, at the same places, the verdict and the reference of what stands beside each."""

    cells: Cells
    verdict: NDArray[np.float64]
    truth: NDArray[np.float64]

    def take(self, places: slice) -> "Pairs":
        """Return some of them."""
        return Pairs(self.cells.take(places), self.verdict[places], self.truth[places])


def paired(view: View, cells: Cells, beside: Beside) -> Pairs:
    """Return the cells that have a verdict beside them, and with `differ` those whose verdicts differ.

    A comparison is set beside the one with the same opponent. Raises UsageError for a model that is
    not among those shown.
    """
    of_judge = beside.role == "judge"
    others = cells_of(view, "all", *((beside.name, None) if of_judge else (None, beside.name)))
    keys, wanted = _key(view, others, of_judge), _key(view, cells, of_judge)
    itself = cells.judge if of_judge else cells.generator
    found = np.isin(wanted, keys) & (itself != view.study.index.models.index(beside.name))
    order = np.argsort(keys)
    place = order[np.searchsorted(keys, wanted[found], sorter=order)]
    cells = cells.take(found)
    verdict, truth = others.verdict[place], others.truth[place]
    if beside.differ:
        kept = verdict != cells.verdict
        verdict, truth, cells = verdict[kept], truth[kept], cells.take(kept)
    return Pairs(cells, verdict, truth)


def _key(view: View, cells: Cells, of_judge: bool) -> Ints:
    """Return a number for each cell, equal for those that are set beside each other."""
    index = view.study.index
    width = max(index.n_rubrics, index.n_instances, 1)
    same = cells.generator if of_judge else cells.judge
    place = np.where(cells.rubric >= 0, cells.rubric, cells.instance)
    key: Ints = (same * (len(index.models) + 1) + cells.opponent + 1) * width + place
    return key
