"""Power by number of instances: what share of studies tells the effect from none.

`rows_of` turns points of `engine.power.power_curve` into the frame that `power_curves` draws.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from engine.charts.marks import looks
from engine.charts.palette import CIRCLE, DIAMOND, NEUTRAL, SQUARE, Look
from engine.power import TARGETS, Needed, Target

COLUMNS = ["target", "instances", "power", "own_failures", "responses", "verdicts", "asked"]
LOOKS = {
    TARGETS["judge"]: Look("#8E6BBF", CIRCLE),
    TARGETS["adjusted"]: Look("#B07D12", SQUARE),
    TARGETS["mean"]: Look("#5F8391", DIAMOND),
}


def rows_of(curves: Mapping[Target, Sequence[Needed]], needed: Mapping[Target, Needed]) -> pd.DataFrame:
    """Return a row for each point, and one for each number of instances that is needed (`asked`)."""
    made = [
        (TARGETS[target], p.instances, p.power, p.own_failures, p.responses, p.verdicts, asked)
        for target, points in curves.items()
        for p, asked in [*((point, False) for point in points), (needed[target], True)]
    ]
    frame = pd.DataFrame.from_records(made, columns=COLUMNS)
    return frame.sort_values(["target", "instances", "asked"], ignore_index=True)


def power_curves(
    frame: pd.DataFrame, wanted: float, *, width: int = 620, height: int = 280
) -> alt.LayerChart:
    """Draw the frame: a curve for each question, a mark where it reaches the power that is `wanted`."""
    colour, shape = looks(
        "target", {name: look for name, look in LOOKS.items() if name in set(frame["target"])}
    )
    x = alt.X(
        "instances:Q",
        title="instances",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=alt.Axis(format="~s", grid=False, tickCount=6),
    )
    y = alt.Y(
        "power:Q",
        title="power",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", gridOpacity=0.4, tickCount=6),
    )
    tooltip = [
        alt.Tooltip("target:N", title="told from 1"),
        alt.Tooltip("instances:Q", title="instances", format=","),
        alt.Tooltip("power:Q", title="power", format=".0%"),
        alt.Tooltip("own_failures:Q", title="failures of one judge's own", format=",.0f"),
        alt.Tooltip("verdicts:Q", title="verdicts", format=","),
    ]
    base = alt.Chart().encode(x=x, y=y, color=colour)
    line = alt.Chart(pd.DataFrame({"power": [wanted]})).mark_rule(strokeDash=[4, 4], color=NEUTRAL)
    drawn: Any = alt.layer(
        line.encode(y=y),
        base.mark_line(strokeWidth=2, aria=False),
        base.mark_point(filled=True, size=110, opacity=1)
        .encode(shape=shape, tooltip=tooltip)
        .transform_filter(alt.FieldEqualPredicate(field="asked", equal=True)),
        data=frame,
    )
    found: alt.LayerChart = drawn.properties(width=width, height=height)
    return found
