"""A committee's members, the judges that it replaces, and its levels, for all measures of committees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.index import positions
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.scores.scores import ScoreCube
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.slicing.slice_counts import InstanceCounts
from engine.arrays.truths.committee_view import CommitteeView
from engine.arrays.truths.references import FEWEST_MEMBERS
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.entry import Option
from engine.measures.rows import Column, Options, Table
from engine.phrases import join_names
from engine.stats import Bools, Ints
from engine.wording import Wording, option

_MEMBERS = option("members")
_NAME_MEMBERS = Wording(
    f"; name its members with {_MEMBERS}",
    f"; name its members with {_MEMBERS.python}",
    "; choose its members on the page Paradigms and committee",
)


@dataclass(frozen=True, eq=False)
class MemberCounts:
    """The counts of a committee in place of each judge, or of several; None at a level it does not have."""

    rubric: RubricCounts | None
    instance: InstanceCounts | None

    def at(self, level: str) -> RubricCounts | InstanceCounts:
        counts = self.rubric if level == "rubric" else self.instance
        assert counts is not None  # noqa: S101 - only levels of the judgments are requested
        return counts


@dataclass(frozen=True, eq=False)
class CommitteeMembers:
    """A committee: its members as named, those of them who judged, and the judges that it replaces.

    `present` holds the models of those who judged, in the cube's order; `excluded` marks which of them do not
    vote in place of a judge, shape (judges shown, members).
    """

    committee: CommitteeView
    members: tuple[str, ...]
    present: Ints
    excluded: Bools
    levels: tuple[str, ...]

    @property
    def view(self) -> SliceView:
        return self.committee.view

    def counts(self, votes: Bools) -> MemberCounts:
        by_majority = self.committee.combine == "majority" and self.view.request.of_rubrics
        return MemberCounts(
            self.committee.rubric(votes) if by_majority else None,
            None if self.view.of_single_verdicts else self.committee.instance(votes),
        )

    def splits(self, subset: Bools) -> int:
        """Return on how many criteria or pairs the committees of a subset, in place of judges, are split."""
        if self.committee.combine != "majority":
            return 0
        votes, _ = self.votes(subset)
        divided, _ = self.committee.count_divided(votes)
        _, distinct = np.unique(votes, axis=0, return_index=True)
        return int(np.broadcast_to(divided, len(votes))[distinct].sum())

    def votes(self, subset: Bools) -> tuple[Bools, Bools]:
        """Return who of a subset votes in place of each judge, (judges, members), and where too few would."""
        votes = subset & ~self.excluded
        few = votes.sum(axis=1) < FEWEST_MEMBERS
        votes[few] = False
        return votes, few

    def table(self, columns: Mapping[str, Column], keep: Bools, splits: int, **filters: Any) -> Table:
        """Return the measure's table, with these filters and what the members' own rows leave out.

        `splits` counts the criteria or pairs that the measure leaves out as committees are split on them.
        """
        filters = {"members": self.members, "combine": self.committee.combine, **filters}
        instances = int(self.view.counted_cells.any(axis=(0, 1)).sum())
        left_out = {**self.view.at(self.levels[-1]).left_out, "committee_split": splits}
        return Table(columns, keep, instances, left_out, filters)


def committee_members(view: SliceView, options: Options) -> CommitteeMembers:
    """Return the committee requested, or the study's first; UsageError if its members or way do not fit."""
    members = _members(view, options["members"])
    index = view.study.index
    combine, levels = _combine(view, options["combine"])
    rows = np.flatnonzero(np.isin(view.cube.judges, positions(members, index.models)))
    member_view = view.shown_judges(np.intersect1d(rows, view.rows))
    if not len(member_view.judges):  # also a study that names a committee none of whose members judged
        raise NoDataError(f"none of the committee's members {', '.join(members)} is among the judges shown")
    exclusion = view.request.exclusion
    relations = index.relations(member_view.judges, view.cube.judges[rows], exclusion.relatives)
    excluded = np.zeros((len(member_view.judges), len(rows)), dtype=bool)
    if exclusion:
        excluded = relations.family_with_self if exclusion.exclude_family else relations.self_mask
    committee = CommitteeView(member_view, rows, combine)
    return CommitteeMembers(committee, members, view.cube.judges[rows], excluded, levels)


def _members(view: SliceView, names: tuple[str, ...] | None) -> tuple[str, ...]:
    committees = view.study.info.committees
    if not names and not committees:
        raise NoDataError("the study has no committee", _NAME_MEMBERS)
    members = tuple(names) if names else tuple(next(iter(committees.values())).members)
    for name in members:
        if name not in view.study.index.models:
            raise unknown("member", name, view.study.index.models)
    if (number := len(set(members))) < FEWEST_MEMBERS:
        those = join_names([repr(each) for each in dict.fromkeys(members)])
        raise UsageError(
            f"a committee needs at least {FEWEST_MEMBERS} members, but that of {those} has {number}; name "
            "more"
        )
    return members


def _combine(view: SliceView, method: str | None) -> tuple[Any, tuple[str, ...]]:
    """Return how judgments are combined, by default scores by mean, others by majority; and the levels."""
    scores, level = isinstance(view.cube, ScoreCube), view.request.spec.level
    if method == "majority" and scores:
        raise UsageError(
            f"combine 'majority' applies to verdicts, but {view.request.paradigm} gives scores; "
            "choose mean or median"
        )
    if method not in (None, "majority") and isinstance(view.cube, PairCube):
        raise UsageError(
            f"combine {method!r} applies to scores, but pairwise judgments name a winner; choose majority"
        )
    method = method or ("mean" if scores else "majority")
    if method != "majority" and level == "rubric":
        by_answer = option("level", "instance")
        raise UsageError(f"combine {method!r} applies to scores of answers; choose ", by_answer)
    if method != "majority" or not (level or view.request.of_rubrics):
        return method, ("instance",)
    if level is not None:
        return method, (level,)
    return method, ("rubric",) if view.of_single_verdicts else ("rubric", "instance")


COMMITTEE_OPTIONS = (
    Option("members", "names", "the committee's judges (default: the first committee in study.json)"),
    Option(
        "combine",
        "name",
        "how judgments are combined: verdicts and pairs by majority, scores by mean or median",
        choices=("majority", "mean", "median"),
    ),
)
