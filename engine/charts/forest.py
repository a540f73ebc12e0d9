"""The forest plot: a ratio with its interval for each judge, or for each slice of a grouping."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.chart_spec import spec_of
from engine.charts.dot_plot import Dot
from engine.charts.export import Spec
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.charts.style import Look
from engine.measures.result import Result
from engine.measures.rows import FEW
from engine.words.plain_names import value_words

MEANS = "mean of judges"
NO_VALUE = "(no value)"
LONGEST_LABEL = 190  # pixels after which a row's label is cut; the mark's tooltip has it in full
CHARACTER = 6  # approximate pixels of a character of a label
NARROW = 3  # high end by low end of an axis beyond which one of several panels has the ticks of `HALVES` only
HALVES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

Order = Literal["name", "size", "value", "sure"]

ROW_HEIGHT = 13  # height in pixels of one series of a row


SERIES = (
    Dot("hspp_self", "own answers", style.MEMBER, "ratio", "n_self"),
    Dot(
        "hspp_matched", "own, on criteria both failed", Look(style.SELF, style.DIAMOND), "ratio", "n_matched"
    ),
    Dot("hspp_family", "its family's answers", Look(style.FAMILY, style.SQUARE), "ratio", "n_family"),
)
RATIOS = tuple(series.field for series in SERIES)
"""The numbers of `hspp`."""

OUTSIDE = (
    Dot("ratio_outside", "own answers", style.MEMBER, "ratio", "n_own"),
    Dot("vote_outside", "own answers", style.MEMBER, "difference", "n_own"),
    Dot("bonus_outside", "own answers", style.MEMBER, "points", "n_own"),
)
"""The numbers of `outside`: for rubric verdicts, for pairs, for scores."""

EXCESS = Dot("excess", "own answers", style.MEMBER, "difference", "n_own")
"""The number of `expected`: given minus expected."""

EXCESS_AXIS = "given minus expected, of 100 own cases (0 = no preference)"


AXES: dict[Form, str] = {
    "ratio": "ratio to other judges (1 = no preference)",
    "difference": "own votes, points above other judges'",
    "points": "own scores, points above other judges'",
}
"""The titles of the axes of `OUTSIDE`."""


def outside_series(rows: Iterable[Mapping[str, Any]]) -> Dot:
    """Return the number that rows of `outside` have: a ratio, votes, or points."""
    defined = {kind.field for row in rows for kind in OUTSIDE if row[kind.field] is not None}
    return next((kind for kind in OUTSIDE if kind.field in defined), OUTSIDE[0])


def own_number(result: Result) -> Dot | None:
    """Return the number drawn of a result of `expected` or `outside`; None for the ratios of `hspp`."""
    if result.measure.name == "expected":
        return EXCESS
    return outside_series(result.rows) if result.measure.name == "outside" else None


def own_axis(number: Dot | None) -> str | None:
    """Return the title of the axis of a number; None for the usual one of its form."""
    return EXCESS_AXIS if number is EXCESS else None


def forest_rows(
    rows: Iterable[Mapping[str, Any]],
    *,
    by: str | None = None,
    fields: Sequence[str] = RATIOS,
    names: Mapping[str, str] = MappingProxyType({}),
) -> pd.DataFrame:
    """Return a row for each judge (and slice) and each defined ratio of `fields`, means first.

    `panel` is the judge if grouped, else empty; `label` the slice if grouped, else the judge; `low` and
    `high` are NaN without an interval; `small` says that n is below 30. `names` are those of a result, for
    slices that are ids.
    """
    panels: dict[str, int] = {}
    labels: dict[str, int] = {}
    records = []
    for row in sorted(rows, key=lambda row: row["judge"] is not None):  # means first; stable
        judge = MEANS if row["judge"] is None else str(row["judge"])
        panel = judge if by else ""
        label = judge
        if by:
            label = value_title(by, row["slice"], names)
        order = panels.setdefault(panel, len(panels)), labels.setdefault(label, len(labels))
        for series in (*SERIES, *OUTSIDE, EXCESS):
            if series.field not in fields or row.get(series.field) is None:
                continue
            numbers, n = number_forms.number(row, series.field), int(row[series.n or "n"])
            text = number_forms.words(numbers, series.form)
            records.append((panel, order[0], label, order[1], series.words, *numbers, n, n < FEW, text))
    columns = ["panel", "panel_order", "label", "label_order", "series", "value", "low", "high", "n", "small"]
    frame = pd.DataFrame.from_records(records, columns=[*columns, "words"])
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    return frame


def value_title(by: str, value: object, names: Mapping[str, str]) -> str:
    """Return a value of a column as people read it; `names` are those of a result, for ids."""
    return NO_VALUE if value is None else names.get(str(value), value_words(by, value))


def highest(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the rows of the means and of the `most` judges with the highest first ratio, in order."""
    if frame["label"].nunique() <= most:
        return frame
    first = frame[frame["label"] != MEANS].drop_duplicates("label")
    labels = first.sort_values("value", ascending=False, kind="stable")["label"].head(most)
    return frame[frame["label"].isin([MEANS, *labels])]


