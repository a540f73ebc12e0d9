"""A slice of a study with its counts, at both levels."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pairs import PairCube
from engine.cubes.planes import Planes
from engine.cubes.responses import ResponseScores, score_responses
from engine.cubes.verdicts import VerdictCube
from engine.errors import UsageError
from engine.metrics.overestimation import Kinship
from engine.metrics.scores import ScoreKind
from engine.packing import Words
from engine.request import Request
from engine.views.counted import Weights
from engine.views.instance import InstanceCounts, ScoredResponses, count_pairs, count_scored, places_of
from engine.views.rubric import RubricCounts

if TYPE_CHECKING:
    from engine.arrays import Cube, StudyArrays

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class View:
    """One slice: who is shown, what is kept, and the counts that measures are made of.

    `kept` marks the rubrics of rubric paradigms, shape (judges or 1, generators or 1, rubrics) over the
    whole cube, or the responses of the others, shape (generators or 1, instances). `cells`, where given,
    keeps only those (generator, instance) of the whole cube.
    """

    def __init__(
        self,
        study: "StudyArrays",
        request: Request,
        kept: Bools,
        weights: Weights | None = None,
        cells: Bools | None = None,
        cube: "Cube | None" = None,
    ) -> None:
        """Take the cube of the request's selection, where it is not given."""
        self.study, self.request, self.weights = study, request, weights
        self._kept, self._cells = kept, cells
        self.cube = cube if cube is not None else study.cube(request.selection)
        spec = request.spec
        self.rows = _shown(self.cube.judges, study, spec.judges)
        self.columns = _shown(self.cube.generators, study, spec.generators)

    def only(self, cells: Bools) -> "View":
        """Return this view restricted to some (generator, instance) of the whole cube."""
        return self._copy(cells=cells)

    def keeping(self, kept: Bools, request: Request) -> "View":
        """Return this view with other rubrics kept, as another request has it."""
        return self._copy(request=request, kept=kept)

    def shown_judges(self, rows: Ints) -> "View":
        """Return this view with only some of the cube's judges shown, given by their places."""
        names = tuple(self.study.index.models[j] for j in self.cube.judges[rows])
        view = self._copy()
        view.rows = rows
        view.request = replace(self.request, spec=replace(self.request.spec, judges=names))
        return view

    def at(self, level: str) -> "View":
        """Return this view at another level."""
        if level == self.request.level:
            return self
        return self._copy(request=replace(self.request, level=level))

    def _copy(
        self, *, request: Request | None = None, kept: Bools | None = None, cells: Bools | None = None
    ) -> "View":
        copy = View(
            self.study,
            self.request if request is None else request,
            self._kept if kept is None else kept,
            self.weights,
            self._cells if cells is None else cells,
            self.cube,
        )
        copy.rows, copy.columns = self.rows, self.columns
        return copy

    @property
    def judges(self) -> Ints:
        """The models shown as judges."""
        return self.cube.judges[self.rows]

    @property
    def generators(self) -> Ints:
        """The models shown as generators."""
        return self.cube.generators[self.columns]

    @cached_property
    def kin(self) -> Kinship:
        """Who is kin to whom among those shown."""
        relatives = self.request.exclusion.relatives
        return self.study.index.kinship(self.judges, self.generators, relatives)

    @property
    def at_rubrics(self) -> bool:
        """Whether the level asked for is that of rubrics."""
        return self.request.level == "rubric"

    @property
    def counts(self) -> RubricCounts | InstanceCounts:
        """The counts at the level asked for."""
        return self.rubric if self.at_rubrics else self.instance

    @cached_property
    def _planes(self) -> Planes:
        if not isinstance(self.cube, VerdictCube):
            raise UsageError(f"{self.request.paradigm} has no rubric verdicts; choose --level instance")
        return self.study.planes(self.cube, self.request)

    @cached_property
    def _mask(self) -> Words:
        layout = self.study.index.layout
        mask = layout.pack(self._kept)
        if self._cells is not None:
            mask = mask & layout.pack(self._cells[None, :, layout.instance_of])
        return mask

    @cached_property
    def rubric(self) -> RubricCounts:
        """The counts of rubric verdicts; UsageError where the judgments are none."""
        return RubricCounts(self._planes, self.rows, self.columns, self._mask, self.weights, self.kin)

    @cached_property
    def scored(self) -> ScoredResponses:
        """Scores of those shown, by judge and reference; UsageError for pairwise judgments."""
        self._refuse_single_verdicts()
        if isinstance(self.cube, PairCube):
            raise UsageError("pairwise judgments give outcomes, not scores; choose another paradigm")
        kind = cast("ScoreKind", self.request.spec.scores)
        if isinstance(self.cube, VerdictCube):
            cube, truth = self.cube, self._planes.reference
            mask = self.rubric.shown_mask
            here = np.ix_(self.rows, self.columns)
            judge = score_responses(self.study.index, cube.met[here], cube.ok[here], mask, kind)
            chosen = self.reference_rows(truth.met), self.reference_rows(truth.has)
            return ScoredResponses(judge, score_responses(self.study.index, *chosen, mask, kind))
        scores = np.where(self.kept_cells, self.cube.scores, np.nan)[np.ix_(self.rows, self.columns)]
        return ScoredResponses(ResponseScores(scores), self.reference_scores)

    @property
    def of_single_verdicts(self) -> bool:
        """Whether the slice keeps a rubric for some responses and drops it for others."""
        spec = self.request.spec
        return spec.agreement_of == "verdict" and spec.min_agreement is not None

    def _refuse_single_verdicts(self) -> None:
        if self.of_single_verdicts:
            raise UsageError("agreement_of 'verdict' is of single verdicts; ask at rubric level")

    @cached_property
    def instance(self) -> InstanceCounts:
        """The counts of comparisons of whole responses; UsageError where single verdicts are chosen."""
        self._refuse_single_verdicts()
        if isinstance(self.cube, PairCube):
            places = places_of(self.cube.outcomes, self.judges, self.generators)
            return count_pairs(places, len(self.judges), self.reference_scores, self.weights)
        return count_scored(self.scored, self.weights)

    @property
    def kept_cells(self) -> Bools:
        """The (generator, instance) kept, shape (generators or 1, instances), for whole responses."""
        return self._kept if self._cells is None else self._kept & self._cells

    @cached_property
    def reference_scores(self) -> ResponseScores:
        """The reference's scores of whole responses, NaN where not kept.

        Shape (judges or 1, generators, instances).
        """
        index, request = self.study.index, self.request
        truth = self.study.reference_planes(self.cube, request)
        everything = index.layout.pack(np.ones((1, 1, index.n_rubrics), dtype=bool))
        chosen = self.reference_rows(truth.met), self.reference_rows(truth.has)
        scores = score_responses(index, *chosen, everything, cast("ScoreKind", request.spec.scores))
        kept = self.kept_cells
        kept = kept if len(kept) == 1 else kept[self.columns]
        return ResponseScores(np.where(kept, scores.values, np.nan))

    def reference_rows(self, plane: Words) -> Words:
        """Return the part of a reference's plane that is shown: (judges or 1, generators, words)."""
        plane = plane[self.rows] if len(plane) > 1 else plane
        return plane[:, self.columns]

    @property
    def counted_cells(self) -> Bools:
        """Which (judge, generator, instance) of those shown have a counted judgment row.

        Where pairs are held against no reference, every pair with an outcome counts.
        """
        if isinstance(self.cube, PairCube) and self.request.source is None:
            from engine.views.paired import cells_of_pairs

            return cells_of_pairs(self, self.cube)
        return self.rubric.cells if self.request.of_rubrics else self.instance.cells

    @property
    def left_out(self) -> Mapping[str, int]:
        """What was left out of this slice, by reason; counts of judgment rows, `incomplete` of responses.

        What a restriction to common responses drops is not among it: the driver counts that.
        """
        from engine.views.left_out import left_out

        if self._cells is None:
            return left_out(self)
        everything = self._copy()
        everything._cells = None
        return left_out(everything)


def _shown(models: Ints, study: "StudyArrays", names: tuple[str, ...]) -> Ints:
    """Return the places of the named models, or all."""
    if not names:
        return np.arange(len(models))
    wanted = [study.index.models.index(name) for name in names]
    return np.flatnonzero(np.isin(models, wanted))
