"""The bias cost of each order of the score options, a panel per judge, the recommended one marked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.charts import chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.style import Look

if TYPE_CHECKING:
    from engine.measures.row_types import OrderingRow

COST_SERIES = {
    "recommended: the lowest cost": Look(style.SELF, "diamond"),
    "other orderings": Look(style.NEUTRAL, "circle"),
}
MOST = 24  # most orderings drawn for a judge; the cheapest are kept


def cost_rows(rows: Iterable[OrderingRow]) -> pd.DataFrame:
    """Return a row for each judge and ordering with a cost, in the order of the rows, up to MOST per judge.

    `value` is in percent points, `r_words` Pearson's r with people, `n` counts items judged in the ordering,
    `small` says that a score was selected fewer than 30 times.
    """
    records = []
    for row in rows:
        cost = number_forms.number(row, "cost")
        if np.isnan(cost[0]):
            continue
        series = list(COST_SERIES)[0 if row["recommended"] else 1]
        texts = (
            number_forms.words(cost, "ratio"),
            number_forms.words(number_forms.number(row, "pearson"), "ratio"),
        )
        where = str(row["judge"]), str(row["ordering"]), series
        records.append((*where, *cost, *texts, int(row["n_judged"]), bool(row["small"])))
    columns = ["judge", "ordering", "series", "value", "low", "high", "words", "r_words", "n", "small"]
    frame = pd.DataFrame.from_records(records, columns=columns)
    cheap = frame.sort_values("value", kind="stable").groupby("judge", sort=False).head(MOST)
    return frame.loc[sorted(cheap.index)].reset_index(drop=True)


def costs(frame: pd.DataFrame) -> alt.FacetChart:
    """Draw the frame of `cost_rows`: cost with its interval, a row for each ordering."""
    orderings = list(dict.fromkeys(frame["ordering"]))
    colour, shape = chart_marks.looks("series", COST_SERIES)
    names = alt.Axis(ticks=False, domain=False, grid=False, labelLimit=120, labelOverlap=False)
    y = alt.Y("ordering:N", title="order shown", sort=orderings, axis=names)
    axis = alt.Axis(gridOpacity=0.4, tickCount=5)
    x = alt.X("value:Q", title="bias cost, percent points", scale=alt.Scale(zero=True), axis=axis)
    tooltip = chart_marks.tooltips(
        judge="judge",
        ordering="order shown",
        series="kind",
        words="cost [95% interval]",
        r_words="Pearson's r with people",
        n="items judged in it",
    )
    base = alt.Chart().encode(y=y)
    panel = alt.layer(
        chart_marks.interval(base, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=250,
        height=18 * len(orderings),
    )
    return chart_marks.by_judge(panel, frame, 3, labelLimit=250)
