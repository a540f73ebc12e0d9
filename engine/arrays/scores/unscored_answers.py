"""Why no answer of a slice has a score, by its judges or by its reference (MEASURES sections 3, 9 and 20)."""

import numpy as np

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.list_ranks import ListCube
from engine.arrays.scores.criterion_scores import CriterionCube
from engine.arrays.view import SliceView
from engine.stats import Bools


def why_no_score(view: SliceView) -> str | None:
    """Return why no answer kept has a score by a judge, or by the reference; None if some have one."""
    return _why_no_score_by_judges(view) or why_no_true_score(view)


def _why_no_score_by_judges(view: SliceView) -> str | None:
    cube = view.cube
    if view.at_rubrics or not isinstance(cube, VerdictCube) or not np.isnan(view.scored.judge.values).all():
        return None
    judged = cube.ok[np.ix_(view.rows, view.columns)] & view.rubric.shown_mask
    n_partial = int((view.study.index.layout.count_by_instance(judged) > 0).any(axis=0).sum())
    return _partly("verdicts by one judge", "its score", n_partial, "them")


def why_no_true_score(view: SliceView) -> str | None:
    """Return why the reference scores none of the answers kept; None if it scores some, or need not."""
    source = view.request.source
    if source is None or view.at_rubrics or isinstance(view.cube, ListCube):
        return None
    of_verdicts = isinstance(view.cube, VerdictCube)
    scores = view.scored.reference if of_verdicts else view.reference_scores
    if not np.isnan(scores.values).all():
        return None
    why = _partly("a truth", "its true score", int(_has_some_truth(view, source).sum()), "one")
    return why or (None if of_verdicts else f"the reference {source} has no true score of any answer here")


def _partly(what: str, score: str, number: int, pronoun: str) -> str | None:
    """Return that no answer has something on all of its criteria, if a number of them have it on some."""
    if not number:
        return None
    some = f"{number:,} {'has' if number == 1 else 'have'} {pronoun} on some"
    return f"no answer has {what} on all of its criteria, as {score} needs; {some}"


def _has_some_truth(view: SliceView, source: str) -> Bools:
    """Mark the answers kept that have a truth on any criterion, (generators, instances)."""
    if isinstance(view.cube, CriterionCube):
        scores = view.cube.reference(view.study, source, complete=False)
        return np.zeros(0, dtype=bool) if scores is None else ~np.isnan(scores[0, view.columns])
    has = view.reference_rows(view.study.reference_planes(view.cube, view.request).has)
    criteria = view.rubric.shown_mask if view.request.of_rubrics else view.study.verdict_criteria
    marks = np.asarray((view.study.index.layout.count_by_instance(has & criteria) > 0).any(axis=0))
    return marks if view.request.of_rubrics else marks & view.cells_of_all[view.columns]
