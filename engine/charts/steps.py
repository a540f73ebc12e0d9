"""From a member to its committee: ratio and accuracy of each judge, and of the majority in its place.

`rows_of` turns the rows of `committee` into the frame that `steps` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import (
    LONGEST_LABEL,
    Form,
    interval,
    looks,
    number,
    points,
    ratio_ends,
    ratio_ticks,
    reference_line,
    words,
)
from engine.charts.palette import COMMITTEE, MEMBER, NEUTRAL
from engine.measures.table import FEW

COLUMNS = ["judge", "level", "kind", "series", "value", "low", "high", "words", "n", "small"]
WHO = {"": "the judge alone", "_committee": "the committee in its place"}
LEVELS = ("rubric", "instance")
ACCURACIES = {"rubric": "mra", "instance": "mipa"}
ROW = 34


def rows_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each member, level, kind of number, and who is meant, where it is defined.

    Columns: `judge`, `level`, `kind` (ratio or accuracy), `series` (the judge or the committee), `value`,
    `low`, `high`, `words`, `n` (the member's own failures behind a ratio), `small` (these below 30).
    """
    made = []
    for row in rows:
        of_kind: dict[Form, str] = {"ratio": "hspp_self", "share": ACCURACIES[row["level"]]}
        for form, field in of_kind.items():
            for suffix, who in WHO.items():
                told = number(row, f"{field}{suffix}")
                if not np.isnan(told[0]):
                    kind = "ratio" if form == "ratio" else "accuracy"
                    n = row.get(f"n_self{suffix}") if form == "ratio" else None
                    small = n is not None and n < FEW
                    where = (str(row["judge"]), row["level"], kind, who)
                    made.append((*where, *told, words(told, form), n, small))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def steps(frame: pd.DataFrame, *, width: int = 165) -> alt.HConcatChart:
    """Draw the frame of `rows_of`: ratio and accuracy at each level, an arrow from member to committee."""
    judges = list(dict.fromkeys(frame["judge"]))
    panels = [
        (level, kind)
        for level in LEVELS
        for kind in ("ratio", "accuracy")
        if frame.empty or ((frame["level"] == level) & (frame["kind"] == kind)).any()
    ]
    drawn = [
        _panel(frame, level, kind, judges, names=place == 0, width=width)
        for place, (level, kind) in enumerate(panels)
    ]
    joined: alt.HConcatChart = alt.hconcat(*drawn, spacing=14)
    return joined


def _panel(
    frame: pd.DataFrame, level: str, kind: str, judges: list[str], *, names: bool, width: int
) -> alt.LayerChart | alt.FacetChart:
    part = frame[(frame["level"] == level) & (frame["kind"] == kind)].reset_index(drop=True)
    title = f"{kind}, {level} level"
    if kind == "ratio":
        low, high = ratio_ends(part, ["value", "low", "high"])
        scale = alt.Scale(type="log", domain=[low, high], nice=False)
        axis = alt.Axis(values=ratio_ticks(low, high), format="~g", gridOpacity=0.4, labelOverlap=True)
        part = part.assign(**{name: part[name].clip(low, high) for name in ("value", "low", "high")})
    else:
        scale = alt.Scale(zero=False, nice=False, padding=8)
        axis = alt.Axis(format=".0%", gridOpacity=0.4, tickCount=4)
    labels = alt.Axis(labelLimit=LONGEST_LABEL, labels=names, ticks=False, domain=False, grid=False)
    y = alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=labels)
    colour, shape = looks("series", dict(zip(WHO.values(), (MEMBER, COMMITTEE), strict=True)))
    base = alt.Chart().encode(
        y=y, yOffset=alt.YOffset("series:N", scale=alt.Scale(domain=list(WHO.values())))
    )
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("words:N", title=title),
        alt.Tooltip("n:Q", title="own failures", format=","),
    ]
    layers = [
        alt.Chart(_arrows(part))
        .mark_rule(color=NEUTRAL, opacity=0.6, aria=False)
        .encode(x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q"), y=y),
        interval(base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour),
        points(
            base, x=alt.X("value:Q", title=title, scale=scale), color=colour, shape=shape, tooltip=tooltip
        ),
    ]
    if kind == "ratio":
        layers.insert(0, reference_line(1, "x"))
    return alt.layer(*layers, data=part, width=width, height=ROW * len(judges))


def _arrows(part: pd.DataFrame) -> pd.DataFrame:
    """Return from where to where each judge's arrow goes, for judges that have both ends."""
    alone, joined = (part[part["series"] == who].set_index("judge")["value"] for who in WHO.values())
    both = [judge for judge in alone.index if judge in joined.index]
    return pd.DataFrame({"judge": both, "start": alone[both].to_numpy(), "end": joined[both].to_numpy()})
