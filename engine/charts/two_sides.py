"""Two sides and their difference: side A, side B, and A against B, a row for each judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.forest import MEANS
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.charts.style import Look
from engine.measures.rows import FEW

LOOKS = {
    "hspp_self": style.MEMBER,
    "hspp_matched": Look(style.SELF, style.DIAMOND),
    "hspp_family": Look(style.FAMILY, style.SQUARE),
    "o_self": style.MEMBER,
    "o_other": Look(style.OTHER, style.TRIANGLE),
}
"""Ratios and shares about someone look as in other charts; other numbers and differences are grey."""

PLAIN = Look(style.NEUTRAL, style.CIRCLE)
PANELS = ("A", "B", "A against B")
VIEWS = {panel: f"side_{place}" for place, panel in enumerate(PANELS)}


def judge_of(row: Mapping[str, Any]) -> str:
    """Return the judge of a compared row as its label."""
    return MEANS if row["judge"] is None else str(row["judge"])


def two_side_rows(
    rows: Iterable[Mapping[str, Any]],
    *,
    as_ratio: bool,
    label: Callable[[Mapping[str, Any]], str] = judge_of,
) -> pd.DataFrame:
    """Return up to three rows for each compared row: side A, side B, and A against B, if defined.

    `as_ratio` says whether the numbers are ratios (else shares); `label` names a row. `low` and `high` are
    NaN without an interval; `n` of A against B is the smaller side's. Rows of means come first.
    """
    form: Form = "ratio" if as_ratio else "share"
    forms: tuple[Form, ...] = (form, form, "ratio" if as_ratio else "difference")
    fields = (("a", "a_low", "a_high"), ("b", "b_low", "b_high"), ("difference", "low", "high"))
    records = []
    for row in sorted(rows, key=lambda row: row["judge"] is not None):  # means first; stable
        counts = row["n_a"], row["n_b"], min(row["n_a"], row["n_b"])
        for panel, names, form, n in zip(PANELS, fields, forms, counts, strict=True):
            value, low, high = (np.nan if row[name] is None else float(row[name]) for name in names)
            if not np.isnan(value):
                text = number_forms.words((value, low, high), form)
                records.append((panel, label(row), row["field"], value, low, high, text, n, n < FEW))
    columns = ["panel", "label", "field", "value", "low", "high", "words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def two_sides(frame: pd.DataFrame, *, as_ratio: bool) -> alt.HConcatChart:
    """Draw the frame of `two_side_rows`: the two sides on one scale, and beside them A against B.

    Ratios are compared by their ratio, shares by their difference in points. A click on a mark chooses its
    `panel` and `label`.
    """
    labels = list(dict.fromkeys(frame["label"]))
    between = frame["panel"] == PANELS[2]
    panels = []
    for panel in PANELS:
        part, axis_rows = frame[frame["panel"] == panel], frame[~between]
        if panel == PANELS[2]:
            part = axis_rows = part.assign(field="difference")
        panels.append(_two_side_panel(part, axis_rows, panel, labels, as_ratio=as_ratio))
    chart: alt.HConcatChart = alt.hconcat(*panels, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent"
    )
    config = alt.PointSelectionConfig(type="point", fields=["panel", "label"], toggle=False)
    chart.params = [
        alt.TopLevelSelectionParameter(name=chart_marks.PICK, select=config, views=list(VIEWS.values()))
    ]
    return chart


def _two_side_panel(
    part: pd.DataFrame, axis_rows: pd.DataFrame, panel: str, labels: list[str], *, as_ratio: bool
) -> alt.LayerChart:
    """Draw one panel; its axis covers `axis_rows`."""
    title = f"{panel}: {'ratio (1 = no preference)' if as_ratio else 'share'}"
    if panel == PANELS[2]:
        title = "A / B (1 = alike)" if as_ratio else "A − B, points (0 = alike)"
    scale, axis, low, high = _axis(axis_rows, panel, as_ratio=as_ratio)
    part = axes.within(part, low, high)
    names = axes.names_axis(labels=panel == PANELS[0], labelFlush=False)
    y = alt.Y("label:N", title=None, scale=alt.Scale(domain=labels), axis=names)
    looks = {field: LOOKS.get(field, PLAIN) for field in dict.fromkeys(part["field"])}
    colour, shape = chart_marks.looks("field", looks, legend=False)
    base = alt.Chart().encode(y=y)
    tooltip = chart_marks.tooltips(label="row", panel="side", words="value [95% interval]", n="n")
    x = alt.X("shown:Q", title=title, scale=scale, axis=axis)
    marks = chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip)
    layers = [
        chart_marks.interval(
            base, x=alt.X("from:Q", title=title, scale=scale), x2=alt.X2("to:Q"), color=colour
        ),
        chart_marks.fade_others(marks).properties(name=VIEWS[panel]),
    ]
    if part["arrow"].any():
        edge = alt.X("edge:Q", title=title, scale=scale)
        layers.append(base.mark_text(fontSize=13).encode(x=edge, text=alt.Text("arrow:N"), color=colour))
    if as_ratio or panel == PANELS[2]:
        layers.insert(0, chart_marks.reference_line(1 if as_ratio else 0, "x"))
    return alt.LayerChart(layer=layers, data=part, width=235, height=24 * max(len(labels), 1))


def _axis(axis_rows: pd.DataFrame, panel: str, *, as_ratio: bool) -> tuple[alt.Scale, alt.Axis, float, float]:
    if as_ratio:
        _, scale, axis = axes.ratio_axis(axis_rows, labelOverlap=True)
        return scale, axis, *axes.ratio_ends(axis_rows, ["value", "low", "high"])
    numbers = axis_rows[["value", "low", "high"]].to_numpy(dtype=float)
    ends = numbers[np.isfinite(numbers)]
    form: Form = "share"
    if panel == PANELS[2]:
        ends, form = np.append(ends, 0.0), "difference"
    low, high = float(ends.min(initial=1.0)), float(ends.max(initial=-1.0))
    room = 0.05 * abs(high - low) + 1e-6
    axis = alt.Axis(**number_forms.ticks_of(form), gridOpacity=0.4, tickCount=4)
    return alt.Scale(domain=[low - room, high + room], nice=False), axis, low, high
