"""How often each model wins by each judge."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.style import (
    CIRCLE,
    FAMILY,
    OTHER,
    SELF,
    SQUARE,
    TRIANGLE,
    Look,
    faded,
    interval,
    looks,
    names_axis,
    number,
    picked,
    points,
    reference_line,
    tooltips,
    values,
    words,
)
from engine.measures.rows import FEW

Order = Literal["study", "name", "value", "size", "sure"]
Row = Mapping[str, Any]

RELATIONS = {
    "other models": Look(OTHER, CIRCLE),
    "its family's": Look(FAMILY, SQUARE),
    "the judge's own": Look(SELF, TRIANGLE),
}
"""Whose responses a win rate is of, seen from the judge."""

COLUMNS = ["panel", "panel_order", "judge", "generator", "slice", "series", "value", "low", "high", "words"]
COLUMNS += ["n", "small"]
PICKED = ("judge", "generator", "slice")
"""What a click on a mark chooses."""

ROW = 20
"""Pixels of a model."""

EVEN = 0.5
"""The win rate of a model that wins as often as it loses."""


def win_rate_rows(
    rows: Iterable[Row],
    families: Mapping[str, str | None],
    *,
    order: Order = "value",
    most: int = 40,
    named: str = "",
) -> pd.DataFrame:
    """Return a row for each judge (and slice) and model it voted on, of the `most` models that win most.

    `named` is what slices have where they have no value. Columns: `panel` (the judge, and its slice), its
    place, `judge`, `generator`, `slice`, `series` (whose responses), `value` with its interval (NaN without
    one) and `words`, `n`, `small` (fewer than 30 pairs), `generator_order`. Orders of models: as the rows
    come; by name; by their mean over judges, the highest first; by cases; the surest to be off one half
    first.
    """
    listed = [row for row in rows if row["win_rate"] is not None]
    sliced = any(row.get("slice") is not None for row in listed)
    records, panels = [], dict[str, int]()
    for row in listed:
        judge, model = str(row["judge"]), str(row["generator"])
        value = (named if row.get("slice") is None else str(row["slice"])) if sliced else ""
        panel = f"{judge} · {value}" if sliced else judge
        numbers = number(row, "win_rate")
        where = panel, panels.setdefault(panel, len(panels)), judge, model, value
        text = words(numbers, "share")
        n = int(row["n"])
        records.append((*where, _relation(judge, model, families), *numbers, text, n, n < FEW))
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


def _relation(judge: str, model: str, families: Mapping[str, str | None]) -> str:
    other, family, own = RELATIONS
    if judge == model:
        return own
    mine = families.get(judge)
    return family if mine is not None and mine == families.get(model) else other


def win_rates(frame: pd.DataFrame, *, columns: int = 3, width: int = 720) -> alt.TopLevelMixin:
    """Draw the frame of `win_rate_rows`: a row for each model, a panel for each judge, the line at one half.

    A click on a mark chooses it, by what `PICKED` names.
    """
    used = {name: look for name, look in RELATIONS.items() if name in set(frame["series"])}
    colour, shape = looks("series", used)
    models = list(frame.drop_duplicates("generator").sort_values("generator_order")["generator"])
    y = alt.Y("generator:N", title=None, sort=models, axis=names_axis(labelOverlap=False, grid=True))
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format=".0%", values=list(np.linspace(0, 1, 5)), labelFlush=True, gridOpacity=0.4)
    x = alt.X("value:Q", title="win rate", scale=scale, axis=axis)
    place = {"judge": "judge", "generator": "model"} | ({"slice": "slice"} if frame["slice"].any() else {})
    tooltip = tooltips(**place, series="of", words="win rate [95% interval]", n="pairs")
    base = alt.Chart().encode(y=y)
    lines = interval(base, x=alt.X("low:Q", scale=scale), x2="high:Q", color=colour)
    marks = points(base, x=x, color=colour, shape=shape, tooltip=tooltip)
    layers = [reference_line(EVEN, "x"), faded(lines), faded(marks).add_params(picked(PICKED))]
    panels = list(dict.fromkeys(frame["panel"]))
    height = alt.Step(ROW)  # of a fixed height a page would take the legend's part away
    if len(panels) == 1:
        return alt.LayerChart(layer=layers, data=values(frame), width=width, height=height)
    header = alt.Header(title=None, labelLimit=260, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", title=None, sort=panels, header=header)
    across = min(columns, len(panels))
    panel = alt.LayerChart(layer=layers, width=(width - 160) // across, height=height)
    drawn: alt.FacetChart = panel.facet(facet, data=values(frame), columns=across)
    return drawn
