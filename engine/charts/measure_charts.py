"""The small chart of a claim, and one function for each measure with a chart, from rows to chart."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import change, forest, given, heatmap, lines, panels, scatter, style
from engine.charts.panels import Panel
from engine.charts.style import Form, Look
from engine.errors import UsageError
from engine.explore.find_slices import FIND
from engine.findings.claims import CONCLUSIONS, Claim, Row
from engine.findings.rules import ends_of
from engine.measures.catalogue import find
from engine.measures.result import Result, Rows
from engine.measures.row_kinds import pooled_rows, scale_rows, scales
from engine.values import quantity
from engine.words import DECIDING_AXES, axis_title
from engine.words.conclusions import null_of

# ------------------------------------------------------------------------------
# The small chart of a claim: its number with its interval, beside those that it is compared with.
#
# `rows_of` makes the frame that `claim_chart` draws from one claim, `rows_together` from several.


CLAIMED, OTHERS = "claimed", "for comparison"
LOOKS = {CLAIMED: Look(style.SELF, style.CIRCLE), OTHERS: Look(style.NEUTRAL, style.DIAMOND)}
MOST = 9  # most rows drawn: the claimed one, and the first of those it is compared with
MANY = 10_000  # values from which an axis uses SI prefixes, such as 10k
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
        records.append((*where, *numbers, style.words(numbers, form), np.nan, bool(row.get("small"))))
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
    measure = FIND if claim.measure == FIND.name else find(claim.measure)
    forms = (style.OF_KIND.get(field.kind, "ratio") for field in measure.fields if field.name == claim.field)
    return next(forms, "ratio")


def _label(row: Row, claim: Claim, rows: list[Row]) -> str:
    """Return what distinguishes a row from the others drawn: the judge, the slice, the size, ..."""
    names = [name for name in claim.at if len({str(other.get(name)) for other in rows}) > 1]
    parts = []
    for name in names or list(claim.at)[:1]:
        value = "all together" if row.get(name) is None else row[name]
        if name == "size":
            parts.append(quantity(int(value), "judge"))
        else:
            parts.append(str(value).removeprefix("committee:").replace("; ", ", ").replace("=", " "))
    return " / ".join(dict.fromkeys(parts))


NO_EFFECT = {"odds_family": 1.0, "hspp_self": 1.0, "ratio_outside_committee": 1.0}
"""The values of no effect of numbers whose rules decide themselves what is significant."""


def chart_settings(claim: Claim) -> dict[str, Any]:
    """Return the title, line and form of a claim's chart, as arguments of `claim_chart`."""
    number, form = _decided_by(claim), form_of(claim)
    title = DECIDING_AXES.get(number) or axis_title(claim.measure, claim.field)
    null = NO_EFFECT.get(claim.field) if claim.null is None else claim.null
    line = float(null_of(number)) if number in DECIDING_AXES else null
    return {"title": style.with_unit(title, form), "line": line, "form": form}


def _decided_by(claim: Claim) -> str:
    """Return the number that decided a conclusion; empty for other claims."""
    return str(claim.rows[0].get("decided_by")) if claim.field == "estimate" and claim.rows else ""


def claim_chart(
    frame: pd.DataFrame, *, title: str, line: float | None, form: Form, width: int = 400
) -> alt.TopLevelMixin:
    """Draw the frame of `rows_of`; `line` is the value of no effect."""
    looks = {name: LOOKS[name] for name in (CLAIMED, OTHERS) if name in set(frame["series"])}
    colour, shape = style.looks("series", looks, legend=False)
    y = alt.Y("label:N", title=None, axis=style.names_axis(labelOverlap=False), sort=list(frame["label"]))
    large = float(frame["value"].abs().max()) >= MANY
    ticks: dict[str, Any] = {"format": "~s" if large else ",~r"} if form == "ratio" else style.ticks_of(form)
    axis = alt.Axis(gridOpacity=0.4, tickCount=4, **ticks)
    scale = alt.Scale(zero=False, nice=False, padding=6)
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    base = alt.Chart().encode(y=y)
    tooltip = style.tooltips(label="of", words="value [95% interval]", series="shown")
    layers = [] if line is None else [style.reference_line(line, "x")]
    if frame[["low", "high"]].notna().all(axis=1).any():
        ends = alt.X("low:Q", title=title)
        layers.append(style.interval(base, x=ends, x2=alt.X2("high:Q"), color=colour))
    layers.append(style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip))
    return alt.layer(*layers, data=frame, width=width, height=ROW * max(len(frame), 1) + AXIS)


Draw = Callable[[pd.DataFrame], alt.TopLevelMixin]


def drawing_of(claims: Sequence[Claim], *, width: int) -> tuple[pd.DataFrame, Draw]:
    """Return the rows of claims of one rule, and what draws them.

    Conclusions on judges and families are drawn as what was given and expected, which their sentences say,
    for the judges that they are about; others as numbers beside those that they are compared with.
    """
    if claims[0].rule in CONCLUSIONS:
        frame = given.given_rows([claim.rows[0] for claim in claims if claim.rows])
        if len(frame):
            return frame, partial(given.given, axis_title=given.axis_of(claims[0].rows[0]), width=width)
    return rows_together(claims), partial(claim_chart, **chart_settings(claims[0]), width=width)


# ------------------------------------------------------------------------------
# One function for each measure that has a chart, from its rows to the chart.


Families = Mapping[str, str | None]
Drawing = Callable[[Result, Families], alt.TopLevelMixin]


