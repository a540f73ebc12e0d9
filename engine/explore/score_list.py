"""The scores behind a judge's mean, one by one: of answers, or of each criterion of an answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.scores.criterion_scores import CriterionCube
from engine.arrays.scores.scores import ScoreCube
from engine.arrays.slicing.group_by import group_views
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.explore.judgment_list import JudgmentCells
from engine.explore.judgment_page import Listing, rows_of
from engine.paradigms import PARADIGMS, TRAITS
from engine.slices import Slice
from engine.stats import Floats, Ints

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

SCORE_PARADIGMS = tuple(
    name for name in PARADIGMS if TRAITS[name].gives == "score" and TRAITS[name].subject != "dimension"
)
"""The paradigms whose judgments are scores of answers."""


@dataclass(frozen=True, eq=False)
class _CountedScores:
    """Scores of 1, with the places of judge and generator among the models; rubric -1 for a whole answer."""

    judge: Ints
    generator: Ints
    instance: Ints
    rubric: Ints
    score: Floats


def score_rows(study: "StudyArrays", spec: Slice, *, limit: int) -> Listing:
    """Return the first scores of a slice: those of answers that count, by criterion where they are.

    Rows are those of `judgment_page`, with `score`, of 1, as it counts: on its scale, the mean over repeats,
    and turned where lower is better.
    """
    try:
        [piece] = group_views(study, spec, None, None, SCORE_PARADIGMS)
    except NoDataError as error:
        return Listing([], 0, 0, None, str(error))
    view = piece.view
    scores = _scores_of(view)
    order = np.lexsort((scores.rubric, scores.instance, scores.generator, scores.judge))
    at = order[:limit]
    none = np.full(len(at), np.nan)
    cells = JudgmentCells(
        judge=scores.judge[at],
        generator=scores.generator[at],
        opponent=np.full(len(at), -1),
        instance=scores.instance[at],
        rubric=scores.rubric[at],
        verdict=none,
        truth=none,
    )
    numbers = scores.score[at].tolist()
    rows = [row | {"score": score} for row, score in zip(rows_of(view, cells), numbers, strict=True)]
    reason = None if rows else "no score in this slice"
    return Listing(rows, len(order), 0, view.request, reason)


def _scores_of(view: SliceView) -> _CountedScores:
    """Return the scores of the answers that count: by criterion, else one for each answer."""
    counts = ~np.isnan(view.scored.judge.values)
    if not isinstance(view.cube, CriterionCube):
        assert isinstance(view.cube, ScoreCube)  # noqa: S101 - for the type checker
        judge, generator, instance = np.nonzero(counts)
        nothing = np.full(len(judge), -1)
        values = view.scored.judge.values[judge, generator, instance]
        return _CountedScores(view.judges[judge], view.generators[generator], instance, nothing, values)
    by_criterion, keyed = view.cube.by_criterion, view.cube.by_criterion.scores
    instance = by_criterion.instance_of[keyed.key]
    of_judge, of_generator = (
        np.where(np.isin(models, shown), np.searchsorted(shown, models), -1)
        for models, shown in ((keyed.judge, view.judges), (keyed.generator, view.generators))
    )
    shown = (of_judge >= 0) & (of_generator >= 0) & view.cube.criteria[keyed.key]
    at = np.flatnonzero(shown)
    at = at[counts[of_judge[at], of_generator[at], instance[at]]]
    rubric = np.where(keyed.key < by_criterion.n_rubrics, keyed.key, -1)
    return _CountedScores(keyed.judge[at], keyed.generator[at], instance[at], rubric[at], keyed.score[at])
