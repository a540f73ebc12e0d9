"""The size of a study in one line, which every page that is sent begins and ends with."""

from typing import TYPE_CHECKING

from engine.explore.planned_cost import questions_of
from engine.phrases import join_names, quantity
from engine.words.based_on import MOST_NAMES

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def size_of(study: "MeasuredStudy") -> str:
    """Return `541 questions, 12 judges, 178,524 verdicts`, and of which runs, if the study has several.

    Judgments without a verdict stand beside them.
    """
    n_verdicts = study.inventory.total(status="ok")
    n_missing = study.inventory.total() - n_verdicts
    counts = {
        "question": questions_of(study),
        "judge": len(study.inventory.values("judge")),
        "verdict": n_verdicts,
    }
    words = ", ".join(quantity(n, thing) for thing, n in counts.items())
    words = f"{words} ({n_missing:,} missing)" if n_missing else words
    return f"{words}{_of_runs(study)}"


def _of_runs(study: "MeasuredStudy") -> str:
    """Return which runs count, if not the study's only one."""
    runs = study.inventory.runs
    if len(runs) > 1:
        return f", of the runs {join_names(runs, MOST_NAMES)} together"
    return f", of the run {runs[0]} alone" if study.only_runs else ""
