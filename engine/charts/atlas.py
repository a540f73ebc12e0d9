"""The atlas: one bar for each judge of each published study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from engine.charts import chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.style import Look
from engine.conclusions import side_of

CLAIM, AGAINST, OPEN = "favours or overrates its own", "harder on its own", "neither is claimed"
LOOKS = {CLAIM: Look(style.SELF, style.CIRCLE), AGAINST: Look(style.OTHER, style.SQUARE)} | {
    OPEN: Look(style.NEUTRAL, style.DIAMOND)
}
KINDS = {1: CLAIM, 0: OPEN, -1: AGAINST}
"""What a bar's look says, by the side of the conclusion."""

PICK = "atlas_bar"  # the name of the selection that a click on a row sets; its fields are `study` and `judge`
BETWEEN = " · "  # parts of a label
LABEL = 320
"""Pixels after which a label is cut."""
COLUMNS = ["label", "group", "study", "judge", "excess", "low", "high", "kind", "words"]


def frame_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each bar, in cases of 100; NaN where there is no interval."""
    records = []
    for row in rows:
        numbers = [row["excess"], row["excess_low"], row["excess_high"]]
        of_100 = [None if number is None else 100 * number for number in numbers]
        words = f"{100 * row['own_given']:.0f} given, {100 * row['own_expected']:.0f} expected"
        parts = dict.fromkeys((str(row["model"] or row["judge"]), str(row["study"]), str(row["group"])))
        label = BETWEEN.join(parts)
        kind = KINDS[side_of(row["conclusion"])]
        records.append((label, row["group"], row["study"], row["judge"], *of_100, kind, words))
    return pd.DataFrame.from_records(records, columns=COLUMNS).astype(
        dict.fromkeys(("excess", "low", "high"), float)
    )


def bars(rows: Iterable[Mapping[str, Any]], width: int = 460, *, narrow: bool = False) -> chart_marks.Layered:
    """Draw the bars of judges with their intervals, in the order of the rows.

    On a `narrow` page each part of a label has a line of its own.
    """
    frame = frame_of(rows)
    colour, _ = chart_marks.looks(
        "kind", {name: look for name, look in LOOKS.items() if name in set(frame["kind"])}
    )
    lines: dict[str, Any] = {"labelExpr": f"split(datum.label, '{BETWEEN}')"} if narrow else {}
    names = alt.Axis(labelLimit=LABEL, labelOverlap=False, ticks=False, domain=False, grid=False, **lines)
    y = alt.Y("label:N", title=None, sort=None, axis=names)
    axis = alt.Axis(labelExpr=number_forms.SIGNED, labelFlush=True, gridOpacity=0.4)
    x = alt.X("excess:Q", title="given minus expected, of 100 own cases", axis=axis)
    tooltip = chart_marks.tooltips(judge="judge", study="study", words="of 100 own cases", kind="conclusion")
    base = alt.Chart().encode(y=y)
    pick = alt.selection_point(name=PICK, fields=["study", "judge"], toggle=False)
    row_marks: alt.Chart = base.mark_rect(color=style.NEUTRAL, cursor="pointer", stroke=None).encode(
        **chart_marks.fixed(x=0, x2="width"),
        fillOpacity=alt.FillOpacityValue(0, condition={"param": PICK, "empty": False, "value": 0.14}),
        tooltip=tooltip,
    )
    layers = [
        row_marks.add_params(pick),  # a bar may be too short to hit
        base.mark_bar(height=8, opacity=0.65).encode(x=x, color=colour, tooltip=tooltip),
        base.mark_rule(strokeWidth=1.5, color=style.NEUTRAL).encode(x=alt.X("low:Q"), x2="high:Q"),
        chart_marks.reference_line(0.0, "x"),
    ]
    return alt.layer(*layers, data=frame, width=width, height=alt.Step(34 if narrow else 16))
