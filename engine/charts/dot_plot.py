"""Numbers with their intervals, a row for each judge or ranking, such as accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.charts.style import Look
from engine.measures.rows import FEW


@dataclass(frozen=True)
class Dot:
    """One kind of mark: its field, words, look and form, and the field with its n (None: no n)."""

    field: str
    words: str
    look: Look
    form: Form = "share"
    n: str | None = "n"


DOT_COLUMNS = ["label", "label_order", "series", "value", "low", "high", "n", "small", "words"]
TALL = 15  # number of rows beyond which the axis is above them


ACCURACY = (
    Dot("mra", "criteria (MRA)", style.LEVELS["rubric"], n="mra_total"),
    Dot("mipa", "pairs of answers (MIPA)", style.LEVELS["instance"], n="mipa_total"),
)

TAU = (Dot("tau", "each ranking", style.LEVELS["instance"], "ratio", "n_models"),)
"""How close each ranking is to the reference's."""


def dot_rows(rows: Iterable[Mapping[str, Any]], kinds: Sequence[Dot]) -> pd.DataFrame:
    """Return a row for each judge and each number of `kinds` that is defined; NaN without interval or n."""
    records, order = [], dict[str, int]()
    for row in rows:
        judge = str(row["judge"])
        for kind in kinds:
            numbers = number_forms.number(row, kind.field)
            if np.isnan(numbers[0]):
                continue
            place = order.setdefault(judge, len(order))
            n = np.nan if kind.n is None else float(row[kind.n])
            text = number_forms.words(numbers, kind.form)
            records.append((judge, place, kind.words, *numbers, n, bool(n < FEW), text))
    return pd.DataFrame.from_records(records, columns=DOT_COLUMNS)


def dots(
    frame: pd.DataFrame,
    kinds: Sequence[Dot],
    *,
    title: str,
    order: Sequence[str] | None = None,
    names: bool = True,
    line: float | None = None,
    width: int = 420,
    legend: bool = True,
) -> alt.TopLevelMixin:
    """Draw the frame of `dot_rows`, a row for each judge of `order` (default: of the frame).

    `line` is the value of no preference. Without `names` the rows have no labels, for a chart beside another
    with the same rows.
    """
    looks = {kind.words: kind.look for kind in kinds if kind.words in set(frame["series"])}
    rows = list(frame["label"].unique()) if order is None else list(order)
    colour, shape = chart_marks.looks("series", looks, legend=legend)
    y = alt.Y("label:N", title=None, axis=axes.names_axis(labels=names), scale=alt.Scale(domain=rows))
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=list(looks)))
    scale = alt.Scale(zero=False, nice=False, padding=8)
    # With many rows, an axis below them would be far from the first.
    side: Literal["top", "bottom"] = "top" if len(rows) > TALL else "bottom"
    axis = alt.Axis(gridOpacity=0.4, **_ticks_of(kinds), tickCount=5, orient=side)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = chart_marks.tooltips(label="judge", series="of", words="value [95% interval]")
    if frame["n"].notna().any():
        tooltip += chart_marks.tooltips(n="n")
    return alt.layer(
        *([] if line is None else [chart_marks.reference_line(line, "x")]),
        chart_marks.interval(base, x=alt.X("low:Q", title=title), x2=alt.X2("high:Q"), color=colour),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=width,
        height=32 * max(len(rows), 1),
    )


def _ticks_of(kinds: Sequence[Dot]) -> dict[str, Any]:
    """Return how ticks are written: in points where a difference is drawn, beside shares or alone."""
    forms = {kind.form for kind in kinds}
    if forms == {"difference"}:
        return number_forms.ticks_of("difference")
    if "difference" in forms:
        return {"labelExpr": "format(100 * datum.value, '~g')"}
    if "points" in forms:
        return number_forms.ticks_of("points")
    return {"format": "~%"} if forms == {"share"} else number_forms.ticks_of("ratio")
