"""Numbers along a count, such as positions in a list, proxies, or members of a committee."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, forest, number_forms, style
from engine.charts.forest import axis_ends
from engine.charts.lazy_altair import alt
from engine.charts.number_forms import Form
from engine.charts.style import Look
from engine.measures.rows import FEW
from engine.words.plain_names import LEVELS

if TYPE_CHECKING:
    from engine.measures.row_types import CommitteeSizeRow, EqualQualityRow, QualityBaselineRow

SERIES_COLUMNS = ["judge", "series", "place", "value", "low", "high", "words", "n", "small"]


def of_positions(rows: Iterable[Mapping[str, Any]], field: str, form: Form) -> pd.DataFrame:
    """Return a field of `order-effect` by the rubric's position, a series for each ordering."""
    records = []
    for row in rows:
        numbers = number_forms.number(row, field)
        if row["position"] is not None and not np.isnan(numbers[0]):
            n, where = int(row["n_verdicts"]), (str(row["judge"]), str(row["ordering"]), int(row["position"]))
            records.append((*where, *numbers, number_forms.words(numbers, form), n, n < FEW))
    return pd.DataFrame.from_records(records, columns=SERIES_COLUMNS)


def of_proxies(rows: Iterable[QualityBaselineRow]) -> pd.DataFrame:
    """Return T by number of proxies; `low` and `high` are one standard error over seeds away.

    `n` is the number of examples with at least this many proxies.
    """
    records = []
    for row in rows:
        shares = row["coverage"] or []
        steps = zip(shares, row["t_by_proxies"] or [], row["t_by_proxies_se"] or [], strict=False)
        for place, (share, t, se) in enumerate(steps, start=1):
            if t is not None:
                n = round(row["n"] * share / shares[0]) if shares[0] else 0
                error = se or 0.0
                alone = number_forms.words((t, np.nan, np.nan), "difference")
                words = f"{alone}, standard error {100 * error:.1f}"
                numbers = t, t - error, t + error
                records.append((str(row["judge"]), "T", place, *numbers, words, n, n < FEW))
    return pd.DataFrame.from_records(records, columns=SERIES_COLUMNS)


def of_epsilons(rows: Iterable[EqualQualityRow]) -> pd.DataFrame:
    """Return SPB of `equal-quality` by epsilon; `n` counts pairs with the judge's own response."""
    records = []
    for row in rows:
        ends = (row["spb_by_epsilon"], row["spb_by_epsilon_low"], row["spb_by_epsilon_high"])
        for place, spb, low, high, n in zip(row["epsilons"], *ends, row["n_pairs_by_epsilon"], strict=True):
            if spb is not None:
                numbers = (spb, *(np.nan if end is None else end for end in (low, high)))
                facts = (*numbers, number_forms.words(numbers, "difference"), n, n < FEW)
                records.append((str(row["judge"]), "SPB", place, *facts))
    return pd.DataFrame.from_records(records, columns=SERIES_COLUMNS)


RATIOS_BY_SIZE = {"hspp_self": "own answers", "hspp_family": "its family's answers"}
ACCURACY_BY_SIZE = {"rubric": ("mra", "criteria (MRA)"), "instance": ("mipa", "pairs of answers (MIPA)")}


