"""Tasks, selections and shares in words."""

from engine.annotations.agreement import Estimate, Share
from engine.annotations.tasks import Task

SELECTIONS = {
    "equal": "pairs called equal, and as many far apart",
    "hard": "hard cases: responses closest in quality",
    "disagreement": "verdicts on which judges disagree most",
    "overestimation": "verdicts that the reference contradicts",
    "scores": "responses to score by rubrics with options",
}
KINDS = {
    "equal_pair": "which is better, or are they equal",
    "preference": "which is preferred",
    "clusters": "levels of quality",
    "rubric_verdict": "criterion met or not",
    "score": "a score",
}
WHY = {
    "equal": "called equal",
    "contrast": "far apart",
    "hard": "questions",
    "disagreement": "verdicts",
    "overestimation": "verdicts",
    "scores": "responses",
    "practice": "for practice",
    "gold": "gold",
}
REASONS = {
    "cannot_judge": "cannot judge it",
    "broken_text": "a text is broken",
    "harmful": "it is harmful",
    "other": "another reason",
}


def task(about: Task) -> str:
    """Return a task in one line."""
    options = about.options
    parts = [KINDS[about.kind], SELECTIONS.get(str(options.get("selection")), "items of its own")]
    parts.append(
        "everybody labels every item" if about.overlap is None else f"{about.overlap} people an item"
    )
    parts.append(f"seed {about.seed}")
    if about.closed:
        parts.append("closed")
    return "; ".join(parts)


def estimate(found: Estimate) -> str:
    """Return a number with its interval."""
    if found.value is None:
        return "–"
    if found.low is None or found.high is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def share(found: Share | None) -> str:
    """Return a share with what it is of."""
    if found is None or found.value is None:
        return "–"
    return f"{found.value:.0%} of {found.of:,}"
