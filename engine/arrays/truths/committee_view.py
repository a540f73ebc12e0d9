"""Judges as members of committees, and a committee's counts in a slice (MEASURES section 7)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.bitsets import Words, count
from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.judgment_rows import group_rows
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.scores.scores import ResponseScores, ScoreCube, score_responses
from engine.arrays.slicing.slice_counts import (
    InstanceCounts,
    ScoredResponses,
    count_pairs,
    count_scored,
    places_of,
)
from engine.arrays.truths.reference_planes import Planes, ReferencePlanes
from engine.arrays.truths.references import FEWEST_MEMBERS, vote
from engine.arrays.view import SliceView
from engine.stats import Bools, Floats, Ints
from engine.stats.judges.combined_verdicts import combined_scores, outcome_majority
from engine.stats.pairs.compared_responses import PairOutcomes
from engine.stats.ratios import rate
from engine.stats.scores.system_scores import ScoreKind


@dataclass(frozen=True, eq=False)
class PairVotes:
    """The pairs of a slice that some member has judged, one entry each, and each member's outcome.

    `generator` and `opponent` are places among the generators shown; `votes` has shape (members, pairs): who
    won, +1, 0 or -1 seen from `generator`, NaN where the member has no outcome.
    """

    instance: Ints
    generator: Ints
    opponent: Ints
    votes: Floats

    @classmethod
    def of(cls, view: SliceView, cube: PairCube, members: Ints) -> "PairVotes":
        """Gather the outcomes by some models (positions, ascending) of the pairs that a view keeps."""
        pairs = places_of(cube.outcomes, members, view.generators)
        cells = view.cells_of_all[view.columns]
        pairs = pairs.select(cells[pairs.generator, pairs.instance] & cells[pairs.opponent, pairs.instance])
        groups = group_rows(pairs.instance, pairs.generator, pairs.opponent)
        votes = np.full((len(members), len(groups.first)), np.nan)
        votes[pairs.judge, groups.of] = pairs.outcome
        first = pairs.select(groups.first)
        return cls(first.instance, first.generator, first.opponent, votes)

    def outcomes(self, outcome: NDArray[np.int8], decided: Bools) -> PairOutcomes:
        """Return the decisions of committees, shape (committees, pairs), as pairs that they have judged."""
        row, pair = np.nonzero(decided)
        who = (self.instance[pair], self.generator[pair], self.opponent[pair])
        return PairOutcomes(row, *who, outcome[row, pair])


Combine = Literal["majority", "mean", "median"]


class CommitteeView:
    """Committees in one slice, in place of the judges shown; `members` are places in the cube.

    Votes mark the members that vote, shape (rows, members). If the slice and its reference are the same for
    all judges (`alike`), each row of votes is a committee, and results have as many rows. Otherwise there is
    a row for each judge shown, or one for all, and results have a row for each judge.
    """

    def __init__(self, view: SliceView, members: Ints, combine: Combine) -> None:
        self.view, self.combine, self._members = view, combine, members

    @cached_property
    def alike(self) -> bool:
        """Whether what is kept, and the reference, are the same for all judges."""
        if self._verdicts is None:
            return len(self.reference.values) == 1
        return len(self.view.rubric.shown_mask) == len(self.view.rubric.planes.reference.has) == 1

    @property
    def _verdicts(self) -> VerdictCube | None:
        return self.view.cube if isinstance(self.view.cube, VerdictCube) else None

    def rubric(self, votes: Bools) -> RubricCounts:
        """Return the counts of the majority's verdicts compared with the reference."""
        met, ok, _ = self._majorities(votes)
        return self._counts(met, ok)

    def on_same_cells(self, votes: Bools) -> tuple[RubricCounts, RubricCounts]:
        """Return the counts of the judges' own verdicts and of the majority's, on the cells that both decide.

        `votes` has a row for each judge shown.
        """
        assert self._verdicts is not None  # noqa: S101 - scores are not voted on
        at = np.ix_(self.view.rows, self.view.columns)
        met, ok, _ = self._majorities(votes)
        both = ok & self._verdicts.ok[at]
        return self._counts(self._verdicts.met[at] & both, both), self._counts(met & both, both)

    def _counts(self, met: Words, ok: Words) -> RubricCounts:
        """Return the counts of verdicts, (rows, generators, words), compared with the reference."""
        view = self.view
        assert self._verdicts is not None  # noqa: S101 - scores are not voted on
        truth = view.rubric.planes.reference
        reference = ReferencePlanes(*map(view.reference_rows, (truth.met, truth.has, truth.tie)))
        no_model = np.full(len(met), -1)
        cube = VerdictCube(no_model, view.generators, met, ok, self._verdicts.failures)
        planes = Planes(view.study.index, cube, reference)
        shown = np.arange(len(met)), np.arange(len(view.generators))
        return RubricCounts(planes, *shown, view.rubric.shown_mask, view.weights, view.relations)

    def instance(self, votes: Bools) -> InstanceCounts:
        """Return the counts of comparisons against the reference's: pairs that it decides, or its scores."""
        if self._pair_votes is not None:
            outcome, decided, _ = self._outcomes(votes)
            places = self._pair_votes.outcomes(outcome, decided)
            return count_pairs(places, len(outcome), self.reference, self.view.weights)
        return count_scored(ScoredResponses(self._scores(votes), self.reference), self.view.weights)

    def share_divided(self, votes: Bools) -> Floats:
        """Return the share of what enough members judged on which they are divided; NaN without any."""
        divided, decided = self.count_divided(votes)
        return rate(divided, divided + decided)

    def count_divided(self, votes: Bools) -> tuple[Ints, Ints]:
        """Return on how much of what enough members judged they are divided, and how much they decide."""
        if self._pair_votes is not None:
            _, decided, divided = self._outcomes(votes)
            return divided.sum(axis=1), decided.sum(axis=1)
        _, *planes = self._majorities(votes)
        mask = self.view.rubric.shown_mask
        n_decided, n_divided = (count(plane & mask).sum(axis=-1) for plane in planes)
        return n_divided, n_decided

    @cached_property
    def reference(self) -> ResponseScores:
        return self.view.scored.reference if self._pair_votes is None else self.view.reference_scores

    @cached_property
    def _pair_votes(self) -> PairVotes | None:
        if not isinstance(self.view.cube, PairCube):
            return None
        return PairVotes.of(self.view, self.view.cube, self.view.cube.judges[self._members])

    def _of_each_judge(self, votes: Bools) -> Bools:
        return votes if self.alike else np.broadcast_to(votes, (len(self.view.judges), votes.shape[1]))

    def _outcomes(self, votes: Bools) -> tuple[NDArray[np.int8], Bools, Bools]:
        """Return outcome, decided and divided of each row of votes: (rows or judges, pairs)."""
        assert self._pair_votes is not None  # noqa: S101 - the callers check
        votes = self._of_each_judge(votes)
        quorums = np.array([quorum(row) for row in votes], dtype=np.int64)
        return outcome_majority(self._pair_votes.votes, votes, quorums)

    def _majorities(self, votes: Bools) -> tuple[Words, Words, Words]:
        """Return verdict, decided and divided of each row of votes: (rows or judges, generators, words)."""
        met, ok = self._planes
        results = [vote(met[row], ok[row], quorum(row)) for row in votes]
        rows = len(votes) if self.alike else len(self.view.judges)
        verdict, decided, divided = (
            np.broadcast_to(np.stack(part), (rows, *part[0].shape)) for part in zip(*results, strict=True)
        )
        return verdict, decided, divided

    @cached_property
    def _planes(self) -> tuple[Words, Words]:
        cube = self._verdicts
        assert cube is not None  # noqa: S101 - scores are not voted on
        at = np.ix_(self._members, self.view.columns)
        return cube.met[at], cube.ok[at]

    def _scores(self, votes: Bools) -> ResponseScores:
        view = self.view
        if self.combine == "majority":
            met, ok, _ = self._majorities(votes)
            kind = cast("ScoreKind", view.request.spec.scores)
            return score_responses(view.study.index, met, ok, view.rubric.shown_mask, kind)
        votes = self._of_each_judge(votes)
        member_scores = np.broadcast_to(self._member_scores, (len(votes), *self._member_scores.shape[1:]))
        each = zip(member_scores, votes, strict=True)
        combined = [combined_scores(scores[voting], self.combine, quorum(voting)) for scores, voting in each]
        return ResponseScores(np.stack(combined))

    @cached_property
    def _member_scores(self) -> Floats:
        """The members' own scores: (judges or 1, members, generators, instances)."""
        view, kind = self.view, cast("ScoreKind", self.view.request.spec.scores)
        if isinstance(view.cube, ScoreCube):
            scores = np.where(view.kept_cells, view.cube.scores, np.nan)
            return scores[np.ix_(self._members, view.columns)][None]
        index, planes, masks = view.study.index, self._planes, view.rubric.shown_mask
        return np.stack([score_responses(index, *planes, mask, kind).values for mask in masks])


def quorum(voting: Bools) -> int:
    """Return how many members must have judged: three, or all of a smaller committee."""
    return min(FEWEST_MEMBERS, max(int(voting.sum()), 1))