def of_sizes(rows: Iterable[CommitteeSizeRow]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return ratios and accuracies of `committee-size` by size, a series for each level.

    `judge` holds the name of the number. `n` counts committees; `small` marks ratios for which a member has
    fewer than 30 failures.
    """
    ratios, accuracies = [], []
    for row in rows:
        level, place = str(row["level"]), int(row["size"])
        for field, name in RATIOS_BY_SIZE.items():
            ratios.append(_of_size(row, field, "ratio", (name, LEVELS[level], place), bool(row["small"])))
        field, name = ACCURACY_BY_SIZE[level]
        accuracies.append(_of_size(row, field, "share", (name, LEVELS[level], place), False))
    frames = (pd.DataFrame.from_records(part, columns=SERIES_COLUMNS) for part in (ratios, accuracies))
    first, second = (frame.dropna(subset="value").reset_index(drop=True) for frame in frames)
    return first, second


def _of_size(
    row: Mapping[str, Any], field: str, form: Form, where: tuple[str, str, int], small: bool
) -> tuple[Any, ...]:
    numbers = number_forms.number(row, field)
    words = number_forms.words(numbers, form)
    least, most = number_forms.number(row, f"{field}_least")[0], number_forms.number(row, f"{field}_most")[0]
    if row["committees"] > 1 and not np.isnan(least):
        ends = f"{least:.1%} to {most:.1%}" if form == "share" else f"{least:.2f} to {most:.2f}"
        words = f"{words}; single committees {ends}"
    return (*where, *numbers, words, row["committees"], small)


def sizes(rows: Iterable[CommitteeSizeRow]) -> alt.HConcatChart:
    """Draw `committee-size`: ratios, and beside them accuracies, by number of members."""
    ratios, accuracies = of_sizes(rows)
    levels = tuple(dict.fromkeys([*ratios["series"], *accuracies["series"]]))
    settings: dict[str, Any] = {"along": "judges together", "series": levels, "columns": 2, "width": 145}
    charts: list[Any] = []
    if len(ratios):
        charts.append(line_series(ratios, title="mean ratio", form="ratio", line=1.0, **settings))
    if len(accuracies):
        charts.append(line_series(accuracies, title="mean accuracy", form="share", **settings))
    return alt.hconcat(*charts, spacing=24)


def line_series(
    frame: pd.DataFrame,
    *,
    along: str,
    title: str,
    form: Form,
    line: float | None = None,
    is_count: bool = True,
    series: Sequence[str] = (),
    columns: int = 4,
    width: int = 190,
) -> alt.FacetChart:
    """Draw the frame: lines with bands, a panel for each judge; `line` is the value of no effect.

    `is_count` says that the x axis has whole numbers. `series` includes those of charts beside it, so that
    each has the same colour in all. Ratios with a `line` at 1 are on a logarithmic axis.
    """
    names = series or tuple(dict.fromkeys(frame["series"]))
    looks = {name: style.SERIES[place % len(style.SERIES)] for place, name in enumerate(names)}
    colour, shape = chart_marks.looks("series", looks, legend=len(looks) > 1)
    scale, ticks = alt.Scale(zero=False, nice=True), list[float]()
    if form == "ratio" and line == 1:
        ticks = axes.ratio_ticks(*axes.ratio_ends(frame, ["value", "low", "high"]))
        frame, scale, _ = axes.ratio_axis(frame)
    integers: dict[str, Any] = {"tickMinStep": 1, "format": "d"} if is_count else {}
    axis = alt.Axis(grid=False, tickCount=6, **integers)
    x = alt.X("place:Q", title=along, axis=axis, scale=alt.Scale(zero=False, nice=False, padding=8))
    y = alt.Y(
        "value:Q", title=number_forms.with_unit(title, form), scale=scale, axis=_axis_of_values(form, ticks)
    )
    base = alt.Chart().encode(x=x, color=colour)
    place = alt.Tooltip("place:Q", title=along)
    tooltip = [
        *chart_marks.tooltips(judge="judge", series="of"),
        place,
        *chart_marks.tooltips(words=title, n="n"),
    ]
    layers = [
        base.mark_area(opacity=0.16, aria=False).encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2, aria=False).encode(y=y),
        chart_marks.points(base, y=y, color=colour, shape=shape, tooltip=tooltip),
    ]
    if line is not None:
        layers.insert(0, chart_marks.reference_line(line, "y"))
    panel = alt.layer(*layers, data=frame, width=width, height=110)
    return chart_marks.by_judge(panel, frame, columns, labelLimit=width)


def _axis_of_values(form: Form, ticks: list[float]) -> alt.Axis:
    """Return the axis of a low panel, with few of the ticks: 1 always among them."""
    for coarser in ((0.25, 0.5, 1.0, 2.0, 4.0, 8.0), (0.25, 1.0, 4.0)):
        if len(ticks) > 4:
            ticks = [tick for tick in ticks if tick in coarser]
    few: dict[str, Any] = {"tickCount": 4, "values": ticks or alt.Undefined, "labelOverlap": True}
    return alt.Axis(titleLimit=170, **number_forms.ticks_of(form), gridOpacity=0.4, **few)


RATIOS = {each.words: each.look for each in forest.SERIES}
RATIOS[forest.SERIES[1].words] = Look(style.OTHER, style.DIAMOND)
"""How ratios along a column look: matched ones not in the colour of own ones, or the lines would merge."""


def along(
    frame: pd.DataFrame, *, title: str, outside: Form | None = None, axis: str | None = None
) -> alt.FacetChart:
    """Draw the frame of `forest_rows` by a binned column: ratios along its bins, a panel for each judge.

    `title` names the column. A click on a mark chooses its `panel` and `label`. `outside` is the form of the
    numbers of `outside`; differences are on an axis around 0. Numbers of `expected` have an `axis` title.
    """
    form = outside or "ratio"
    is_ratio = form == "ratio"
    low, high = axis_ends(frame, form)
    data = frame.assign(**{name: frame[name].clip(low, high) for name in ("value", "low", "high")})
    looks = {name: RATIOS[name] for name in dict.fromkeys(data["series"])}
    colour, shape = chart_marks.looks("series", looks, legend=len(looks) > 1)
    scale = alt.Scale(type="log" if is_ratio else "linear", domain=[low, high], nice=False)
    bins = alt.Axis(labelAngle=-35, labelLimit=90, grid=False)
    x = alt.X("label:O", title=title, sort=alt.EncodingSortField("label_order", op="min"), axis=bins)
    ticks = _axis_of_values(form, axes.ratio_ticks(low, high) if is_ratio else [])
    compared = "given minus expected" if axis else "against judges of other families"
    y_title = "ratio (1 = no preference)" if is_ratio else number_forms.with_unit(compared, form)
    y = alt.Y("value:Q", title=y_title, scale=scale, axis=ticks)
    base = alt.Chart().encode(x=x, color=colour)
    tooltip = chart_marks.tooltips(
        panel="judge", label=title, series="of", words="value [95% interval]", n="n"
    )
    marks = chart_marks.fade_others(chart_marks.points(base, y=y, color=colour, shape=shape, tooltip=tooltip))
    layers = [
        chart_marks.reference_line(1 if is_ratio else 0, "y"),
        base.mark_area(opacity=0.16, aria=False).encode(y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2, aria=False).encode(y=y),
        marks.add_params(chart_marks.selection(("panel", "label"))),
    ]
    order = alt.EncodingSortField("panel_order", op="min")
    header = alt.Header(labelLimit=190, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", title=None, sort=order, header=header)
    panel = alt.LayerChart(layer=layers, width=190, height=120)
    return panel.facet(facet, data=chart_marks.values(data), columns=4)
