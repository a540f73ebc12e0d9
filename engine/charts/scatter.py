"""Accuracy against self-preference: a point for each judge in each way of judging.

`rows_of` joins the rows of `accuracy` and `hspp`, both grouped by paradigm, into the frame that `scatter`
draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import (
    interval,
    looks,
    number,
    points,
    ratio_ends,
    ratio_ticks,
    reference_line,
    words,
)
from engine.charts.palette import PARADIGMS, Look

COLUMNS = [
    *("judge", "paradigm", "x", "x_low", "x_high", "x_words"),
    *("y", "low", "high", "y_words", "n", "small"),
]
AXES = {"rubric": "rubric accuracy (MRA)", "instance": "pair accuracy (MIPA)"}
_FIELDS = {"rubric": "mra", "instance": "mipa"}


def rows_of(
    accuracy: Iterable[Mapping[str, Any]],
    ratios: Iterable[Mapping[str, Any]],
    level: str,
    *,
    fewest: int = 30,
) -> pd.DataFrame:
    """Return a row for each judge and paradigm that has both an accuracy and a ratio at this level.

    Columns: `judge`, `paradigm` (in words), `x` (accuracy) and `y` (ratio), each with its interval and
    words, `n` (own failures), `small` (n below `fewest`).
    """
    known = {(row["slice"], row["judge"]): row for row in accuracy}
    made = []
    for row in ratios:
        other = known.get((row["slice"], row["judge"]))
        if row["judge"] is None or other is None:
            continue
        across, up = number(other, _FIELDS[level]), number(row, "hspp_self")
        if not (np.isnan(across[0]) or np.isnan(up[0])):
            n = int(row["n_self"])
            name = str(row["slice"]).replace("_", " ")
            made.append(
                (
                    str(row["judge"]),
                    name,
                    *across,
                    words(across, "share"),
                    *up,
                    words(up, "ratio"),
                    n,
                    n < fewest,
                )
            )
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def scatter(frame: pd.DataFrame, level: str, *, width: int = 330, height: int = 280) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`: ratios on a logarithmic axis, with the intervals of both numbers."""
    used: dict[str, Look] = {
        name.replace("_", " "): look
        for name, look in PARADIGMS.items()
        if name.replace("_", " ") in set(frame["paradigm"])
    }
    colour, shape = looks("paradigm", used)
    low, high = ratio_ends(frame, ["y", "low", "high"])
    data = frame.assign(**{name: frame[name].clip(low, high) for name in ("y", "low", "high")})
    wide = alt.Scale(zero=False, nice=False, padding=10)
    tall = alt.Scale(type="log", domain=[low, high], nice=False)
    x = alt.X("x:Q", title=AXES[level], scale=wide, axis=alt.Axis(format=".0%", gridOpacity=0.4, tickCount=6))
    ticks = alt.Axis(values=ratio_ticks(low, high), format="~g", gridOpacity=0.4)
    y = alt.Y("y:Q", title=f"ratio, {level} level (1 = no preference)", scale=tall, axis=ticks)
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("paradigm:N", title="paradigm"),
        alt.Tooltip("x_words:N", title=AXES[level]),
        alt.Tooltip("y_words:N", title="ratio [95% interval]"),
        alt.Tooltip("n:Q", title="own failures", format=","),
    ]
    base = alt.Chart().encode(color=colour, strokeOpacity=alt.StrokeOpacityValue(0.35))
    return alt.layer(
        reference_line(1, "y"),
        interval(base, x=x, y=alt.Y("low:Q", scale=tall), y2=alt.Y2("high:Q")),
        interval(base, y=y, x=alt.X("x_low:Q", scale=wide), x2=alt.X2("x_high:Q")),
        points(alt.Chart(), x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
        data=data,
        width=width,
        height=height,
    )
