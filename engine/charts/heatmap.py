"""The heatmap of judges and generators: a rate or a centered delta in each cell, with its confusion table.

`engine.charts.cells` makes the frame of the rows of `overestimation` and `delta`.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.cells import SHADES, Shade, ends
from engine.charts.marks import LONGEST_LABEL
from engine.charts.palette import CELL, COLOURS, DIVERGING, NEUTRAL, SEQUENTIAL

ROW = 32
"""Pixels of a row."""

PICK = "cell"
"""The name of the selection that a click on a cell makes; it holds `judge` and `generator`."""


def heatmap(frame: pd.DataFrame, shade: str = "overestimation", *, width: float = 560) -> alt.TopLevelMixin:
    """Draw the frame of `cells.rows_of` with that shade, about so many pixels wide.

    A solid outline marks the judge's own responses, a dashed one its relatives', a hollow dot few cases;
    lines part the families where the models of each stand together. A click on a cell chooses it.
    """
    known = SHADES[shade]
    judges, generators = _names(frame, "judge"), _names(frame, "generator")
    size = max(30.0, min(46.0, width / max(len(generators), 1)))
    x = alt.X(
        "generator:N", sort=generators, title="generator", axis=_axis(labelAngle=-40, labelOverlap=False)
    )
    y = alt.Y("judge:N", sort=judges, title="judge", axis=_axis())
    base = alt.Chart().encode(x=x, y=y, tooltip=_tooltip())
    pick = alt.selection_point(name=PICK, fields=["judge", "generator"], toggle=False)
    cells = base.mark_rect(cursor="pointer", stroke=CELL, strokeWidth=0.6).add_params(pick)
    text = base.mark_text(fontSize=11 if size > 34 else 9.5, cursor="pointer", aria=False)
    layers = [
        cells.encode(color=_colour(frame, known)),
        *_outlines(base, "family", [4, 3]),
        *_outlines(base, "self", [1, 0]),
        text.encode(text=alt.Text("label:N"), fill=alt.Fill("ink:N", scale=None)),
        _few(base),
        *_blocks(frame, "generator", size),
        *_blocks(frame, "judge", size),
    ]
    return alt.layer(*layers, data=frame, width=size * len(generators), height=ROW * len(judges))


def _names(frame: pd.DataFrame, who: str) -> list[str]:
    """Return the judges or generators in their order."""
    return list(frame.sort_values(f"{who}_order", kind="stable")[who].unique())


def _axis(**more: Any) -> alt.Axis:
    return alt.Axis(labelLimit=LONGEST_LABEL, labelPadding=6, ticks=False, domain=False, grid=False, **more)


def _colour(frame: pd.DataFrame, shade: Shade) -> alt.Color:
    low, high = ends(frame["value"], shade.diverging)
    colours = DIVERGING if shade.diverging else SEQUENTIAL
    steps = list(np.linspace(low, high, len(colours)))
    return alt.Color(
        "value:Q",
        title=shade.words,
        scale=alt.Scale(domain=steps, range=list(colours), interpolate="lab"),
        legend=alt.Legend(
            orient="top",
            direction="horizontal",
            offset=24,
            gradientLength=200,
            titleLimit=500,
            format="+.1f" if shade.diverging else ".0%",
        ),
    )


def _tooltip() -> list[alt.Tooltip]:
    told = {
        "judge": "judge",
        "generator": "generator",
        "relation": "relation",
        "over": "credited though failed",
        "under": "failed though credited",
        "delta": "centered delta, points",
    }
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in told.items()]


def _outlines(base: alt.Chart, relation: str, dash: Sequence[int]) -> list[alt.Chart]:
    """Return the outline of a relation's cells, on a light one of its own so that it shows on any colour."""
    inside = alt.RelativeBandSize(band=0.88)
    layers = []
    for width, colour, dashes in ((4.5, CELL, [1, 0]), (2.4, COLOURS[relation], dash)):
        mark = base.mark_rect(
            fill=None,
            stroke=colour,
            strokeWidth=width,
            strokeDash=dashes,
            width=inside,
            height=inside,
            aria=False,
        )
        layers.append(mark.transform_filter(alt.FieldEqualPredicate(field="relation", equal=relation)))
    return layers


def _few(base: alt.Chart) -> alt.Chart:
    """Return the dots of cells with few cases."""
    mark = base.mark_point(size=16, filled=False, strokeWidth=1.3, aria=False)
    drawn: alt.Chart = mark.transform_filter(alt.FieldEqualPredicate(field="small", equal=True)).encode(
        x=base.encoding.x.bandPosition(0.84),
        y=base.encoding.y.bandPosition(0.78),
        stroke=alt.Stroke("ink:N", scale=None),
    )
    return drawn


def _blocks(frame: pd.DataFrame, who: Literal["judge", "generator"], size: float) -> list[alt.Chart]:
    """Return lines between families and their names, where each family stands together."""
    names = _names(frame, who)
    family = dict(zip(frame[who], frame[f"{who}_family"], strict=True))
    runs = [list(run) for _, run in groupby(names, key=family.__getitem__)]
    if len(runs) < 2 or len({family[run[0]] for run in runs}) < len(runs):
        return []
    lasts = pd.DataFrame({who: [run[-1] for run in runs[:-1]]})
    heads = pd.DataFrame(
        {
            who: [run[0] for run in runs],
            "family": [family[run[0]] for run in runs],
            "limit": [size * len(run) - 4 for run in runs],
        }
    )
    line = alt.Chart(lasts).mark_rule(color=NEUTRAL, strokeWidth=1.6, aria=False)
    text = alt.Chart(heads).mark_text(color=NEUTRAL, align="left", fontSize=11, limit=90, aria=False)
    if who == "generator":
        text = alt.Chart(heads).mark_text(
            color=NEUTRAL,
            align="left",
            baseline="bottom",
            fontSize=11,
            limit=alt.expr("datum.limit"),
            aria=False,
        )
        edge = alt.X("generator:N", sort=names, bandPosition=1)
        start = alt.X("generator:N", sort=names, bandPosition=0)
        return [line.encode(x=edge), text.encode(x=start, y=alt.value(-4), text=alt.Text("family:N"))]
    edge_y, row = alt.Y("judge:N", sort=names, bandPosition=1), alt.Y("judge:N", sort=names)
    right = size * frame["generator"].nunique() + 6
    return [line.encode(y=edge_y), text.encode(y=row, x=alt.value(right), text=alt.Text("family:N"))]
