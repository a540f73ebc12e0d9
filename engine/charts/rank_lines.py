"""The ranks of the models by several rankings: a row for each model, in the reference's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.style import Look
from engine.measures.rankings.ranking import ALL
from engine.words.written_numbers import without_zeros

REFERENCE = "reference"
NAMES = {
    REFERENCE: "the reference",
    ALL: "all judges",
    "all-without-self": "all except itself",
    "all-without-family": "all outside its family",
}


def ranking_name(by: str) -> str:
    """Return the name of a ranking in words; a judge's ranking has the judge's name."""
    return NAMES.get(by) or by.replace("committee:", "committee ", 1)


ROW, NAME = 15, 20
"""Height in pixels of one ranking of a model, and the least for its name: with less, names are left out."""


def main_rankings(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the rankings drawn, in order: the reference's, then those by several judges."""
    by_all = list(dict.fromkeys(str(row["by"]) for row in rows))
    return [*(by for by in NAMES if by in by_all), *(by for by in by_all if by.startswith("committee:"))]


def ranking_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each model and ranking of `main_rankings`, models as by the reference or all judges.

    `shift` is the distance from the reference's rank in words, `small` says that there is no interval.
    """
    entries = list(rows)
    main = main_rankings(entries)
    ranks = {(row["by"], row["model"]): number_forms.number(row, "rank") for row in entries}
    lead = REFERENCE if REFERENCE in main else ALL
    models = dict.fromkeys(row["model"] for row in entries)
    records = []
    for place, model in enumerate(sorted(models, key=lambda model: _rank(ranks, lead, model))):
        for row in (row for by in main for row in entries if row["by"] == by and row["model"] == model):
            by, rank = str(row["by"]), ranks[row["by"], model]
            away = rank[0] - _rank(ranks, REFERENCE, model)
            numbers = without_zeros(number_forms.words(rank, "ratio"))
            counts = int(row["n"]), bool(np.isnan(rank[1]))
            shift = f"{abs(away):g} {'higher' if away < 0 else 'lower'} than by the reference"
            if not np.isfinite(away):
                shift = "not ranked by the reference"
            elif away == 0:
                shift = "same as the reference"
            records.append((model, place, ranking_name(by), *rank, numbers, shift, *counts))
    columns = ["model", "model_order", "by", "value", "low", "high", "words", "shift", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def _rank(ranks: Mapping[tuple[Any, Any], tuple[float, float, float]], by: str, model: str) -> float:
    return ranks.get((by, model), (np.inf,))[0]


def rankings(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `ranking_rows`: ranks with intervals, 1 on the left."""
    series = list(dict.fromkeys(frame["by"]))
    shapes = (style.DIAMOND, style.TRIANGLE, style.CIRCLE, style.SQUARE)
    looks = {name: Look(style.NEUTRAL, style.SQUARE) for name in series}
    for place, name in enumerate(name for name in series if name != NAMES[REFERENCE]):
        looks[name] = Look(style.SERIES[place % len(style.SERIES)].colour, shapes[place % len(shapes)])
    colour, shape = chart_marks.looks("by", looks)
    labels = axes.names_axis(grid=True, gridOpacity=0.25)
    y = alt.Y("model:N", title=None, sort=alt.EncodingSortField("model_order", op="min"), axis=labels)
    offset = alt.YOffset("by:N", sort=series)
    most = max(int(frame["model_order"].max()) + 1, 2)
    scale = alt.Scale(domain=[0.5, most + 0.5], nice=False)
    axis = alt.Axis(values=list(range(1, most + 1)), format="d", gridOpacity=0.3)
    base = alt.Chart().encode(y=y, yOffset=offset)
    title = "rank, 1 the highest"
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    tooltip = chart_marks.tooltips(
        model="model", by="ranked by", words="rank [95% interval]", shift="place", n="complete questions"
    )
    return alt.layer(
        chart_marks.interval(
            base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour
        ),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=620,
        height=max(ROW * len(series), NAME) * frame["model"].nunique(),
    )
