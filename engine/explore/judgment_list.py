"""The cells of a study's arrays behind a number."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.bits.bitsets import Words
from engine.arrays.bits.confusion import RubricCounts
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.group_by import group_views
from engine.arrays.text_names import names_of_groups
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.explore.verdict_kinds import KINDS, VerdictKind
from engine.paradigms import COMPARABLE
from engine.slices import NULL, Slice
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.pairs.compared_responses import PairOutcomes

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def usual_kind(study: "StudyArrays") -> VerdictKind:
    """Return the kind of cells listed at first: overestimations if anything tells right from wrong."""
    return "overestimation" if study.has_truth else "all"


@dataclass(frozen=True, eq=False)
class JudgmentCells(ParallelArrays):
    """Judgments as cells of the arrays; each field has shape (cells,).

    `judge`, `generator` and `opponent` hold models' positions (opponent -1 for rubric verdicts),
    `rubric` is -1 for comparisons of whole responses. `verdict` and `truth` are 1 for favourable and 0
    for unfavourable verdicts, +1, 0 and -1 for comparisons; `truth` is NaN without a reference.
    """

    judge: Ints
    generator: Ints
    opponent: Ints
    instance: Ints
    rubric: Ints
    verdict: Floats
    truth: Floats

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.judge)


def view_of(study: "StudyArrays", spec: Slice, by: str | None, value: str | None) -> SliceView:
    """Return the view of a slice, or of its part with `value` in the column `by`.

    The value is compared as text, a criterion also by its name; `null` means missing. Raises UsageError that
    lists the possible values, NoDataError if the study has no such judgments.
    """
    pieces = group_views(study, spec, by, None, COMPARABLE)
    if by is None:
        return pieces[0].view
    views = {NULL if piece.value is None else str(piece.value): piece.view for piece in pieces}
    names = names_of_groups(study, by)
    by_name = {names.get(each, each): view for each, view in views.items()} | views
    if value not in by_name:
        raise unknown(by.replace("_", " "), value, views)
    return by_name[value]


def cells_of(view: SliceView, kind: str, judge: str | None, generator: str | None) -> JudgmentCells:
    """Return the cells of one kind, sorted by judge, generator and place.

    `judge` and `generator` select one model. Raises UsageError for an unknown kind or model.
    """
    if kind not in KINDS:
        raise unknown("kind of row", kind, KINDS)
    rows = _places_of(view, judge, view.judges, "judge")
    columns = _places_of(view, generator, view.generators, "generator")
    if view.at_rubrics:
        return _of_rubrics(view, view.rubric, kind, rows, columns)
    return _of_comparisons(view, kind, rows, columns)


def _places_of(view: SliceView, name: str | None, models: Ints, role: str) -> Ints:
    """Return the places of one model among those shown, or all places."""
    if name is None:
        return np.arange(len(models))
    names = view.study.index.models
    if name not in names:
        raise unknown(role, name, [names[place] for place in models])
    return np.flatnonzero(models == names.index(name))


def _of_rubrics(view: SliceView, counts: RubricCounts, kind: str, rows: Ints, columns: Ints) -> JudgmentCells:
    planes, layout = counts.planes, view.study.index.layout
    cells = np.ix_(view.rows[rows], view.columns[columns])
    marks: Words = {
        "overestimation": planes.over,
        "underestimation": planes.under,
        "disagreement": planes.over | planes.under,
        "failed": planes.failed,
        "all": planes.cube.ok,
    }[kind]
    mask = np.broadcast_to(counts.mask, marks.shape)
    row, column, rubric = np.nonzero(layout.unpack(marks[cells] & mask[cells]))

    def at_marks(plane: Words) -> Bools:
        return layout.unpack(plane[cells])[row, column, rubric]

    return JudgmentCells(
        judge=view.judges[rows][row],
        generator=view.generators[columns][column],
        opponent=np.full(len(row), -1),
        instance=layout.instance_of[rubric],
        rubric=rubric,
        verdict=at_marks(planes.favourable).astype(np.float64),
        truth=np.where(at_marks(planes.counted), at_marks(planes.passed), np.nan),
    )


def _of_comparisons(view: SliceView, kind: str, rows: Ints, columns: Ints) -> JudgmentCells:
    """Return comparisons of the generator with every opponent shown, from the generator's point of view."""
    pieces = [part.select(_of_kind(part, kind)) for part in _comparisons(view, rows, single=kind == "all")]
    empty = np.zeros(0, dtype=np.int64)
    pieces.append(JudgmentCells(empty, empty, empty, empty, empty, np.zeros(0), np.zeros(0)))
    cells = JudgmentCells.concatenate(pieces)
    return cells.select(np.isin(cells.generator, view.generators[columns]))


