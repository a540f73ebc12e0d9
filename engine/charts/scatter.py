"""Scatter charts: accuracy and ratio, D and SPB, two rankings."""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import style
from engine.charts.export import MARK_NAMES
from engine.charts.style import Form, Look
from engine.measures.ranking import ALL
from engine.measures.rows import FEW
from engine.words import borders, without_zeros

# ------------------------------------------------------------------------------
# Accuracy against self-preference: a point for each judge in each paradigm.


AXES = {"rubric": "rubric accuracy (MRA)", "instance": "pair accuracy (MIPA)"}


def scatter_rows(
    accuracy: Iterable[Mapping[str, Any]], ratios: Iterable[Mapping[str, Any]], level: str
) -> pd.DataFrame:
    """Return a row for each judge and paradigm with an accuracy (`x`) and a ratio (`y`) at this level."""
    accuracy_of = {(row["slice"], row["judge"]): row for row in accuracy}
    rows = []
    for row in ratios:
        other = accuracy_of.get((row["slice"], row["judge"]))
        if row["judge"] is None or other is None:
            continue
        across, up = style.number(other, style.ACCURACIES[level]), style.number(row, "hspp_self")
        if not (np.isnan(across[0]) or np.isnan(up[0])):
            n, where = int(row["n_self"]), (str(row["judge"]), str(row["slice"]).replace("_", " "))
            numbers = (*across, style.words(across, "share"), *up, style.words(up, "ratio"))
            rows.append((*where, *numbers, n, n < FEW))
    columns = ["judge", "paradigm", "x", "x_low", "x_high", "x_words"]
    columns += ["y", "low", "high", "y_words", "n", "small"]
    return pd.DataFrame.from_records(rows, columns=columns)


