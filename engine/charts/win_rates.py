"""How often each model wins, according to each judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, forest, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.style import Look
from engine.measures.rows import FEW

if TYPE_CHECKING:
    from engine.measures.row_types import VotesRow

Order = Literal["study", "name", "value", "size", "sure"]

RELATIONS = {
    "other models": Look(style.OTHER, style.CIRCLE),
    "its family's": Look(style.FAMILY, style.SQUARE),
    "the judge's own": Look(style.SELF, style.TRIANGLE),
}
"""Whose responses a win rate is about, relative to the judge."""

COLUMNS = ["panel", "panel_order", "judge", "generator", "slice", "series", "value", "low", "high", "words"]
COLUMNS += ["n", "small"]
PICK_FIELDS = ("judge", "generator", "slice")  # the fields that a click on a mark selects
ROW = 20  # height in pixels of a model's row
EVEN = 0.5  # the win rate of a model that wins as often as it loses
SPARSE = 2 / 3  # share of models with rows, over all panels, below which each panel names only its own


def win_rate_rows(
    rows: Iterable[VotesRow], families: Mapping[str, str | None], *, order: Order = "value", most: int = 40
) -> pd.DataFrame:
    """Return a row for each judge (and slice) and model it voted on, for the `most` models that win most.

    `panel` is the judge with its slice, `series` whose responses they are. Models come as in the rows, by
    name, by mean over judges (highest first), by cases, or those most surely different from one half first.
    """
    voted = [row for row in rows if row["win_rate"] is not None]
    has_slices = any(row.get("slice") is not None for row in voted)
    records, panels = [], dict[str, int]()
    other, family_words, own = RELATIONS
    for row in voted:
        judge, model = str(row["judge"]), str(row["generator"])
        value = (forest.NO_VALUE if row.get("slice") is None else str(row["slice"])) if has_slices else ""
        panel = f"{judge} · {value}" if has_slices else judge
        where = panel, panels.setdefault(panel, len(panels)), judge, model, value
        family = families.get(judge)
        relation = family_words if family is not None and family == families.get(model) else other
        numbers, n = number_forms.number(row, "win_rate"), int(row["n"])
        text = number_forms.words(numbers, "share")
        records.append((*where, own if judge == model else relation, *numbers, text, n, n < FEW))
    frame = pd.DataFrame.from_records(records, columns=COLUMNS)
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    mean = frame.groupby("generator", sort=False)["value"].mean().sort_values(ascending=False, kind="stable")
    frame = frame[frame["generator"].isin(mean.index[:most])]
    places = {model: place for place, model in enumerate(_in_order(frame, order))}
    return frame.assign(generator_order=frame["generator"].map(places).astype(int)).sort_values(
        ["panel_order", "generator_order"], kind="stable", ignore_index=True
    )


def _in_order(frame: pd.DataFrame, order: Order) -> list[str]:
    models = list(dict.fromkeys(frame["generator"]))
    if order == "study":
        return models
    if order == "name":
        return sorted(models, key=str.casefold)
    sure = (frame["low"] - EVEN).combine(EVEN - frame["high"], max).fillna(-np.inf)
    by = {"value": (frame["value"], "mean"), "size": (frame["n"], "sum"), "sure": (sure, "max")}
    numbers, over = by[order]
    key = numbers.groupby(frame["generator"], sort=False).agg(over)
    return sorted(models, key=lambda model: -float(key[model]))


def win_rates(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `win_rate_rows`: a row for each model, a panel for each judge, a line at one half.

    If each judge judged few of the models, such as itself and a few fixed opponents, each panel has rows for
    those alone. A click on a mark selects it by `PICK_FIELDS`.
    """
    looks = {name: look for name, look in RELATIONS.items() if name in set(frame["series"])}
    colour, shape = chart_marks.looks("series", looks)
    models = list(frame.drop_duplicates("generator").sort_values("generator_order")["generator"])
    y = alt.Y("generator:N", title=None, sort=models, axis=axes.names_axis(labelOverlap=False, grid=True))
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format=".0%", values=list(np.linspace(0, 1, 5)), labelFlush=True, gridOpacity=0.4)
    x = alt.X("value:Q", title="win rate", scale=scale, axis=axis)
    place = {"judge": "judge", "generator": "model"} | ({"slice": "slice"} if frame["slice"].any() else {})
    tooltip = chart_marks.tooltips(**place, series="of", words="win rate [95% interval]", n="pairs")
    base = alt.Chart().encode(y=y)
    lines = chart_marks.interval(base, x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), color=colour)
    marks = chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip)
    layers = [
        chart_marks.reference_line(EVEN, "x"),
        chart_marks.fade_others(lines),
        chart_marks.fade_others(marks).add_params(chart_marks.selection(PICK_FIELDS)),
    ]
    panels = list(dict.fromkeys(frame["panel"]))
    height = alt.Step(ROW)  # with a fixed height, a page would take the legend out of it
    if len(panels) == 1:
        return alt.LayerChart(layer=layers, data=chart_marks.values(frame), width=720, height=height)
    header = alt.Header(title=None, labelLimit=260, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", title=None, sort=panels, header=header)
    sparse = len(frame) < SPARSE * len(models) * len(panels)
    across = min(3 - sparse, len(panels))
    names = 160 * across if sparse else 160
    panel = alt.LayerChart(layer=layers, width=(720 - names) // across, height=height)
    facets = panel.facet(facet, data=chart_marks.values(frame), columns=across)
    return facets.resolve_scale(y="independent") if sparse else facets