def _of_kind(cells: JudgmentCells, kind: str) -> Bools:
    verdict, truth = cells.verdict, cells.truth
    has_truth = ~np.isnan(truth)
    marks: dict[str, Bools] = {
        "overestimation": (truth == -1) & (verdict > -1),
        "underestimation": (truth == 1) & (verdict < 1),
        "disagreement": has_truth & (verdict != truth),
        "failed": truth == -1,
        "all": np.ones(len(cells), dtype=bool),
    }
    return marks[kind]


def _comparisons(view: SliceView, rows: Ints, *, single: bool) -> Iterator[JudgmentCells]:
    """Yield the comparisons of each judge; with `single`, also pairs judged in one order only."""
    if isinstance(view.cube, PairCube):
        yield from (_pairs_of_judge(view, view.cube, row, single=single) for row in rows)
        return
    scores = view.scored
    if scores.reference.levels.shape[-1] == 0:
        raise UsageError("the study has no questions to compare answers on")
    for row in rows:
        levels, truth = (of.levels[min(row, len(of.levels) - 1)] for of in (scores.judge, scores.reference))
        shape = (len(levels), len(levels), levels.shape[-1])
        first, second = np.broadcast_to(levels[:, None], shape), np.broadcast_to(levels[None], shape)
        compared = (first >= 0) & (second >= 0) & ~np.eye(len(levels), dtype=bool)[:, :, None]
        generator, opponent, instance = np.nonzero(compared)
        verdict = np.sign(levels[generator, instance] - levels[opponent, instance])
        yield _comparison_cells(view, row, generator, opponent, instance, verdict, truth)


def _pairs_of_judge(view: SliceView, cube: PairCube, row: int, *, single: bool) -> JudgmentCells:
    """Return one judge's pairs, each from the point of view of both responses."""
    pairs = PairOutcomes.concatenate([cube.outcomes, cube.single_orders]) if single else cube.outcomes
    models = view.generators
    in_view = (
        (pairs.judge == view.judges[row]) & np.isin(pairs.generator, models) & np.isin(pairs.opponent, models)
    )
    pairs = pairs.select(in_view)
    first, second = np.searchsorted(models, pairs.generator), np.searchsorted(models, pairs.opponent)
    generator, opponent = np.concatenate([first, second]), np.concatenate([second, first])
    instance = np.concatenate([pairs.instance, pairs.instance])
    verdict = np.concatenate([pairs.outcome, -pairs.outcome])
    cells = view.cells_of_all[view.columns]
    keep = np.flatnonzero(cells[generator, instance] & cells[opponent, instance])
    keep = keep[np.lexsort((instance[keep], opponent[keep], generator[keep]))]
    levels = view.reference_scores.levels
    truth = levels[min(row, len(levels) - 1)]
    return _comparison_cells(view, row, generator[keep], opponent[keep], instance[keep], verdict[keep], truth)


def _comparison_cells(
    view: SliceView, row: int, generator: Ints, opponent: Ints, instance: Ints, verdict: Ints, truth: Ints
) -> JudgmentCells:
    """Return comparisons with the reference's outcome, by its levels `truth` (generators, instances)."""
    first, second = truth[generator, instance], truth[opponent, instance]
    return JudgmentCells(
        judge=np.full(len(generator), view.judges[row]),
        generator=view.generators[generator],
        opponent=view.generators[opponent],
        instance=instance,
        rubric=np.full(len(generator), -1),
        verdict=verdict.astype(np.float64),
        truth=np.where((first >= 0) & (second >= 0), np.sign(first - second), np.nan),
    )
