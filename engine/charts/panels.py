"""Panels side by side: positions, costs of orders, how often each model wins by each judge."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import forest, style
from engine.charts.forest import Dot
from engine.charts.style import Look
from engine.measures.rows import FEW
from engine.words import Row

# ------------------------------------------------------------------------------
# Several numbers for the same judges side by side, a panel for each kind of number.


@dataclass(frozen=True)
class Panel:
    """One panel: its title, its kinds of marks, and the value of no effect, if it has one."""

    title: str
    kinds: tuple[Dot, ...]
    line: float | None = None

    @property
    def axis_title(self) -> str:
        """The title with the unit of its numbers."""
        differs = any(kind.form == "difference" for kind in self.kinds)
        return style.with_unit(self.title, "difference") if differs else self.title


def _panel(title: str, *kinds: Dot, line: float | None = None) -> Panel:
    return Panel(title, kinds, line)


EQUAL_QUALITY = (
    _panel(
        "firm choices in equal-quality pairs",
        Dot("pir", "its own (PIR)", style.MEMBER, n="n_pairs"),
        Dot("null_pir", "a third party's (Null-PIR)", style.COMMITTEE, n="n_null_pairs"),
    ),
    _panel("SPB = PIR - Null-PIR", Dot("spb", "itself", style.MEMBER, "difference", "n_pairs"), line=0.0),
    _panel(
        "SPB for its family",
        Dot("spb_family", "its family", Look(style.FAMILY, style.SQUARE), "difference", "n_family_pairs"),
        line=0.0,
    ),
)
BASELINE = (
    _panel(
        "before and after the baseline",
        Dot("ilsp_matched", "before: ILSP", style.MEMBER),
        Dot("ilsp_updated", "after: T", style.COMMITTEE, "difference"),
        line=0.0,
    ),
    _panel(
        "votes for its own, when worse or better",
        Dot("ilsp", "worse: ILSP", style.SERIES[0], n="n_examples"),
        Dot("lsp", "better: LSP", style.SERIES[2], n="n_examples"),
    ),
    _panel(
        "entropy of votes, bits",
        Dot("entropy_self", "on its own", style.SERIES[1], "ratio"),
        Dot("entropy_proxy", "on proxies", style.SERIES[3], "ratio"),
    ),
)
DBG = (
    _panel(
        "share of pairs won",
        Dot("win_rate", "by the judge", style.MEMBER),
        Dot("gold_win_rate", "by the gold judges", style.COMMITTEE),
    ),
    _panel(
        "DBG score",
        Dot("dbg", "all pairs", style.LEVELS["rubric"], "difference"),
        Dot("dbg_decided", "decided pairs", style.LEVELS["instance"], "difference", "n_decided"),
        line=0.0,
    ),
)
LISTS = (
    _panel(
        "share of lists in which its own is first",
        Dot("pick_own", "by the judge", style.MEMBER),
        Dot("pick_outside", "by outside judges", style.COMMITTEE),
    ),
    _panel("difference", Dot("pick_gap", "itself", style.LEVELS["rubric"], "difference"), line=0.0),
    _panel(
        "rank minus outside judges' (below 0: higher)",
        Dot("rank_gap", "itself", style.SERIES[0], "ratio"),
        line=0.0,
    ),
)
ROBUSTNESS = (
    _panel(
        "share of verdicts that stay the same",
        Dot("robustness_own", "its own responses", style.MEMBER, n="n_own"),
        Dot("robustness_other", "others'", style.COMMITTEE, n="n_other"),
    ),
    _panel(
        "difference", Dot("difference", "itself", style.LEVELS["rubric"], "difference", "n_own"), line=0.0
    ),
    _panel(
        "gain from the change, own minus others'",
        Dot("lift_difference", "itself", style.SERIES[0], "difference", "n_own"),
        line=0.0,
    ),
)
RECOGNITION = (
    _panel(
        "recognizes its own",
        Dot("recognition", "probability, or share right", style.MEMBER),
        Dot("share_right", "share right", style.COMMITTEE),
        line=0.5,
    ),
    _panel(
        "correlation with votes for its own (rho)",
        Dot("preference_rho", "over pairs", style.SERIES[0], "ratio", n=None),
        line=0.0,
    ),
)
FAMILIARITY = (
    _panel(
        "log-probability per token, own minus others'",
        Dot("familiarity_gap", "itself", style.LEVELS["rubric"], "ratio", "n_own"),
        line=0.0,
    ),
    _panel(
        "verdicts above outside judges', own minus others'",
        Dot("own_effect", "unadjusted", style.MEMBER, "difference", "n_cases"),
        Dot("own_effect_held", "familiarity held constant", style.COMMITTEE, "difference", "n_cases"),
        line=0.0,
    ),
)
FLIPS = (
    _panel("flip rate", Dot("flip_rate", "flips", style.SERIES[0], n="n_pairs")),
    _panel("chose the first shown, ties included", Dot("first_share", "first", style.SERIES[2], n="n_pairs")),
    _panel("flips to the first shown", Dot("flip_to_first", "to first", style.SERIES[1], n=None), line=0.5),
)
WITHOUT_FAMILY = (
    _panel(
        "mean ratio of remaining members",
        Dot("hspp_self", "without the family", style.MEMBER, "ratio", "n_self"),
        Dot("hspp_self_whole", "by all members", style.COMMITTEE, "ratio", "n_self"),
        line=1.0,
    ),
    _panel(
        "mean ratio of removed members",
        Dot("hspp_self_outside", "without the family", style.MEMBER, "ratio", "n_self_outside"),
        Dot("hspp_self_outside_whole", "by all members", style.COMMITTEE, "ratio", "n_self_outside"),
        line=1.0,
    ),
    _panel(
        "rubric accuracy",
        Dot("mra", "without the family", style.SERIES[0], n=None),
        Dot("mra_whole", "by all members", style.SERIES[2], n=None),
    ),
)
PERMUTATION = (
    _panel(
        "Pearson's r with people",
        Dot("pearson_permutation", "orderings permuted", style.SERIES[0], "ratio", "n_scored"),
        Dot("pearson_repeat", "one ordering repeated", style.SERIES[2], "ratio", "n_scored"),
        Dot("pearson_corrected", "repeats corrected", style.SERIES[1], "ratio", "n_scored"),
    ),
    _panel(
        "r, permuted minus repeated",
        Dot("pearson_delta", "difference", style.SERIES[3], "ratio", "n_scored"),
        line=0.0,
    ),
)


def panel_rows(
    rows: Iterable[Mapping[str, Any]], parts: Sequence[Panel], label: str = "judge"
) -> pd.DataFrame:
    """Return a row for each value of the field `label`, each panel and each defined number.

    Columns: `panel` (its title), and those of `forest.dot_rows`.
    """
    labelled = [{**row, "judge": row[label]} for row in rows]
    frames = [forest.dot_rows(labelled, part.kinds).assign(panel=part.title) for part in parts]
    nonempty = [frame for frame in frames if len(frame)] or frames  # an empty one may change others' types
    frame = pd.concat(nonempty, ignore_index=True)[["panel", *forest.DOT_COLUMNS]]
    places = {str(row["judge"]): place for place, row in reversed(list(enumerate(labelled)))}
    return frame.assign(label_order=frame["label"].map(places).astype(int))


def panels(frame: pd.DataFrame, parts: Sequence[Panel]) -> alt.TopLevelMixin:
    """Draw the frame of `panel_rows`: a panel for each of `parts` with a number, names at the first only."""
    order = list(frame.sort_values("label_order", kind="stable")["label"].unique())
    legend = any(len(part.kinds) > 1 for part in parts)  # the title names a single kind
    charts: list[Any] = []
    for part in parts:
        numbers = frame[frame["panel"] == part.title].reset_index(drop=True)
        if len(numbers):
            look: dict[str, Any] = {"title": part.axis_title, "line": part.line, "legend": legend}
            charts.append(forest.dots(numbers, part.kinds, order=order, names=not charts, width=200, **look))
    chart: alt.HConcatChart = alt.hconcat(*charts, spacing=16).resolve_scale(
        color="independent", stroke="independent", shape="independent", yOffset="independent"
    )
    return chart


# ------------------------------------------------------------------------------
# Positions of a judge's choices in the list: P(position) and P(position | score), a panel per judge.


ALL = "all scores"


def position_rows(overall: Iterable[Row], by_score: Iterable[Row]) -> pd.DataFrame:
    """Return a row for each judge, score (and all scores) and position, for one scale of options.

    `value` is the share of the selections, `away` the share less 1/n, `expected` 1/n in words, `n` counts
    selections.
    """
    scored = [(ALL, row) for row in overall]
    scored += [(f"{row['slice']:g}", row) for row in by_score if row["slice"] is not None]
    rows = []
    for score, row in scored:
        share, fair = style.number(row, "share"), 1 / row["n_options"]
        if np.isnan(share[0]):
            continue
        texts = f"{100 * share[0]:.0f}", style.words(share, "share"), f"{fair:.1%}"
        where = str(row["judge"]), score, int(row["position"])
        rows.append((*where, share[0], share[0] - fair, *texts, int(row["n"]), row["n"] < FEW))
    columns = ["judge", "score", "position", "value", "away", "label", "words", "expected", "n", "small"]
    frame = pd.DataFrame.from_records(rows, columns=columns)
    away = frame["away"].to_numpy(dtype=float)
    dark = np.abs(away) > 0.72 * np.abs(away).max(initial=0.0)
    return frame.assign(ink=np.where(dark, style.CELL, style.INK))


def position_shares(frame: pd.DataFrame) -> alt.FacetChart:
    """Draw the frame of `position_rows`: percent in each cell, coloured by the distance from 1/n."""
    scores = sorted(set(frame["score"]) - {ALL}, key=float)
    most = float(frame["away"].abs().max()) or 0.01
    title = "more or less than 1/n, points of 100"
    colour = style.gradient(
        "away", title, -most, most, style.DIVERGING, titleLimit=400, **style.ticks_of("difference")
    )
    plain = alt.Axis(ticks=False, domain=False, grid=False, labelAngle=0)
    tooltip = [
        *style.tooltips(judge="judge", score="score"),
        alt.Tooltip("position:O", title="position"),
        *style.tooltips(words="share [95% interval]", expected="expected", n="selections"),
    ]
    base = alt.Chart().encode(
        x=alt.X("position:O", title="position in the list", axis=plain),
        y=alt.Y("score:N", title="score", sort=[ALL, *scores], axis=plain),
    )
    cells = base.mark_rect(stroke=style.CELL, strokeWidth=0.6).encode(color=colour, tooltip=tooltip)
    small = alt.FieldEqualPredicate(field="small", equal=True)
    text = style.in_cells(base.encode(opacity=alt.OpacityValue(1, condition={"test": small, "value": 0.55})))
    width, height = 44 * frame["position"].nunique(), 26 * (len(scores) + 1)
    panel = alt.layer(cells, text, data=frame, width=width, height=height)
    return style.by_judge(panel, frame, 3, labelLimit=220)


# ------------------------------------------------------------------------------
# The bias cost of each order of the score options, a panel per judge, the recommended one marked.


COST_SERIES = {
    "recommended: the lowest cost": Look(style.SELF, "diamond"),
    "other orderings": Look(style.NEUTRAL, "circle"),
}
MOST = 24  # most orderings drawn for a judge; the cheapest are kept


def cost_rows(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge and ordering with a cost, in the order of the rows, up to MOST per judge.

    `value` is in percent points, `r_words` Pearson's r with people, `n` counts items judged in the ordering,
    `small` says that a score was selected fewer than 30 times.
    """
    records = []
    for row in rows:
        cost = style.number(row, "cost")
        if np.isnan(cost[0]):
            continue
        series = list(COST_SERIES)[0 if row["recommended"] else 1]
        texts = style.words(cost, "ratio"), style.words(style.number(row, "pearson"), "ratio")
        where = str(row["judge"]), str(row["ordering"]), series
        records.append((*where, *cost, *texts, int(row["n_judged"]), bool(row["small"])))
    columns = ["judge", "ordering", "series", "value", "low", "high", "words", "r_words", "n", "small"]
    frame = pd.DataFrame.from_records(records, columns=columns)
    cheap = frame.sort_values("value", kind="stable").groupby("judge", sort=False).head(MOST)
    return frame.loc[sorted(cheap.index)].reset_index(drop=True)


