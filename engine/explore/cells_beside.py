"""Two verdicts side by side: with one of a second judge on the same response, or on a second response."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.explore.judgment_list import JudgmentCells, cells_of
from engine.explore.text_search import cell_key
from engine.stats import Floats, Ints

ROLES = ("judge", "generator")


@dataclass(frozen=True)
class Beside:
    """The verdict to compare with each judgment: that of the judge `name`, or on the generator `name`.

    `differ` selects the judgments whose verdicts differ.
    """

    role: Literal["judge", "generator"]
    name: str
    differ: bool = False

    @classmethod
    def of(cls, text: str, *, differ: bool = False) -> "Beside":
        """Parse `judge:NAME` or `generator:NAME`; UsageError for anything else."""
        role, colon, name = text.partition(":")
        if role not in ROLES:
            raise unknown("role", role, ROLES)
        if not colon or not name:
            raise UsageError(f"{text!r} names no model; write {role}:NAME")
        return cls(role, name, differ)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Return the form that `of` parses."""
        return f"{self.role}:{self.name}"


@dataclass(frozen=True, eq=False)
class CellPairs(JudgmentCells):
    """Cells with the verdict and the reference of the other judgment of each."""

    verdict_beside: Floats
    truth_beside: Floats


def pairs_of(view: SliceView, cells: JudgmentCells, beside: Beside) -> CellPairs:
    """Return the cells that have another verdict to compare with; with `differ`, if the verdicts differ.

    Comparisons are matched by opponent. Raises UsageError for a model that is not among those shown.
    """
    of_judge = beside.role == "judge"
    others = cells_of(view, "all", *((beside.name, None) if of_judge else (None, beside.name)))
    keys, cell_keys = _pairing_key(view, others, of_judge), _pairing_key(view, cells, of_judge)
    itself = cells.judge if of_judge else cells.generator
    is_paired = np.isin(cell_keys, keys) & (itself != view.study.index.models.index(beside.name))
    order = np.argsort(keys)
    place = order[np.searchsorted(keys, cell_keys[is_paired], sorter=order)]
    pairs = CellPairs(
        **vars(cells.select(is_paired)),
        verdict_beside=others.verdict[place],
        truth_beside=others.truth[place],
    )
    return pairs.select(pairs.verdict != pairs.verdict_beside) if beside.differ else pairs


def _pairing_key(view: SliceView, cells: JudgmentCells, of_judge: bool) -> Ints:
    """Return a number for each cell, equal for cells to compare with each other."""
    same = cells.generator if of_judge else cells.judge
    return cell_key(
        view.study, (same, cells.opponent), np.where(cells.rubric >= 0, cells.rubric, cells.instance)
    )
