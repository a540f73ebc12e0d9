"""Given and expected of a few judges' answers, as bars from what was expected to what was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, style
from engine.charts.lazy_altair import alt
from engine.charts.style import Look
from engine.measures.rows import FEW
from engine.words import given_expected

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

ITSELF, FAMILY = "own answers", "its family's answers"
ROW, AXIS = 26, 84
"""Height in pixels of a bar's row (with less, the names of two rows would touch), and of the axis with
a title of two lines."""

COLUMNS = ["label", "judge", "series", "given", "expected", "low", "high", "words", "n", "small"]


def given_rows(rows: Sequence[ScorecardRow]) -> pd.DataFrame:
    """Return a row for each judge's own answers and its family's, of 100.

    `rows` are those of `scorecard`; answers without both numbers are left out. `low` and `high` are the ends
    of what was expected, NaN without an interval; `n` is that of its own answers, NaN for its family's.
    """
    records = []
    for row in rows:
        own = (row["own_given"], row["own_expected"], row["own_expected_low"], row["own_expected_high"])
        family = (
            *(row["family_given"], row["family_expected"]),
            *(row["family_expected_low"], row["family_expected_high"]),
        )
        for part, series, numbers in (("own", ITSELF, own), ("family", FAMILY, family)):
            if numbers[0] is None or numbers[1] is None:
                continue
            of_100 = [np.nan if number is None else 100 * float(number) for number in numbers]
            judge = "the judges together" if row["judge"] is None else str(row["judge"])
            cases = given_expected.cases_of(row)
            words = cases.brief.format(given=f"{of_100[0]:.0f}", expected=f"{of_100[1]:.0f}")
            n = float(row[cases.number] or 0) if part == "own" else np.nan
            records.append(
                (judge if part == "own" else f"family of {judge}", judge, series, *of_100, words, n, n < FEW)
            )
    return pd.DataFrame.from_records(records, columns=COLUMNS)


def given(frame: pd.DataFrame, axis_title: str, *, width: int = 600) -> alt.TopLevelMixin:
    """Draw the frame of `given_rows`; `axis_title` says what the cases are."""
    looks = {ITSELF: Look(style.SELF, style.CIRCLE), FAMILY: Look(style.FAMILY, style.SQUARE)}
    colour, shape = chart_marks.looks(
        "series", {k: v for k, v in looks.items() if k in set(frame["series"])}, legend=False
    )
    numbers = frame[["given", "expected", "low", "high"]].to_numpy(dtype=float)
    ends = max(10 * np.floor(np.nanmin(numbers) / 10), 0.0), min(10 * np.ceil(np.nanmax(numbers) / 10), 100.0)
    scale = alt.Scale(domain=list(ends), nice=False, zero=False, clamp=True)
    axis = alt.Axis(gridOpacity=0.4, tickCount=5, format="d")
    y = alt.Y("label:N", title=None, axis=axes.names_axis(labelOverlap=False), sort=list(frame["label"]))
    base = alt.Chart().encode(y=y)
    expected = alt.X("expected:Q", title=axis_title, scale=scale, axis=axis)
    tooltip = chart_marks.tooltips(judge="judge", series="of", words="of 100 cases")
    layers = [
        base.mark_bar(height=9, opacity=0.55).encode(x=expected, x2="given:Q", color=colour, tooltip=tooltip)
    ]
    if frame[["low", "high"]].notna().all(axis=1).any():
        line = base.mark_rule(strokeWidth=2, color=style.NEUTRAL)
        layers.append(line.encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"))
    layers.append(base.mark_tick(thickness=2, size=18, color=style.NEUTRAL, opacity=1).encode(x=expected))
    point = alt.X("given:Q", title=axis_title, scale=scale, axis=axis)
    layers.append(chart_marks.points(base, x=point, color=colour, shape=shape, tooltip=tooltip))
    return alt.layer(*layers, data=frame, width=width, height=ROW * max(len(frame), 1) + AXIS)


def axis_of(row: ScorecardRow) -> str:
    """Return what the cases of a row are, of its own answers and its family's."""
    return (
        given_expected.cases_of(row)
        .axis.replace("its own answers", "these answers")
        .replace("its own answer", "that answer")
    )
