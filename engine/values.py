"""Values from outside: numbers, which may be of any size or not numbers at all, switches, and texts."""

import math
import re
import unicodedata
from numbers import Real
from typing import Any

from engine.errors import UsageError, quoted

_WRITTEN_OUT = 1e16
"""Python writes smaller numbers out."""

_DIGITS = re.compile(r"[0-9]{1,15}")

TEXTS = frozenset(("prompt", "criterion", "text", "reference_answer", "context"))
"""The columns of a study whose texts may be one text although they are not written alike."""


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet takes for a formula."""


def without_formula(value: Any) -> Any:
    """Return a value of a table for spreadsheets: a text that would be a formula has an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def python_value(value: Any) -> Any:
    """Return a NumPy scalar as Python's own value, anything else as it is."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def written_form(value: object) -> str:
    """Return a value as text, a whole number without decimals; as Python has it from 17 digits on, 1e+308."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _WRITTEN_OUT:
        return str(int(value))
    return str(value)


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
    """Return the finite number that a text spells; None for anything else, such as `1_0`, Python's 10."""
    try:
        return None if "_" in text else parse_float(float(text))
    except ValueError:
        return None


def parse_int(text: str) -> int | None:
    """Return the non-negative integer that a text spells in digits; None for anything else.

    More than 15 digits are refused: no count here is that large, and Python rejects thousands of digits.
    """
    return int(text) if _DIGITS.fullmatch(text) else None


def is_same_text(one: object, other: object) -> bool:
    """Return whether two values are texts that `text_key` does not tell apart."""
    return isinstance(one, str) and isinstance(other, str) and text_key(one) == text_key(other)


def text_key(text: str) -> str:
    """Return a text without blanks at its ends, with one kind of line end and in one composition."""
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").strip())
