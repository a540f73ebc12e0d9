"""SPB by kind of instance, a panel for each judge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.forest import NO_VALUE
from engine.charts.lazy_altair import alt
from engine.measures.rows import FEW

if TYPE_CHECKING:
    from engine.measures.row_types import EqualQualityRow


def category_rows(rows: Iterable[EqualQualityRow]) -> pd.DataFrame:
    """Return a row for each judge and slice (`kind`) of `equal-quality` in which SPB is defined."""
    records = []
    for row in rows:
        numbers = number_forms.number(row, "spb")
        if row["judge"] is None or np.isnan(numbers[0]):
            continue
        kind = NO_VALUE if row["slice"] is None else str(row["slice"])
        n, where = int(row["n_pairs"]), (str(row["judge"]), kind, "SPB")
        records.append((*where, *numbers, number_forms.words(numbers, "difference"), n, n < FEW))
    columns = ["judge", "kind", "series", "value", "low", "high", "words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def by_category(frame: pd.DataFrame) -> alt.FacetChart:
    """Draw the frame of `category_rows`: a row for each kind, on one axis for all judges."""
    names = list(dict.fromkeys(frame["kind"]))
    colour, shape = chart_marks.looks("series", dict.fromkeys(frame["series"], style.MEMBER), legend=False)
    y = alt.Y("kind:N", title=None, sort=sorted(names), axis=axes.names_axis())
    axis = alt.Axis(**number_forms.ticks_of("difference"), gridOpacity=0.4, tickCount=5)
    title = number_forms.with_unit("SPB", "difference")
    scale = alt.Scale(zero=True, nice=False, padding=6)
    tooltip = chart_marks.tooltips(judge="judge", kind="of", words="SPB [95% interval]", n="n")
    base = alt.Chart().encode(y=y)
    ends = alt.X("low:Q", scale=scale, title=title, axis=axis)
    x = alt.X("value:Q", scale=scale, title=title)
    panel = alt.layer(
        chart_marks.reference_line(0.0, "x"),
        chart_marks.interval(base, x=ends, x2=alt.X2("high:Q"), color=colour),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=240,
        height=22 * len(names),
    )
    return chart_marks.by_judge(panel, frame, 3, labelLimit=240, labelFontWeight="bold", labelAnchor="start")