def in_order(frame: pd.DataFrame, order: Order, form: Form = "ratio") -> pd.DataFrame:
    """Return the frame with its judges (the panels if there are several, else the rows) in another order.

    First come for `value` the highest numbers, for `size` the most cases, for `sure` the intervals farthest
    from 1 (differences: 0). Over slices the mean, sum or surest counts. The means of judges stay first.
    """
    who = "panel" if frame["panel"].nunique() > 1 and MEANS in set(frame["panel"]) else "label"
    first = frame[frame["series"] == frame["series"].iloc[0]] if len(frame) else frame
    parts: dict[str, pd.DataFrame] = {str(name): part for name, part in first.groupby(who, sort=False)}
    keys: dict[Order, Callable[[str], Any]] = {
        "name": str.casefold,
        "size": lambda name: -int(parts[name]["n"].sum()),
        "value": lambda name: -float(parts[name]["value"].mean()),
        "sure": lambda name: -_sureness(parts[name], form),
    }
    names = sorted(parts, key=keys[order])
    names.sort(key=lambda name: name != MEANS)
    others = [name for name in dict.fromkeys(frame[who]) if name not in parts]
    places = {name: place for place, name in enumerate([*names, *others])}
    ranked = frame.assign(**{f"{who}_order": frame[who].map(places)})
    return ranked.sort_values(["panel_order", "label_order"], kind="stable", ignore_index=True)


def _sureness(part: pd.DataFrame, form: Form) -> float:
    """Return the distance of the farthest interval from no preference; below 0 if all include it."""
    low, high = part["low"].to_numpy(dtype=float), part["high"].to_numpy(dtype=float)
    if form == "ratio":
        with np.errstate(divide="ignore"):
            low, high = np.log(low), np.log(high)
    return float(np.nan_to_num(np.maximum(low, -high), nan=-np.inf).max(initial=-np.inf))


def crossed_rows(
    parts: Mapping[str, pd.DataFrame], names: Mapping[str, str] = MappingProxyType({})
) -> pd.DataFrame:
    """Return the rows of slices by two columns: a panel for each pair of values, with a row per judge.

    `parts` has, for each value of the second column, the frame of `forest_rows` by the first; `names` are
    those of values that are ids.
    """
    frames = [
        part.assign(
            panel=part["label"] + " · " + names.get(value, value),
            panel_order=part["label_order"] * len(parts) + place,
            label=part["panel"],
            label_order=part["panel_order"],
            first=part["label"],
            second=value,
        )
        for place, (value, part) in enumerate(parts.items())
    ]
    frame = pd.concat(frames or [pd.DataFrame(columns=["panel_order", "label_order"])], ignore_index=True)
    return frame.sort_values(["panel_order", "label_order"], kind="stable", ignore_index=True)


@dataclass(frozen=True)
class _Drawing:
    """All that a forest plot depends on, other than its rows and the ends of its axis."""

    series: tuple[str, ...]
    form: Form
    title: str
    ticks: tuple[float, ...] | None  # None: those of the axis
    width: int  # of a panel, in pixels
    panels: bool
    arrows: bool
    picks: bool


Ends = tuple[float, float]


def forest(
    frame: pd.DataFrame,
    *,
    width: int = 620,
    picks: bool = False,
    outside: Form | None = None,
    axis: str | None = None,
) -> alt.TopLevelMixin:
    """Draw the frame of `forest_rows`: ratios on a logarithmic axis around 1, hollow if n is small.

    Several panels are drawn three in a row, on the same axes. With `picks`, a click on a mark chooses its
    `panel` and `label`. `outside` is the form of the numbers of `outside`; differences are on an axis
    around 0, with the title `axis` if one is given.
    """
    return _draw(*_parts(frame, width, picks=picks, outside=outside, axis=axis))


def forest_spec(
    frame: pd.DataFrame,
    *,
    width: int = 620,
    picks: bool = False,
    outside: Form | None = None,
    axis: str | None = None,
) -> Spec:
    """Return `spec_of` a forest plot. Altair draws it once for all frames with the same series and layout.

    A page needs one at every click, and Altair takes as long for it as the engine for its numbers.
    """
    drawing, rows, ends = _parts(frame, width, picks=picks, outside=outside, axis=axis)
    spec: Spec = json.loads(_spec_of(drawing))
    return spec | {"datasets": {"rows": rows, "rows-1": [{"end": end} for end in ends]}}


