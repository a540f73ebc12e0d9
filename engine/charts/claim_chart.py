"""The small chart of a claim: its number with its interval, beside those that it is compared with.

`rows_of` makes the frame that `claim_chart` draws from one claim, `rows_together` from several.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, given, number_forms, style
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.charts.rank_lines import ranking_name
from engine.charts.style import Look
from engine.explore.find_slices import FIND
from engine.findings.claimed_number import Row, ends_of
from engine.findings.claims import CONCLUSIONS, Claim
from engine.measures.catalogue import find
from engine.measures.comparison import comparison_measure
from engine.measures.entry import Measure
from engine.phrases import quantity
from engine.words.board_facts import null_of
from engine.words.plain_names import value_words
from engine.words.short_titles import DECIDING_AXES, axis_title, slice_place

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

CLAIMED, OTHERS = "claimed", "for comparison"
LOOKS = {CLAIMED: Look(style.SELF, style.CIRCLE), OTHERS: Look(style.NEUTRAL, style.DIAMOND)}
MOST = 9  # most rows drawn: the claimed one, and the first of those it is compared with
MANY = 10_000  # values from which an axis uses SI prefixes, such as 10k
OF_FAMILIES = "family_estimate"  # of the judges together, which has no given and expected
ROW, AXIS = 18, 80  # height in pixels of a row, and of the axis with its title


def rows_of(claim: Claim) -> pd.DataFrame:
    """Return a row for the claimed number and for each that it is compared with, the claimed one first.

    `n` is always NaN. Empty if the claim's rows do not have the number.
    """
    form = form_of(claim)
    rows = [row for row in claim.rows if row.get(claim.field) is not None][:MOST]
    records = []
    for row in rows:
        low, high = (np.nan if end is None else float(end) for end in ends_of(row, claim.field))
        numbers = float(row[claim.field]), low, high
        is_claimed = all(row.get(name) == value for name, value in claim.at.items())
        where = _label(row, claim, rows), CLAIMED if is_claimed else OTHERS
        records.append((*where, *numbers, number_forms.words(numbers, form), np.nan, bool(row.get("small"))))
    columns = ["label", "series", "value", "low", "high", "words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def rows_together(claims: Sequence[Claim]) -> pd.DataFrame:
    """Return the rows of several claims of one rule, claimed ones first, each label once."""
    frame = pd.concat([rows_of(claim) for claim in claims], ignore_index=True)
    claimed_first = frame.sort_values("series", key=lambda series: series != CLAIMED, kind="stable")
    return claimed_first.drop_duplicates("label", ignore_index=True).head(max(MOST, len(claims)))


def form_of(claim: Claim) -> Form:
    """Return how the claim's number is written: as a share, a difference of shares, points, or a ratio."""
    number = _decided_by(claim)
    if number in DECIDING_AXES:
        decided: dict[str, Form] = {"vote_outside": "difference", "bonus_outside": "points"}
        return decided.get(number, "ratio")
    kinds = (field.kind for field in _measure_of(claim).fields if field.name == claim.field)
    return number_forms.OF_KIND.get(next(kinds, "ratio"), "ratio")


def _measure_of(claim: Claim) -> Measure:
    """Return the measure with the fields of a claim's rows, which may compare two slices or runs."""
    measure = FIND if claim.measure == FIND.name else find(claim.measure)
    is_own = any(field.name == claim.field for field in measure.fields)
    return measure if is_own else comparison_measure(measure)


def _label(row: Row, claim: Claim, rows: list[Row]) -> str:
    """Return what distinguishes a row from the others drawn: the judge, the slice, the size, ..."""
    names = [name for name in claim.at if len({str(other.get(name)) for other in rows}) > 1]
    parts = []
    for name in names or list(claim.at)[:1]:
        value = row.get(name)
        if value is None:
            parts.append("all together")
        elif name == "size":
            parts.append(quantity(int(value), "judge"))
        elif name == "where":
            parts.append(slice_place(str(value), ", "))
        elif name == "by":
            parts.append(ranking_name(str(value)))
        else:
            parts.append(value_words(name, value))
    return " / ".join(dict.fromkeys(parts))


NO_EFFECT = {"odds_family": 1.0, "hspp_self": 1.0, "ratio_outside_committee": 1.0}
"""The values of no effect of numbers whose rules decide themselves what is significant."""


def chart_settings(claim: Claim) -> dict[str, Any]:
    """Return the title, line and form of a claim's chart, as arguments of `claim_chart`."""
    number, form = _decided_by(claim), form_of(claim)
    title = DECIDING_AXES.get(number) or axis_title(_measure_of(claim), claim.field)
    null = NO_EFFECT.get(claim.field) if claim.null is None else claim.null
    line = float(null_of(number)) if number in DECIDING_AXES else null
    return {"title": number_forms.with_unit(title, form), "line": line, "form": form}


def _decided_by(claim: Claim) -> str:
    """Return the number that decided a conclusion; empty for other claims."""
    of_conclusion = claim.field in ("estimate", OF_FAMILIES)
    return str(claim.rows[0].get("decided_by")) if of_conclusion and claim.rows else ""


def claim_chart(
    frame: pd.DataFrame, *, title: str, line: float | None, form: Form, width: int = 400
) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`; `line` is the value of no effect."""
    looks = {name: LOOKS[name] for name in (CLAIMED, OTHERS) if name in set(frame["series"])}
    colour, shape = chart_marks.looks("series", looks, legend=False)
    y = alt.Y("label:N", title=None, axis=axes.names_axis(labelOverlap=False), sort=list(frame["label"]))
    large = float(frame["value"].abs().max()) >= MANY
    ticks: dict[str, Any] = (
        {"format": "~s" if large else ",~r"} if form == "ratio" else number_forms.ticks_of(form)
    )
    axis = alt.Axis(gridOpacity=0.4, tickCount=4, **ticks)
    scale = alt.Scale(zero=False, nice=False, padding=6)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    base = alt.Chart().encode(y=y)
    tooltip = chart_marks.tooltips(label="of", words="value [95% interval]", series="shown")
    layers = [] if line is None else [chart_marks.reference_line(line, "x")]
    if frame[["low", "high"]].notna().all(axis=1).any():
        ends = alt.X("low:Q", title=title)
        layers.append(chart_marks.interval(base, x=ends, x2=alt.X2("high:Q"), color=colour))
    layers.append(chart_marks.points(base, x=x, color=colour, shape=shape, tooltip=tooltip))
    return alt.layer(*layers, data=frame, width=width, height=ROW * max(len(frame), 1) + AXIS)


Draw = Callable[[pd.DataFrame], "alt.TopLevelMixin"]


def drawing_of(claims: Sequence[Claim], *, width: int) -> tuple[pd.DataFrame, Draw]:
    """Return the rows of claims of one rule, and what draws them.

    Conclusions on judges and families are drawn as what was given and expected, which their sentences say,
    for the judges that they are about; others as numbers beside those that they are compared with.
    """
    if claims[0].rule in CONCLUSIONS and claims[0].field != OF_FAMILIES:
        rows = [cast("ScorecardRow", claim.rows[0]) for claim in claims if claim.rows]
        frame = given.given_rows(rows)
        if len(frame):
            return frame, partial(given.given, axis_title=given.axis_of(rows[0]), width=width)
    return rows_together(claims), partial(claim_chart, **chart_settings(claims[0]), width=width)
