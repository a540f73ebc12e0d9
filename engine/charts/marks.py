"""What charts share: numbers in words, intervals as lines, few cases as hollow marks, axes of ratios.

Charts name the class of every channel, `x2=alt.X2("high:Q")` and not `x2="high:Q"`: Altair takes longer to
find the class for a text than to draw all the rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.palette import NEUTRAL, Look

Form = Literal["ratio", "share", "points"]

FORMATS: dict[str, str] = {"ratio": "{:.2f}", "share": "{:.1%}", "points": "{:+.1f}"}
LOWEST, HIGHEST = 0.2, 8.0
"""No axis of ratios reaches further; what lies beyond stands at its edge."""

ENDS = (LOWEST, 0.25, 0.33, 0.5, 0.67, 0.8, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, HIGHEST)
"""Where an axis of ratios may end. A few choices only: a chart keeps its axis while its numbers change a
little, so that two slices are compared by eye and a browser moves the marks instead of drawing all anew."""

TICKS = (0.2, 0.25, 0.33, 0.5, 0.7, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
CROWDED = (0.25, 0.33, 0.7, 1.25, 3.0, 6.0)
LONG_AXIS = 6
"""Ticks left out where the highest end is more than so many times the lowest."""

LONGEST_LABEL = 170
"""Pixels after which a name on an axis is cut; it stands whole in what hovering shows."""


def number(row: Mapping[str, Any], field: str) -> tuple[float, float, float]:
    """Return a row's value with the ends of its interval, NaN where they are null."""
    names = (field, f"{field}_low", f"{field}_high")
    value, low, high = (np.nan if row.get(name) is None else float(row[name]) for name in names)
    return value, low, high


def words(numbers: tuple[float, float, float], form: Form) -> str:
    """Return `1.08 [1.03, 1.14]`, the value alone without an interval, a dash where it is not defined."""
    value, low, high = numbers
    told = FORMATS[form]
    if np.isnan(value):
        return "–"
    if np.isnan(low) or np.isnan(high):
        return told.format(value)
    return f"{told.format(value)} [{told.format(low)}, {told.format(high)}]"


def values(frame: pd.DataFrame) -> alt.InlineData:
    """Return a frame's rows as a specification holds them, NaN as null.

    It is for the charts that are drawn at every click: Altair's own way takes ten times as long.
    """
    columns = [
        [None if value != value else value for value in column.tolist()] for _, column in frame.items()
    ]
    names = list(frame.columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return alt.InlineData(values=rows)


def interval(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Draw intervals, as all charts do."""
    drawn: alt.Chart = base.mark_rule(strokeWidth=2).encode(**channels)
    return drawn


def points(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Draw numbers, as all charts do: hollow where the frame's `small` is true."""
    mark = base.mark_point(filled=True, size=60, opacity=1, strokeWidth=1.6, strokeOpacity=1)
    drawn: alt.Chart = mark.encode(stroke=channels["color"], fillOpacity=hollow_where_small(), **channels)
    return drawn


def hollow_where_small() -> alt.FillOpacityValue:
    """Return the fill of numbers: none where the frame's `small` is true."""
    small = alt.FieldEqualPredicate(field="small", equal=True)
    return alt.FillOpacityValue(1, condition={"test": small, "value": 0})


def reference_line(value: float, axis: Literal["x", "y"]) -> alt.Chart:
    """Draw the line of no preference."""
    channel = alt.XDatum(value) if axis == "x" else alt.YDatum(value)
    drawn: alt.Chart = alt.Chart().mark_rule(color=NEUTRAL, strokeDash=[4, 3]).encode(channel)
    return drawn


def ends(low: float, high: float, scale: alt.Scale) -> alt.Chart:
    """Draw nothing, and hold the x axis open from `low` to `high`.

    Ends that are data and no part of the specification leave the chart the same one in every slice: see
    `engine.charts.written`.
    """
    data = alt.InlineData(values=[{"end": low}, {"end": high}])
    drawn: alt.Chart = alt.Chart(data).mark_point(opacity=0, aria=False).encode(x=alt.X("end:Q", scale=scale))
    return drawn


def looks(field: str, used: Mapping[str, Look], *, legend: bool = True) -> tuple[alt.Color, alt.Shape]:
    """Return colour and shape of a frame's field, whose values are the keys of `used`."""
    told = alt.Legend(orient="top", labelLimit=300, symbolOpacity=1) if legend else None
    names = list(used)
    return (
        alt.Color(
            f"{field}:N",
            title=None,
            scale=alt.Scale(domain=names, range=[look.colour for look in used.values()]),
            legend=told,
        ),
        alt.Shape(
            f"{field}:N",
            title=None,
            scale=alt.Scale(domain=names, range=[look.shape for look in used.values()]),
            legend=told,
        ),
    )


def ratio_ends(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[float, float]:
    """Return the ends of an axis that holds 1 and the ratios in these columns."""
    told = frame[list(columns)].to_numpy(dtype=float)
    positive = told[np.isfinite(told) & (told > 0)]
    low, high = (
        positive.min(initial=1.0) / 1.02,
        positive.max(initial=1.0) * 1.02,
    )  # a mark's half from the edge
    below = [end for end in ENDS if end < 1 and end <= low]
    above = [end for end in ENDS if end > 1 and end >= high]
    return max(below, default=LOWEST), min(above, default=HIGHEST)


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return the ticks between the ends of an axis of ratios."""
    inside = [tick for tick in TICKS if low <= tick <= high]
    return [tick for tick in inside if high / low <= LONG_AXIS or tick not in CROWDED]


def ratio_ticks_of(scale: str) -> alt.ExprRef:
    """Return `ratio_ticks` of a scale's own ends, worked out by Vega, which leaves out what lies beyond."""
    few = [tick for tick in TICKS if tick not in CROWDED]
    return alt.ExprRef(f"domain('{scale}')[1] / domain('{scale}')[0] <= {LONG_AXIS} ? {list(TICKS)} : {few}")
