"""Numbers and names in sentences."""

from collections.abc import Sequence
from typing import Literal

Form = Literal["ratio", "share", "points", "number"]
"""A ratio or another number with two places, a share or points of 100 with one."""


def told(value: float, low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return `1.38 [1.20, 1.55]`, of shares and points `12.3 points [8.1, 16.4]`."""
    shown = number(value, form)
    unit = " points" if form in ("share", "points") else ""
    if low is None or high is None:
        return f"{shown}{unit} [no interval]"
    return f"{shown}{unit} [{number(low, form)}, {number(high, form)}]"


def number(value: float, form: Form = "ratio") -> str:
    """Return a number alone; a share in points of 100."""
    if form == "share":
        return f"{100 * value:.1f}"
    return f"{value:.1f}" if form == "points" else f"{value:.2f}"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return `a, b and c`; of more than `most` names the others are counted."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most:,} more"]
    return "".join(shown) if len(shown) < 2 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def counted(number: int, thing: str) -> str:
    """Return `1 judge` or `3 judges`."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")
