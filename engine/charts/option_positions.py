"""Positions of a judge's choices in the list: P(position) and P(position | score), a panel per judge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.charts import chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.measures.rows import FEW

if TYPE_CHECKING:
    from engine.measures.row_types import PositionRow

ALL = "all scores"


def position_rows(overall: Iterable[PositionRow], by_score: Iterable[PositionRow]) -> pd.DataFrame:
    """Return a row for each judge, score (and all scores) and position, for one scale of options.

    `value` is the share of the selections, `away` the share less 1/n, `expected` 1/n in words, `n` counts
    selections.
    """
    scored = [(ALL, row) for row in overall]
    scored += [(f"{row['slice']:g}", row) for row in by_score if row["slice"] is not None]
    rows = []
    for score, row in scored:
        share, fair = number_forms.number(row, "share"), 1 / row["n_options"]
        if np.isnan(share[0]):
            continue
        texts = f"{100 * share[0]:.0f}", number_forms.words(share, "share"), f"{fair:.1%}"
        where = str(row["judge"]), score, int(row["position"])
        rows.append((*where, share[0], share[0] - fair, *texts, int(row["n"]), row["n"] < FEW))
    columns = ["judge", "score", "position", "value", "away", "label", "words", "expected", "n", "small"]
    frame = pd.DataFrame.from_records(rows, columns=columns)
    away = frame["away"].to_numpy(dtype=float)
    dark = np.abs(away) > 0.72 * np.abs(away).max(initial=0.0)
    return frame.assign(ink=np.where(dark, style.CELL, style.INK))


def position_shares(frame: pd.DataFrame) -> alt.FacetChart:
    """Draw the frame of `position_rows`: percent in each cell, coloured by the distance from 1/n."""
    scores = sorted(set(frame["score"]) - {ALL}, key=float)
    most = float(frame["away"].abs().max()) or 0.01
    title = "more or less than 1/n, points of 100"
    colour = chart_marks.gradient(
        "away", title, -most, most, style.DIVERGING, titleLimit=400, **number_forms.ticks_of("difference")
    )
    plain = alt.Axis(ticks=False, domain=False, grid=False, labelAngle=0)
    tooltip = [
        *chart_marks.tooltips(judge="judge", score="score"),
        alt.Tooltip("position:O", title="position"),
        *chart_marks.tooltips(words="share [95% interval]", expected="expected", n="selections"),
    ]
    base = alt.Chart().encode(
        x=alt.X("position:O", title="position in the list", axis=plain),
        y=alt.Y("score:N", title="score", sort=[ALL, *scores], axis=plain),
    )
    cells = base.mark_rect(stroke=style.CELL, strokeWidth=0.6).encode(color=colour, tooltip=tooltip)
    small = alt.FieldEqualPredicate(field="small", equal=True)
    text = chart_marks.in_cells(
        base.encode(opacity=alt.OpacityValue(1, condition={"test": small, "value": 0.55}))
    )
    width, height = 44 * frame["position"].nunique(), 26 * (len(scores) + 1)
    panel = alt.layer(cells, text, data=frame, width=width, height=height)
    return chart_marks.by_judge(panel, frame, 3, labelLimit=220)
