"""The small chart of a claim: its number with its interval among those that it is compared with.

`rows_of` turns a claim into the frame that `claimed` draws, `rows_together` several.
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.style import (
    CIRCLE,
    DIAMOND,
    NEUTRAL,
    SELF,
    Form,
    Look,
    interval,
    looks,
    names_axis,
    points,
    reference_line,
    tooltips,
    words,
)
from engine.explore.find_result import FIND
from engine.findings.claims import Claim, Row
from engine.findings.rule import ends_of
from engine.measures.catalogue import find

COLUMNS = ["label", "series", "value", "low", "high", "words", "n", "small"]
CLAIMED, OTHERS = "claimed", "for comparison"
LOOKS = {CLAIMED: Look(SELF, CIRCLE), OTHERS: Look(NEUTRAL, DIAMOND)}
MOST = 9
"""Rows drawn: the one claimed, and the first of those that it is compared with."""

MANY = 10_000
"""Where an axis counts in thousands."""

ROW, AXIS = 18, 80
"""Pixels of a row, and of the axis with its title where a page counts them in."""

FORMS: dict[str, Form] = {"share": "share", "points": "points"}


def rows_of(claim: Claim) -> pd.DataFrame:
    """Return a row for the claimed number and for each that it is compared with, the claimed one first.

    Columns: `label`, `series` (claimed or for comparison), `value`, `low`, `high` (NaN without an interval),
    `words`, `n` (NaN where nothing is counted), `small`. Empty where the claim's rows hold no such number.
    """
    form = form_of(claim)
    shown = [row for row in claim.rows if row.get(claim.field) is not None][:MOST]
    rows = []
    for row in shown:
        ends = ends_of(row, claim.field)
        low, high = (np.nan if end is None else float(end) for end in ends)
        numbers = float(row[claim.field]), low, high
        mine = all(row.get(name) == value for name, value in claim.at.items())
        series = CLAIMED if mine else OTHERS
        label = _label(row, claim, shown)
        rows.append((label, series, *numbers, words(numbers, form), np.nan, bool(row.get("small"))))
    return pd.DataFrame.from_records(rows, columns=COLUMNS)


def rows_together(claims: Sequence[Claim]) -> pd.DataFrame:
    """Return the rows of several claims of one rule, those claimed first, each number once."""
    frame = pd.concat([rows_of(claim) for claim in claims], ignore_index=True)
    claimed_first = frame.sort_values("series", key=lambda series: series != CLAIMED, kind="stable")
    return claimed_first.drop_duplicates("label", ignore_index=True).head(max(MOST, len(claims)))


def form_of(claim: Claim) -> Form:
    """Return how the claim's number is written: a share in percent, points, else with two places."""
    measure = FIND if claim.measure == FIND.name else find(claim.measure)
    kind = next((field.kind for field in measure.fields if field.name == claim.field), "ratio")
    return FORMS.get(kind, "ratio")


def _label(row: Row, claim: Claim, shown: list[Row]) -> str:
    """Return what tells a row apart from the others that are drawn: the judge, the slice, the size, ..."""
    names = [name for name in claim.at if len({str(other.get(name)) for other in shown}) > 1]
    parts = []
    for name in names or list(claim.at)[:1]:
        value = "all together" if row.get(name) is None else row[name]
        parts.append(f"{name} {value}" if isinstance(value, int | float) else str(value))
    return " / ".join(dict.fromkeys(parts))


def claimed(
    frame: pd.DataFrame, *, title: str, line: float | None, form: Form, width: int = 400
) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`; `line` stands where nothing would be found."""
    used = {name: LOOKS[name] for name in (CLAIMED, OTHERS) if name in set(frame["series"])}
    colour, shape = looks("series", used, legend=False)
    y = alt.Y("label:N", title=None, axis=names_axis(labelOverlap=False), sort=list(frame["label"]))
    many = float(frame["value"].abs().max()) >= MANY
    number = {"share": ".0%", "points": "+.0f"}.get(form, "~s" if many else ".3~g")
    axis = alt.Axis(gridOpacity=0.4, format=number, tickCount=4)
    scale = alt.Scale(zero=False, nice=False, padding=6)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    base = alt.Chart().encode(y=y)
    tooltip = tooltips(label="of", words="value [95% interval]", series="shown")
    known = frame[["low", "high"]].notna().all(axis=1).any()
    return alt.layer(
        *([] if line is None else [reference_line(line, "x")]),
        *(
            [interval(base, x=alt.X("low:Q", title=title), x2=alt.X2("high:Q"), color=colour)]
            if known
            else []
        ),
        points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=width,
        height=ROW * max(len(frame), 1) + AXIS,
    )
