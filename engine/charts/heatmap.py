"""Heat maps: judges by generators, and the signs of differences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import style
from engine.charts.style import Form
from engine.measures.rows import FEW
from engine.words import Row, measure, with_interval

# ------------------------------------------------------------------------------
# The cells of judges and generators as a frame, which `heatmap` draws.


Order = Literal["study", "family", "value", "name"]
Families = Mapping[str, str | None]


@dataclass(frozen=True)
class Shade:
    """What a cell shows: the field, its words and form, its n, and whether its colours diverge from 0."""

    field: str
    words: str
    form: Form
    n: str
    diverging: bool = False


SHADES = {
    "overestimation": Shade("rate", "share passed of what the reference failed", "share", "n"),
    "underestimation": Shade("under_rate", "share failed of what the reference passed", "share", "under_n"),
    "delta": Shade("delta", "centered delta, points of 100", "points", "scores", diverging=True),
}

ALL_SHADES = SHADES | {"votes": Shade("win_rate", "share of votes won", "share", "n")}
"""The shades of rubrics and scores, which a page offers, and that of pairs."""


def cell_rows(
    cells: Iterable[Row],
    deltas: Iterable[Row] = (),
    *,
    shade: str = "overestimation",
    families: Families | None = None,
    row_order: Order = "study",
    column_order: Order = "study",
    most: int = 40,
) -> pd.DataFrame:
    """Return a row for each judge and generator, up to `most` of each.

    `families` names the family of each model. Orders: as in the rows; by family, in order of appearance; by
    name; or by value, highest first: judges by their own cell, generators by their mean. Columns: `judge`,
    `generator`, their orders and families, `relation`, `value`, `label` (the number in the cell), `ink` (its
    colour), `small` (fewer than 30 cases), `words`, and in words `over`, `under` and `delta`.
    """
    shading, family_of = ALL_SHADES[shade], dict(families or {})
    rows_by_place = {(str(row["judge"]), str(row["generator"])): dict(row) for row in cells}
    for row in deltas:
        if row["generator"] is not None:
            delta = {name: row.get(name) for name in ("delta", "delta_low", "delta_high")}
            place = (str(row["judge"]), str(row["generator"]))
            rows_by_place[place] = rows_by_place.get(place, {}) | delta | {"scores": row["n"]}
    rows = [_cell(place, row, shading, family_of) for place, row in rows_by_place.items()]
    frame = pd.DataFrame.from_records(rows, columns=CELL_COLUMNS)
    frame["value"] = frame["value"].astype(float)
    _put_in_order(frame, "judge", row_order, frame[frame["judge"] == frame["generator"]])
    _put_in_order(frame, "generator", column_order, frame)
    frame = frame[(frame["judge_order"] < most) & (frame["generator_order"] < most)].reset_index(drop=True)
    values, (low, high) = frame["value"].to_numpy(dtype=float), ends(frame["value"], shading.diverging)
    dark = np.abs(values) > 0.72 * high if shading.diverging else values > low + 0.55 * (high - low)
    frame["ink"] = np.select([np.isnan(values), dark], [style.NEUTRAL, style.CELL], style.INK)
    return frame.sort_values(["judge_order", "generator_order"], kind="stable", ignore_index=True)


CELL_COLUMNS = [
    *("judge", "generator", "judge_family", "generator_family", "relation"),
    *("value", "label", "words", "over", "under", "delta", "small"),
]


def _cell(place: tuple[str, str], row: Row, shade: Shade, families: Families) -> tuple[Any, ...]:
    judge, generator = place
    numbers = style.number(row, shade.field)
    judge_family, generator_family = families.get(judge), families.get(generator)
    relation = row.get("relation")
    if relation is None:
        same_family = judge_family is not None and judge_family == generator_family
        relation = "self" if judge == generator else "family" if same_family else "other"
    label = f"{numbers[0]:+.1f}" if shade.diverging else f"{100 * numbers[0]:.0f}"
    return (
        *(judge, generator, judge_family or "", generator_family or "", relation),
        *(numbers[0], "–" if np.isnan(numbers[0]) else label, style.words(numbers, shade.form)),
        _share_of(row, "over", "n", "rate"),
        _share_of(row, "under", "under_n", "under_rate"),
        style.words(style.number(row, "delta"), "points"),
        (row.get(shade.n) or 0) < FEW,
    )


def _share_of(row: Row, hits: str, trials: str, rate: str) -> str:
    """Return `94 of 99: 94.9% [90.8%, 98.9%]`."""
    if row.get(hits) is None:
        return "–"
    return f"{row[hits]:,} of {row[trials]:,}: {style.words(style.number(row, rate), 'share')}"


def _put_in_order(frame: pd.DataFrame, who: str, order: Order, value_rows: pd.DataFrame) -> None:
    """Add the order of each judge or generator to the frame; those without a value come last."""
    names = list(dict.fromkeys(frame[who]))
    if order == "family":
        family_of = dict(zip(frame[who], frame[f"{who}_family"], strict=True))
        families = [family_of[name] for name in names]
        names.sort(key=lambda name: families.index(family_of[name]))
    elif order == "name":
        names.sort(key=str.casefold)
    elif order == "value":
        mean = value_rows.groupby(who, sort=False)["value"].mean().to_dict()
        names.sort(key=lambda name: -value if (value := mean.get(name, np.nan)) == value else np.inf)
    frame[f"{who}_order"] = frame[who].map({name: place for place, name in enumerate(names)}).astype(int)


def ends(values: Any, diverging: bool) -> tuple[float, float]:
    """Return the ends of the colour scale: symmetric around 0, or the lowest and highest value."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    if diverging:
        most = float(np.abs(numbers).max(initial=0.0)) or 1.0
        return -most, most
    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 1.0)
    return (low, high) if low < high else (min(low, 0.0), max(high, 1.0))


