"""How charts write numbers: on axes, in tooltips, and in words with their intervals."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from engine.measures.entry import FieldKind
from engine.words.written_numbers import FORM_OF, with_interval

Form = Literal["ratio", "share", "difference", "points"]
"""How a chart writes a number: a `difference` is one of two shares of 1, written in points of 100."""

OF_KIND: dict[FieldKind, Form] = {"share": "share", "difference": "difference", "points": "points"}
"""The form of each kind of field; all others are written like ratios."""

PLAIN = "format(datum.value, '~g')"
"""The label of a tick of any number. As an axis' own format, `~g` would write 10 as 1e+1."""

SIGNED = "datum.value === 0 ? '0' : format(datum.value, '+~g')"
"""The label of a tick of signed numbers."""

IN_POINTS = "datum.value === 0 ? '0' : format(100 * datum.value, '+~g')"
"""The label of a tick of differences, in points of 100."""

_TICKS: dict[Form, dict[str, Any]] = {
    "ratio": {"labelExpr": PLAIN},
    "share": {"format": ".0%"},
    "difference": {"labelExpr": IN_POINTS},
    "points": {"labelExpr": SIGNED},
}


def number(row: Mapping[str, Any], field: str) -> tuple[float, float, float]:
    """Return a row's value with the ends of its interval, NaN for null."""
    ends = (row.get(name) for name in (field, f"{field}_low", f"{field}_high"))
    value, low, high = (np.nan if end is None else float(end) for end in ends)
    return value, low, high


def words(numbers: tuple[float, float, float], form: Form) -> str:
    """Return `1.08 [1.03, 1.14]`, the value alone without an interval, a dash if it is undefined."""
    return with_interval(*numbers, form=FORM_OF.get(form, "ratio"))


def ticks_of(form: Form) -> dict[str, Any]:
    """Return how the labels of an axis or legend of such numbers are written, as its arguments."""
    return dict(_TICKS[form])


def with_unit(title: str, form: Form) -> str:
    """Return the title of an axis of such numbers: that of differences names its unit."""
    return f"{title}, points" if form == "difference" else title