def ratios(result: Result, _: Families) -> alt.TopLevelMixin:
    return forest.forest(forest.forest_rows(result.rows, by=result.by), width=940 if result.by else 620)


def matrix(result: Result, families: Families) -> alt.TopLevelMixin:
    shade, rows = result.measure.name, _one_slice(result)
    parts = ((), rows) if shade == "delta" else (rows, ())
    order: heatmap.Order = "family" if shade == "votes" else "study"
    frame = heatmap.cell_rows(*parts, shade=shade, families=families, row_order=order, column_order=order)
    return heatmap.heatmap(frame, shade)


def accuracy(result: Result, _: Families) -> alt.TopLevelMixin:
    frame = forest.dot_rows(_one_slice(result), forest.ACCURACY)
    return forest.dots(frame, forest.ACCURACY, title="accuracy")


def committee_families(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `committee-families` at its first level: a row for each family left out."""
    rows = [row for row in _one_slice(result) if row["level"] == result.rows[0]["level"]]
    frame = panels.panel_rows(rows, panels.WITHOUT_FAMILY, "without")
    return panels.panels(frame, panels.WITHOUT_FAMILY)


def distances(result: Result, _: Families) -> alt.TopLevelMixin:
    """Draw `ranking-distance`: tau-b of each ranking with the reference's, the closest on top."""
    ranked = [{**row, "judge": row["by"]} for row in _one_slice(result) if row["tau"] is not None]
    frame = forest.dot_rows(sorted(ranked, key=lambda row: -row["tau"]), forest.TAU)
    return forest.dots(frame, forest.TAU, title="tau-b with the reference's ranking")


def equal_quality(result: Result, _: Families) -> alt.TopLevelMixin:
    if result.by is not None:
        return forest.by_category(forest.category_rows(result.rows))
    return panels.panels(panels.panel_rows(result.rows, panels.EQUAL_QUALITY), panels.EQUAL_QUALITY)


def robustness(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = _one_slice(result)
    several = len({row["paradigm"] for row in rows}) > 1
    labelled = [
        {**row, "label": ", ".join([row["judge"], row["transform"], *[row["paradigm"]] * several])}
        for row in rows
    ]
    return panels.panels(panels.panel_rows(labelled, panels.ROBUSTNESS, "label"), panels.ROBUSTNESS)


def order_effect(result: Result, _: Families) -> alt.TopLevelMixin:
    rows = _one_slice(result)
    if result.filters.get("paradigm") == "pairwise":
        return panels.panels(panels.panel_rows(rows, panels.FLIPS), panels.FLIPS)
    frame = lines.of_positions(rows, "verdict_rate", "share")
    return lines.line_series(frame, along="place in the list", title="judged met", form="share")


def _one_slice(result: Result) -> Rows:
    """Return the rows; UsageError if they are grouped."""
    if result.by is not None:
        raise UsageError(f"the chart of {result.measure.name} shows one slice; leave out by={result.by!r}")
    return result.rows


def _longest_scale(result: Result) -> Rows:
    return scale_rows(result, scales(result)[0])


def _of_one_slice(draw: Callable[[Result], alt.TopLevelMixin]) -> Drawing:
    def drawing(result: Result, _: Families) -> alt.TopLevelMixin:
        _one_slice(result)
        return draw(result)

    return drawing


def _in_panels(parts: Sequence[Panel], rows: Callable[[Result], Rows] = _one_slice) -> Drawing:
    """Return a function that draws the rows of a single slice, or those that `rows` picks, in panels."""
    return _of_one_slice(lambda result: panels.panels(panels.panel_rows(rows(result), parts), parts))


DRAWINGS: dict[str, Drawing] = {
    "hspp": ratios,
    "overestimation": matrix,
    "delta": matrix,
    "accuracy": accuracy,
    "agreement-curve": _of_one_slice(lambda result: lines.agreement_curve(lines.agreement_rows(result.rows))),
    "committee": _of_one_slice(lambda result: change.member_to_committee(change.committee_rows(result.rows))),
    "committee-size": _of_one_slice(lambda result: lines.sizes(result.rows)),
    "committee-families": committee_families,
    "ranking": _of_one_slice(lambda result: scatter.rankings(scatter.ranking_rows(result.rows))),
    "ranking-distance": distances,
    "archetypes": _of_one_slice(lambda result: scatter.quadrant(scatter.quadrant_rows(result.rows))),
    "equal-quality": equal_quality,
    "mitigation": _of_one_slice(lambda result: change.before_after(change.before_after_rows(result.rows))),
    "quality-baseline": _in_panels(panels.BASELINE, pooled_rows),
    "dbg": _in_panels(panels.DBG, pooled_rows),
    "votes": matrix,
    "together": lambda result, _: heatmap.direction_grid(heatmap.direction_rows(result.rows)),
    "position": _of_one_slice(
        lambda result: panels.position_shares(panels.position_rows(_longest_scale(result), ()))
    ),
    "ordering": _of_one_slice(lambda result: panels.costs(panels.cost_rows(_longest_scale(result)))),
    "permutation": _in_panels(panels.PERMUTATION, _longest_scale),
    "order-effect": order_effect,
    "list-ranks": _in_panels(panels.LISTS),
    "robustness": robustness,
    "recognition-score": _in_panels(panels.RECOGNITION),
    "familiarity-score": _in_panels(panels.FAMILIARITY),
}
"""The function that draws each measure of the engine that has a chart."""