# ------------------------------------------------------------------------------
# The heatmap of judges and generators: a rate or a centered delta per cell, with its confusion table.


ROW, SMALL_CELL = 32, 26  # height in pixels of a row, and side of a small heatmap's cell

HOVER = {
    "judge": "judge",
    "generator": "generator",
    "relation": "relation",
    "over": "passed though failed",
    "under": "failed though passed",
    "delta": "centered delta, points",
}
"""The columns of a cell's tooltip, with their titles."""


def heatmap(frame: pd.DataFrame, shade: str = "overestimation", *, width: float = 560) -> style.Layered:
    """Draw the frame of `cell_rows` with this shade, about `width` pixels wide.

    A solid outline marks the judge's own responses, a dashed one its family's, a hollow dot few cases. Lines
    separate families if the models of each are adjacent. A click on a cell selects its `judge` and
    `generator`.
    """
    shading = ALL_SHADES[shade]
    judges, generators = _names(frame, "judge"), _names(frame, "generator")
    size = max(30.0, min(46.0, width / max(len(generators), 1)))
    below = style.names_axis(labelPadding=6, labelAngle=-40, labelOverlap=False)
    x = alt.X("generator:N", sort=generators, title="generator", axis=below)
    y = alt.Y("judge:N", sort=judges, title="judge", axis=style.names_axis(labelPadding=6))
    base = alt.Chart().encode(x=x, y=y, tooltip=style.tooltips(**HOVER))
    cells = base.mark_rect(cursor="pointer", stroke=style.CELL).encode(color=_colour(frame, shading))
    # a dot in the cells with few cases
    few = base.mark_point(size=16, filled=False, strokeWidth=1.3, aria=False).encode(
        x=x.bandPosition(0.84), y=y.bandPosition(0.78), stroke=alt.Stroke("ink:N", scale=None)
    )
    layers = [
        _pickable(cells, ("judge", "generator"), 6),
        *_outlines(base, "family", [4, 3]),
        *_outlines(base, "self", [1, 0]),
        style.in_cells(base, fontSize=11 if size > 34 else 9.5, cursor="pointer"),
        few.transform_filter(alt.FieldEqualPredicate(field="small", equal=True)),
        *_blocks(frame, "generator", size),
        *_blocks(frame, "judge", size),
    ]
    return alt.layer(*layers, data=frame, width=size * len(generators), height=ROW * len(judges))


