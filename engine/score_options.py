"""The scores that a rubric offers, and the words for each, as a study stores them."""

import json
import math
from typing import NamedTuple


class Option(NamedTuple):
    """A score that may be given, and what it stands for."""

    score: float
    text: str


def read_options(stored: str) -> tuple[Option, ...] | None:
    """Return the options of a JSON list of {score, text}, by score; None where it is no such list."""
    try:
        listed = json.loads(stored)
        found = [Option(float(each["score"]), str(each.get("text") or "")) for each in listed]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    whole = isinstance(listed, list) and all(math.isfinite(each.score) for each in found)
    return tuple(sorted(found)) if whole else None


def options_of(stored: str | None) -> tuple[Option, ...]:
    """Return a rubric's options, by score; none where it has none, or a study's file holds what is none."""
    return (read_options(stored) or ()) if stored else ()
