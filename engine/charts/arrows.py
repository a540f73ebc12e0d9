"""Before and after: SPB of each judge as it is usually asked, and an arrow to what another way gives.

`rows_of` turns the rows of `mitigation` into the frame that `arrows` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import LONGEST_LABEL, interval, looks, number, points, reference_line, words
from engine.charts.palette import COMMITTEE, MEMBER, NEUTRAL

COLUMNS = [
    *("judge", "variant", "series", "value", "low", "high", "words"),
    *("reduction_words", "eta_words", "n", "small"),
]
BEFORE, AFTER = "before: asked as usual", "after: asked the other way"
ENDS = {BEFORE: "spb_baseline", AFTER: "spb"}
ROW = 34


def rows_of(rows: Iterable[Mapping[str, Any]], *, fewest: int = 30) -> pd.DataFrame:
    """Return two rows, before and after, for each judge and variant in which SPB is defined in both.

    Columns: `judge`, `variant`, `series`, `value` with its interval and `words`, `reduction_words` and
    `eta_words` (the fall of |SPB|, and its share), `n` (common pairs with its own response), `small`.
    """
    made = []
    for row in rows:
        told = {series: number(row, field) for series, field in ENDS.items()}
        if any(np.isnan(numbers[0]) for numbers in told.values()):
            continue
        fall = words(number(row, "reduction"), "share"), words(number(row, "eta"), "share")
        n = int(row["n_pairs"])
        for series, numbers in told.items():
            place = str(row["judge"]), str(row["variant"]), series
            made.append((*place, *numbers, words(numbers, "share"), *fall, n, n < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def arrows(frame: pd.DataFrame, *, width: int = 230) -> alt.HConcatChart:
    """Draw the frame of `rows_of`: a panel for each variant, an arrow for each judge."""
    judges = list(dict.fromkeys(frame["judge"]))
    told = frame[["value", "low", "high"]].to_numpy(dtype=float)
    ends = float(np.nanmin(told, initial=0.0)), float(np.nanmax(told, initial=0.0))
    pad = 0.05 * (ends[1] - ends[0]) or 0.05
    scale = alt.Scale(domain=[ends[0] - pad, ends[1] + pad], nice=False)
    drawn = [
        _panel(
            frame[frame["variant"] == variant].reset_index(drop=True), variant, judges, scale, place, width
        )
        for place, variant in enumerate(dict.fromkeys(frame["variant"]))
    ]
    joined: alt.HConcatChart = alt.hconcat(*drawn, spacing=14)
    return joined


def _panel(
    part: pd.DataFrame, variant: str, judges: list[str], scale: alt.Scale, place: int, width: int
) -> Any:
    title = f"SPB, {variant}"
    labels = alt.Axis(labelLimit=LONGEST_LABEL, labels=place == 0, ticks=False, domain=False, grid=False)
    y = alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=labels)
    axis = alt.Axis(format="+.0%", gridOpacity=0.4, tickCount=5)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    ends = {BEFORE: MEMBER, AFTER: COMMITTEE}
    colour, shape = looks("series", ends)
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=[BEFORE, AFTER]))
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("words:N", title="SPB [95% interval]"),
        alt.Tooltip("reduction_words:N", title="fall of |SPB|"),
        alt.Tooltip("eta_words:N", title="as a share (eta)"),
        alt.Tooltip("n:Q", title="common pairs", format=","),
    ]
    path = _paths(part)
    way = alt.Chart(path).encode(y=y)
    return alt.layer(
        reference_line(0, "x"),
        way.mark_rule(color=NEUTRAL, strokeWidth=1.6, aria=False).encode(
            x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q")
        ),
        way.mark_text(color=NEUTRAL, fontSize=9, baseline="middle", aria=False).encode(
            x=alt.X("end:Q", title=title, scale=scale), text=alt.Text("head:N")
        ),
        interval(base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour),
        points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=part,
        width=width,
        height=ROW * len(judges),
    )


HEADS = ["◀", "▶"]


def _paths(part: pd.DataFrame) -> pd.DataFrame:
    """Return from where to where each judge's arrow goes, and how its head is turned."""
    before, after = (part[part["series"] == series].set_index("judge")["value"] for series in ENDS)
    heads = [HEADS[int(after[judge] > before[judge])] for judge in before.index]
    names = ["judge", "start", "end", "head"]
    return pd.DataFrame(
        dict(
            zip(names, (before.index, before.to_numpy(), after[before.index].to_numpy(), heads), strict=True)
        )
    )
