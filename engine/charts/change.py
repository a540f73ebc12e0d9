"""Charts of a change: before and after, members beside their committee, two sides compared."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import style
from engine.charts.forest import MEANS
from engine.charts.style import Form, Look
from engine.measures.rows import FEW

# ------------------------------------------------------------------------------
# Before and after: SPB of each judge with the usual prompt, and an arrow to that with another variant.


BEFORE, AFTER = "usual prompt", "other prompt"
ENDS = {BEFORE: "spb_baseline", AFTER: "spb"}


def before_after_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return two rows, before and after, for each judge and variant in which SPB is defined in both.

    `reduction_words` and `eta_words` are the fall of |SPB|, and as a share; `n` counts common pairs with the
    judge's own response.
    """
    records = []
    for row in rows:
        ends = {series: style.number(row, field) for series, field in ENDS.items()}
        if any(np.isnan(numbers[0]) for numbers in ends.values()):
            continue
        fall = style.words(style.number(row, "reduction"), "difference")
        share = style.words(style.number(row, "eta"), "share")
        n = int(row["n_pairs"])
        for series, numbers in ends.items():
            place = str(row["judge"]), str(row["variant"]), series
            words = style.words(numbers, "difference")
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
    title = style.with_unit(f"SPB, {variant}", "difference")
    y = alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=style.names_axis(labels=names))
    axis = alt.Axis(**style.ticks_of("difference"), gridOpacity=0.4, tickCount=5)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    colour, shape = style.looks("series", {BEFORE: style.MEMBER, AFTER: style.COMMITTEE})
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=[BEFORE, AFTER]))
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = style.tooltips(
        judge="judge",
        series="of",
        words="SPB [95% interval]",
        reduction_words="reduction of |SPB|",
        eta_words="relative reduction (eta)",
        n="common pairs",
    )
    arrows = _arrows(part, BEFORE, AFTER)
    heads = np.where(arrows["end"] > arrows["start"], "▶", "◀")
    arrow = alt.Chart(arrows.assign(head=heads)).encode(y=y)
    return alt.layer(
        style.reference_line(0, "x"),
        arrow.mark_rule(color=style.NEUTRAL, strokeWidth=1.6, aria=False).encode(
            x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q")
        ),
        arrow.mark_text(color=style.NEUTRAL, fontSize=9, baseline="middle", aria=False).encode(
            x=alt.X("end:Q", title=title, scale=scale), text=alt.Text("head:N")
        ),
        style.interval(base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour),
        style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=part,
        width=230,
        height=34 * len(judges),
    )


def _arrows(part: pd.DataFrame, start: str, end: str) -> pd.DataFrame:
    """Return the start and end of each judge's arrow, for judges with both series."""
    starts, ends = (part[part["series"] == series].set_index("judge")["value"] for series in (start, end))
    both = [judge for judge in starts.index if judge in ends.index]
    return pd.DataFrame({"judge": both, "start": starts[both].to_numpy(), "end": ends[both].to_numpy()})


# ------------------------------------------------------------------------------
# From a member to its committee: ratio and accuracy of each judge, and of the majority in its place.


WHO = {"": "the judge alone", "_committee": "the committee in its place"}


