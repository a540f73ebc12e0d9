"""What can be answered, in words and with the key of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from engine.annotations.labelling import SKIP_REASONS, SURE, Shown

QUESTIONS = {
    "equal_pair": "Is one of the two responses better, or are they of equal quality?",
    "preference": "Which of the two responses do you prefer?",
    "rubric_verdict": "Does the response meet the criterion?",
    "score": "Which of the options fits the response?",
    "clusters": "Give each response a level: 1 is the best, and responses of equal quality share one.",
}
_WORDS = {
    "equal_pair": {"left": "Left is better", "equal": "Equal", "right": "Right is better"},
    "preference": {"left": "Left", "tie": "Neither", "right": "Right"},
    "rubric_verdict": {"met": "Met", "not_met": "Not met", "cannot_tell": "Cannot tell"},
}
_SKIPPED = {
    "cannot_judge": "I cannot judge it",
    "broken_text": "A text is broken",
    "harmful": "It is harmful",
    "other": "Another reason",
}
_KEYS = "1234567890"
_SURE_KEYS = "JKL"


@dataclass(frozen=True)
class Choice:
    """Something to choose: its value, its words, and its key; None where the keys do not suffice."""

    value: Any
    words: str
    key: str | None


SURENESS = tuple(Choice(value, value.capitalize(), key) for value, key in zip(SURE, _SURE_KEYS, strict=True))
REASONS = tuple(Choice(value, _SKIPPED[value], key) for value, key in zip(SKIP_REASONS, _KEYS, strict=False))


def choices(item: Shown) -> tuple[Choice, ...]:
    """Return the answers to an item; of clusters the levels that its next response can have."""
    values = item.answers if item.kind != "clusters" else tuple(range(1, len(item.texts.responses) + 1))
    keyed = zip_longest(values, _keys(values)[: len(values)])
    return tuple(Choice(value, words(item.kind, value), key) for value, key in keyed)


def _keys(values: Sequence[Any]) -> Sequence[str]:
    """Return the keys of answers: scores of one digit have their own, others the next free."""
    if all(value in range(10) for value in values):
        return [f"{value:g}" for value in values]
    return _KEYS


def words(kind: str, answer: Any) -> str:
    """Return an answer in words; numbers and words of this module, never a text of a study."""
    if kind in _WORDS:
        return _WORDS[kind][answer]
    if kind == "clusters":
        return ", ".join(map(str, answer)) if isinstance(answer, list) else f"Level {answer}"
    return f"{answer:g}"


def reason(value: str) -> str:
    """Return a reason to skip in words."""
    return _SKIPPED[value]
