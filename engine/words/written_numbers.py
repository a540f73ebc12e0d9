"""Numbers and their intervals, as tables and sentences write them."""

import re
from math import isnan
from typing import Literal

from engine.phrases import at_most

Form = Literal["ratio", "number", "share", "points", "percent", "signed", "change", "places", "cases"]
"""How a number is written: see `WRITTEN_FORMS`."""

WRITTEN_FORMS: dict[Form, tuple[float, str, str]] = {
    "ratio": (1, "{:z.2f}", ""),
    "number": (1, "{:z.2f}", ""),
    "share": (100, "{:z.1f}", " points"),
    "points": (1, "{:z.1f}", " points"),
    "percent": (100, "{:z.1f}%", ""),
    "signed": (1, "{:+z.1f}", ""),
    "change": (100, "{:+z.1f}", " points"),
    "places": (1, "{:z.1f}", " places"),
    "cases": (1, "{:z.0f}", ""),
}
"""The factor, format and unit of each form; a `share` is written in points of 100. None writes -0.00."""

FORM_OF: dict[str, Form] = {
    "share": "percent",
    "hundred": "share",
    "difference": "change",
    "points": "signed",
}
"""The form of each kind of field; all others are written like ratios."""


def in_brackets(value: str, low: str, high: str) -> str:
    """Return a number with its interval as tables print it, all formatted already: `1.38 [1.20, 1.55]`."""
    return f"{value} [{low}, {high}]"


def with_interval(value: float | None, low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return a number as tables print it: `1.38 [1.20, 1.55]`, or alone if it has no interval.

    A dash if there is no number. Shares and points are in points of 100: `12.3 points [8.1, 16.4]`.
    """
    if value is None or isnan(value):
        return "–"
    text = f"{number(value, form)}{WRITTEN_FORMS[form][2]}"
    if low is None or high is None or isnan(low) or isnan(high):
        return text
    return in_brackets(text, number(low, form), number(high, form))


def in_sentence(value: float, low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return a number as written in sentences: `1.38 (95% CI 1.20 to 1.55)`."""
    return f"{number(value, form)}{WRITTEN_FORMS[form][2]} ({confidence(low, high, form)})"


def confidence(low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return an interval as written in sentences: `95% CI 1.20 to 1.55`, or that there is none."""
    if low is None or high is None:
        return "no confidence interval"
    return f"95% CI {number(low, form)} to {number(high, form)}"


def number(value: float, form: Form = "ratio", more: int = 0) -> str:
    """Return a number without its unit, with so many `more` decimals than its form has."""
    factor, pattern, _ = WRITTEN_FORMS[form]
    if more:
        pattern = _DECIMALS.sub(lambda places: f".{int(places[1]) + more}f", pattern)
    return pattern.format(factor * value)


_DECIMALS = re.compile(r"\.(\d)f")


def without_zeros(text: str) -> str:
    """Return the text of ranks or counts with `.00` dropped: `4.50 [2, 5]`, `3 [2.00, 6.04]`.

    The ends of an interval are written alike.
    """
    value, bracket, ends = text.partition(" [")
    return f"{value.replace('.00', '')}{bracket}{ends_without_zeros(ends)}"


def ends_without_zeros(ends: str) -> str:
    """Return the text of both ends of an interval with `.00` dropped, unless one of them is not whole."""
    whole = ends.replace(".00", "")
    return ends if "." in whole else whole


def p_value(value: float, below: str = "<", *, is_smallest: bool = False) -> str:
    """Return a p-value as tables print it: `0.012`, `<0.001`; sentences write `below ` for the sign.

    The smallest that so many resamples can give is `≤0.012`, or `at most 0.012`, rounded up.
    """
    if value < 0.001:
        return f"{below}0.001"
    if not is_smallest:
        return f"{value:.3f}"
    return at_most(value, "≤") if below == "<" else at_most(value)


def at_most_words(resamples: int) -> str:
    """Return what is meant by a p-value of at most so much."""
    return f"A p of at most so much (≤) is the smallest that {resamples:,} resamples can give."
