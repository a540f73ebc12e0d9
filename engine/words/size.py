"""The size of a study in one line, which every page that is sent begins and ends with."""

from typing import TYPE_CHECKING

from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def size_of(study: "MeasuredStudy") -> str:
    """Return `541 questions, 12 judges, 178,524 verdicts`; judgments without a verdict stand beside them."""
    n_verdicts = study.inventory.total(status="ok")
    n_missing = study.inventory.total() - n_verdicts
    counts = {
        "question": study.index.n_instances,
        "judge": len(study.inventory.values("judge")),
        "verdict": n_verdicts,
    }
    words = ", ".join(quantity(n, thing) for thing, n in counts.items())
    return f"{words} ({n_missing:,} missing)" if n_missing else words
