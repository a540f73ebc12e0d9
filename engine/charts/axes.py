"""Axes of ratios, differences and names, with ends that stay while the numbers change a little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from engine.charts.lazy_altair import alt

LOWEST, HIGHEST = 0.2, 8.0  # the limits of any axis of ratios; values beyond are shown at its edge
ENDS = (LOWEST, 0.25, 0.33, 0.5, 0.67, 0.8, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, HIGHEST)
"""Where an axis of ratios may end. With few choices a chart keeps its axis while its numbers change a little,
so that slices can be compared by eye and a browser moves the marks instead of redrawing."""

TICKS = (0.2, 0.25, 0.33, 0.5, 0.7, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
CROWDED = (0.25, 0.33, 0.7, 1.25, 3.0, 6.0)
LONG_AXIS = 6  # `CROWDED` ticks are left out if the axis' high end is more than this many times the low one
LONGEST_AXIS_LABEL = 170  # pixels after which a name on an axis is cut; the tooltip has it in full


def names_axis(**settings: Any) -> alt.Axis:
    """Return an axis of names: long ones are cut, and nothing else is drawn unless `settings` say so."""
    plain: dict[str, Any] = {"ticks": False, "domain": False, "grid": False}
    return alt.Axis(labelLimit=LONGEST_AXIS_LABEL, **plain | settings)


def ends(low: float, high: float, scale: alt.Scale) -> alt.Chart:
    """Draw nothing, but make the x axis reach from `low` to `high`.

    With its ends in the data, not in the specification, the chart stays the same in every slice: see
    `engine.charts.chart_spec.spec_of`.
    """
    data = alt.InlineData(values=[{"end": low}, {"end": high}])
    chart: alt.Chart = alt.Chart(data).mark_point(opacity=0, aria=False).encode(x=alt.X("end:Q", scale=scale))
    return chart


def ratio_ends(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[float, float]:
    """Return the ends of an axis that covers 1 and the ratios in these columns."""
    numbers = frame[list(columns)].to_numpy(dtype=float)
    positive = numbers[np.isfinite(numbers) & (numbers > 0)]
    low, high = positive.min(initial=1.0) / 1.02, positive.max(initial=1.0) * 1.02  # room for half a mark
    below = [end for end in ENDS if end < 1 and end <= low]
    above = [end for end in ENDS if end > 1 and end >= high]
    return max(below, default=LOWEST), min(above, default=HIGHEST)


def ratio_axis(
    frame: pd.DataFrame, columns: Sequence[str] = ("value", "low", "high"), **settings: Any
) -> tuple[pd.DataFrame, alt.Scale, alt.Axis]:
    """Return the frame with these columns clipped to their axis of ratios, its scale, and its ticks."""
    low, high = ratio_ends(frame, columns)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=ratio_ticks(low, high), format="~g", gridOpacity=0.4, **settings)
    return frame.assign(**{name: frame[name].clip(low, high) for name in columns}), scale, axis


def within(frame: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Return the frame with `shown`, `from` and `to`: value and interval clipped to an axis `low` to `high`.

    A value beyond the axis has no `shown`. It, and a value whose interval goes on beyond the axis, has an
    `arrow`, to be drawn at its `edge`.
    """
    value, start, end = (frame[name].to_numpy(dtype=float) for name in ("value", "low", "high"))
    left, right = value < low, value > high
    goes_on_right = ~left & (end > high)
    goes_on_left = ~right & ~goes_on_right & (start < low)
    arrow = np.select([left | goes_on_left, right | goes_on_right], ["◀", "▶"], "")
    edge = np.select([arrow == "◀", arrow == "▶"], [low, high], value)
    shown = np.where(left | right, np.nan, value)
    start, end = (np.clip(numbers, low, high) for numbers in (start, end))
    return frame.assign(edge=edge, **{"from": start}, to=end, arrow=arrow, shown=shown)


def difference_ends(frame: pd.DataFrame, columns: Sequence[str], most: float = np.inf) -> tuple[float, float]:
    """Return the ends of an axis around 0 that covers the differences in these columns, up to `most`.

    Intervals may reach further than is possible: no difference of shares is larger than 1.
    """
    numbers = np.abs(frame[list(columns)].to_numpy(dtype=float))
    end = min(float(numbers[np.isfinite(numbers)].max(initial=0.01)) * 1.08, most)
    return -end, end


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return the ticks between the ends of an axis of ratios."""
    inside = [tick for tick in TICKS if low <= tick <= high]
    return [tick for tick in inside if high / low <= LONG_AXIS or tick not in CROWDED]


def ratio_ticks_within() -> alt.ExprRef:
    """Return `ratio_ticks` as an expression of the ends of scale `x`; Vega drops ticks beyond them."""
    few = [tick for tick in TICKS if tick not in CROWDED]
    return alt.ExprRef(f"domain('x')[1] / domain('x')[0] <= {LONG_AXIS} ? {list(TICKS)} : {few}")
