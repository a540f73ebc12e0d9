"""What criteria's points and their sign do to a number: whether scores are weighted, what agreement is of."""

from typing import TYPE_CHECKING

import numpy as np

from engine.paradigms import RUBRIC_PARADIGMS
from engine.wording import Sentence, Wording, option

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result

OF_SCORES = ("delta", "ranking", "ranking-distance", "ranking-flips", "corrected")
"""The measures whose numbers are scores of answers at every level; others' are at level `instance` alone."""

_WEIGHTED = option("scores", "weighted")


def unweighted_scores(study: "MeasuredStudy", result: "Result") -> list[Sentence]:
    """Return that points of criteria do not count in a result's scores (MEASURES section 3); else empty."""
    filters = result.filters
    of_scores = result.measure.name in OF_SCORES or filters.get("level") == "instance"
    if not of_scores or filters.get("scores") != "fraction":
        return []
    if filters.get("paradigm") not in RUBRIC_PARADIGMS or len(np.unique(np.abs(study.index.points))) < 2:
        return []
    by_points = Wording(f" (by points: {_WEIGHTED.command})", f" (by points: {_WEIGHTED.python})", "")
    words = "An answer's score is the share of its criteria passed; each counts once, whatever its points"
    return [Sentence(words, by_points, ".")]


OF_AGREEMENT = {"people": "kind", "reference-agreement": "kind", "which-judge": "agreement"}
"""The measures of agreement on raw verdicts, and the column that says whether a row has one."""


def agreement_on_met(study: "MeasuredStudy", result: "Result") -> list[str]:
    """Return that agreement is of met and not met (MEASURES section 14), where some criteria are negative."""
    column = OF_AGREEMENT.get(result.measure.name)
    has_verdicts = column is not None and any(
        row.get(column) == "verdict" if column == "kind" else row.get(column) is not None
        for row in result.rows
    )
    if not has_verdicts or not (study.index.points < 0).any():
        return []
    sentence = (
        "Agreement is of what was said of a criterion, met or not met; other numbers are of what was passed, "
        "which for a negative criterion is not met."
    )
    return [sentence]
