"""Accuracy against self-preference: a point for each judge in each paradigm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.name_places import Plot, place_names
from engine.measures.rows import FEW
from engine.words.plain_names import LEVELS, paradigm_name

if TYPE_CHECKING:
    from engine.measures.row_types import AccuracyRow, HsppRow

WIDTH, HEIGHT = 500, 300
MOST_NAMES = 16  # most judges with a name beside their highest mark; with more, only tooltips have them
AXES = {"rubric": "accuracy on criteria (MRA)", "instance": "pair accuracy (MIPA)"}


def scatter_rows(accuracy: Iterable[AccuracyRow], ratios: Iterable[HsppRow], level: str) -> pd.DataFrame:
    """Return a row for each judge and paradigm with an accuracy (`x`) and a ratio (`y`) at this level."""
    accuracy_of = {(row["slice"], row["judge"]): row for row in accuracy}
    rows = []
    for row in ratios:
        other = accuracy_of.get((row["slice"], row["judge"]))
        if row["judge"] is None or other is None:
            continue
        across, up = (
            number_forms.number(other, style.ACCURACIES[level]),
            number_forms.number(row, "hspp_self"),
        )
        if not (np.isnan(across[0]) or np.isnan(up[0])):
            n, where = int(row["n_self"]), (str(row["judge"]), paradigm_name(row["slice"]))
            numbers = (*across, number_forms.words(across, "share"), *up, number_forms.words(up, "ratio"))
            rows.append((*where, *numbers, n, n < FEW))
    columns = ["judge", "paradigm", "x", "x_low", "x_high", "x_words"]
    columns += ["y", "low", "high", "y_words", "n", "small"]
    return pd.DataFrame.from_records(rows, columns=columns)


def scatter(frame: pd.DataFrame, level: str) -> chart_marks.Layered:
    """Draw the frame of `scatter_rows`: ratios on a logarithmic axis, with the intervals of both numbers."""
    looks = {paradigm_name(name): look for name, look in style.PARADIGMS.items()}
    paradigms = set(frame["paradigm"])
    colour, shape = chart_marks.looks(
        "paradigm", {name: look for name, look in looks.items() if name in paradigms}
    )
    data, tall, ticks = axes.ratio_axis(frame, ["y", "low", "high"])
    ends = _ends(frame)
    wide = alt.Scale(domain=list(ends), zero=False, nice=False)
    x = alt.X("x:Q", title=AXES[level], scale=wide, axis=alt.Axis(format=".0%", gridOpacity=0.4, tickCount=6))
    y = alt.Y("y:Q", title=f"ratio, {LEVELS[level]} (1 = no preference)", scale=tall, axis=ticks)
    tooltip = chart_marks.tooltips(
        judge="judge",
        paradigm="paradigm",
        x_words=AXES[level],
        y_words="ratio [95% interval]",
        n="own failures",
    )
    base = alt.Chart().encode(color=colour, strokeOpacity=alt.StrokeOpacityValue(0.35))
    names = (
        chart_marks.names_beside(_names(data, ends, tuple(tall.domain)), wide, tall)
        if frame["judge"].nunique() <= MOST_NAMES
        else []
    )
    return alt.layer(
        chart_marks.reference_line(1, "y"),
        chart_marks.interval(base, x=x, y=alt.Y("low:Q", scale=tall), y2=alt.Y2("high:Q")),
        chart_marks.interval(base, y=y, x=alt.X("x_low:Q", scale=wide), x2=alt.X2("x_high:Q")),
        chart_marks.points(alt.Chart(), x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
        *names,
        data=data,
        width=WIDTH,
        height=HEIGHT,
    )


def _ends(frame: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the axis of accuracy: those of the intervals, with room for half a mark."""
    if frame.empty:
        return 0.0, 1.0
    numbers = frame[["x", "x_low", "x_high"]].to_numpy(dtype=float)
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    room = 0.04 * max(high - low, 0.01)
    return low - room, high + room


def _names(frame: pd.DataFrame, across: tuple[float, float], up: tuple[float, float]) -> pd.DataFrame:
    """Return the highest mark of each judge with the place of its name, on a plane with a logarithmic y."""
    logs = frame.assign(**{name: np.log(frame[name]) for name in ("y", "low", "high")})
    highest = logs.sort_values("y").drop_duplicates("judge", keep="last")
    bottom, top = np.log(up)
    placed = place_names(highest, Plot(*across, bottom, top, WIDTH, HEIGHT))
    places = placed[["shown", "name_x", "name_y", "apart"]]
    return frame.join(places.assign(name_y=np.exp(places["name_y"])), how="inner")