def scatter(frame: pd.DataFrame, level: str) -> style.Layered:
    """Draw the frame of `scatter_rows`: ratios on a logarithmic axis, with the intervals of both numbers."""
    looks = {name.replace("_", " "): look for name, look in style.PARADIGMS.items()}
    paradigms = set(frame["paradigm"])
    colour, shape = style.looks("paradigm", {name: look for name, look in looks.items() if name in paradigms})
    data, tall, ticks = style.ratio_axis(frame, ["y", "low", "high"])
    wide = alt.Scale(zero=False, nice=False, padding=10)
    x = alt.X("x:Q", title=AXES[level], scale=wide, axis=alt.Axis(format=".0%", gridOpacity=0.4, tickCount=6))
    y = alt.Y("y:Q", title=f"ratio, {level} level (1 = no preference)", scale=tall, axis=ticks)
    tooltip = style.tooltips(
        judge="judge",
        paradigm="paradigm",
        x_words=AXES[level],
        y_words="ratio [95% interval]",
        n="own failures",
    )
    base = alt.Chart().encode(color=colour, strokeOpacity=alt.StrokeOpacityValue(0.35))
    return alt.layer(
        style.reference_line(1, "y"),
        style.interval(base, x=x, y=alt.Y("low:Q", scale=tall), y2=alt.Y2("high:Q")),
        style.interval(base, y=y, x=alt.X("x_low:Q", scale=wide), x2=alt.X2("x_high:Q")),
        style.points(alt.Chart(), x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
        data=data,
        width=330,
        height=280,
    )


# ------------------------------------------------------------------------------
# Ability against preference: discriminability D and SPB of each judge, on the regions of the archetypes.


ABLE, FAIR = 0.80, 0.05  # below this D a judge is not able; within this distance of 0 its SPB is fair
SPB_TITLE = style.with_unit("SPB: prefers its own among equals", "difference")
RIGHT = 1.02  # where the axis of D ends
MOST_NAMES = 16  # most judges with names beside their marks; with more, only tooltips have them


def quadrant_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge with both D (`x`) and SPB (`y`).

    `crosses` names the borders that the intervals cross; `n_contrast` counts answers behind D, `n` pairs
    behind PIR, and `small` says that either is below 30.
    """
    records = []
    for row in rows:
        across, up = style.number(row, "d"), style.number(row, "spb")
        if not (np.isnan(across[0]) or np.isnan(up[0])):
            numbers = (*across, style.words(across, "share"), *up, style.words(up, "difference"))
            kind = row["archetype"], borders(row["crosses"] or ())
            counts = row["n_contrast"], row["n_pairs"]
            records.append((str(row["judge"]), *numbers, *kind, *counts, min(counts) < FEW))
    columns = ["judge", "x", "x_low", "x_high", "x_words", "y", "low", "high", "y_words"]
    columns += ["archetype", "crosses", "n_contrast", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def quadrant(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `quadrant_rows` with the intervals of both numbers, over the archetypes' regions."""
    left = max(0.0, min(0.7, float(np.nanmin(frame[["x", "x_low"]].to_numpy(dtype=float))) - 0.03))
    tall = max(0.15, float(np.nanmax(np.abs(frame[["y", "low", "high"]].to_numpy(dtype=float)))) * 1.08)
    wide, high = alt.Scale(domain=[left, RIGHT], nice=False), alt.Scale(domain=[-tall, tall], nice=False)
    x = alt.X("x:Q", title="D: finds the better of two far apart", scale=wide, axis=_axis("share"))
    y = alt.Y("y:Q", title=SPB_TITLE, scale=high, axis=_axis("difference"))
    colour, shape = style.looks("archetype", style.ARCHETYPES, legend=False)
    tooltip = style.tooltips(
        judge="judge",
        archetype="archetype",
        x_words="D [95% interval]",
        y_words="SPB [95% interval]",
        crosses="borders that the intervals cross",
        n_contrast="answers behind D",
        n="pairs with its own",
    )
    base = alt.Chart().encode(color=colour, strokeOpacity=alt.StrokeOpacityValue(0.55))
    layers = [
        *_regions(left, tall, wide, high),
        style.interval(base, x=x, y=alt.Y("low:Q", scale=high), y2=alt.Y2("high:Q")),
        style.interval(base, y=y, x=alt.X("x_low:Q", scale=wide), x2=alt.X2("x_high:Q")),
        style.points(alt.Chart(), x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
    ]
    if 0 < len(frame) <= MOST_NAMES:
        layers += _names(frame, style.Plot(left, RIGHT, -tall, tall, 620, 340), wide, high)
    # A page would fit a single view to its box and make it lower, but leaves a row of one view alone.
    return alt.hconcat(alt.layer(*layers, data=frame, width=620, height=340))


def _names(frame: pd.DataFrame, plot: style.Plot, wide: alt.Scale, high: alt.Scale) -> list[alt.Chart]:
    """Return the judges' names beside their marks, with a line to the mark if the name is apart."""
    corners = ((name, start, top) for name, start, _, _, top in _areas(-plot.bottom, plot.left))
    names = style.place_names(frame, plot, label="judge", corners=corners)
    x, y = alt.X("name_x:Q", scale=wide), alt.Y("name_y:Q", scale=high)
    texts = alt.Chart(names).mark_text(fontSize=style.FONT, color=style.NEUTRAL, aria=False)
    layers = [texts.encode(x=x, y=y, text=alt.Text("shown:N")).properties(name=MARK_NAMES)]
    if names["apart"].any():
        lead = alt.Chart(names[names["apart"]]).mark_rule(color=style.NEUTRAL, strokeWidth=0.8, aria=False)
        lines = lead.encode(x=x, y=y, x2=alt.X2("x:Q"), y2=alt.Y2("y:Q"))
        layers.insert(0, lines.properties(name=f"{MARK_NAMES}_lines"))
    return layers


def _areas(tall: float, left: float) -> list[tuple[str, float, float, float, float]]:
    """Return the region of each archetype: its name, left, right, bottom and top."""
    return [
        ("Incompetent Randomizer", left, ABLE, -tall, tall),
        ("Machiavellian", ABLE, RIGHT, FAIR, tall),
        ("Objective", ABLE, RIGHT, -FAIR, FAIR),
        ("Blindly Biased", ABLE, RIGHT, -tall, -FAIR),
    ]


def _regions(left: float, tall: float, wide: alt.Scale, high: alt.Scale) -> list[alt.Chart]:
    """Return the archetypes' regions, each with its name in a corner."""
    frame = pd.DataFrame(_areas(tall, left), columns=["archetype", "left", "right", "bottom", "top"])
    colour = style.looks("archetype", style.ARCHETYPES, legend=False)[0]
    base = alt.Chart(frame).encode(x=alt.X("left:Q", scale=wide), y=alt.Y("top:Q", scale=high))
    area = base.encode(x2=alt.X2("right:Q"), y2=alt.Y2("bottom:Q"))
    name = base.mark_text(align="left", baseline="top", dx=6, dy=5, fontSize=12, fontWeight=600, aria=False)
    return [
        area.mark_rect(opacity=0.12, aria=False).encode(color=colour),
        area.mark_rect(fill=None, stroke=style.NEUTRAL, strokeDash=[4, 3], aria=False),
        name.encode(text=alt.Text("archetype:N"), color=colour),
    ]


def _axis(form: Form) -> alt.Axis:
    return alt.Axis(**style.ticks_of(form), gridOpacity=0.25, tickCount=6)


# ------------------------------------------------------------------------------
# The ranks of the models by several rankings: a row for each model, in the reference's order.


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


ROW = 15  # height in pixels of one ranking of a model


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
    ranks = {(row["by"], row["model"]): style.number(row, "rank") for row in entries}
    lead = REFERENCE if REFERENCE in main else ALL
    models = dict.fromkeys(row["model"] for row in entries)
    records = []
    for place, model in enumerate(sorted(models, key=lambda model: _rank(ranks, lead, model))):
        for row in (row for by in main for row in entries if row["by"] == by and row["model"] == model):
            by, rank = str(row["by"]), ranks[row["by"], model]
            away = rank[0] - _rank(ranks, REFERENCE, model)
            numbers = without_zeros(style.words(rank, "ratio"))
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
    colour, shape = style.looks("by", looks)
    labels = style.names_axis(grid=True, gridOpacity=0.25)
    y = alt.Y("model:N", title=None, sort=alt.EncodingSortField("model_order", op="min"), axis=labels)
    offset = alt.YOffset("by:N", sort=series)
    most = max(int(frame["model_order"].max()) + 1, 2)
    scale = alt.Scale(domain=[0.5, most + 0.5], nice=False)
    axis = alt.Axis(values=list(range(1, most + 1)), format="d", gridOpacity=0.3)
    base = alt.Chart().encode(y=y, yOffset=offset)
    title = "rank, 1 the highest"
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    tooltip = style.tooltips(
        model="model", by="ranked by", words="rank [95% interval]", shift="place", n="complete questions"
    )
    return alt.layer(
        style.interval(base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour),
        style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=620,
        height=ROW * len(series) * frame["model"].nunique(),
    )
