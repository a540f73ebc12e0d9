"""Numbers as they come from outside: of any size there, and not always numbers."""

import math
import re

_WHOLE = re.compile(r"[0-9]{1,15}")


def finite(value: object) -> float | None:
    """Return a number as a finite float; None for anything else, a truth value or too large a number too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:  # a whole number beyond all floats
        return None
    return found if math.isfinite(found) else None


def whole(text: str) -> int | None:
    """Return the whole number from 0 that a text's digits write; None for anything else.

    One of more than 15 digits is none: nothing here counts so far, and thousands of them Python refuses.
    """
    return int(text) if _WHOLE.fullmatch(text) else None
