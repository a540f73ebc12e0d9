"""Numbers with their intervals, a row for each judge: accuracy, and what a judge's bias means in points.

`rows_of` turns the rows of a measure into the frame that `dots` draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import LONGEST_LABEL, Form, interval, looks, number, points, reference_line, words
from engine.charts.palette import FAMILY, LEVELS, SELF, SQUARE, Look

COLUMNS = ["label", "label_order", "series", "value", "low", "high", "n", "small", "words"]
ROW = 32


@dataclass(frozen=True)
class Dot:
    """One kind of mark: the field it shows, its words, look and form, and the field that counts it."""

    field: str
    words: str
    look: Look
    form: Form
    n: str | None = None


ACCURACY = (
    Dot("mra", "rubrics (MRA)", LEVELS["rubric"], "share", "mra_total"),
    Dot("mipa", "pairs of responses (MIPA)", LEVELS["instance"], "share", "mipa_total"),
)
BONUS = (
    Dot("bonus", "itself", Look(SELF, "circle"), "points"),
    Dot("family_bonus", "relatives", Look(FAMILY, SQUARE), "points"),
)

TAU = (Dot("tau", "each ranking", LEVELS["instance"], "ratio", "n_models"),)
"""Whose ranking is near the reference's."""


def rows_of(rows: Iterable[Mapping[str, Any]], kinds: Sequence[Dot], *, fewest: int = 30) -> pd.DataFrame:
    """Return a row for each judge and each number of `kinds` that is defined.

    Columns: `label` (the judge) and its order, `series`, `value`, `low`, `high` (NaN without an
    interval), `n` (NaN where nothing is counted), `small` (n below `fewest`), `words`.
    """
    made, order = [], dict[str, int]()
    for row in rows:
        judge = str(row["judge"])
        for kind in kinds:
            told = number(row, kind.field)
            if np.isnan(told[0]):
                continue
            place = order.setdefault(judge, len(order))
            n = np.nan if kind.n is None else float(row[kind.n])
            made.append((judge, place, kind.words, *told, n, bool(n < fewest), words(told, kind.form)))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def dots(
    frame: pd.DataFrame,
    kinds: Sequence[Dot],
    *,
    title: str,
    order: Sequence[str] | None = None,
    names: bool = True,
    line: float | None = None,
    width: int = 420,
) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`, a row for each judge of `order` (else of the frame).

    `line` is where no preference would be. Without `names` the rows have no labels: for a chart that
    stands beside another of the same rows.
    """
    used = {kind.words: kind.look for kind in kinds if kind.words in set(frame["series"])}
    rows = list(frame["label"].unique()) if order is None else list(order)
    colour, shape = looks("series", used)
    labels = alt.Axis(labelLimit=LONGEST_LABEL, labels=names, ticks=False, domain=False, grid=False)
    y = alt.Y("label:N", title=None, axis=labels, scale=alt.Scale(domain=rows))
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=list(used)))
    scale = alt.Scale(zero=False, nice=False, padding=8)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(gridOpacity=0.4, format=_format(kinds)))
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = [
        alt.Tooltip("label:N", title="judge"),
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("words:N", title="value [95% interval]"),
    ]
    if frame["n"].notna().any():
        tooltip.append(alt.Tooltip("n:Q", title="n", format=","))
    return alt.layer(
        *([] if line is None else [reference_line(line, "x")]),
        interval(base, x=alt.X("low:Q", title=title), x2=alt.X2("high:Q"), color=colour),
        points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=width,
        height=ROW * max(len(rows), 1),
    )


def _format(kinds: Sequence[Dot]) -> str:
    forms = {kind.form for kind in kinds}
    return ".0%" if forms == {"share"} else "~g" if forms == {"ratio"} else "+.0f"
