"""The keys of the annotator's page: for answers, with their words, and for all else."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from engine.annotations.labels import SKIP_REASONS, SURE
from engine.annotations.shown_items import ShownItem

QUESTIONS = {
    "equal_pair": "Is one of the two answers better, or are they of equal quality?",
    "preference": "Which of the two answers do you prefer?",
    "rubric_verdict": "Does the answer meet the criterion?",
    "score": "Which of the options fits the answer?",
    "clusters": "Give each answer a level: 1 is the best, and answers of equal quality share one.",
}
_WORDS = {
    "equal_pair": {"left": "Left is better", "equal": "Equal", "right": "Right is better"},
    "preference": {"left": "Left", "tie": "Neither", "right": "Right"},
    "rubric_verdict": {"met": "Met", "not_met": "Not met", "cannot_tell": "Cannot tell"},
}
SKIP_WORDS = {
    "cannot_judge": "I cannot judge it",
    "broken_text": "A text is broken",
    "harmful": "It is harmful",
    "other": "Another reason",
}
_ANSWER_KEYS = "1234567890"
_SURE_KEYS = "JKL"

PREVIOUS, NEXT, UNDO, SKIP, REPORT = "P", "N", "U", "S", "H"
REPORT_AND_SKIP, REPORT_AND_ANSWER = "1", "2"
CANCEL, START_AGAIN = "Escape", "Backspace"
GUIDELINES, DIFFERENCES, RENDERED, SIZE = "G", "D", "M", "F"
COMMENT = "W"
"""The key with which `screen.js` opens the comment; all others are shortcuts of visible buttons."""


@dataclass(frozen=True)
class KeyedChoice:
    """A choice: its value, its words, and its key, None if there are not enough keys."""

    value: Any
    words: str
    key: str | None


SURENESS = tuple(
    KeyedChoice(value, value.capitalize(), key) for value, key in zip(SURE, _SURE_KEYS, strict=True)
)
REASONS = tuple(
    KeyedChoice(value, SKIP_WORDS[value], key) for value, key in zip(SKIP_REASONS, _ANSWER_KEYS, strict=False)
)


def choices(item: ShownItem) -> tuple[KeyedChoice, ...]:
    """Return the answers to an item; for clusters, the levels that its next response can have."""
    values = item.answers if item.kind != "clusters" else tuple(range(1, len(item.texts.responses) + 1))
    pairs = zip_longest(values, _keys(values)[: len(values)])
    return tuple(KeyedChoice(value, words(item.kind, value), key) for value, key in pairs)


def _keys(values: Sequence[Any]) -> Sequence[str]:
    """Return the keys of answers: scores of one digit have their own, others the next in order."""
    if all(value in range(10) for value in values):
        return [f"{value:g}" for value in values]
    return _ANSWER_KEYS


def words(kind: str, answer: Any) -> str:
    """Return an answer in numbers or words of this module, never a text of a study."""
    if kind in _WORDS:
        return _WORDS[kind][answer]
    if kind == "clusters":
        return ", ".join(map(str, answer)) if isinstance(answer, list) else f"Level {answer}"
    return f"{answer:g}"


def response_names(kind: str, number: int) -> list[str]:
    """Return the names of an item's responses on the screen."""
    if number == 2 and kind != "clusters":
        return ["Left", "Right"]
    return ["Answer"] if number == 1 else [f"Answer {place}" for place in range(1, number + 1)]
