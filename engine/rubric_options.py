"""The scores that a rubric offers, each with its meaning, as a study stores them."""

import json
import math
from typing import NamedTuple


class ScoreOption(NamedTuple):
    """A score that may be given, and its meaning."""

    score: float
    text: str


def read_options(stored: str) -> tuple[ScoreOption, ...] | None:
    """Return the options of a JSON list of {score, text}, by score; None for anything else."""
    try:
        members = json.loads(stored)
        options = [ScoreOption(float(each["score"]), str(each.get("text") or "")) for each in members]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    is_valid = isinstance(members, list) and all(math.isfinite(each.score) for each in options)
    return tuple(sorted(options)) if is_valid else None


def options_of(stored: str | None) -> tuple[ScoreOption, ...]:
    """Return a rubric's options, by score; empty if it has none or the stored text is invalid."""
    return (read_options(stored) or ()) if stored else ()
