"""Committee members in a slice, their majority."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import Words, count_in_both
from engine.arrays.confusion import Planes, ReferencePlanes, RubricCounts
from engine.arrays.pair_outcomes import PairCube
from engine.arrays.references import FEWEST_MEMBERS, vote
from engine.arrays.rows import group_rows
from engine.arrays.scores import ResponseScores, ScoreCube, score_responses
from engine.arrays.verdicts import VerdictCube
from engine.arrays.view import (
    InstanceCounts,
    ScoredResponses,
    SliceView,
    count_pairs,
    count_scored,
    places_of,
)
from engine.stats.committees import combined_scores, outcome_majority
from engine.stats.pairs import PairOutcomes
from engine.stats.self_preference import ScoreKind, rate
from engine.stats.types import Bools, Floats, Ints

# ------------------------------------------------------------------------------
# What the members of committees said of the same pairs of responses.


@dataclass(frozen=True, eq=False)
class PairVotes:
    """The pairs of a slice that some member has judged, one entry each, and what each member said.

    `generator` and `opponent` are places among the generators shown; `votes` has shape (members, pairs): who
    won, +1, 0 or -1 seen from `generator`, NaN where the member has no outcome.
    """

    instance: Ints
    generator: Ints
    opponent: Ints
    votes: Floats

    @classmethod
    def of(cls, view: SliceView, cube: PairCube, members: Ints) -> "PairVotes":
        """Gather what some models (their positions, ascending) said of the pairs that a view keeps."""
        pairs = places_of(cube.outcomes, members, view.generators)
        cells = view.kept_cells
        cells = (
            cells[view.columns]
            if len(cells) > 1
            else np.broadcast_to(cells, (len(view.columns), cells.shape[1]))
        )
        pairs = pairs.select(cells[pairs.generator, pairs.instance] & cells[pairs.opponent, pairs.instance])
        groups = group_rows(pairs.instance, pairs.generator, pairs.opponent)
        votes = np.full((len(members), len(groups.first)), np.nan)
        votes[pairs.judge, groups.of] = pairs.outcome
        one = pairs.select(groups.first)
        return cls(one.instance, one.generator, one.opponent, votes)

    def outcomes(self, outcome: NDArray[np.int8], decided: Bools) -> PairOutcomes:
        """Return what committees decide, of shape (committees, pairs), as pairs of so many judges."""
        row, pair = np.nonzero(decided)
        return PairOutcomes(
            row, self.instance[pair], self.generator[pair], self.opponent[pair], outcome[row, pair]
        )


# ------------------------------------------------------------------------------
# Judges who sit in committees, and what a committee's one voice amounts to in a slice (MEASURES 7).


Combine = Literal["majority", "mean", "median"]

_NO_MODEL = -1


class CommitteeView:
    """The members of committees in one slice; the judges shown are those in whose place they judge.

    Votes are marks of members: every member may vote in one committee and not in the next, and nothing is
    read again. A row is for each judge shown. Where the slice and its reference are the same for all judges
    (`alike`), it may as well be a row for each of several committees; where not, one row stands for all
    judges. What is returned has as many rows.
    """

    def __init__(self, view: SliceView, members: Ints, combine: Combine) -> None:
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
        return RubricCounts(
            planes, everyone, everything, view.rubric.shown_mask, view.weights, view.relations
        )

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
    def _ballots(self) -> PairVotes | None:
        if not isinstance(self.view.cube, PairCube):
            return None
        return PairVotes.of(self.view, self.view.cube, self.view.cube.judges[self._members])

    def _outcomes(self, votes: Bools) -> tuple[NDArray[np.int8], Bools, Bools]:
        """Return outcome, decided and divided of each row of votes: (rows or judges, pairs)."""
        assert self._ballots is not None  # noqa: S101 - the callers check
        if not self.alike:
            votes = np.broadcast_to(votes, (len(self.view.judges), votes.shape[1]))
        needed = np.array([least(row) for row in votes], dtype=np.int64)
        return outcome_majority(self._ballots.votes, votes, needed)

    def _voices(self, votes: Bools) -> tuple[Words, Words, Words]:
        """Return verdict, decided and divided of each row of votes: (rows or judges, generators, words)."""
        met, ok = self._planes
        voted = [vote(met[row], ok[row], least(row)) for row in votes]
        rows = len(votes) if self.alike else len(self.view.judges)
        verdict, decided, divided = (
            np.broadcast_to(np.stack(part), (rows, *part[0].shape)) for part in zip(*voted, strict=True)
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
