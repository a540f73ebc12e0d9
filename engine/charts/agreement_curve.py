"""The agreement curve: the mean ratio on rubrics with a minimal agreement of judges, at both levels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from engine.charts import axes, chart_marks, number_forms, style
from engine.charts.lazy_altair import alt
from engine.words.plain_names import LEVELS

if TYPE_CHECKING:
    from engine.measures.row_types import AgreementCurveRow


def agreement_rows(rows: Iterable[AgreementCurveRow]) -> pd.DataFrame:
    """Return a row for each level and threshold at which any judge has a ratio.

    `judges` counts those with a ratio, `kept` is the share of rubrics.
    """
    records = []
    for row in rows:
        if row["hspp_self_mean"] is not None:
            value, rubrics = (
                number_forms.number(row, "hspp_self_mean"),
                number_forms.number(row, "rubrics_kept"),
            )
            mean = LEVELS[row["level"]], row["threshold"], *value, number_forms.words(value, "ratio")
            records.append((*mean, row["judges"], rubrics[0], number_forms.words(rubrics, "share")))
    columns = ["level", "threshold", "value", "low", "high", "words", "judges", "kept", "kept_words"]
    return pd.DataFrame.from_records(records, columns=columns)


def agreement_curve(frame: pd.DataFrame, *, width: int = 640) -> alt.VConcatChart:
    """Draw the frame of `agreement_rows`: mean ratios with bands of their intervals; below, rubrics kept."""
    looks = {
        LEVELS[level]: look for level, look in style.LEVELS.items() if LEVELS[level] in set(frame["level"])
    }
    data, scale, ticks = axes.ratio_axis(frame.assign(shown=frame["value"]), ["shown", "low", "high"])
    colour, shape = chart_marks.looks("level", looks)
    x = alt.X(
        "threshold:Q",
        title="pairs of judges that agree, at least",
        scale=alt.Scale(domain=[0.47, 1.03], nice=False),
        axis=alt.Axis(format=".0%", grid=False, values=[0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
    )
    y = alt.Y("shown:Q", title="mean ratio (1 = no preference)", scale=scale, axis=ticks)
    base = alt.Chart().encode(x=x, color=colour)
    tooltip = [
        alt.Tooltip("level:N", title="counted"),
        alt.Tooltip("threshold:Q", title="pairs of judges that agree, at least", format=".0%"),
        alt.Tooltip("words:N", title="mean ratio [95% interval]"),
        alt.Tooltip("judges:Q", title="judges with a ratio"),
        alt.Tooltip("kept_words:N", title="criteria kept"),
    ]
    main = alt.layer(
        chart_marks.reference_line(1, "y"),
        base.mark_area(opacity=0.18, aria=False).encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2, aria=False).encode(y=y),
        base.mark_point(filled=True, size=50, opacity=1).encode(y=y, shape=shape, tooltip=tooltip),
    ).properties(width=width, height=240)
    shares = alt.Axis(format=".0%", values=[0, 0.5, 1])
    rubrics = (
        alt.Chart()
        .mark_bar(size=18, opacity=0.7, color=style.LEVELS["rubric"].colour, aria=False)
        .transform_filter(alt.FieldEqualPredicate(field="level", equal=next(iter(looks), LEVELS["rubric"])))
        .encode(
            x=x,
            y=alt.Y("kept:Q", title="criteria kept", scale=alt.Scale(domain=[0, 1]), axis=shares),
            tooltip=[tooltip[1], tooltip[4]],
        )
        .properties(width=width, height=56)
    )
    return alt.vconcat(main, rubrics, data=data, spacing=8)
