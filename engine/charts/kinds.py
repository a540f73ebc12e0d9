"""One number by kind of instance, such as SPB by category; a panel for each judge.

`rows_of` turns the rows of a measure grouped by a column into the frame that `kinds` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import LONGEST_LABEL, Form, interval, looks, number, points, reference_line, words
from engine.charts.palette import MEMBER

COLUMNS = ["judge", "kind", "series", "value", "low", "high", "words", "n", "small"]
NO_VALUE = "(no value)"
ROW = 22


def rows_of(
    rows: Iterable[Mapping[str, Any]], field: str, n: str, *, form: Form = "share", fewest: int = 30
) -> pd.DataFrame:
    """Return a row for each judge and slice in which `field` is defined; `n` names what counts its cases.

    Columns: `judge`, `kind` (the slice), `series`, `value` with its interval (NaN without one) and `words`,
    `n`, `small` (n below `fewest`).
    """
    made = []
    for row in rows:
        told = number(row, field)
        if row["judge"] is None or np.isnan(told[0]):
            continue
        kind = NO_VALUE if row["slice"] is None else str(row["slice"])
        where = str(row["judge"]), kind, field.upper()
        made.append((*where, *told, words(told, form), int(row[n]), row[n] < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def kinds(
    frame: pd.DataFrame, *, title: str, line: float, columns: int = 3, width: int = 240
) -> alt.FacetChart:
    """Draw the frame of `rows_of`: a line for each kind, on one axis for all judges; `line` means nothing."""
    names, judges = (list(dict.fromkeys(frame[column])) for column in ("kind", "judge"))
    colour, shape = looks("series", dict.fromkeys(frame["series"], MEMBER), legend=False)
    labels = alt.Axis(labelLimit=LONGEST_LABEL, ticks=False, domain=False, grid=False)
    y = alt.Y("kind:N", title=None, sort=sorted(names), axis=labels)
    axis = alt.Axis(format="+.0%", gridOpacity=0.4, tickCount=5)
    scale = alt.Scale(zero=True, nice=False, padding=6)
    tooltip = [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("kind:N", title="of"),
        alt.Tooltip("words:N", title=f"{title} [95% interval]"),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
    base = alt.Chart().encode(y=y)
    ends = alt.X("low:Q", scale=scale, title=title, axis=axis)
    layered = alt.layer(
        reference_line(line, "x"),
        interval(base, x=ends, x2="high:Q", color=colour),
        points(
            base, x=alt.X("value:Q", scale=scale, title=title), color=colour, shape=shape, tooltip=tooltip
        ),
        data=frame,
        width=width,
        height=ROW * len(names),
    )
    header = alt.Header(labelLimit=width, labelFontWeight="bold", labelAnchor="start")
    drawn: alt.FacetChart = layered.facet(
        alt.Facet("judge:N", title=None, sort=judges, header=header), columns=columns
    )
    return drawn
