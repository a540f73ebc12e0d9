"""Values from outside: numbers, which may be of any size or not numbers at all, and switches."""

import math
import re
from numbers import Real
from typing import Any

from engine.errors import UsageError, quoted

_DIGITS = re.compile(r"[0-9]{1,15}")


def python_value(value: Any) -> Any:
    """Return a NumPy scalar as Python's own value, anything else as it is."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def true_or_false(name: str, value: object) -> bool:
    """Return an argument that is True or False; UsageError for any other, such as "no", which is truthy."""
    plain = python_value(value)
    if not isinstance(plain, bool):
        raise UsageError(f"{name} is {quoted(value)}; give True or False")
    return plain


def parse_float(value: object) -> float | None:
    """Return a number, also NumPy's, as a finite float; None for others, such as booleans and overflows."""
    if isinstance(value, bool) or not isinstance(value, int | float | Real):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer too large for a float
        return None


def float_in(text: str) -> float | None:
    """Return the finite number that a text spells; None for anything else."""
    try:
        return parse_float(float(text))
    except ValueError:
        return None


def parse_int(text: str) -> int | None:
    """Return the non-negative integer that a text spells in digits; None for anything else.

    More than 15 digits are refused: no count here is that large, and Python rejects thousands of digits.
    """
    return int(text) if _DIGITS.fullmatch(text) else None
