"""The forest plot: a ratio with its interval for each judge, or for each slice of a grouping.

`rows_of` turns the rows of `hspp` into the frame that `forest` draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import (
    ends,
    hollow_where_small,
    ratio_ends,
    ratio_ticks,
    ratio_ticks_of,
    reference_line,
    values,
)
from engine.charts.palette import CIRCLE, DIAMOND, FAMILY, NEUTRAL, SELF, SQUARE

MEANS = "mean of judges"
NO_VALUE = "(no value)"
LONGEST_LABEL = 190
"""Pixels after which a row's label is cut; the mark's tooltip has it whole."""

CHARACTER = 6
"""Pixels of a character of a label, about."""

NARROW = 3
"""Highest by lowest ratio from which on a panel beside others has the ticks of HALVES only."""

HALVES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

ROW_HEIGHT = 13
"""Pixels for one series of one row."""


@dataclass(frozen=True)
class Series:
    """One kind of mark: the field it shows, its words, colour and shape, and the field that counts it."""

    field: str
    words: str
    colour: str
    shape: str
    n: str


SERIES = (
    Series("hspp_self", "own responses", SELF, CIRCLE, "n_self"),
    Series("hspp_matched", "own, on matched rubrics", SELF, DIAMOND, "n_matched"),
    Series("hspp_family", "relatives' responses", FAMILY, SQUARE, "n_family"),
)


def rows_of(
    rows: Iterable[Mapping[str, Any]],
    *,
    by: str | None = None,
    shown: Sequence[str] = ("hspp_self", "hspp_matched", "hspp_family"),
    fewest: int = 30,
) -> pd.DataFrame:
    """Return a row for each judge (and slice) and each ratio `shown` that is defined, the means first.

    Columns: `panel` (the judge of a grouped measure, else empty), `label` (the slice, else the judge),
    their orders, `series`, `value`, `low`, `high` (NaN without an interval), `n`, `small` (n below
    `fewest`), `words` (the numbers as a reader's text).
    """
    panels: dict[str, int] = {}
    labels: dict[str, int] = {}
    made = []
    for row in sorted(rows, key=lambda row: row["judge"] is not None):  # stable: their order else
        judge = MEANS if row["judge"] is None else str(row["judge"])
        panel = judge if by else ""
        label = _slice_words(row["slice"]) if by else judge
        at = panels.setdefault(panel, len(panels)), labels.setdefault(label, len(labels))
        for series in SERIES:
            value = row.get(series.field)
            if value is None or series.field not in shown:
                continue
            low, high = (row.get(f"{series.field}_{end}") for end in ("low", "high"))
            n = int(row[series.n])
            made.append((panel, at[0], label, at[1], series.words, value, low, high, n, n < fewest))
    columns = ["panel", "panel_order", "label", "label_order", "series", "value", "low", "high", "n", "small"]
    frame = pd.DataFrame.from_records(made, columns=columns)
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    frame["words"] = [_words(*numbers) for numbers in frame[["value", "low", "high"]].itertuples(index=False)]
    return frame


def highest(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the rows of the `most` judges whose first ratio is highest, and of the means, in their order."""
    first = frame[frame["label"] != MEANS].drop_duplicates("label")
    kept = first.sort_values("value", ascending=False, kind="stable")["label"].head(most)
    return frame[frame["label"].isin([MEANS, *kept])]


def forest(frame: pd.DataFrame, *, title: str = "", width: int = 620) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`: ratios on a logarithmic axis around 1, hollow where n is small.

    With more than one panel they stand side by side, three in a row, on the same axes. `title` names
    the rows.
    """
    data, low, high = _within_axis(frame)
    several = data["panel"].nunique() > 1
    used = [series for series in SERIES if series.words in set(data["series"])]
    colour, shape = _looks(used)
    y = alt.Y(
        "label:N",
        title=title or None,
        sort=alt.EncodingSortField("label_order", op="min"),
        axis=alt.Axis(labelLimit=LONGEST_LABEL, grid=False, ticks=False, domain=False),
    )
    offset = alt.YOffset("series:N", sort=[s.words for s in used])
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(
        values=_ticks(low, high) if several else ratio_ticks_of("x"), format="~g", gridOpacity=0.4
    )
    x = alt.X(
        "shown:Q",
        scale=scale,
        axis=axis,
        title="ratio" if several else "ratio of overestimation (1 = no preference)",
    )
    base = alt.Chart().encode(y=y, yOffset=offset, color=colour)
    layers = [
        ends(low, high, scale),
        reference_line(1, "x"),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", scale=scale), x2=alt.X2("to:Q")),
        _points(base).encode(x=x, shape=shape),
    ]
    if data["arrow"].any():
        arrows = base.mark_text(fontSize=13, baseline="middle")
        layers.append(arrows.encode(x=alt.X("edge:Q"), text=alt.Text("arrow:N")))
    height = alt.Step(ROW_HEIGHT * max(len(used), 1) + 5, **{"for": "position"})
    if not several:
        return alt.LayerChart(layer=layers, data=values(data), width=width, height=height)
    header = alt.Header(title=None, labelLimit=200, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", sort=alt.EncodingSortField("panel_order", op="min"), header=header)
    labels = min(CHARACTER * int(data["label"].str.len().max()), LONGEST_LABEL) + 20
    panel = alt.LayerChart(layer=layers, width=(width - labels) // 3 - 20, height=height)
    faceted: alt.FacetChart = panel.facet(facet, data=values(data), columns=3)
    return faceted


def _looks(used: Sequence[Series]) -> tuple[alt.Color, alt.Shape]:
    names = [series.words for series in used]
    colour = alt.Color(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names, range=[series.colour for series in used]),
        legend=alt.Legend(orient="top", labelLimit=300),
    )
    shape = alt.Shape(
        "series:N",
        title=None,
        scale=alt.Scale(domain=names, range=[series.shape for series in used]),
        legend=alt.Legend(orient="top", symbolFillColor=NEUTRAL, labelLimit=300),
    )
    return colour, shape


def _points(chart: alt.Chart) -> alt.Chart:
    """Return the points, hollow where the cell is small, with what the reader is told of each."""
    tooltip = [
        alt.Tooltip("label:N", title="row"),
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("words:N", title="ratio [95% interval]"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    mark = chart.mark_point(filled=True, size=60, opacity=1, strokeWidth=1.6, strokeOpacity=1)
    fill, stroke = hollow_where_small(), chart.encoding.color
    drawn: alt.Chart = mark.encode(stroke=stroke, fillOpacity=fill, tooltip=tooltip)
    return drawn


def _within_axis(frame: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Return the frame with what is drawn of it, and the ends of the axis.

    `shown`, `from` and `to` lie on the axis. A value that does not has no `shown`, but an `arrow` to be put
    at `edge`.
    """
    low, high = ratio_ends(frame, ("value", "low", "high"))
    data = frame.copy()
    for name, column in (("edge", "value"), ("from", "low"), ("to", "high")):
        data[name] = frame[column].clip(low, high)
    data["arrow"] = np.select([frame["value"] < low, frame["value"] > high], ["◀", "▶"], "")
    data["shown"] = data["edge"].where(data["arrow"] == "")
    return data, low, high


def _ticks(low: float, high: float) -> list[float]:
    """Return the ticks between the ends of a narrow axis, few enough that none hides another."""
    if high / low > NARROW:
        return [tick for tick in HALVES if low <= tick <= high]
    return ratio_ticks(low, high)


def _slice_words(value: Any) -> str:
    return NO_VALUE if value is None else str(value)


def _words(value: float, low: float, high: float) -> str:
    """Return `1.08 [1.03, 1.14]`, or the value alone where it has no interval."""
    return f"{value:.2f}" if np.isnan(low) else f"{value:.2f} [{low:.2f}, {high:.2f}]"
