"""Why no answer of a slice has a score by its reference (MEASURES sections 3, 9 and 20)."""

import numpy as np

from engine.arrays.criterion_scores import CriterionCube
from engine.arrays.list_ranks import ListCube
from engine.arrays.verdicts import VerdictCube
from engine.arrays.view import SliceView
from engine.stats import Bools


def why_no_true_score(view: SliceView) -> str | None:
    """Return why the reference scores none of the answers kept; None if it scores some, or need not."""
    source = view.request.source
    if source is None or view.at_rubrics or isinstance(view.cube, ListCube):
        return None
    of_verdicts = isinstance(view.cube, VerdictCube)
    scores = view.scored.reference if of_verdicts else view.reference_scores
    if not np.isnan(scores.values).all():
        return None
    if n_partial := int(_has_some_truth(view, source).sum()):
        return (
            "no answer has a truth on all of its criteria, as its true score needs; "
            f"{n_partial:,} {'has' if n_partial == 1 else 'have'} one on some of them"
        )
    return None if of_verdicts else f"the reference {source} has no true score of any answer here"


def _has_some_truth(view: SliceView, source: str) -> Bools:
    """Mark the answers kept that have a truth on any criterion, (generators, instances)."""
    if isinstance(view.cube, CriterionCube):
        scores = view.cube.reference(view.study, source, complete=False)
        return np.zeros(0, dtype=bool) if scores is None else ~np.isnan(scores[0, view.columns])
    has = view.reference_rows(view.study.reference_planes(view.cube, view.request).has)
    criteria = view.rubric.shown_mask if view.request.of_rubrics else view.study.verdict_criteria
    marks = np.asarray((view.study.index.layout.count_by_instance(has & criteria) > 0).any(axis=0))
    return marks if view.request.of_rubrics else marks & view.cells_of_all[view.columns]
