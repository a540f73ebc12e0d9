"""What each order of the score options costs, a panel for each judge, the recommended one marked.

`rows_of` turns the rows of `ordering` into the frame that `costs` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import interval, looks, number, points, words
from engine.charts.palette import NEUTRAL, SELF, Look

COLUMNS = ["judge", "ordering", "series", "value", "low", "high", "words", "r_words", "n", "small"]
SERIES = {"recommended: the lowest cost": Look(SELF, "diamond"), "other orderings": Look(NEUTRAL, "circle")}
MOST = 24
"""Orderings drawn for a judge; of more, the cheapest."""

ROW = 18


def rows_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge and ordering with a cost, in the order of the rows; at most MOST a judge.

    Columns: `judge`, `ordering`, `series` (whether it is recommended), `value` (percent points) with its
    interval (NaN without one) and `words`, `r_words` (Pearson's r with people), `n` (items judged in it),
    `small` (a score selected fewer than 30 times).
    """
    made = []
    for row in rows:
        cost = number(row, "cost")
        if np.isnan(cost[0]):
            continue
        series = list(SERIES)[0 if row["recommended"] else 1]
        shown = words(cost, "ratio"), words(number(row, "pearson"), "ratio")
        where = str(row["judge"]), str(row["ordering"]), series
        made.append((*where, *cost, *shown, int(row["n_judged"]), bool(row["small"])))
    frame = pd.DataFrame.from_records(made, columns=COLUMNS)
    cheap = frame.sort_values("value", kind="stable").groupby("judge", sort=False).head(MOST)
    return frame.loc[sorted(cheap.index)].reset_index(drop=True)


def costs(frame: pd.DataFrame, *, columns: int = 3, width: int = 250) -> alt.FacetChart:
    """Draw the frame of `rows_of`: cost with its interval, a line for each ordering."""
    orderings = list(dict.fromkeys(frame["ordering"]))
    colour, shape = looks("series", SERIES)
    y = alt.Y(
        "ordering:N",
        title="order shown",
        sort=orderings,
        axis=alt.Axis(ticks=False, domain=False, grid=False, labelLimit=120, labelOverlap=False),
    )
    axis = alt.Axis(gridOpacity=0.4, tickCount=5)
    x = alt.X("value:Q", title="bias cost, percent points", scale=alt.Scale(zero=True), axis=axis)
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("ordering:N", title="order shown"),
        alt.Tooltip("series:N", title="it is"),
        alt.Tooltip("words:N", title="cost [95% interval]"),
        alt.Tooltip("r_words:N", title="Pearson's r with people"),
        alt.Tooltip("n:Q", title="items judged in it", format=","),
    ]
    base = alt.Chart().encode(y=y)
    judges = list(dict.fromkeys(frame["judge"]))
    facet = alt.Facet("judge:N", title=None, sort=judges, header=alt.Header(labelLimit=width))
    drawn: alt.FacetChart = alt.layer(
        interval(base, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
        points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=width,
        height=ROW * len(orderings),
    ).facet(facet, columns=columns)
    return drawn
