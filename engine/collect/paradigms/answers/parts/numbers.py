"""Reading numbers and fractions that a judge wrote, as JSON or in words."""

import re

from engine.collect.paradigms.answers.parts.answer_forms import MARKUP
from engine.values import parse_float

_NUMBER = re.compile(r"[+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?")
_FRACTION = re.compile(
    r"([0-9]{1,12}(?:\.[0-9]{1,12})?)\s{0,8}(?:/|out of|of)\s{0,8}([0-9]{1,12})", re.IGNORECASE
)


def number(value: object, *, top: float | None = None) -> float | None:
    """Return a finite number, also one written as text or, with `top`, as a fraction of it (`8/10`)."""
    if not isinstance(value, str):
        return parse_float(value)
    words = value.strip(MARKUP)
    share = _FRACTION.fullmatch(words)
    if share is not None:
        return float(share[1]) if top is not None and float(share[2]) == top else None
    return float(words) if _NUMBER.fullmatch(words) else None


def share(value: object, count: int) -> float | None:
    """Return a text `X/Y` as a share of at most 1; None unless Y is `count`."""
    match = _FRACTION.fullmatch(value.strip(MARKUP)) if isinstance(value, str) else None
    if match is None or not match[1].isdigit() or int(match[2]) != count or count == 0:
        return None
    return min(int(match[1]) / count, 1.0)
