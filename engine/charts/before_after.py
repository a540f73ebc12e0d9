"""Before and after: SPB of each judge with the usual prompt, and an arrow to that with another variant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.measures.rows import FEW

if TYPE_CHECKING:
    from engine.measures.row_types import MitigationRow

BEFORE, AFTER = "usual prompt", "other prompt"
ENDS = {BEFORE: "spb_baseline", AFTER: "spb"}


def before_after_rows(rows: Iterable[MitigationRow]) -> pd.DataFrame:
    """Return two rows, before and after, for each judge and variant in which SPB is defined in both.

    `reduction_words` and `eta_words` are the fall of |SPB|, and as a share; `n` counts common pairs with the
    judge's own response.
    """
    records = []
    for row in rows:
        ends = {series: number_forms.number(row, field) for series, field in ENDS.items()}
        if any(np.isnan(numbers[0]) for numbers in ends.values()):
            continue
        fall = number_forms.words(number_forms.number(row, "reduction"), "difference")
        share = number_forms.words(number_forms.number(row, "eta"), "share")
        n = int(row["n_pairs"])
        for series, numbers in ends.items():
            place = str(row["judge"]), str(row["variant"]), series
            words = number_forms.words(numbers, "difference")
            records.append((*place, *numbers, words, fall, share, n, n < FEW))
    columns = ["judge", "variant", "series", "value", "low", "high", "words"]
    columns += ["reduction_words", "eta_words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def before_after(frame: pd.DataFrame) -> alt.HConcatChart:
    """Draw the frame of `before_after_rows`: a panel for each variant, an arrow for each judge."""
    judges = list(dict.fromkeys(frame["judge"]))
    numbers = frame[["value", "low", "high"]].to_numpy(dtype=float)
    low, high = float(np.nanmin(numbers, initial=0.0)), float(np.nanmax(numbers, initial=0.0))
    pad = 0.05 * (high - low) or 0.05
    scale = alt.Scale(domain=[low - pad, high + pad], nice=False)
    panels = [
        _before_after_panel(part.reset_index(drop=True), variant, judges, scale, names=place == 0)
        for place, (variant, part) in enumerate(frame.groupby("variant", sort=False))
    ]
    return alt.hconcat(*panels, spacing=14)


def _before_after_panel(
    part: pd.DataFrame, variant: Any, judges: list[str], scale: alt.Scale, *, names: bool
) -> Any:
    title = number_forms.with_unit(f"SPB, {variant}", "difference")
    y = alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=axes.names_axis(labels=names))
    axis = alt.Axis(**number_forms.ticks_of("difference"), gridOpacity=0.4, tickCount=5)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    colour, shape = chart_marks.looks("series", {BEFORE: style.MEMBER, AFTER: style.COMMITTEE})
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=[BEFORE, AFTER]))
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = chart_marks.tooltips(
        judge="judge",
        series="of",
        words="SPB [95% interval]",
        reduction_words="reduction of |SPB|",
        eta_words="relative reduction (eta)",
        n="common pairs",
    )
    arrows = arrow_shapes(part, BEFORE, AFTER)
    heads = np.where(arrows["end"] > arrows["start"], "▶", "◀")
    arrow = alt.Chart(arrows.assign(head=heads)).encode(y=y)
    return alt.layer(
        chart_marks.reference_line(0, "x"),
        arrow.mark_rule(color=style.NEUTRAL, strokeWidth=1.6, aria=False).encode(
            x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q")
        ),
        arrow.mark_text(color=style.NEUTRAL, fontSize=9, baseline="middle", aria=False).encode(
            x=alt.X("end:Q", title=title, scale=scale), text=alt.Text("head:N")
        ),
        chart_marks.interval(
            base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour
        ),
        chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=part,
        width=230,
        height=34 * len(judges),
    )


def arrow_shapes(part: pd.DataFrame, start: str, end: str) -> pd.DataFrame:
    """Return the start and end of each judge's arrow, for judges with both series."""
    starts, ends = (part[part["series"] == series].set_index("judge")["value"] for series in (start, end))
    both = [judge for judge in starts.index if judge in ends.index]
    return pd.DataFrame({"judge": both, "start": starts[both].to_numpy(), "end": ends[both].to_numpy()})
