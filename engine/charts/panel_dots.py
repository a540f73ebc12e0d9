"""One dot for each panel of gold judges: how far a judge's number depends on who they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.style import Look

if TYPE_CHECKING:
    from engine.measures.row_types import GoldStressRow

NUMBER_TITLES = {
    "dbg": "DBG",
    "spb": "SPB",
    "own_minus_others": "own minus others' passed failures",
}
KINDS_OF_PANEL = {
    "any panel": Look(style.SERIES[0].colour, style.CIRCLE),
    "all but a family": Look(style.FAMILY, style.TRIANGLE),
    "all gold judges": Look(style.SELF, style.DIAMOND),
}
COLUMNS = ["number", "judge", "series", "panel", "value", "low", "high", "words", "n", "small"]


def panel_dot_rows(rows: Iterable[GoldStressRow]) -> pd.DataFrame:
    """Return a row for each panel of each judge and number, then without each family, then for all."""
    records: list[tuple[Any, ...]] = []
    for row in rows:
        head = (NUMBER_TITLES[row["number"]], str(row["judge"]))
        tail = (int(row["n"]), bool(row["small"]))
        every, family, whole = KINDS_OF_PANEL
        dots = [(every, *each) for each in zip(row["panels"], row["value_by_panel"], strict=True)]
        without = zip(row["families_without"], row["value_without"], strict=True)
        dots += [(family, f"without {name}", value) for name, value in without]
        for series, panel, value in dots:
            text = number_forms.words((value, np.nan, np.nan), "difference")
            records.append((*head, series, panel, value, np.nan, np.nan, text, *tail))
        numbers = number_forms.number(row, "value")
        if not np.isnan(numbers[0]):
            text = number_forms.words(numbers, "difference")
            records.append((*head, whole, "all", *numbers, text, *tail))
    frame = pd.DataFrame.from_records(records, columns=COLUMNS)
    return frame.astype({"value": float, "low": float, "high": float})


def panel_dots(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `panel_dot_rows`: a part for each number, a row for each judge."""
    judges = list(dict.fromkeys(frame["judge"]))
    charts: list[Any] = []
    for number in dict.fromkeys(frame["number"]):
        part = frame[frame["number"] == number].reset_index(drop=True)
        present = {name: look for name, look in KINDS_OF_PANEL.items() if name in set(part["series"])}
        colour, shape = chart_marks.looks("series", present)
        y = alt.Y(
            "judge:N",
            title=None,
            axis=axes.names_axis(labels=not charts),
            scale=alt.Scale(domain=judges),
        )
        offset = alt.YOffset("series:N", scale=alt.Scale(domain=list(present)))
        title = number_forms.with_unit(number, "difference")
        x = alt.X(
            "value:Q",
            title=title,
            scale=alt.Scale(zero=False, nice=False, padding=8),
            axis=alt.Axis(gridOpacity=0.4, tickCount=5, **number_forms.ticks_of("difference")),
        )
        base = alt.Chart().encode(y=y, yOffset=offset)
        tooltip = chart_marks.tooltips(judge="judge", panel="gold judges", words="value", n="n")
        charts.append(
            alt.layer(
                chart_marks.reference_line(0, "x"),
                chart_marks.interval(base, x=alt.X("low:Q", title=title), x2=alt.X2("high:Q"), color=colour),
                chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
                data=part,
                width=320,
                height=36 * len(judges),
            )
        )
    chart: alt.HConcatChart = alt.hconcat(*charts, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent", yOffset="independent"
    )
    return chart
