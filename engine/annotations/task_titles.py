"""What selections of items and kinds of task are called on pages, in the lists and in errors."""

SELECTION_TITLES = {
    "equal": "pairs called equal, and as many far apart",
    "hard": "hard cases: answers closest in quality",
    "disagreement": "verdicts on which judges disagree most",
    "overestimation": "verdicts that the reference contradicts",
    "scores": "answers to score by criteria with options",
    "random": "criteria or pairs drawn at random",
}
KIND_TITLES = {
    "equal_pair": "which is better, or are they equal",
    "preference": "which is preferred",
    "clusters": "levels of quality",
    "rubric_verdict": "criterion met or not",
    "score": "a score",
}
