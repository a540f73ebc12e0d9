"""Two sides and what is between them: side A, side B, and A against B, a row for each judge.

`rows_of` turns the rows of `engine.comparison` into the frame that `compared` draws.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import (
    LONGEST_LABEL,
    Form,
    interval,
    looks,
    points,
    ratio_ends,
    ratio_ticks,
    reference_line,
    words,
)
from engine.charts.palette import CIRCLE, DIAMOND, FAMILY, NEUTRAL, OTHER, SELF, SQUARE, TRIANGLE, Look

LOOKS = {
    "hspp_self": Look(SELF, CIRCLE),
    "hspp_matched": Look(SELF, DIAMOND),
    "hspp_family": Look(FAMILY, SQUARE),
    "o_self": Look(SELF, CIRCLE),
    "o_other": Look(OTHER, TRIANGLE),
}
"""Numbers about someone look as everywhere; the others, and differences, are grey."""

PLAIN = Look(NEUTRAL, CIRCLE)
MEANS = "mean of judges"
PANELS = ("A", "B", "A against B")
COLUMNS = ["panel", "label", "field", "value", "low", "high", "words", "n", "small"]
ROW = 24

Label = Callable[[Mapping[str, Any]], str]


def judge_of(row: Mapping[str, Any]) -> str:
    """Return the judge of a compared row as its label."""
    return MEANS if row["judge"] is None else str(row["judge"])


def rows_of(
    rows: Iterable[Mapping[str, Any]], *, as_ratio: bool, label: Label = judge_of, fewest: int = 30
) -> pd.DataFrame:
    """Return three rows for each compared row: side A, side B, and A against B, where they are defined.

    `as_ratio` says whether the numbers are ratios (else shares); `label` names a row. Columns: `panel`,
    `label`, `field`, `value`, `low`, `high` (NaN without an interval), `words`, `n` (between them the
    smaller), `small` (n below `fewest`). The row of means counts as little as its smallest side.
    """
    form: Form = "ratio" if as_ratio else "share"
    made = []
    for row in sorted(rows, key=lambda row: row["judge"] is not None):  # stable: their order else
        counts = row["n_a"], row["n_b"], min(row["n_a"], row["n_b"])
        names = (("a", "a_low", "a_high"), ("b", "b_low", "b_high"), ("difference", "low", "high"))
        for panel, fields, n in zip(PANELS, names, counts, strict=True):
            value, low, high = (np.nan if row[name] is None else float(row[name]) for name in fields)
            if not np.isnan(value):
                told = _words((value, low, high), form, between=panel == PANELS[2])
                made.append((panel, label(row), row["field"], value, low, high, told, n, n < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def compared(frame: pd.DataFrame, *, as_ratio: bool, width: int = 235) -> alt.HConcatChart:
    """Draw the frame of `rows_of`: the two sides on one scale, and beside them A against B.

    A ratio is compared by the ratio of both, a share by the difference in points.
    """
    labels = list(dict.fromkeys(frame["label"]))
    sides = frame[frame["panel"] != PANELS[2]]
    between = frame[frame["panel"] == PANELS[2]].assign(field="difference")
    drawn = [
        _panel(frame[frame["panel"] == panel], sides, panel, labels, as_ratio=as_ratio, width=width)
        for panel in PANELS[:2]
    ]
    drawn.append(_panel(between, between, PANELS[2], labels, as_ratio=as_ratio, width=width))
    joined: alt.HConcatChart = alt.hconcat(*drawn, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent"
    )
    return joined


def _panel(
    part: pd.DataFrame, scaled: pd.DataFrame, panel: str, labels: list[str], *, as_ratio: bool, width: int
) -> alt.LayerChart | alt.FacetChart:
    """Draw one panel; `scaled` are the rows that its axis holds."""
    title = _title(panel, as_ratio=as_ratio)
    scale, axis, low, high = _axis(scaled, panel, as_ratio=as_ratio)
    part = _within(part, low, high)
    names = alt.Axis(
        labelLimit=LONGEST_LABEL,
        labels=panel == PANELS[0],
        ticks=False,
        domain=False,
        grid=False,
        labelFlush=False,
    )
    y = alt.Y("label:N", title=None, scale=alt.Scale(domain=labels), axis=names)
    used = {field: LOOKS.get(field, PLAIN) for field in dict.fromkeys(part["field"])}
    colour, shape = looks("field", used, legend=False)
    base = alt.Chart().encode(y=y)
    tooltip = [
        alt.Tooltip("label:N", title="row"),
        alt.Tooltip("panel:N", title="side"),
        alt.Tooltip("words:N", title="value [95% interval]"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    x = alt.X("shown:Q", title=title, scale=scale, axis=axis)
    layers = [
        interval(base, x=alt.X("from:Q", title=title, scale=scale), x2=alt.X2("to:Q"), color=colour),
        points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
    ]
    if part["arrow"].any():
        edge = alt.X("edge:Q", title=title, scale=scale)
        layers.append(base.mark_text(fontSize=13).encode(x=edge, text=alt.Text("arrow:N"), color=colour))
    if as_ratio or panel == PANELS[2]:
        layers.insert(0, reference_line(1 if as_ratio else 0, "x"))
    return alt.layer(*layers, data=part, width=width, height=ROW * max(len(labels), 1))


def _within(part: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Return the rows with what the axis holds of them; a value beyond it is an `arrow` at its `edge`."""
    data = part.copy()
    for name, column in (("edge", "value"), ("from", "low"), ("to", "high")):
        data[name] = part[column].clip(low, high)
    data["arrow"] = np.select([part["value"] < low, part["value"] > high], ["◀", "▶"], "")
    data["shown"] = data["edge"].where(data["arrow"] == "")
    return data


def _axis(scaled: pd.DataFrame, panel: str, *, as_ratio: bool) -> tuple[alt.Scale, alt.Axis, float, float]:
    """Return scale and axis of a panel, and the ends of what it shows."""
    if as_ratio:
        low, high = ratio_ends(scaled, ["value", "low", "high"])
        scale = alt.Scale(type="log", domain=[low, high], nice=False)
        ticks = ratio_ticks(low, high)
        return scale, alt.Axis(values=ticks, format="~g", gridOpacity=0.4, labelOverlap=True), low, high
    told = scaled[["value", "low", "high"]].to_numpy(dtype=float)
    ends = told[np.isfinite(told)]
    if panel == PANELS[2]:
        ends = np.append(ends, 0.0)
    low, high = float(ends.min(initial=1.0)), float(ends.max(initial=-1.0))
    room = 0.05 * abs(high - low) + 1e-6
    axis = alt.Axis(format="+.0%" if panel == PANELS[2] else ".0%", gridOpacity=0.4, tickCount=4)
    return alt.Scale(domain=[low - room, high + room], nice=False), axis, low, high


def _title(panel: str, *, as_ratio: bool) -> str:
    if panel != PANELS[2]:
        return f"{panel}: {'ratio (1 = no preference)' if as_ratio else 'share'}"
    return "A / B: ratio of ratios (1 = alike)" if as_ratio else "A - B: difference (0 = alike)"


def _words(numbers: tuple[float, float, float], form: Form, *, between: bool) -> str:
    """Return a number with its interval; a difference of shares with its sign."""
    if form == "ratio" or not between:
        return words(numbers, form)
    value, low, high = (f"{100 * number:+.1f}" for number in numbers)
    return f"{value} points" if np.isnan(numbers[1]) else f"{value} points [{low}, {high}]"