def costs(frame: pd.DataFrame) -> alt.FacetChart:
    """Draw the frame of `cost_rows`: cost with its interval, a row for each ordering."""
    orderings = list(dict.fromkeys(frame["ordering"]))
    colour, shape = style.looks("series", COST_SERIES)
    names = alt.Axis(ticks=False, domain=False, grid=False, labelLimit=120, labelOverlap=False)
    y = alt.Y("ordering:N", title="order shown", sort=orderings, axis=names)
    axis = alt.Axis(gridOpacity=0.4, tickCount=5)
    x = alt.X("value:Q", title="bias cost, percent points", scale=alt.Scale(zero=True), axis=axis)
    tooltip = style.tooltips(
        judge="judge",
        ordering="order shown",
        series="kind",
        words="cost [95% interval]",
        r_words="Pearson's r with people",
        n="items judged in it",
    )
    base = alt.Chart().encode(y=y)
    panel = alt.layer(
        style.interval(base, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
        style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip),
        data=frame,
        width=250,
        height=18 * len(orderings),
    )
    return style.by_judge(panel, frame, 3, labelLimit=250)


# ------------------------------------------------------------------------------
# How often each model wins, according to each judge.


Order = Literal["study", "name", "value", "size", "sure"]

RELATIONS = {
    "other models": Look(style.OTHER, style.CIRCLE),
    "its family's": Look(style.FAMILY, style.SQUARE),
    "the judge's own": Look(style.SELF, style.TRIANGLE),
}
"""Whose responses a win rate is about, relative to the judge."""

