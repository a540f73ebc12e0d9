"""Power by number of instances: the share of studies that detect the effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from engine.charts import chart_marks, style
from engine.charts.lazy_altair import alt
from engine.stats.conclusions.power import TARGETS, StudySize, Target
from engine.words.planned_for import PLANNED_FOR

LOOKS = dict(zip((PLANNED_FOR[target].title for target in TARGETS), style.SERIES, strict=False))


def power_rows(
    curves: Mapping[Target, Sequence[StudySize]], answers: Mapping[Target, StudySize]
) -> pd.DataFrame:
    """Return a row for each point of the curves, and one for each needed number of instances (`asked`)."""
    rows = [
        (PLANNED_FOR[target].title, p.instances, p.power, p.own_failures, p.responses, p.verdicts, flags)
        for target, points in curves.items()
        for p, flags in [*((point, False) for point in points), (answers[target], True)]
    ]
    columns = ["target", "instances", "power", "own_failures", "responses", "verdicts", "asked"]
    frame = pd.DataFrame.from_records(rows, columns=columns)
    return frame.sort_values(["target", "instances", "asked"], ignore_index=True)


def power_curves(frame: pd.DataFrame, goal: float) -> alt.LayerChart:
    """Draw the frame of `power_rows`: a curve for each target, with a line at the power of `goal`."""
    targets = set(frame["target"])
    colour, shape = chart_marks.looks(
        "target", {name: look for name, look in LOOKS.items() if name in targets}
    )
    sizes, shares = alt.Scale(type="log", nice=False, padding=8), alt.Scale(domain=[0, 1])
    x_axis = alt.Axis(format="~s", grid=False, tickCount=6)
    y_axis = alt.Axis(format=".0%", gridOpacity=0.4, tickCount=6)
    x = alt.X("instances:Q", title="questions", scale=sizes, axis=x_axis)
    y = alt.Y("power:Q", title="power", scale=shares, axis=y_axis)
    tooltip = [
        alt.Tooltip("target:N", title="ratio detected"),
        alt.Tooltip("instances:Q", title="questions", format=","),
        alt.Tooltip("power:Q", title="power", format=".0%"),
        alt.Tooltip("own_failures:Q", title="own failures per judge", format=",.0f"),
        alt.Tooltip("verdicts:Q", title="verdicts", format=","),
    ]
    base = alt.Chart().encode(x=x, y=y, color=colour)
    line = alt.Chart(pd.DataFrame({"power": [goal]})).mark_rule(strokeDash=[4, 4], color=style.NEUTRAL)
    layered: Any = alt.layer(
        line.encode(y=y),
        base.mark_line(strokeWidth=2, aria=False),
        base.mark_point(filled=True, size=110, opacity=1)
        .encode(shape=shape, tooltip=tooltip)
        .transform_filter(alt.FieldEqualPredicate(field="asked", equal=True)),
        data=frame,
    )
    chart: alt.LayerChart = layered.properties(width=620, height=280)
    return chart