def multiples(frame: pd.DataFrame, shade: str = "overestimation") -> alt.FacetChart:
    """Draw a small heatmap for each `slice` of the frame, all with the same colours and order.

    An outline marks the judge's own responses. A click on a cell selects its `judge`, `generator` and
    `slice`.
    """
    shading = ALL_SHADES[shade]
    judges, generators = _names(frame, "judge"), _names(frame, "generator")
    below = style.names_axis(labelPadding=6, labelAngle=-60, labelOverlap=False)
    x = alt.X("generator:N", sort=generators, title=None, axis=below)
    y = alt.Y("judge:N", sort=judges, title=None, axis=style.names_axis(labelPadding=6))
    base = alt.Chart().encode(x=x, y=y, tooltip=style.tooltips(slice="slice", **HOVER))
    cells = base.mark_rect(cursor="pointer").encode(color=_colour(frame, shading))
    cells = _pickable(cells, ("judge", "generator", "slice"), 5)
    text = style.in_cells(base, fontSize=9, cursor="pointer")
    header = alt.Header(title=None, labelLimit=260, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("slice:N", sort=list(dict.fromkeys(frame["slice"])), header=header)
    layers = [cells, *_outlines(base, "self", [1, 0]), text]
    panel = alt.LayerChart(layer=layers, width=SMALL_CELL * len(generators), height=SMALL_CELL * len(judges))
    return panel.facet(facet, data=style.values(frame), columns=3)


def _pickable(cells: alt.Chart, fields: Sequence[str], width: float) -> Any:
    """Return cells of which a click chooses one, which gets an outline of this width."""
    picked = {"param": style.PICK, "empty": False}
    return cells.add_params(style.selection(fields)).encode(
        stroke=alt.StrokeValue(style.CELL, condition=picked | {"value": style.INK}),
        strokeWidth=alt.StrokeWidthValue(0.6, condition=picked | {"value": width}),
    )


def _names(frame: pd.DataFrame, who: str) -> list[str]:
    return list(frame.sort_values(f"{who}_order", kind="stable")[who].unique())


def _colour(frame: pd.DataFrame, shade: Shade) -> alt.Color:
    low, high = ends(frame["value"], shade.diverging)
    colours, form = (style.DIVERGING, "+.1f") if shade.diverging else (style.SEQUENTIAL, ".0%")
    return style.gradient("value", shade.words, low, high, colours, offset=24, titleLimit=500, format=form)


def _outlines(base: alt.Chart, relation: str, dash: Sequence[int]) -> list[alt.Chart]:
    """Return the outline of a relation's cells, over a wider light one so that it shows on any colour."""
    inside = alt.RelativeBandSize(band=0.88)
    layers = []
    for width, colour, dashes in ((4.5, style.CELL, [1, 0]), (2.4, style.COLOURS[relation], dash)):
        line: dict[str, Any] = {"stroke": colour, "strokeWidth": width, "strokeDash": dashes}
        mark = base.mark_rect(fill=None, width=inside, height=inside, aria=False, **line)
        layers.append(mark.transform_filter(alt.FieldEqualPredicate(field="relation", equal=relation)))
    return layers


def _blocks(frame: pd.DataFrame, who: Literal["judge", "generator"], size: float) -> list[alt.Chart]:
    """Return lines between families, and their names above columns, if each family is adjacent."""
    names = _names(frame, who)
    family = dict(zip(frame[who], frame[f"{who}_family"], strict=True))
    runs = [list(run) for _, run in groupby(names, key=family.__getitem__)]
    if len(runs) < 2 or len({family[run[0]] for run in runs}) < len(runs):
        return []
    lasts = pd.DataFrame({who: [run[-1] for run in runs[:-1]]})
    line = alt.Chart(lasts).mark_rule(color=style.NEUTRAL, strokeWidth=1.6, aria=False)
    if who == "judge":  # families are named above the columns only
        return [line.encode(y=alt.Y("judge:N", sort=names, bandPosition=1))]
    firsts = [(run[0], family[run[0]], size * len(run) - 4) for run in runs]
    heads = pd.DataFrame.from_records(firsts, columns=[who, "family", "limit"])
    limit = alt.expr("datum.limit")
    text = alt.Chart(heads).mark_text(
        color=style.NEUTRAL, fontSize=11, aria=False, align="left", baseline="bottom", limit=limit
    )
    edge = alt.X("generator:N", sort=names, bandPosition=1)
    start = alt.X("generator:N", sort=names, bandPosition=0)
    return [line.encode(x=edge), text.encode(x=start, **style.fixed(y=-4), text=alt.Text("family:N"))]


# ------------------------------------------------------------------------------
# All measures together: judges by measures, coloured by what each says about self-preference.


CLEAR_FOR, LEANS_FOR = "clearly above no preference", "above, but not clearly"
LEANS_AGAINST, CLEAR_AGAINST = "below, but not clearly", "clearly below no preference"
NEITHER = "neither"
ELSE = "not about self-preference"
DIRECTION_COLOURS = {
    CLEAR_FOR: "#B35806",
    LEANS_FOR: "#FDD9AE",
    NEITHER: "#F7F7F7",
    ELSE: "#E3E3E3",
    LEANS_AGAINST: "#C9DEEC",
    CLEAR_AGAINST: "#2166AC",
}


def direction_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge and measure with a value, and what it `says` about self-preference."""
    records = []
    for row in rows:
        if row["value"] is None:
            continue
        words = with_interval(row["value"], row["low"], row["high"], "number")
        rank = np.nan if row["rank"] is None else float(row["rank"])
        where = str(row["judge"]), measure(str(row["measure"])), float(row["value"])
        records.append((*where, direction(row), words.partition(" ")[0], words, rank, int(row["n"])))
    columns = ["judge", "measure", "value", "says", "label", "words", "rank", "n"]
    frame = pd.DataFrame.from_records(records, columns=columns)
    return frame.assign(ink=np.where(frame["says"].isin((CLEAR_FOR, CLEAR_AGAINST)), style.CELL, style.INK))


def direction(row: Mapping[str, Any]) -> str:
    """Return what a row of `together` says about self-preference; `NEITHER` if it is printed as the null."""
    if row["sign"] is None:
        return ELSE
    null, value = row.get("null"), row.get("value")
    rounded = None if null is None or value is None else round(value - null, 2 if null else 3)
    if row["sign"] == 0 or rounded == 0:
        return NEITHER
    if row["sign"] > 0:
        return CLEAR_FOR if row["clear"] else LEANS_FOR
    return CLEAR_AGAINST if row["clear"] else LEANS_AGAINST


def direction_grid(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `direction_rows`: the value in each cell."""
    judges, measures = (list(dict.fromkeys(frame[name])) for name in ("judge", "measure"))
    directions = [words for words in DIRECTION_COLOURS if words in set(frame["says"])]
    axis: dict[str, Any] = {"labelPadding": 6, "labelOverlap": False}
    top = style.names_axis(labelAngle=-30, orient="top", **axis)
    base = alt.Chart().encode(
        x=alt.X("measure:N", title=None, sort=measures, axis=top),
        y=alt.Y("judge:N", title=None, sort=judges, axis=style.names_axis(**axis)),
    )
    colour = alt.Color(
        "says:N",
        title=None,
        scale=alt.Scale(domain=directions, range=[DIRECTION_COLOURS[words] for words in directions]),
        legend=alt.Legend(
            orient="bottom",
            labelLimit=320,
            symbolSize=150,
            columns=3,
            symbolType="square",
            symbolStrokeWidth=0,
        ),
    )
    tooltip = [
        *style.tooltips(judge="judge", measure="measure", words="value [95% interval]", says="says"),
        alt.Tooltip("rank:Q", title="rank, 1 the highest"),
        *style.tooltips(n="n"),
    ]
    cells = base.mark_rect(stroke=style.CELL, strokeWidth=0.8).encode(color=colour, tooltip=tooltip)
    width = len(measures) * max(38.0, min(84.0, 740 / max(len(measures), 1)))
    grid = alt.layer(cells, style.in_cells(base), data=frame, width=width, height=30 * len(judges))
    return alt.hconcat(grid)  # a page would fit a single view to its box, with lower rows
