"""All measures together: judges by measures, coloured by what each says about self-preference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, style
from engine.charts.lazy_altair import alt
from engine.words.short_titles import measure
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.measures.row_types import TogetherRow

CLEAR_FOR, LEANS_FOR = "clearly above no preference", "above, but not clearly"
LEANS_AGAINST, CLEAR_AGAINST = "below, but not clearly", "clearly below no preference"
NEITHER = "neither"
ELSE = "not about self-preference"
DIRECTION_COLOURS = {
    CLEAR_FOR: style.CLEAR_FOR,
    LEANS_FOR: style.LEANS_FOR,
    NEITHER: style.NEITHER,
    ELSE: style.OTHER_SUBJECT,
    LEANS_AGAINST: style.LEANS_AGAINST,
    CLEAR_AGAINST: style.CLEAR_AGAINST,
}


def direction_rows(rows: Iterable[TogetherRow]) -> pd.DataFrame:
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


def direction(row: TogetherRow) -> str:
    """Return what a row of `together` says about self-preference; `NEITHER` if it is printed as the null.

    A number of self-preference that is undefined says nothing, for which a dash stands.
    """
    if row["sign"] is None:
        return ELSE if row.get("null") is None else "–"
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
    top = axes.names_axis(labelAngle=-45, orient="top", **axis)
    base = alt.Chart().encode(
        x=alt.X("measure:N", title=None, sort=measures, axis=top),
        y=alt.Y("judge:N", title=None, sort=judges, axis=axes.names_axis(**axis)),
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
        *chart_marks.tooltips(judge="judge", measure="measure", words="value [95% interval]", says="says"),
        alt.Tooltip("rank:Q", title="rank, 1 the highest"),
        *chart_marks.tooltips(n="n"),
    ]
    cells = base.mark_rect(stroke=style.CELL, strokeWidth=0.8).encode(color=colour, tooltip=tooltip)
    width = len(measures) * max(38.0, min(84.0, 740 / max(len(measures), 1)))
    grid = alt.layer(cells, chart_marks.in_cells(base), data=frame, width=width, height=30 * len(judges))
    return alt.hconcat(grid)  # a page would fit a single view to its box, with lower rows