@lru_cache(maxsize=64)
def _spec_of(drawing: _Drawing) -> str:
    return json.dumps(spec_of(_draw(drawing, [{}], (0.0, 1.0))))


def _parts(
    frame: pd.DataFrame, width: int, *, picks: bool, outside: Form | None, axis: str | None
) -> tuple[_Drawing, list[chart_marks.Record], Ends]:
    """Return how a frame is drawn, its rows, and the ends of their axis."""
    form = outside or "ratio"
    low, high = axis_ends(frame, form)
    data = axes.within(frame, low, high)
    names = set(data["series"])
    several = data["panel"].nunique() > 1
    title = axis or ("ratio (1 = no preference)" if outside is None else AXES[outside])
    if several:
        compared = "given minus expected" if axis else "against judges of other families"
        title = "ratio" if form == "ratio" else number_forms.with_unit(compared, form)
        room = min(CHARACTER * int(data["label"].str.len().max()), LONGEST_LABEL) + 20
        width = (width - room) // 3 - 20
    drawing = _Drawing(
        series=tuple(series.words for series in SERIES if series.words in names),
        form=form,
        title=title,
        ticks=tuple(_ticks(low, high)) if several and form == "ratio" else None,
        width=width,
        panels=several,
        arrows=bool(data["arrow"].any()),
        picks=picks,
    )
    return drawing, chart_marks.records(data), (low, high)


def _draw(drawing: _Drawing, rows: list[chart_marks.Record], ends: Ends) -> alt.TopLevelMixin:
    is_ratio = drawing.form == "ratio"
    kinds = [series for series in SERIES if series.words in drawing.series]
    colour, shape = chart_marks.looks("series", {series.words: series.look for series in kinds})
    colour = colour.legend(alt.Legend(orient="top", labelLimit=300))
    shape = shape.legend(alt.Legend(orient="top", symbolFillColor=style.NEUTRAL, labelLimit=300))
    labels = alt.Axis(labelLimit=LONGEST_LABEL, grid=False, ticks=False, domain=False)
    y = alt.Y("label:N", title=None, sort=alt.EncodingSortField("label_order", op="min"), axis=labels)
    offset = alt.YOffset("series:N", sort=[series.words for series in kinds])
    scale = alt.Scale(type="log", nice=False) if is_ratio else alt.Scale(nice=False)
    ticks: dict[str, Any] = {"tickCount": 5}
    if is_ratio:
        ticks = {"values": axes.ratio_ticks_within() if drawing.ticks is None else list(drawing.ticks)}
    axis = alt.Axis(**ticks, **number_forms.ticks_of(drawing.form), gridOpacity=0.4)
    x = alt.X("shown:Q", scale=scale, axis=axis, title=drawing.title)
    base = alt.Chart().encode(y=y, yOffset=offset, color=colour)
    tooltip = chart_marks.tooltips(label="row", series="of", words="value [95% interval]", n="n")
    layers = [
        axes.ends(*ends, scale),
        chart_marks.reference_line(1 if is_ratio else 0, "x"),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", scale=scale), x2=alt.X2("to:Q")),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
    ]
    if drawing.picks:
        layers[-2:] = map(chart_marks.fade_others, layers[-2:])
        layers[-1] = layers[-1].add_params(chart_marks.selection(("panel", "label")))
    if drawing.arrows:
        arrows = base.mark_text(fontSize=13, baseline="middle")
        layers.append(arrows.encode(x=alt.X("edge:Q"), text=alt.Text("arrow:N")))
    height = alt.Step(ROW_HEIGHT * max(len(kinds), 1) + 5, **{"for": "position"})
    data = alt.InlineData(values=rows)
    if not drawing.panels:
        return alt.LayerChart(layer=layers, data=data, width=drawing.width, height=height)
    header = alt.Header(title=None, labelLimit=200, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", sort=alt.EncodingSortField("panel_order", op="min"), header=header)
    panel = alt.LayerChart(layer=layers, width=drawing.width, height=height)
    return panel.facet(facet, data=data, columns=3)


def axis_ends(frame: pd.DataFrame, form: Form) -> tuple[float, float]:
    """Return the ends of the axis of numbers of a form."""
    columns = ("value", "low", "high")
    if form == "ratio":
        return axes.ratio_ends(frame, columns)
    return axes.difference_ends(frame, columns, 1.0 if form == "difference" else 100.0)


def _ticks(low: float, high: float) -> list[float]:
    """Return the ticks between the ends of a narrow axis, few enough not to overlap."""
    if high / low > NARROW:
        return [tick for tick in HALVES if low <= tick <= high]
    return axes.ratio_ticks(low, high)
