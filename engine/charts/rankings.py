"""The ranks of the models by several rankings: a row for each model, the reference's first on top.

`rows_of` turns the rows of `ranking` into the frame that `rankings` draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import LONGEST_LABEL, interval, looks, number, points, words
from engine.charts.palette import CIRCLE, DIAMOND, NEUTRAL, SERIES, SQUARE, TRIANGLE, Look
from engine.measures.ranking import ALL

COLUMNS = ["model", "model_order", "by", "value", "low", "high", "words", "shift", "n", "small"]
REFERENCE = "reference"
NAMES = {
    REFERENCE: "the reference",
    ALL: "all judges",
    "all-without-self": "all but itself",
    "all-without-family": "all outside its family",
}
ACROSS = 4
"""Rankings named side by side over the chart."""

ROW = 15
"""Pixels for one ranking of one model."""


def shown_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the rankings by several judges in the order in which they are drawn, the reference's first."""
    there = list(dict.fromkeys(str(row["by"]) for row in rows))
    named = [by for by in NAMES if by in there]
    return [*named, *(by for by in there if by.startswith("committee:"))]


def rows_of(rows: Iterable[Mapping[str, Any]], shown: Sequence[str] | None = None) -> pd.DataFrame:
    """Return a row for each model and ranking of `shown`, else of those of `shown_of`.

    Columns: `model` and its place by the reference (else by all), `by` in words, `value` (the rank), `low`,
    `high`, `words`, `shift` (places from the reference's rank in words), `n`, `small` (no interval).
    """
    told = list(rows)
    wanted = shown_of(told) if shown is None else list(shown)
    ranks = {(row["by"], row["model"]): number(row, "rank") for row in told}
    lead = REFERENCE if REFERENCE in wanted else ALL
    models = sorted(dict.fromkeys(row["model"] for row in told), key=lambda model: _rank(ranks, lead, model))
    made = []
    for place, model in enumerate(models):
        for row in (row for by in wanted for row in told if row["by"] == by and row["model"] == model):
            by, rank = str(row["by"]), ranks[row["by"], model]
            away = rank[0] - _rank(ranks, REFERENCE, model)
            numbers = words(rank, "ratio").replace(".00", "")
            name = NAMES.get(by, by)
            made.append(
                (model, place, name, *rank, numbers, _moved(away), int(row["n"]), bool(np.isnan(rank[1])))
            )
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def _rank(ranks: Mapping[tuple[Any, Any], tuple[float, float, float]], by: str, model: str) -> float:
    return ranks.get((by, model), (np.inf,))[0]


def _moved(away: float) -> str:
    """Return how far a model is from the reference's place, in words."""
    if not np.isfinite(away):
        return "not in the reference"
    if away == 0:
        return "as in the reference"
    return f"{abs(away):g} {'higher' if away < 0 else 'lower'} than in the reference"


def rankings(frame: pd.DataFrame, *, width: int = 620) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`: ranks with intervals, 1 on the left."""
    series = list(dict.fromkeys(frame["by"]))
    shapes = (DIAMOND, TRIANGLE, CIRCLE, SQUARE)
    used = {
        NAMES[REFERENCE]: Look(NEUTRAL, SQUARE),
        **{
            name: Look(SERIES[place % len(SERIES)].colour, shapes[place % len(shapes)])
            for place, name in enumerate(name for name in series if name != NAMES[REFERENCE])
        },
    }
    colour, shape = looks("by", {name: used[name] for name in series})
    legend = alt.Legend(orient="top", columns=ACROSS, labelLimit=300, symbolOpacity=1)
    colour, shape = colour.legend(legend), shape.legend(legend)
    labels = alt.Axis(labelLimit=LONGEST_LABEL, ticks=False, domain=False, grid=True, gridOpacity=0.25)
    y = alt.Y("model:N", title=None, sort=alt.EncodingSortField("model_order", op="min"), axis=labels)
    offset = alt.YOffset("by:N", sort=series)
    most = max(int(frame["model_order"].max()) + 1, 2)
    scale = alt.Scale(domain=[0.5, most + 0.5], nice=False)
    axis = alt.Axis(values=list(range(1, most + 1)), format="d", gridOpacity=0.3)
    base = alt.Chart().encode(y=y, yOffset=offset)
    title = "rank, 1 the highest"
    tooltip = [
        alt.Tooltip("model:N", title="model"),
        alt.Tooltip("by:N", title="ranked by"),
        alt.Tooltip("words:N", title="rank [95% interval]"),
        alt.Tooltip("shift:N", title="place"),
        alt.Tooltip("n:Q", title="complete questions", format=","),
    ]
    return alt.layer(
        interval(base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour),
        points(
            base,
            x=alt.X("value:Q", title=title, scale=scale, axis=axis),
            color=colour,
            shape=shape,
            tooltip=tooltip,
        ),
        data=frame,
        width=width,
        height=ROW * len(series) * frame["model"].nunique(),
    )