def committee_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each member, level, kind of number and voter (`series`), if defined.

    `n` counts the member's own failures behind a ratio; `small` marks fewer than 30.
    """
    records = []
    for row in rows:
        fields: dict[Form, str] = {"ratio": "hspp_self", "share": style.ACCURACIES[row["level"]]}
        for form, field in fields.items():
            for suffix, who in WHO.items():
                numbers = style.number(row, f"{field}{suffix}")
                if not np.isnan(numbers[0]):
                    kind = "ratio" if form == "ratio" else "accuracy"
                    n = row.get(f"n_self{suffix}") if form == "ratio" else None
                    where = str(row["judge"]), row["level"], kind, who
                    small = n is not None and n < FEW
                    records.append((*where, *numbers, style.words(numbers, form), n, small))
    columns = ["judge", "level", "kind", "series", "value", "low", "high", "words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def member_to_committee(frame: pd.DataFrame) -> alt.HConcatChart:
    """Draw the frame of `committee_rows`: ratio and accuracy per level, a line from member to committee."""
    judges = list(dict.fromkeys(frame["judge"]))
    panels: list[Any] = []
    for level in style.ACCURACIES:
        for kind in ("ratio", "accuracy"):
            part = frame[(frame["level"] == level) & (frame["kind"] == kind)].reset_index(drop=True)
            if len(part) or frame.empty:
                panels.append(_committee_panel(part, level, kind, judges, names=not panels))
    return alt.hconcat(*panels, spacing=14)


def _committee_panel(
    part: pd.DataFrame, level: str, kind: str, judges: list[str], *, names: bool
) -> style.Layered:
    title = f"{kind}, {level} level"
    if kind == "ratio":
        part, scale, axis = style.ratio_axis(part, labelOverlap=True)
    else:
        scale = alt.Scale(zero=False, nice=False, padding=8)
        axis = alt.Axis(format=".0%", gridOpacity=0.4, tickCount=4)
    y = alt.Y("judge:N", title=None, scale=alt.Scale(domain=judges), axis=style.names_axis(labels=names))
    alone, together = WHO.values()
    colour, shape = style.looks("series", {alone: style.MEMBER, together: style.COMMITTEE})
    offset = alt.YOffset("series:N", scale=alt.Scale(domain=[alone, together]))
    base = alt.Chart().encode(y=y, yOffset=offset)
    tooltip = style.tooltips(judge="judge", series="of", words=title, n="own failures")
    x = alt.X("value:Q", title=title, scale=scale)
    steps = alt.Chart(_arrows(part, alone, together))
    layers = [
        *([style.reference_line(1, "x")] if kind == "ratio" else []),
        steps.mark_rule(color=style.NEUTRAL, opacity=0.6, aria=False).encode(
            x=alt.X("start:Q", title=title, scale=scale, axis=axis), x2=alt.X2("end:Q"), y=y
        ),
        style.interval(base, x=alt.X("low:Q", title=title, scale=scale), x2=alt.X2("high:Q"), color=colour),
        style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
    ]
    return alt.layer(*layers, data=part, width=165, height=34 * len(judges))


# ------------------------------------------------------------------------------
# Two sides and their difference: side A, side B, and A against B, a row for each judge.


LOOKS = {
    "hspp_self": style.MEMBER,
    "hspp_matched": Look(style.SELF, style.DIAMOND),
    "hspp_family": Look(style.FAMILY, style.SQUARE),
    "o_self": style.MEMBER,
    "o_other": Look(style.OTHER, style.TRIANGLE),
}
"""Ratios and shares about someone look as in other charts; other numbers and differences are grey."""

PLAIN = Look(style.NEUTRAL, style.CIRCLE)
PANELS = ("A", "B", "A against B")
VIEWS = {panel: f"side_{place}" for place, panel in enumerate(PANELS)}


def judge_of(row: Mapping[str, Any]) -> str:
    """Return the judge of a compared row as its label."""
    return MEANS if row["judge"] is None else str(row["judge"])


def two_side_rows(
    rows: Iterable[Mapping[str, Any]],
    *,
    as_ratio: bool,
    label: Callable[[Mapping[str, Any]], str] = judge_of,
) -> pd.DataFrame:
    """Return up to three rows for each compared row: side A, side B, and A against B, if defined.

    `as_ratio` says whether the numbers are ratios (else shares); `label` names a row. `low` and `high` are
    NaN without an interval; `n` of A against B is the smaller side's. Rows of means come first.
    """
    form: Form = "ratio" if as_ratio else "share"
    forms: tuple[Form, ...] = (form, form, "ratio" if as_ratio else "difference")
    fields = (("a", "a_low", "a_high"), ("b", "b_low", "b_high"), ("difference", "low", "high"))
    records = []
    for row in sorted(rows, key=lambda row: row["judge"] is not None):  # means first; stable
        counts = row["n_a"], row["n_b"], min(row["n_a"], row["n_b"])
        for panel, names, form, n in zip(PANELS, fields, forms, counts, strict=True):
            value, low, high = (np.nan if row[name] is None else float(row[name]) for name in names)
            if not np.isnan(value):
                text = style.words((value, low, high), form)
                records.append((panel, label(row), row["field"], value, low, high, text, n, n < FEW))
    columns = ["panel", "label", "field", "value", "low", "high", "words", "n", "small"]
    return pd.DataFrame.from_records(records, columns=columns)


def two_sides(frame: pd.DataFrame, *, as_ratio: bool, picks: bool = False) -> alt.HConcatChart:
    """Draw the frame of `two_side_rows`: the two sides on one scale, and beside them A against B.

    Ratios are compared by their ratio, shares by their difference in points. With `picks`, a click on a mark
    chooses its `panel` and `label`.
    """
    labels = list(dict.fromkeys(frame["label"]))
    between = frame["panel"] == PANELS[2]
    panels = []
    for panel in PANELS:
        part, axis_rows = frame[frame["panel"] == panel], frame[~between]
        if panel == PANELS[2]:
            part = axis_rows = part.assign(field="difference")
        panels.append(_two_side_panel(part, axis_rows, panel, labels, as_ratio=as_ratio, picks=picks))
    chart: alt.HConcatChart = alt.hconcat(*panels, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent"
    )
    if picks:
        config = alt.PointSelectionConfig(type="point", fields=["panel", "label"], toggle=False)
        pick = alt.TopLevelSelectionParameter(name=style.PICK, select=config, views=list(VIEWS.values()))
        chart.params = [pick]
    return chart


def _two_side_panel(
    part: pd.DataFrame, axis_rows: pd.DataFrame, panel: str, labels: list[str], *, as_ratio: bool, picks: bool
) -> alt.LayerChart:
    """Draw one panel; its axis covers `axis_rows`."""
    title = f"{panel}: {'ratio (1 = no preference)' if as_ratio else 'share'}"
    if panel == PANELS[2]:
        title = "A / B (1 = alike)" if as_ratio else "A − B, points (0 = alike)"
    scale, axis, low, high = _axis(axis_rows, panel, as_ratio=as_ratio)
    part = style.within(part, low, high)
    names = style.names_axis(labels=panel == PANELS[0], labelFlush=False)
    y = alt.Y("label:N", title=None, scale=alt.Scale(domain=labels), axis=names)
    looks = {field: LOOKS.get(field, PLAIN) for field in dict.fromkeys(part["field"])}
    colour, shape = style.looks("field", looks, legend=False)
    base = alt.Chart().encode(y=y)
    tooltip = style.tooltips(label="row", panel="side", words="value [95% interval]", n="n")
    x = alt.X("shown:Q", title=title, scale=scale, axis=axis)
    marks = style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip)
    layers = [
        style.interval(base, x=alt.X("from:Q", title=title, scale=scale), x2=alt.X2("to:Q"), color=colour),
        style.fade_others(marks).properties(name=VIEWS[panel]) if picks else marks,
    ]
    if part["arrow"].any():
        edge = alt.X("edge:Q", title=title, scale=scale)
        layers.append(base.mark_text(fontSize=13).encode(x=edge, text=alt.Text("arrow:N"), color=colour))
    if as_ratio or panel == PANELS[2]:
        layers.insert(0, style.reference_line(1 if as_ratio else 0, "x"))
    return alt.LayerChart(layer=layers, data=part, width=235, height=24 * max(len(labels), 1))


def _axis(axis_rows: pd.DataFrame, panel: str, *, as_ratio: bool) -> tuple[alt.Scale, alt.Axis, float, float]:
    if as_ratio:
        _, scale, axis = style.ratio_axis(axis_rows, labelOverlap=True)
        return scale, axis, *style.ratio_ends(axis_rows, ["value", "low", "high"])
    numbers = axis_rows[["value", "low", "high"]].to_numpy(dtype=float)
    ends = numbers[np.isfinite(numbers)]
    form: Form = "share"
    if panel == PANELS[2]:
        ends, form = np.append(ends, 0.0), "difference"
    low, high = float(ends.min(initial=1.0)), float(ends.max(initial=-1.0))
    room = 0.05 * abs(high - low) + 1e-6
    axis = alt.Axis(**style.ticks_of(form), gridOpacity=0.4, tickCount=4)
    return alt.Scale(domain=[low - room, high + room], nice=False), axis, low, high
