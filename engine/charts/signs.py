"""All measures together: judges in rows, measures in columns, coloured by what each says of self-preference.

`rows_of` turns the rows of `together` into the frame that `signs` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import LONGEST_LABEL
from engine.charts.palette import CELL, INK
from engine.wording import measure

COLUMNS = ["judge", "measure", "value", "says", "label", "words", "rank", "n"]
CLEAR_FOR, LEANS_FOR = "prefers itself", "leans to itself, not for sure"
LEANS_AGAINST, CLEAR_AGAINST = "leans away, not for sure", "holds itself back"
NEITHER = "neither"
ELSE = "tells of another thing"
COLOURS = {
    CLEAR_FOR: "#B35806",
    LEANS_FOR: "#FDD9AE",
    NEITHER: "#F7F7F7",
    ELSE: "#E3E3E3",
    LEANS_AGAINST: "#C9DEEC",
    CLEAR_AGAINST: "#2166AC",
}
DARK = (CLEAR_FOR, CLEAR_AGAINST)


def rows_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge and measure with a value.

    Columns: `judge`, `measure` (in words), `value`, `says` (what that says of self-preference), `label`,
    `words` (the value with its interval), `rank` (1 the highest), `n`, `ink`.
    """
    made = []
    for row in rows:
        if row["value"] is None:
            continue
        ends = "" if row["low"] is None else f" [{row['low']:z.2f}, {row['high']:z.2f}]"
        told = f"{row['value']:z.2f}"
        rank = np.nan if row["rank"] is None else float(row["rank"])
        where = str(row["judge"]), measure(str(row["measure"])), float(row["value"])
        made.append((*where, says(row), told, told + ends, rank, int(row["n"])))
    frame = pd.DataFrame.from_records(made, columns=COLUMNS)
    return frame.assign(ink=np.where(frame["says"].isin(DARK), CELL, INK))


def says(row: Mapping[str, Any]) -> str:
    """Return what a row of `together` says of self-preference, in words."""
    if row["sign"] is None:
        return ELSE
    if row["sign"] == 0:
        return NEITHER
    if row["sign"] > 0:
        return CLEAR_FOR if row["clear"] else LEANS_FOR
    return CLEAR_AGAINST if row["clear"] else LEANS_AGAINST


def signs(frame: pd.DataFrame, *, width: int = 740) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`: the value in each cell."""
    judges, measures = (list(dict.fromkeys(frame[name])) for name in ("judge", "measure"))
    used = [words for words in COLOURS if words in set(frame["says"])]
    axis: dict[str, Any] = {"ticks": False, "domain": False, "grid": False, "labelPadding": 6}
    axis |= {"labelLimit": LONGEST_LABEL, "labelOverlap": False}
    base = alt.Chart().encode(
        x=alt.X("measure:N", title=None, sort=measures, axis=alt.Axis(labelAngle=-30, orient="top", **axis)),
        y=alt.Y("judge:N", title=None, sort=judges, axis=alt.Axis(**axis)),
    )
    colour = alt.Color(
        "says:N",
        title=None,
        scale=alt.Scale(domain=used, range=[COLOURS[words] for words in used]),
        legend=alt.Legend(
            orient="bottom",
            labelLimit=320,
            symbolSize=150,
            columns=3,
            symbolType="square",
            symbolStrokeWidth=0,
        ),
    )
    titles = {"judge": "judge", "measure": "measure", "words": "value [95% interval]", "says": "says"}
    tooltip: list[alt.Tooltip] = [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
    tooltip += [
        alt.Tooltip("rank:Q", title="rank, 1 the highest"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    cells = base.mark_rect(stroke=CELL, strokeWidth=0.8).encode(color=colour, tooltip=tooltip)
    text = base.mark_text(fontSize=11, aria=False).encode(
        text=alt.Text("label:N"), fill=alt.Fill("ink:N", scale=None)
    )
    size = max(38.0, min(84.0, width / max(len(measures), 1)))
    grid = alt.layer(cells, text, data=frame, width=size * len(measures), height=30 * len(judges))
    return alt.hconcat(grid)  # a page that fits a single view to its box would make its rows lower
