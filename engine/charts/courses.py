"""Courses: how a number moves along a count, such as places in a list, proxies or members of a committee.

There is a panel for each judge, or for each number. `of_positions`, `of_proxies` and `of_sizes` make the
frames that `courses` draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.marks import Form, looks, number, points, ratio_ends, ratio_ticks, words
from engine.charts.palette import NEUTRAL, SERIES

COLUMNS = ["judge", "series", "place", "value", "low", "high", "words", "n", "small"]


def of_positions(
    rows: Iterable[Mapping[str, Any]], field: str, form: Form, *, fewest: int = 30
) -> pd.DataFrame:
    """Return the course of a field of `order-effect` along the rubric's place, a series for each ordering.

    Columns: `judge`, `series`, `place`, `value`, `low`, `high` (NaN without an interval), `words`, `n`
    (verdicts), `small` (n below `fewest`).
    """
    made = []
    for row in rows:
        told = number(row, field)
        if row["position"] is not None and not np.isnan(told[0]):
            n, where = int(row["n_verdicts"]), (str(row["judge"]), str(row["ordering"]), int(row["position"]))
            made.append((*where, *told, words(told, form), n, n < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def of_proxies(rows: Iterable[Mapping[str, Any]], *, fewest: int = 30) -> pd.DataFrame:
    """Return T by number of proxies; `low` and `high` are a standard error over seeds away, `n` as drawn.

    `n` is the number of examples with at least so many proxies.
    """
    made = []
    for row in rows:
        shares = row["coverage"] or []
        steps = zip(shares, row["t_by_proxies"] or [], row["t_by_proxies_se"] or [], strict=False)
        for place, (share, t, se) in enumerate(steps, start=1):
            if t is not None:
                n = round(row["n"] * share / shares[0]) if shares[0] else 0
                told = (t, t - (se or 0.0), t + (se or 0.0))
                shown = f"{t:.1%}, standard error {se or 0.0:.1%}"
                made.append((str(row["judge"]), "T", place, *told, shown, n, n < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


def of_epsilons(rows: Iterable[Mapping[str, Any]], *, fewest: int = 30) -> pd.DataFrame:
    """Return SPB of `equal-quality` along the epsilons asked for; `n` counts pairs with its own response."""
    made = []
    for row in rows:
        ends = (row["spb_by_epsilon"], row["spb_by_epsilon_low"], row["spb_by_epsilon_high"])
        for place, spb, low, high, n in zip(row["epsilons"], *ends, row["n_pairs_by_epsilon"], strict=True):
            if spb is not None:
                told = (spb, *(np.nan if end is None else end for end in (low, high)))
                made.append((str(row["judge"]), "SPB", place, *told, words(told, "share"), n, n < fewest))
    return pd.DataFrame.from_records(made, columns=COLUMNS)


RATIOS_BY_SIZE = {"hspp_self": "own responses", "hspp_family": "relatives' responses"}
ACCURACY_BY_SIZE = {"rubric": ("mra", "rubrics (MRA)"), "instance": ("mipa", "pairs of responses (MIPA)")}
"""The numbers of `committee-size`: ratios at each level, and the accuracy of each."""


def of_sizes(rows: Iterable[Mapping[str, Any]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return ratios and accuracies of `committee-size` along the size, a series for each level.

    In the place of the judge stands which number it is. `n` counts committees, `small` marks ratios behind
    which a member failed fewer than 30.
    """
    ratios, accuracies = [], []
    for row in rows:
        level, place = str(row["level"]), int(row["size"])
        for field, name in RATIOS_BY_SIZE.items():
            ratios.append(_of_size(row, field, "ratio", (name, f"{level} level", place), bool(row["small"])))
        field, name = ACCURACY_BY_SIZE[level]
        accuracies.append(_of_size(row, field, "share", (name, f"{level} level", place), False))
    made = (pd.DataFrame.from_records(part, columns=COLUMNS) for part in (ratios, accuracies))
    first, second = (frame.dropna(subset="value").reset_index(drop=True) for frame in made)
    return first, second


