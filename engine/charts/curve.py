"""The agreement curve: the mean ratio on rubrics that judges agree on, at both levels.

`rows_of` turns the rows of `agreement-curve` into the frame that `curve` draws.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt
import pandas as pd

from engine.charts.marks import looks, number, ratio_ends, ratio_ticks, reference_line, words
from engine.charts.palette import LEVELS

COLUMNS = ["level", "threshold", "value", "low", "high", "words", "judges", "kept", "kept_words"]


def rows_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each level and threshold at which any judge has a ratio.

    Columns: `level`, `threshold`, `value`, `low`, `high` (NaN without an interval), `words`, `judges`
    (those with a ratio), `kept` (share of rubrics) and `kept_words`.
    """
    made = []
    for row in rows:
        told = number(row, "hspp_self_mean")
        kept = number(row, "rubrics_kept")
        if row["hspp_self_mean"] is not None:
            numbers = (*told, words(told, "ratio"), row["judges"], kept[0], words(kept, "share"))
            made.append((row["level"], row["threshold"], *numbers))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def curve(frame: pd.DataFrame, *, width: int = 620, height: int = 240) -> alt.VConcatChart:
    """Draw the frame of `rows_of`: mean ratios with bands of their intervals, below the rubrics kept."""
    used = {level: look for level, look in LEVELS.items() if level in set(frame["level"])}
    low, high = ratio_ends(frame, ["value", "low", "high"])
    data = frame.assign(
        shown=frame["value"].clip(low, high),
        low=frame["low"].clip(low, high),
        high=frame["high"].clip(low, high),
    )
    colour, shape = looks("level", used)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    ticks = alt.Axis(values=ratio_ticks(low, high), format="~g", gridOpacity=0.4)
    x = _threshold()
    y = alt.Y("shown:Q", title="mean ratio (1 = no preference)", scale=scale, axis=ticks)
    base = alt.Chart().encode(x=x, color=colour)
    tooltip = [
        alt.Tooltip("level:N", title="level"),
        alt.Tooltip("threshold:Q", title="agreement of at least", format=".0%"),
        alt.Tooltip("words:N", title="mean ratio [95% interval]"),
        alt.Tooltip("judges:Q", title="judges with a ratio"),
        alt.Tooltip("kept_words:N", title="rubrics kept"),
    ]
    main = alt.layer(
        reference_line(1, "y"),
        base.mark_area(opacity=0.18, aria=False).encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2, aria=False).encode(y=y),
        base.mark_point(filled=True, size=50, opacity=1).encode(y=y, shape=shape, tooltip=tooltip),
    ).properties(width=width, height=height)
    kept = (
        alt.Chart()
        .mark_bar(size=max(width // 16, 4), opacity=0.7, color=LEVELS["rubric"].colour, aria=False)
        .transform_filter(alt.FieldEqualPredicate(field="level", equal=next(iter(used), "rubric")))
        .encode(
            x=x,
            y=alt.Y(
                "kept:Q",
                title="rubrics kept",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", values=[0, 0.5, 1]),
            ),
            tooltip=[tooltip[1], tooltip[4]],
        )
        .properties(width=width, height=56)
    )
    both: alt.VConcatChart = alt.vconcat(main, kept, data=data, spacing=8)
    return both


def _threshold() -> alt.X:
    return alt.X(
        "threshold:Q",
        title="agreement of at least",
        scale=alt.Scale(domain=[0.47, 1.03], nice=False),
        axis=alt.Axis(format=".0%", grid=False, values=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
    )
