"""Who sits in a committee, whom it judges, and at which levels: what the measures of committees share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import positions
from engine.cubes.pairs import PairCube
from engine.cubes.scores import ScoreCube
from engine.errors import UsageError, unknown
from engine.measures.table import Column, Table
from engine.references import FEWEST_MEMBERS
from engine.request import LackingError
from engine.views import View
from engine.views.bench import Bench
from engine.views.instance import InstanceCounts
from engine.views.rubric import RubricCounts

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Seats:
    """A committee: its members as asked for, those of them who judged, and whom it judges in turn.

    `seat` holds the models of those who judged, in the cube's order; `out` marks which of them do not vote on
    which judges, shape (judges shown, seats).
    """

    bench: Bench
    members: tuple[str, ...]
    seat: NDArray[np.int64]
    out: Bools
    levels: tuple[str, ...]

    @property
    def view(self) -> View:
        """The slice, with the members to be judged shown."""
        return self.bench.view

    def votes(self, sitting: Bools) -> Bools:
        """Return who of those sitting votes on each judge: (judges shown, members)."""
        return sitting & ~self.out

    def counts(self, votes: Bools) -> tuple[RubricCounts | None, InstanceCounts | None]:
        """Return the committee's counts at each level; None at one that the judgments have not."""
        voted = self.bench.combine == "majority" and self.view.request.of_rubrics
        rubric = self.bench.rubric(votes) if voted else None
        return rubric, None if self.view.of_single_verdicts else self.bench.instance(votes)

    def table(self, columns: Mapping[str, Column], keep: Bools, **settled: Any) -> Table:
        """Return the measure's table, with what was settled and what the members' own rows lack."""
        told = {"members": self.members, "combine": self.bench.combine, **settled}
        instances = int(self.view.counted_cells.any(axis=(0, 1)).sum())
        left_out = self.view.at(self.levels[-1]).left_out
        return Table(columns, keep, instances, left_out, told)


def seated(view: View, options: Mapping[str, Any]) -> Seats:
    """Return the committee asked for, or the study's first.

    Raises UsageError for an unknown member, fewer than three, or a way of joining that the judgments do not
    have; LackingError where none is asked for and the study has none.
    """
    members = _members(view, options["members"])
    index = view.study.index
    combine = _combine(view, options["combine"])
    named = positions(members, index.models)
    here = np.flatnonzero(np.isin(view.cube.judges, named))
    shown = view.shown_judges(np.intersect1d(here, view.rows))
    exclusion = view.request.exclusion
    kin = index.kinship(shown.judges, view.cube.judges[here], exclusion.relatives)
    out = np.zeros((len(shown.judges), len(here)), dtype=bool)
    if exclusion:
        out = kin.family_with_self if exclusion.exclude_family else kin.own
    bench = Bench(shown, here, combine)
    return Seats(bench, members, view.cube.judges[here], out, _levels(view, combine))


def _members(view: View, asked: tuple[str, ...] | None) -> tuple[str, ...]:
    committees = view.study.info.committees
    if not asked and not committees:
        raise LackingError("the study has no committee; name one with --members A,B,C or `spb committee`")
    members = tuple(asked) if asked else tuple(next(iter(committees.values())).members)
    for name in members:
        if name not in view.study.index.models:
            raise unknown("member", name, view.study.index.models)
    if len(set(members)) < FEWEST_MEMBERS:
        raise UsageError(
            f"a committee needs {FEWEST_MEMBERS} members, {members!r} are {len(set(members))}; add some"
        )
    return members


def _combine(view: View, asked: str | None) -> Any:
    """Return how judgments are joined; unless asked, scores by their mean and all others by majority."""
    scores = isinstance(view.cube, ScoreCube)
    if asked == "majority" and scores:
        raise UsageError(
            f"combine 'majority' is of verdicts, {view.request.paradigm} gives scores; take mean or median"
        )
    if asked not in (None, "majority") and isinstance(view.cube, PairCube):
        raise UsageError(f"combine {asked!r} is of scores, pairwise judgments name a winner; take majority")
    return asked or ("mean" if scores else "majority")


def _levels(view: View, combine: str) -> tuple[str, ...]:
    asked = view.request.spec.level
    if combine != "majority":
        if asked == "rubric":
            raise UsageError(f"combine {combine!r} is of scores of responses; choose --level instance")
        return ("instance",)
    if asked is not None:
        return (asked,)
    if not view.request.of_rubrics:
        return ("instance",)
    return ("rubric",) if view.of_single_verdicts else ("rubric", "instance")
