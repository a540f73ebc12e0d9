"""From a member to its committee: ratio and accuracy of each judge, and of the majority in its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.before_after import arrow_shapes
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.measures.rows import FEW
from engine.words.plain_names import LEVELS

if TYPE_CHECKING:
    from engine.measures.row_types import CommitteeRow

WHO = {"": "the judge alone", "_committee": "the committee in its place"}


def committee_rows(rows: Iterable[CommitteeRow]) -> pd.DataFrame:
    """Return a row for each member, level, kind of number and voter (`series`), if defined.

    `n` counts the member's own failures behind a ratio; `small` marks fewer than 30.
    """
    records = []
    for row in rows:
        fields: dict[Form, str] = {"ratio": "hspp_self", "share": style.ACCURACIES[row["level"]]}
        for form, field in fields.items():
            for suffix, who in WHO.items():
                numbers = number_forms.number(row, f"{field}{suffix}")
                if not np.isnan(numbers[0]):
                    kind = "ratio" if form == "ratio" else "accuracy"
                    failures = row.get("n_self_committee") if suffix else row.get("n_self")
                    n = failures if form == "ratio" else None
                    where = str(row["judge"]), row["level"], kind, who
                    small = n is not None and n < FEW
                    records.append((*where, *numbers, number_forms.words(numbers, form), n, small))
    columns = ["judge", "level", "kind", "series", "value", "low", "high", "words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def member_to_committee(frame: pd.DataFrame) -> alt.HConcatChart:
    """Draw the frame of `committee_rows`: ratio and accuracy per level, a line from member to committee."""
    judges = list(dict.fromkeys(frame["judge"]))
    panels: list[Any] = []
    for level in style.ACCURACIES:
        for kind in ("ratio", "accuracy"):
            part = frame[(frame["level"] == level) & (frame["kind"] == kind)].reset_index(drop=True)
            if len(part) or frame.empty:
                panels.append(_committee_panel(part, level, kind, judges, names=not panels))
    return alt.hconcat(*panels, spacing=14)


def _committee_panel(
    part: pd.DataFrame, level: str, kind: str, judges: list[str], *, names: bool
) -> chart_marks.Layered:
    title = f"{kind}, {LEVELS[level]}"
    if kind == "ratio":
        part, scale, axis = axes.ratio_axis(part, labelOverlap=True)
    else:
        scale = alt.Scale(zero=False, nice=False, padding=8)
        axis = alt.Axis(format=".0%", gridOpacity=0.4, tickCount=4)
    y = alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=axes.names_axis(labels=names))
    alone, together = WHO.values()
    colour, shape = chart_marks.looks("series", {alone: style.MEMBER, together: style.COMMITTEE})
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=[alone, together]))
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = chart_marks.tooltips(judge="judge", series="of", words=title, n="own failures")
    x = alt.X("value:Q", title=title, scale=scale)
    steps = alt.Chart(arrow_shapes(part, alone, together))
    layers = [
        *([chart_marks.reference_line(1, "x")] if kind == "ratio" else []),
        steps.mark_rule(color=style.NEUTRAL, opacity=0.6, aria=False).encode(
            x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q"), y=y
        ),
        chart_marks.interval(
            base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour
        ),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
    ]
    return alt.layer(*layers, data=part, width=165, height=34 * len(judges))