COLUMNS = ["panel", "panel_order", "judge", "generator", "slice", "series", "value", "low", "high", "words"]
COLUMNS += ["n", "small"]
PICK_FIELDS = ("judge", "generator", "slice")  # the fields that a click on a mark selects
ROW = 20  # height in pixels of a model's row
EVEN = 0.5  # the win rate of a model that wins as often as it loses
SPARSE = 2 / 3  # share of models with rows, over all panels, below which each panel names only its own


def win_rate_rows(
    rows: Iterable[Row], families: Mapping[str, str | None], *, order: Order = "value", most: int = 40
) -> pd.DataFrame:
    """Return a row for each judge (and slice) and model it voted on, for the `most` models that win most.

    `panel` is the judge with its slice, `series` whose responses they are. Models come as in the rows, by
    name, by mean over judges (highest first), by cases, or those most surely different from one half first.
    """
    voted = [row for row in rows if row["win_rate"] is not None]
    has_slices = any(row.get("slice") is not None for row in voted)
    records, panels = [], dict[str, int]()
    other, family_words, own = RELATIONS
    for row in voted:
        judge, model = str(row["judge"]), str(row["generator"])
        value = (forest.NO_VALUE if row.get("slice") is None else str(row["slice"])) if has_slices else ""
        panel = f"{judge} · {value}" if has_slices else judge
        where = panel, panels.setdefault(panel, len(panels)), judge, model, value
        family = families.get(judge)
        relation = family_words if family is not None and family == families.get(model) else other
        numbers, n = style.number(row, "win_rate"), int(row["n"])
        text = style.words(numbers, "share")
        records.append((*where, own if judge == model else relation, *numbers, text, n, n < FEW))
    frame = pd.DataFrame.from_records(records, columns=COLUMNS)
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    mean = frame.groupby("generator", sort=False)["value"].mean().sort_values(ascending=False, kind="stable")
    frame = frame[frame["generator"].isin(mean.index[:most])]
    places = {model: place for place, model in enumerate(_in_order(frame, order))}
    return frame.assign(generator_order=frame["generator"].map(places).astype(int)).sort_values(
        ["panel_order", "generator_order"], kind="stable", ignore_index=True
    )


