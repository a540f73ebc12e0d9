"""The texts that one request is about."""

import json
import math
from dataclasses import dataclass
from typing import NamedTuple


class Option(NamedTuple):
    """A score that may be given, and what it stands for."""

    score: float
    text: str


def options_of(stored: str | None) -> tuple[Option, ...]:
    """Return a score rubric's options as a study stores them, by score; none where they cannot be read."""
    try:
        listed = json.loads(stored) if stored else []
        found = [Option(float(each["score"]), str(each.get("text") or "")) for each in listed]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return ()
    return tuple(sorted(found)) if all(math.isfinite(each.score) for each in found) else ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """A rubric's words. Its points never come here; `undesirable` says only that meeting it is bad."""

    text: str
    undesirable: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Texts:
    """What a request shows: the prompt, the response (and the opponent's), the criteria in the order shown.

    None is a text that is not there.
    """

    prompt: str | None = None
    response: str | None = None
    opponent: str | None = None
    criteria: tuple[Criterion, ...] = ()
    reference_answer: str | None = None
    context: str | None = None
