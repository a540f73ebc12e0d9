"""A slice of a study with its counts, at both levels."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.arrays.bits.bitsets import Words
from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.left_out import in_slice, left_out
from engine.arrays.list_ranks import ListCube, ListRanks
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.scores.criterion_scores import CriterionCube
from engine.arrays.scores.scores import ResponseScores, score_responses
from engine.arrays.scores.true_scores import true_scores
from engine.arrays.slicing.resolve import ResolvedSlice
from engine.arrays.slicing.slice_counts import (
    InstanceCounts,
    ScoredResponses,
    count_pairs,
    count_scored,
    places_of,
)
from engine.arrays.truths.reference_planes import Planes, ReferencePlanes
from engine.errors import UsageError
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.scores.system_scores import ScoreKind
from engine.stats.self_preference import Relations
from engine.wording import option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import Cube, StudyArrays


def refuse_single_verdicts() -> UsageError:
    """Return the error for an agreement of single verdicts at a level where verdicts are taken together."""
    return UsageError("agreement_of 'verdict' compares single verdicts; choose ", option("level", "rubric"))


class SliceView:
    """One slice: who is shown, what is kept, and the counts that measures are computed from.

    `row_mask` marks the rubrics kept of rubric paradigms, shape (judges or 1, generators or 1, rubrics) over
    the whole cube, or the responses of the others, shape (generators or 1, instances). `cells`, if given,
    keeps only those (generator, instance) of the whole cube. `scored_cells`, if given, are those of the
    cube's (judge, generator, instance) whose scores are kept.
    """

    def __init__(
        self,
        study: "StudyArrays",
        request: ResolvedSlice,
        row_mask: Bools,
        weights: Weights | None = None,
        cells: Bools | None = None,
        cube: "Cube | None" = None,
        scored_cells: Bools | None = None,
    ) -> None:
        self.study, self.request, self.weights = study, request, weights
        self._row_mask, self._cells, self._scored_cells = row_mask, cells, scored_cells
        self.cube = cube if cube is not None else study.cube(request.selection)
        self.rows = _places(self.cube.judges, study, request.spec.judges)
        self.columns = _places(self.cube.generators, study, request.spec.generators)

    def only(self, cells: Bools) -> "SliceView":
        """Return this view restricted to some (generator, instance) of the whole cube."""
        return self._copy(cells=cells)

    def only_scored(self, cells: Bools) -> "SliceView":
        """Return this view with the judges' scores of some (judge, generator, instance) of the cube."""
        return self._copy(scored_cells=cells)

    def narrowed(self, row_mask: Bools, request: ResolvedSlice) -> "SliceView":
        """Return this view with those of its rubrics that another request keeps too."""
        return self._copy(request=request, row_mask=self._row_mask & row_mask)

    def with_all_judges(self) -> "SliceView":
        return self.shown_judges(np.arange(len(self.cube.judges)))

    def shown_judges(self, rows: Ints) -> "SliceView":
        """Return this view with only some of the cube's judges shown, given by their places."""
        names = tuple(self.study.index.models[j] for j in self.cube.judges[rows])
        view = self._copy()
        view.rows = rows
        view.request = replace(self.request, spec=replace(self.request.spec, judges=names))
        return view

    def at(self, level: str) -> "SliceView":
        """Return this view at another level."""
        if level == self.request.level:
            return self
        return self._copy(request=replace(self.request, level=level))

    def _copy(self, **changed: Any) -> "SliceView":
        """Return a view of the same judges and generators with some other arguments."""
        as_is: dict[str, Any] = {"request": self.request, "row_mask": self._row_mask, "cells": self._cells}
        as_is["scored_cells"] = self._scored_cells
        copy = SliceView(self.study, **(as_is | changed), weights=self.weights, cube=self.cube)
        copy.rows, copy.columns = self.rows, self.columns
        return copy

    @property
    def pair_cube(self) -> PairCube:
        """The cube, for measures that apply to judgments of pairs only."""
        assert isinstance(self.cube, PairCube)  # noqa: S101 - for the type checker
        return self.cube

    @property
    def judges(self) -> Ints:
        return self.cube.judges[self.rows]

    @property
    def generators(self) -> Ints:
        return self.cube.generators[self.columns]

    @cached_property
    def relations(self) -> Relations:
        relatives = self.request.exclusion.relatives
        return self.study.index.relations(self.judges, self.generators, relatives)

    @property
    def at_rubrics(self) -> bool:
        return self.request.level == "rubric"

    @property
    def counts(self) -> RubricCounts | InstanceCounts:
        return self.rubric if self.at_rubrics else self.instance

    @cached_property
    def _planes(self) -> Planes:
        if not isinstance(self.cube, VerdictCube):
            paradigm, by_answer = self.request.paradigm, option("level", "instance")
            raise UsageError(f"{paradigm} has no verdicts on criteria; choose ", by_answer)
        return self.study.planes(self.cube, self.request)

    @cached_property
    def rubric(self) -> RubricCounts:
        """The counts of rubric verdicts; UsageError if the judgments are not on rubrics."""
        planes, layout = self._planes, self.study.index.layout
        mask = layout.pack(self._row_mask) & self.study.verdict_criteria
        if self._cells is not None:
            mask = mask & layout.pack(self._cells[None, :, layout.instance_of])
        return RubricCounts(planes, self.rows, self.columns, mask, self.weights, self.relations)

    @cached_property
    def scored(self) -> ScoredResponses:
        """Scores of those shown, by judge and reference; UsageError for pairwise judgments."""
        self._refuse_single_verdicts()
        if isinstance(self.cube, PairCube | ListCube):
            raise UsageError(
                f"{self.request.paradigm} judgments give no scores of answers; choose another paradigm"
            )
        kind = cast("ScoreKind", self.request.spec.scores)
        if isinstance(self.cube, VerdictCube):
            index, truth, mask = self.study.index, self._planes.reference, self.rubric.shown_mask
            at = np.ix_(self.rows, self.columns)
            judge = score_responses(index, self.cube.met[at], self.cube.ok[at], mask, kind)
            planes = self.reference_rows(truth.met), self.reference_rows(truth.has)
            reference = score_responses(index, *planes, mask, kind)
        else:
            scores = np.where(self.kept_cells, self.cube.scores, np.nan)[np.ix_(self.rows, self.columns)]
            judge, reference = ResponseScores(scores), self.reference_scores
        if self._scored_cells is not None:
            selected = self._scored_cells[np.ix_(self.rows, self.columns)]
            judge = ResponseScores(np.where(selected, judge.values, np.nan))
        return ScoredResponses(judge, reference)

    @property
    def of_single_verdicts(self) -> bool:
        """Whether the slice keeps a rubric for some responses and drops it for others."""
        spec = self.request.spec
        return spec.agreement_of == "verdict" and spec.min_agreement is not None

    def _refuse_single_verdicts(self) -> None:
        if self.of_single_verdicts:
            raise refuse_single_verdicts()

    @cached_property
    def instance(self) -> InstanceCounts:
        """The counts of comparisons of whole responses; UsageError if single verdicts are chosen."""
        self._refuse_single_verdicts()
        if isinstance(self.cube, PairCube):
            places = places_of(self.cube.outcomes, self.judges, self.generators)
            return count_pairs(places, len(self.judges), self.reference_scores, self.weights)
        return count_scored(self.scored, self.weights)

    @cached_property
    def ranks(self) -> ListRanks:
        """The ranks of the responses kept and shown, by all judges; UsageError if there are no lists."""
        if not isinstance(self.cube, ListCube):
            raise UsageError(f"{self.request.paradigm} judgments are not on lists; choose another paradigm")
        return self.cube.ranks.select(self.keeps(self.cube.ranks))

    def keeps(self, ranks: ListRanks) -> Bools:
        """Return which ranks are of responses kept and shown."""
        column = np.searchsorted(self.cube.generators, ranks.generator)
        cells = self.cells_of_all[column, ranks.instance]
        return np.asarray(cells & np.isin(ranks.generator, self.generators))

    @property
    def kept_cells(self) -> Bools:
        """The (generator, instance) kept, shape (generators or 1, instances), for whole responses."""
        return self._row_mask if self._cells is None else self._row_mask & self._cells

    @property
    def cells_of_all(self) -> Bools:
        """The same for each generator of the cube, shape (generators, instances)."""
        return np.broadcast_to(self.kept_cells, (len(self.cube.generators), self.study.index.n_instances))

    @cached_property
    def reference_scores(self) -> ResponseScores:
        """The reference's scores of responses, (judges or 1, generators, instances), NaN where not kept."""
        request = self.request
        of_criteria = self.criterion_reference(request.source)
        if of_criteria is not None:
            return ResponseScores(of_criteria)
        planes = vars(self.study.reference_planes(self.cube, request)).values()
        truth = ReferencePlanes(*map(self.reference_rows, planes))
        kind = cast("ScoreKind", request.spec.scores)
        scores = true_scores(self.study, request.source, truth, self.generators, kind)
        return ResponseScores(np.where(self.cells_of_all[self.columns], scores, np.nan))

    def criterion_reference(self, source: str | None) -> Floats | None:
        """Return a source's scores by criterion, (1, generators, instances); None: no such scores."""
        if not isinstance(self.cube, CriterionCube):
            return None
        values = self.cube.reference(self.study, source)
        if values is None:
            return None
        return np.where(self.cells_of_all[self.columns], values[:, self.columns], np.nan)

    def reference_rows(self, plane: Words) -> Words:
        """Return the part of a reference's plane that is shown: (judges or 1, generators, words)."""
        return (plane[self.rows] if len(plane) > 1 else plane)[:, self.columns]

    @property
    def counted_cells(self) -> Bools:
        """Which (judge, generator, instance) of those shown have a counted judgment row.

        If pairs have no reference to compare with, every pair with an outcome counts.
        """
        if isinstance(self.cube, PairCube) and self.request.source is None:
            pairs = self.cube.outcomes.select(in_slice(self, self.cube.outcomes))
            return self._cells_of(pairs.judge, pairs.instance, pairs.generator, pairs.opponent)
        if isinstance(self.cube, ListCube):
            ranks = self.ranks.select(np.isin(self.ranks.judge, self.judges))
            return self._cells_of(ranks.judge, ranks.instance, ranks.generator)
        return self.rubric.cells if self.request.of_rubrics else self.instance.cells

    def _cells_of(self, judge: Ints, instance: Ints, *generators: Ints) -> Bools:
        """Mark the (judge, generator, instance) among those shown that are named, by position."""
        cells = np.zeros((len(self.judges), len(self.generators), self.study.index.n_instances), dtype=bool)
        row = np.searchsorted(self.judges, judge)
        for generator in generators:
            cells[row, np.searchsorted(self.generators, generator), instance] = True
        return cells

    @property
    def left_out(self) -> Mapping[str, int]:
        """What was left out of this slice, by reason; counts of judgment rows, `incomplete` of responses.

        Responses dropped by a restriction to common ones are not included: the caller counts them.
        """
        return left_out(self if self._cells is None else self._copy(cells=None))


def _places(models: Ints, study: "StudyArrays", names: tuple[str, ...]) -> Ints:
    """Return the places of the named models, or all."""
    positions = [study.index.models.index(name) for name in names]
    return np.flatnonzero(np.isin(models, positions)) if names else np.arange(len(models))
