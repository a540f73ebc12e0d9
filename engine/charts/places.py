"""Where a judge's choices stand in the list: P(position) and P(position | score), a panel for each judge.

`rows_of` turns the rows of `position`, whole and by score, into the frame that `places` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import number, words
from engine.charts.palette import CELL, DIVERGING, INK

COLUMNS = ["judge", "score", "position", "value", "away", "label", "words", "expected", "n", "small"]
ALL = "all scores"
ROW, CELLS = 26, 44


def rows_of(
    whole: Iterable[Mapping[str, Any]], by_score: Iterable[Mapping[str, Any]], *, fewest: int = 30
) -> pd.DataFrame:
    """Return a row for each judge, score (and all of them) and position; of one scale of options.

    Columns: `judge`, `score`, `position`, `value` (share of the selections), `away` (the share less 1/n),
    `label`, `words`, `expected` (1/n in words), `n` (selections), `small` (n below `fewest`), `ink`.
    """
    told = [(ALL, row) for row in whole]
    told += [(f"{row['slice']:g}", row) for row in by_score if row["slice"] is not None]
    made = []
    for score, row in told:
        share, fair = number(row, "share"), 1 / row["n_options"]
        if np.isnan(share[0]):
            continue
        shown = f"{100 * share[0]:.0f}", words(share, "share"), f"{fair:.1%}"
        where = str(row["judge"]), score, int(row["position"])
        made.append((*where, share[0], share[0] - fair, *shown, int(row["n"]), row["n"] < fewest))
    frame = pd.DataFrame.from_records(made, columns=COLUMNS)
    away = frame["away"].to_numpy(dtype=float)
    dark = np.abs(away) > 0.72 * np.abs(away).max(initial=0.0)
    return frame.assign(ink=np.where(dark, CELL, INK))


def places(frame: pd.DataFrame, *, columns: int = 3) -> alt.FacetChart:
    """Draw the frame of `rows_of`: percent in each cell, coloured by how far it is from 1/n."""
    scores = sorted(set(frame["score"]) - {ALL}, key=float)
    most = float(frame["away"].abs().max()) or 0.01
    steps = list(np.linspace(-most, most, len(DIVERGING)))
    colour = alt.Color(
        "away:Q",
        title="more or less than 1/n, points of 100",
        scale=alt.Scale(domain=steps, range=list(DIVERGING), interpolate="lab"),
        legend=alt.Legend(
            orient="top", direction="horizontal", gradientLength=200, titleLimit=400, format="+.0%"
        ),
    )
    plain = alt.Axis(ticks=False, domain=False, grid=False, labelAngle=0)
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("score:N", title="score"),
        alt.Tooltip("position:O", title="position"),
        alt.Tooltip("words:N", title="share [95% interval]"),
        alt.Tooltip("expected:N", title="expected"),
        alt.Tooltip("n:Q", title="selections", format=","),
    ]
    base = alt.Chart().encode(
        x=alt.X("position:O", title="position in the list", axis=plain),
        y=alt.Y("score:N", title="score", sort=[ALL, *scores], axis=plain),
    )
    cells = base.mark_rect(stroke=CELL, strokeWidth=0.6).encode(color=colour, tooltip=tooltip)
    text = base.mark_text(fontSize=11, aria=False).encode(
        text=alt.Text("label:N"),
        fill=alt.Fill("ink:N", scale=None),
        opacity=alt.condition(
            alt.FieldEqualPredicate(field="small", equal=True), alt.value(0.55), alt.value(1)
        ),
    )
    judges = list(dict.fromkeys(frame["judge"]))
    facet = alt.Facet("judge:N", title=None, sort=judges, header=alt.Header(labelLimit=220))
    width, height = CELLS * frame["position"].nunique(), ROW * (len(scores) + 1)
    drawn: alt.FacetChart = alt.layer(cells, text, data=frame, width=width, height=height).facet(
        facet, columns=columns
    )
    return drawn
