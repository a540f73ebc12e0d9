"""Numbers as they come from JSON: of any size there, and not always numbers."""

import math


def finite(value: object) -> float | None:
    """Return a number as a finite float; None for anything else, a truth value or too large a number too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:  # a whole number beyond all floats
        return None
    return found if math.isfinite(found) else None
