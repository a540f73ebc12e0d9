"""Ability against preference: discriminability D and SPB of each judge, on the regions of the archetypes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.charts import chart_marks, name_places, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.measures.rows import FEW
from engine.words.row_cells import borders

if TYPE_CHECKING:
    from engine.measures.row_types import ArchetypesRow

ABLE, FAIR = 0.80, 0.05  # below this D a judge is not able; within this distance of 0 its SPB is fair
SPB_TITLE = number_forms.with_unit("SPB: prefers its own among equals", "difference")
RIGHT = 1.02  # where the axis of D ends
MOST_NAMES = 16  # most judges with names beside their marks; with more, only tooltips have them


def quadrant_rows(rows: Iterable[ArchetypesRow]) -> pd.DataFrame:
    """Return a row for each judge with both D (`x`) and SPB (`y`).

    `crosses` names the borders that the intervals cross; `n_contrast` counts answers behind D, `n` pairs
    behind PIR, and `small` says that either is below 30.
    """
    records = []
    for row in rows:
        across, up = number_forms.number(row, "d"), number_forms.number(row, "spb")
        if not (np.isnan(across[0]) or np.isnan(up[0])):
            numbers = (
                *across,
                number_forms.words(across, "share"),
                *up,
                number_forms.words(up, "difference"),
            )
            kind = row["archetype"], borders(row["crosses"] or ())
            counts = row["n_contrast"], row["n_pairs"]
            records.append((str(row["judge"]), *numbers, *kind, *counts, min(counts) < FEW))
    columns = ["judge", "x", "x_low", "x_high", "x_words", "y", "low", "high", "y_words"]
    columns += ["archetype", "crosses", "n_contrast", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def quadrant(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `quadrant_rows` with the intervals of both numbers, over the archetypes' regions."""
    left = max(0.0, min(0.7, float(np.nanmin(frame[["x", "x_low"]].to_numpy(dtype=float))) - 0.03))
    tall = max(0.15, float(np.nanmax(np.abs(frame[["y", "low", "high"]].to_numpy(dtype=float)))) * 1.08)
    wide, high = alt.Scale(domain=[left, RIGHT], nice=False), alt.Scale(domain=[-tall, tall], nice=False)
    x = alt.X("x:Q", title="D: finds the better of two far apart", scale=wide, axis=_axis("share"))
    y = alt.Y("y:Q", title=SPB_TITLE, scale=high, axis=_axis("difference"))
    colour, shape = chart_marks.looks("archetype", style.ARCHETYPES, legend=False)
    tooltip = chart_marks.tooltips(
        judge="judge",
        archetype="archetype",
        x_words="D [95% interval]",
        y_words="SPB [95% interval]",
        crosses="borders that the intervals cross",
        n_contrast="answers behind D",
        n="pairs with its own",
    )
    base = alt.Chart().encode(color=colour, strokeOpacity=alt.StrokeOpacityValue(0.55))
    layers = [
        *_regions(left, tall, wide, high),
        chart_marks.interval(base, x=x, y=alt.Y("low:Q", scale=high), y2=alt.Y2("high:Q")),
        chart_marks.interval(base, y=y, x=alt.X("x_low:Q", scale=wide), x2=alt.X2("x_high:Q")),
        chart_marks.points(alt.Chart(), x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
    ]
    if 0 < len(frame) <= MOST_NAMES:
        layers += _names(frame, name_places.Plot(left, RIGHT, -tall, tall, 620, 340), wide, high)
    # A page would fit a single view to its box and make it lower, but leaves a row of one view alone.
    return alt.hconcat(alt.layer(*layers, data=frame, width=620, height=340))


def _names(frame: pd.DataFrame, plot: name_places.Plot, wide: alt.Scale, high: alt.Scale) -> list[alt.Chart]:
    """Return the judges' names beside their marks, with a line to the mark if the name is apart."""
    corners = ((name, start, top) for name, start, _, _, top in _areas(-plot.bottom, plot.left))
    names = name_places.place_names(frame, plot, corners)
    return chart_marks.names_beside(names, wide, high)


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
    colour = chart_marks.looks("archetype", style.ARCHETYPES, legend=False)[0]
    base = alt.Chart(frame).encode(x=alt.X("left:Q", scale=wide), y=alt.Y("top:Q", scale=high))
    area = base.encode(x2=alt.X2("right:Q"), y2=alt.Y2("bottom:Q"))
    name = base.mark_text(align="left", baseline="top", dx=6, dy=5, fontSize=12, fontWeight=600, aria=False)
    return [
        area.mark_rect(opacity=0.12, aria=False).encode(color=colour),
        area.mark_rect(fill=None, stroke=style.NEUTRAL, strokeDash=[4, 3], aria=False),
        name.encode(text=alt.Text("archetype:N"), color=colour),
    ]


def _axis(form: Form) -> alt.Axis:
    return alt.Axis(**number_forms.ticks_of(form), gridOpacity=0.25, tickCount=6)