def _in_order(frame: pd.DataFrame, order: Order) -> list[str]:
    models = list(dict.fromkeys(frame["generator"]))
    if order == "study":
        return models
    if order == "name":
        return sorted(models, key=str.casefold)
    sure = (frame["low"] - EVEN).combine(EVEN - frame["high"], max).fillna(-np.inf)
    by = {"value": (frame["value"], "mean"), "size": (frame["n"], "sum"), "sure": (sure, "max")}
    numbers, over = by[order]
    key = numbers.groupby(frame["generator"], sort=False).agg(over)
    return sorted(models, key=lambda model: -float(key[model]))


def win_rates(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """Draw the frame of `win_rate_rows`: a row for each model, a panel for each judge, a line at one half.

    If each judge judged few of the models, such as itself and a few fixed opponents, each panel has rows for
    those alone. A click on a mark selects it by `PICK_FIELDS`.
    """
    looks = {name: look for name, look in RELATIONS.items() if name in set(frame["series"])}
    colour, shape = style.looks("series", looks)
    models = list(frame.drop_duplicates("generator").sort_values("generator_order")["generator"])
    y = alt.Y("generator:N", title=None, sort=models, axis=style.names_axis(labelOverlap=False, grid=True))
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format=".0%", values=list(np.linspace(0, 1, 5)), labelFlush=True, gridOpacity=0.4)
    x = alt.X("value:Q", title="win rate", scale=scale, axis=axis)
    place = {"judge": "judge", "generator": "model"} | ({"slice": "slice"} if frame["slice"].any() else {})
    tooltip = style.tooltips(**place, series="of", words="win rate [95% interval]", n="pairs")
    base = alt.Chart().encode(y=y)
    lines = style.interval(base, x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), color=colour)
    marks = style.points(base, x=x, color=colour, shape=shape, tooltip=tooltip)
    layers = [
        style.reference_line(EVEN, "x"),
        style.fade_others(lines),
        style.fade_others(marks).add_params(style.selection(PICK_FIELDS)),
    ]
    panels = list(dict.fromkeys(frame["panel"]))
    height = alt.Step(ROW)  # with a fixed height, a page would take the legend out of it
    if len(panels) == 1:
        return alt.LayerChart(layer=layers, data=style.values(frame), width=720, height=height)
    header = alt.Header(title=None, labelLimit=260, labelFontWeight="bold", labelAnchor="start")
    facet = alt.Facet("panel:N", title=None, sort=panels, header=header)
    sparse = len(frame) < SPARSE * len(models) * len(panels)
    across = min(3 - sparse, len(panels))
    names = 160 * across if sparse else 160
    panel = alt.LayerChart(layer=layers, width=(720 - names) // across, height=height)
    facets = panel.facet(facet, data=style.values(frame), columns=across)
    return facets.resolve_scale(y="independent") if sparse else facets
