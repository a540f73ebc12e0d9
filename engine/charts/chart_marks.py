"""The marks of all charts: intervals as lines, few cases hollow, and what a click selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from engine.charts.fit_width import MARK_NAMES
from engine.charts.lazy_altair import alt
from engine.charts.name_places import FONT
from engine.charts.style import NEUTRAL, Look

Layered: TypeAlias = "alt.LayerChart | alt.FacetChart"  # what `altair.layer` returns


def tooltips(**titles: str) -> list[alt.Tooltip]:
    """Return tooltips: columns with their titles, as counts (`n` and `n_...`) or texts."""
    return [
        alt.Tooltip(f"{name}:Q", title=title, format=",")
        if name.partition("_")[0] == "n"
        else alt.Tooltip(f"{name}:N", title=title)
        for name, title in titles.items()
    ]


Record = dict[str, Any]
"""A row of a chart's data."""


def values(frame: pd.DataFrame) -> alt.InlineData:
    """Return a frame's rows as inline data of a specification, ten times as fast as Altair's conversion."""
    return alt.InlineData(values=records(frame))


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, NaN as None."""
    columns = [[None if each != each else each for each in column.tolist()] for _, column in frame.items()]
    return [dict(zip(frame.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def fixed(**pixels: float | str) -> dict[str, Any]:
    """Return the channels `x`, `x2` and `y` at a place, as objects.

    Altair takes ten milliseconds to find the class of each channel that is given as a text or `alt.value`.
    """
    channels: dict[str, Any] = {"x": alt.XValue, "x2": alt.X2Value, "y": alt.YValue}
    return {channel: channels[channel](place) for channel, place in pixels.items()}


def interval(base: alt.Chart, **channels: Any) -> alt.Chart:
    chart: alt.Chart = base.mark_rule(strokeWidth=2).encode(**channels)
    return chart


def points(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Draw numbers in the style of all charts: hollow if the frame's `small` is true."""
    mark = base.mark_point(filled=True, size=60, opacity=1, strokeWidth=1.6, strokeOpacity=1)
    small = alt.FieldEqualPredicate(field="small", equal=True)
    fill = alt.FillOpacityValue(1, condition={"test": small, "value": 0})
    chart: alt.Chart = mark.encode(stroke=channels["color"], fillOpacity=fill, **channels)
    return chart


def names_beside(names: pd.DataFrame, wide: alt.Scale, high: alt.Scale) -> list[alt.Chart]:
    """Return names beside their marks, with a line to the mark if the name is apart: see `place_names`."""
    x, y = alt.X("name_x:Q", scale=wide), alt.Y("name_y:Q", scale=high)
    texts = alt.Chart(names).mark_text(fontSize=FONT, color=NEUTRAL, aria=False)
    layers = [texts.encode(x=x, y=y, text=alt.Text("shown:N")).properties(name=MARK_NAMES)]
    if names["apart"].any():
        lead = alt.Chart(names[names["apart"]]).mark_rule(color=NEUTRAL, strokeWidth=0.8, aria=False)
        lines = lead.encode(x=x, y=y, x2=alt.X2("x:Q"), y2=alt.Y2("y:Q"))
        layers.insert(0, lines.properties(name=f"{MARK_NAMES}_lines"))
    return layers


PICK = "mark"  # the name of the selection that a click on a mark sets
PALE = 0.35  # opacity of all other marks while one is chosen


def selection(fields: Sequence[str]) -> alt.Parameter:
    """Return the selection of one mark by the values of these fields; `fade_others` turns the others pale."""
    return alt.selection_point(name=PICK, fields=list(fields), toggle=False)


def fade_others(marks: alt.Chart) -> alt.Chart:
    """Return marks that turn pale while another one is chosen."""
    picked = {"param": PICK, "empty": True, "value": 1}
    chart: alt.Chart = marks.encode(opacity=alt.OpacityValue(PALE, condition=picked))
    return chart


def by_judge(chart: Layered, frame: pd.DataFrame, columns: int, **header: Any) -> alt.FacetChart:
    """Return a panel of the chart for each judge of the frame; `header` styles the panels' titles."""
    judges = list(dict.fromkeys(frame["judge"]))
    facet = alt.Facet("judge:N", title=None, sort=judges, header=alt.Header(**header))
    return chart.facet(facet, columns=columns)


def reference_line(value: float, axis: Literal["x", "y"]) -> alt.Chart:
    """Draw the line of no preference."""
    channel = alt.XDatum(value) if axis == "x" else alt.YDatum(value)
    rule: alt.Chart = alt.Chart().mark_rule(color=NEUTRAL, strokeDash=[4, 3]).encode(channel)
    return rule


def looks(field: str, values: Mapping[str, Look], *, legend: bool = True) -> tuple[alt.Color, alt.Shape]:
    """Return colour and shape of a field whose values are the keys of `values`."""
    shared_legend = alt.Legend(orient="top", labelLimit=300, symbolOpacity=1) if legend else None
    colours = alt.Scale(domain=list(values), range=[look.colour for look in values.values()])
    shapes = alt.Scale(domain=list(values), range=[look.shape for look in values.values()])
    return (
        alt.Color(f"{field}:N", title=None, scale=colours, legend=shared_legend),
        alt.Shape(f"{field}:N", title=None, scale=shapes, legend=shared_legend),
    )


def gradient(
    field: str, title: str, low: float, high: float, colours: Sequence[str], **legend: Any
) -> alt.Color:
    """Return the colour of a numeric field from `low` to `high`, with its bar above the chart."""
    steps = list(np.linspace(low, high, len(colours)))
    return alt.Color(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=steps, range=list(colours), interpolate="lab"),
        legend=alt.Legend(orient="top", direction="horizontal", gradientLength=200, **legend),
    )


def in_cells(base: alt.Chart, **look: Any) -> alt.Chart:
    """Write the frame's `label` into cells, in the colour given by its `ink`."""
    text = base.mark_text(**{"fontSize": 11, "aria": False} | look)
    chart: alt.Chart = text.encode(text=alt.Text("label:N"), fill=alt.Fill("ink:N", scale=None))
    return chart
