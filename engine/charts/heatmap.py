"""The heatmap of judges and generators: a rate or a centered delta per cell, with its confusion table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal

import pandas as pd

from engine.charts import axes, chart_marks, style
from engine.charts.heat_cells import ALL_SHADES, Shade, ends
from engine.charts.lazy_altair import alt

ROW, SMALL_CELL = 32, 26  # height in pixels of a row, and side of a small heatmap's cell

HOVER = {
    "judge": "judge",
    "generator": "model",
    "relation": "relation",
    "over": "passed though failed",
    "under": "failed though passed",
    "delta": "centered delta, points",
}
"""The columns of a cell's tooltip, with their titles."""


def heatmap(frame: pd.DataFrame, shade: str = "overestimation", *, width: float = 560) -> chart_marks.Layered:
    """Draw the frame of `cell_rows` with this shade, about `width` pixels wide.

    A solid outline marks the judge's own responses, a dashed one its family's, a hollow dot few cases. Lines
    separate families if the models of each are adjacent. A click on a cell selects its `judge` and
    `generator`.
    """
    shading = ALL_SHADES[shade]
    judges, generators = _names(frame, "judge"), _names(frame, "generator")
    size = max(30.0, min(46.0, width / max(len(generators), 1)))
    below = axes.names_axis(labelPadding=6, labelAngle=-40, labelOverlap=False)
    x = alt.X("generator:N", sort=generators, title="model", axis=below)
    y = alt.Y("judge:N", sort=judges, title="judge", axis=axes.names_axis(labelPadding=6))
    base = alt.Chart().encode(x=x, y=y, tooltip=chart_marks.tooltips(**HOVER))
    cells = base.mark_rect(cursor="pointer", stroke=style.CELL).encode(color=_colour(frame, shading))
    # a dot in the cells with few cases
    few = base.mark_point(size=16, filled=False, strokeWidth=1.3, aria=False).encode(
        x=x.bandPosition(0.84), y=y.bandPosition(0.78), stroke=alt.Stroke("ink:N", scale=None)
    )
    layers = [
        _pickable(cells, ("judge", "generator"), 6),
        *_outlines(base, "family", [4, 3]),
        *_outlines(base, "self", [1, 0]),
        chart_marks.in_cells(base, fontSize=11 if size > 34 else 9.5, cursor="pointer"),
        few.transform_filter(alt.FieldEqualPredicate(field="small", equal=True)),
        *_blocks(frame, "generator", size),
        *_blocks(frame, "judge", size),
    ]
    return alt.layer(*layers, data=frame, width=size * len(generators), height=ROW * len(judges))


def multiples(frame: pd.DataFrame, shade: str = "overestimation") -> alt.FacetChart:
    """Draw a small heatmap for each `slice` of the frame, all with the same colours and order.

    An outline marks the judge's own responses. A click on a cell selects its `judge`, `generator` and
    `slice`.
    """
    shading = ALL_SHADES[shade]
    judges, generators = _names(frame, "judge"), _names(frame, "generator")
    below = axes.names_axis(labelPadding=6, labelAngle=-60, labelOverlap=False)
    x = alt.X("generator:N", sort=generators, title=None, axis=below)
    y = alt.Y("judge:N", sort=judges, title=None, axis=axes.names_axis(labelPadding=6))
    base = alt.Chart().encode(x=x, y=y, tooltip=chart_marks.tooltips(slice="slice", **HOVER))
    cells = base.mark_rect(cursor="pointer").encode(color=_colour(frame, shading))
    cells = _pickable(cells, ("judge", "generator", "slice"), 5)
    text = chart_marks.in_cells(base, fontSize=9, cursor="pointer")
    header = alt.Header(title=None, labelLimit=260, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("slice:N", sort=list(dict.fromkeys(frame["slice"])), header=header)
    layers = [cells, *_outlines(base, "self", [1, 0]), text]
    panel = alt.LayerChart(layer=layers, width=SMALL_CELL * len(generators), height=SMALL_CELL * len(judges))
    return panel.facet(facet, data=chart_marks.values(frame), columns=3)


def _pickable(cells: alt.Chart, fields: Sequence[str], width: float) -> Any:
    """Return cells of which a click chooses one, which gets an outline of this width."""
    picked = {"param": chart_marks.PICK, "empty": False}
    return cells.add_params(chart_marks.selection(fields)).encode(
        stroke=alt.StrokeValue(style.CELL, condition=picked | {"value": style.INK}),
        strokeWidth=alt.StrokeWidthValue(0.6, condition=picked | {"value": width}),
    )


def _names(frame: pd.DataFrame, who: str) -> list[str]:
    return list(frame.sort_values(f"{who}_order", kind="stable")[who].unique())


def _colour(frame: pd.DataFrame, shade: Shade) -> alt.Color:
    low, high = ends(frame["value"], shade.diverging)
    colours, form = (style.DIVERGING, "+.1f") if shade.diverging else (style.SEQUENTIAL, ".0%")
    return chart_marks.gradient(
        "value", shade.words, low, high, colours, offset=24, titleLimit=500, format=form
    )


def _outlines(base: alt.Chart, relation: str, dash: Sequence[int]) -> list[alt.Chart]:
    """Return the outline of a relation's cells, over a wider light one so that it shows on any colour."""
    inside = alt.RelativeBandSize(band=0.88)
    layers = []
    for width, colour, dashes in ((4.5, style.CELL, [1, 0]), (2.4, style.COLOURS[relation], dash)):
        line: dict[str, Any] = {"stroke": colour, "strokeWidth": width, "strokeDash": dashes}
        mark = base.mark_rect(fill=None, width=inside, height=inside, aria=False, **line)
        layers.append(mark.transform_filter(alt.FieldEqualPredicate(field="relation", equal=relation)))
    return layers


def _blocks(frame: pd.DataFrame, who: Literal["judge", "generator"], size: float) -> list[alt.Chart]:
    """Return lines between families, and their names above columns, if each family is adjacent."""
    names = _names(frame, who)
    family = dict(zip(frame[who], frame[f"{who}_family"], strict=True))
    runs = [list(run) for _, run in groupby(names, key=family.__getitem__)]
    if len(runs) < 2 or len({family[run[0]] for run in runs}) < len(runs):
        return []
    lasts = pd.DataFrame({who: [run[-1] for run in runs[:-1]]})
    line = alt.Chart(lasts).mark_rule(color=style.NEUTRAL, strokeWidth=1.6, aria=False)
    if who == "judge":  # families are named above the columns only
        return [line.encode(y=alt.Y("judge:N", sort=names, bandPosition=1))]
    firsts = [(run[0], family[run[0]], size * len(run) - 4) for run in runs]
    heads = pd.DataFrame.from_records(firsts, columns=[who, "family", "limit"])
    limit = alt.expr("datum.limit")
    text = alt.Chart(heads).mark_text(
        color=style.NEUTRAL, fontSize=11, aria=False, align="left", baseline="bottom", limit=limit
    )
    edge = alt.X("generator:N", sort=names, bandPosition=1)
    start = alt.X("generator:N", sort=names, bandPosition=0)
    return [line.encode(x=edge), text.encode(x=start, **chart_marks.fixed(y=-4), text=alt.Text("family:N"))]
