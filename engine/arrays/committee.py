"""Judges who sit in committees, and what a committee's one voice amounts to in a slice (MEASURES 7)."""

from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pairs import PairCube
from engine.cubes.planes import Planes, ReferencePlanes
from engine.cubes.responses import ResponseScores, score_responses
from engine.cubes.scores import ScoreCube
from engine.cubes.verdicts import VerdictCube
from engine.metrics.majority import combined_scores, outcome_majority
from engine.metrics.overestimation import rate
from engine.metrics.scores import ScoreKind
from engine.packing import Words, count_in_both
from engine.references import FEWEST_MEMBERS, vote
from engine.views.ballots import Ballots
from engine.views.instance import InstanceCounts, ScoredResponses, count_pairs, count_scored
from engine.views.rubric import RubricCounts
from engine.views.view import View

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Combine = Literal["majority", "mean", "median"]

_NO_MODEL = -1


class Bench:
    """The members of committees in one slice; the judges shown are those in whose place they judge.

    Votes are marks of members: every member may vote in one committee and not in the next, and nothing is
    read again. A row is for each judge shown. Where the slice and its reference are the same for all judges
    (`alike`), it may as well be a row for each of several committees; where not, one row stands for all
    judges. What is returned has as many rows.
    """

    def __init__(self, view: View, members: Ints, combine: Combine) -> None:
        """Take the members' places in the cube; `combine` says how their verdicts or scores are joined."""
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
        """Return the counts of the majority's verdicts held against the reference."""
        view = self.view
        met, ok, _ = self._voices(votes)
        assert self._verdicts is not None  # noqa: S101 - scores are not voted on
        truth = view.rubric.planes.reference
        reference = ReferencePlanes(
            *(view.reference_rows(plane) for plane in (truth.met, truth.has, truth.tie))
        )
        cube = VerdictCube(np.full(len(met), _NO_MODEL), view.generators, met, ok, self._verdicts.failures)
        planes = Planes(view.study.index, cube, reference)
        everyone, everything = np.arange(len(met)), np.arange(len(view.generators))
        return RubricCounts(planes, everyone, everything, view.rubric.shown_mask, view.weights, view.kin)

    def instance(self, votes: Bools) -> InstanceCounts:
        """Return the counts of comparisons by the committee held against the reference's.

        Of pairs they are those that it decides, otherwise those of its scores.
        """
        if self._ballots is not None:
            outcome, decided, _ = self._outcomes(votes)
            places = self._ballots.outcomes(outcome, decided)
            return count_pairs(places, len(outcome), self.reference, self.view.weights)
        scored = ScoredResponses(self._scores(votes), self.reference)
        return count_scored(scored, self.view.weights)

    def divided(self, votes: Bools) -> Floats:
        """Return the share of what enough members judged on which they are divided; NaN of nothing."""
        if self._ballots is not None:
            _, settled, torn = self._outcomes(votes)
            return rate(torn.sum(axis=1), (torn | settled).sum(axis=1))
        _, decided, divided = self._voices(votes)
        mask = self.view.rubric.shown_mask
        split, reached = (count_in_both(plane, mask).sum(axis=-1) for plane in (divided, decided))
        return rate(split, split + reached)

    @cached_property
    def reference(self) -> ResponseScores:
        """The reference's scores of responses, those kept."""
        return self.view.scored.reference if self._ballots is None else self.view.reference_scores

    @cached_property
    def _ballots(self) -> Ballots | None:
        if not isinstance(self.view.cube, PairCube):
            return None
        return Ballots.of(self.view, self.view.cube, self.view.cube.judges[self._members])

    def _outcomes(self, votes: Bools) -> tuple[NDArray[np.int8], Bools, Bools]:
        """Return outcome, decided and divided of each row of votes: (rows or judges, pairs)."""
        assert self._ballots is not None  # noqa: S101 - the callers asked
        if not self.alike:
            votes = np.broadcast_to(votes, (len(self.view.judges), votes.shape[1]))
        needed = np.array([least(row) for row in votes], dtype=np.int64)
        return outcome_majority(self._ballots.said, votes, needed)

    def _voices(self, votes: Bools) -> tuple[Words, Words, Words]:
        """Return verdict, decided and divided of each row of votes: (rows or judges, generators, words)."""
        met, ok = self._planes
        made = [vote(met[row], ok[row], least(row)) for row in votes]
        rows = len(votes) if self.alike else len(self.view.judges)
        verdict, decided, divided = (
            np.broadcast_to(np.stack(part), (rows, *part[0].shape)) for part in zip(*made, strict=True)
        )
        return verdict, decided, divided

    @cached_property
    def _planes(self) -> tuple[Words, Words]:
        cube = self._verdicts
        assert cube is not None  # noqa: S101 - scores are not voted on
        here = np.ix_(self._members, self.view.columns)
        return cube.met[here], cube.ok[here]

    def _scores(self, votes: Bools) -> ResponseScores:
        if self.combine == "majority":
            view = self.view
            met, ok, _ = self._voices(votes)
            kind = cast("ScoreKind", view.request.spec.scores)
            return score_responses(view.study.index, met, ok, view.rubric.shown_mask, kind)
        if not self.alike:
            votes = np.broadcast_to(votes, (len(self.view.judges), votes.shape[1]))
        given = np.broadcast_to(self._given, (len(votes), *self._given.shape[1:]))
        joined = [
            combined_scores(scores[voting], self.combine, least(voting))
            for scores, voting in zip(given, votes, strict=True)
        ]
        return ResponseScores(np.stack(joined))

    @cached_property
    def _given(self) -> Floats:
        """The members' own scores: (judges or 1, members, generators, instances)."""
        view, kind = self.view, cast("ScoreKind", self.view.request.spec.scores)
        if isinstance(view.cube, ScoreCube):
            scores = np.where(view.kept_cells, view.cube.scores, np.nan)
            return scores[np.ix_(self._members, view.columns)][None]
        met, ok = self._planes
        masks = view.rubric.shown_mask
        return np.stack([score_responses(view.study.index, met, ok, mask, kind).values for mask in masks])


def least(voting: Bools) -> int:
    """Return how many members must have judged: three, or all of a smaller committee."""
    return min(FEWEST_MEMBERS, max(int(voting.sum()), 1))