def _of_size(
    row: Mapping[str, Any], field: str, form: Form, where: tuple[str, str, int], small: bool
) -> tuple[Any, ...]:
    told = number(row, field)
    shown = words(told, form)
    least, most = number(row, f"{field}_least")[0], number(row, f"{field}_most")[0]
    if row["committees"] > 1 and not np.isnan(least):
        ends = f"{least:.1%} to {most:.1%}" if form == "share" else f"{least:.2f} to {most:.2f}"
        shown = f"{shown}; single committees {ends}"
    return (*where, *told, shown, row["committees"], small)


def sizes(rows: Iterable[Mapping[str, Any]]) -> alt.HConcatChart:
    """Draw `committee-size`: ratios, and beside them accuracies, along the members of a committee."""
    ratios, accuracies = of_sizes(rows)
    shown: tuple[tuple[pd.DataFrame, str, Form, float | None], ...] = (
        (ratios, "mean ratio", "ratio", 1.0),
        (accuracies, "mean accuracy", "share", None),
    )
    levels = tuple(dict.fromkeys([*ratios["series"], *accuracies["series"]]))
    whole: dict[str, Any] = {"along": "judges together", "series": levels, "columns": 2, "width": 145}
    drawn = [
        courses(frame, title=title, form=form, line=line, **whole)
        for frame, title, form, line in shown
        if len(frame)
    ]
    joined: alt.HConcatChart = alt.hconcat(*drawn, spacing=24)
    return joined


def courses(
    frame: pd.DataFrame,
    *,
    along: str,
    title: str,
    form: Form,
    line: float | None = None,
    counted: bool = True,
    series: Sequence[str] = (),
    columns: int = 4,
    width: int = 190,
) -> alt.FacetChart:
    """Draw the frame: lines with bands, a panel for each judge; `line` is where nothing would be.

    `counted`: what it goes along is whole numbers. `series` are those of charts beside it too, so that each
    has one colour in all. Ratios to which 1 means nothing stand on a logarithmic axis, as everywhere.
    """
    names = series or tuple(dict.fromkeys(frame["series"]))
    used = {name: SERIES[place % len(SERIES)] for place, name in enumerate(names)}
    colour, shape = looks("series", used, legend=len(used) > 1)
    scale, ticks = alt.Scale(zero=False, nice=True), list[float]()
    if form == "ratio" and line == 1:
        low, high = ratio_ends(frame, ["value", "low", "high"])
        frame = frame.assign(**{name: frame[name].clip(low, high) for name in ("value", "low", "high")})
        scale, ticks = alt.Scale(type="log", domain=[low, high], nice=False), ratio_ticks(low, high)
    y = alt.Y("value:Q", title=title, scale=scale, axis=_axis_of_values(form, ticks))
    base = alt.Chart().encode(x=_along(along, counted=counted), color=colour)
    layers = [
        base.mark_area(opacity=0.16, aria=False).encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2, aria=False).encode(y=y),
        points(base, y=y, color=colour, shape=shape, tooltip=_tooltip(along, title)),
    ]
    if line is not None:
        rule = alt.Chart().mark_rule(color=NEUTRAL, strokeDash=[4, 3])
        layers.insert(0, rule.encode(y=alt.YDatum(line)))
    judges = list(dict.fromkeys(frame["judge"]))
    facet = alt.Facet("judge:N", title=None, sort=judges, header=alt.Header(labelLimit=width))
    layered = alt.layer(*layers, data=frame, width=width, height=110)
    drawn: alt.FacetChart = layered.facet(facet, columns=columns)
    return drawn


def _along(title: str, *, counted: bool) -> alt.X:
    whole: dict[str, Any] = {"tickMinStep": 1, "format": "d"} if counted else {}
    axis = alt.Axis(grid=False, tickCount=6, **whole)
    return alt.X("place:Q", title=title, axis=axis, scale=alt.Scale(zero=False, nice=False, padding=8))


def _axis_of_values(form: Form, ticks: list[float]) -> alt.Axis:
    return alt.Axis(
        titleLimit=130,
        format=".0%" if form == "share" else "~g",
        gridOpacity=0.4,
        tickCount=4,
        values=ticks or alt.Undefined,
        labelOverlap=True,
    )


def _tooltip(along: str, title: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("place:Q", title=along),
        alt.Tooltip("words:N", title=title),
        alt.Tooltip("n:Q", title="n", format=","),
    ]
