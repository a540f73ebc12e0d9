"""Ability against preference: discriminability D and SPB of each judge, on the regions of the archetypes.

`rows_of` turns the rows of `archetypes` into the frame that `quadrant` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import names
from engine.charts.marks import interval, looks, number, points, words
from engine.charts.palette import ARCHETYPES, NEUTRAL

COLUMNS = [
    *("judge", "x", "x_low", "x_high", "x_words", "y", "low", "high", "y_words"),
    *("archetype", "crosses", "n_contrast", "n", "small"),
]
ABLE, FAIR = 0.80, 0.05
"""Below this D a judge is not able; within so much of 0 its SPB is fair."""

RIGHT = 1.02
"""Where the axis of D ends."""

MOST_NAMES = 16
"""Judges whose names stand beside their marks; of more, hovering shows them."""


def rows_of(rows: Iterable[Mapping[str, Any]], *, fewest: int = 30) -> pd.DataFrame:
    """Return a row for each judge that has both D and SPB.

    Columns: `judge`, `x` (D) and `y` (SPB), each with its interval (NaN without one) and words,
    `archetype`, `crosses` (borders within the intervals), `n_contrast` (answers behind D), `n` (pairs
    behind PIR), `small` (either below `fewest`).
    """
    made = []
    for row in rows:
        across, up = number(row, "d"), number(row, "spb")
        if not (np.isnan(across[0]) or np.isnan(up[0])):
            counts = row["n_contrast"], row["n_pairs"]
            crossed = "; ".join(row["crosses"] or ()) or "none"
            told = (*across, words(across, "share"), *up, words(up, "share"))
            made.append((str(row["judge"]), *told, row["archetype"], crossed, *counts, min(counts) < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def quadrant(frame: pd.DataFrame, *, width: int = 620, height: int = 340) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of` with the intervals of both numbers, over the archetypes' regions."""
    left = max(0.0, min(0.7, float(np.nanmin(frame[["x", "x_low"]].to_numpy(dtype=float))) - 0.03))
    tall = max(0.15, float(np.nanmax(np.abs(frame[["y", "low", "high"]].to_numpy(dtype=float)))) * 1.08)
    wide, high = alt.Scale(domain=[left, RIGHT], nice=False), alt.Scale(domain=[-tall, tall], nice=False)
    x = alt.X("x:Q", title="D: finds the better of two far apart", scale=wide, axis=_axis(".0%"))
    y = alt.Y("y:Q", title="SPB: prefers its own among equals", scale=high, axis=_axis("+.0%"))
    colour, shape = looks("archetype", ARCHETYPES, legend=False)
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("archetype:N", title="archetype"),
        alt.Tooltip("x_words:N", title="D [95% interval]"),
        alt.Tooltip("y_words:N", title="SPB [95% interval]"),
        alt.Tooltip("crosses:N", title="borders within the intervals"),
        alt.Tooltip("n_contrast:Q", title="answers behind D", format=","),
        alt.Tooltip("n:Q", title="pairs with its own", format=","),
    ]
    base = alt.Chart().encode(color=colour, strokeOpacity=alt.StrokeOpacityValue(0.55))
    layers = [
        *_regions(left, tall, wide, high),
        interval(base, x=x, y=alt.Y("low:Q", scale=high), y2=alt.Y2("high:Q")),
        interval(base, y=y, x=alt.X("x_low:Q", scale=wide), x2=alt.X2("x_high:Q")),
        points(alt.Chart(), x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
    ]
    if 0 < len(frame) <= MOST_NAMES:
        layers += _names(frame, names.Plot(left, RIGHT, -tall, tall, width, height), wide, high)
    # A page that fits a single view to its box would make it lower; a row of one view it leaves alone.
    return alt.hconcat(alt.layer(*layers, data=frame, width=width, height=height))


def _names(frame: pd.DataFrame, plot: names.Plot, wide: alt.Scale, high: alt.Scale) -> list[alt.Chart]:
    """Return the judges' names beside their marks, each led to its mark where it stands apart from it."""
    placed = names.placed(frame, plot, label="judge", corners=_corners(-plot.bottom, plot.left))
    x, y = alt.X("name_x:Q", scale=wide), alt.Y("name_y:Q", scale=high)
    named = alt.Chart(placed).mark_text(fontSize=names.FONT, color=NEUTRAL, aria=False)
    drawn = [named.encode(x=x, y=y, text=alt.Text("shown:N"))]
    if placed["apart"].any():
        lead = alt.Chart(placed[placed["apart"]]).mark_rule(color=NEUTRAL, strokeWidth=0.8, aria=False)
        drawn.insert(0, lead.encode(x=x, y=y, x2=alt.X2("x:Q"), y2=alt.Y2("y:Q")))
    return drawn


def _corners(tall: float, left: float) -> list[tuple[str, float, float]]:
    """Return the archetypes' names and the corners of their regions in which they stand."""
    return [(name, start, top) for name, start, _, _, top in _areas(tall, left)]


def _areas(tall: float, left: float) -> list[tuple[str, float, float, float, float]]:
    """Return the region of each archetype: its name, left, right, bottom and top."""
    return [
        ("Incompetent Randomizer", left, ABLE, -tall, tall),
        ("Machiavellian", ABLE, RIGHT, FAIR, tall),
        ("Objective", ABLE, RIGHT, -FAIR, FAIR),
        ("Blindly Biased", ABLE, RIGHT, -tall, -FAIR),
    ]


def _regions(left: float, tall: float, wide: alt.Scale, high: alt.Scale) -> list[alt.Chart]:
    """Return the archetypes' regions, each with its name in a corner."""
    frame = pd.DataFrame(_areas(tall, left), columns=["archetype", "left", "right", "bottom", "top"])
    colour = looks("archetype", ARCHETYPES, legend=False)[0]
    base = alt.Chart(frame).encode(x=alt.X("left:Q", scale=wide), y=alt.Y("top:Q", scale=high))
    area = base.mark_rect(opacity=0.12, aria=False).encode(
        x2=alt.X2("right:Q"), y2=alt.Y2("bottom:Q"), color=colour
    )
    edge = base.mark_rect(fill=None, stroke=NEUTRAL, strokeDash=[4, 3], aria=False)
    name = base.mark_text(align="left", baseline="top", dx=6, dy=5, fontSize=12, fontWeight=600, aria=False)
    return [
        area,
        edge.encode(x2=alt.X2("right:Q"), y2=alt.Y2("bottom:Q")),
        name.encode(text=alt.Text("archetype:N"), color=colour),
    ]


def _axis(form: str) -> alt.Axis:
    return alt.Axis(format=form, gridOpacity=0.25, tickCount=6)
