"""Tasks, selections and shares in words."""

from engine.annotations.agreement import Share
from engine.annotations.task_titles import KIND_TITLES, SELECTION_TITLES
from engine.annotations.tasks import Task

UNRATED = (
    "Pairs of equal quality and hard cases are drawn by judges' scores for an answer's quality, which this "
    "study does not have; what the page Equal quality shows by the reference's scores is not drawn here. A "
    "new run with the paradigm quality adds judges' scores."
)
OF_CRITERIA = ("rubric_verdict", "score")
"""The kinds of task whose question is about a criterion."""

NO_CRITERION = "The criterion has no text to show. Ask whoever runs the labelling what it is."

WHY = {
    "equal": "called equal",
    "contrast": "far apart",
    "hard": "questions",
    "disagreement": "verdicts",
    "overestimation": "verdicts",
    "scores": "responses",
    "random": "drawn at random",
    "practice": "for practice",
    "gold": "gold",
}
REASONS = {
    "cannot_judge": "cannot judge it",
    "broken_text": "a text is broken",
    "harmful": "it is harmful",
    "other": "another reason",
}


def task_words(task: Task) -> str:
    """Return a task in one line."""
    items = SELECTION_TITLES.get(str(task.options.get("selection")), "custom items")
    sharing = "everybody labels every item" if task.overlap is None else f"{task.overlap} people per item"
    parts = KIND_TITLES[task.kind], items, sharing, f"seed {task.seed}", "closed" if task.closed else ""
    return "; ".join(filter(None, parts))


def repeat_words(repeated: int) -> str:
    """Return how many of a person's items are shown a second time; nothing if none is."""
    return f"{repeated:,} {'comes' if repeated == 1 else 'come'} twice" if repeated else ""


def share_words(value: Share | None) -> str:
    """Return a share with its denominator."""
    if value is None or value.value is None:
        return "–"
    return f"{value.value:.0%} of {value.total:,}"
