"""Charts of rubric verdicts, of single results and of power, and the sentences beside them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import altair as alt
import pandas as pd

from engine.charts import change, forest, heatmap, lines, measure_charts, scatter
from engine.charts.export import spec_of
from engine.charts.style import Form
from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.measures.compute import compared_as_ratio
from engine.measures.result import Result, meaning
from engine.slices import FLAGS
from engine.stats.power import Assumptions, StudySize, Target
from engine.values import quantity
from engine.words import Row, confidence, number, title
from explorer import data
from explorer.data import Chart, FlagValues, Sides, StudyKey

# ------------------------------------------------------------------------------
# The charts that draw one result: ratios, a comparison, a claim, ranks; `explorer.data` caches them.


MOST_JUDGES = 40
"""Most judges drawn one under another: those with the highest ratios."""


Titles = tuple[tuple[str, str], ...]
"""Columns of a chart's rows, each with its title."""


def titles(*, cases: str = "n", **columns: str) -> Titles:
    """Return columns of a chart's rows with their titles, the last two for the number of cases."""
    return (*columns.items(), ("n", cases), ("small", "Few cases"))


COMPARED_TITLES = titles(panel="Side", label="Row", words="Value [95% interval]")
RANKING_TITLES = (
    ("model", "Model"),
    ("by", "Ranked by"),
    ("words", "Rank [95% interval]"),
    ("shift", "Compared with the reference"),
    ("n", "n"),
)


MOST_PANELS = 13
"""Most panels side by side."""

SINGLE = tuple(flag.name for flag in FLAGS if flag.kind == "name")
"""Filters of one value."""

MOST_VALUES = 6
"""Most values of a second column that a chart is split by."""


def ratios(
    key: StudyKey,
    flags: FlagValues,
    by: tuple[str, ...],
    fields: tuple[str, ...],
    order: forest.Order | None,
    measure: str,
    picks: bool = True,
) -> Chart:
    """Draw the forest plot of a measure, split by up to two columns, with as many panels as are readable.

    For `outside`, `fields` is the number that its judgments define.
    """
    rows, form = _ordered_rows(ratio_rows(key, flags, by, fields, measure), fields, order)
    chart_rows = rows if by else forest.highest(rows, MOST_JUDGES)
    if len(by) == 1:
        chart_rows = rows[rows["panel_order"] < MOST_PANELS]
    spec = forest.forest_spec(chart_rows, width=900 if by else 740, picks=picks, outside=form)
    column = "panel" if len(by) == 1 else "label"
    return Chart(spec, chart_rows, _judges(chart_rows, column), _judges(rows, column))


def _judges(rows: pd.DataFrame, column: str) -> int:
    return int(rows.loc[rows[column] != forest.MEANS, column].nunique())


def _ordered_rows(
    rows: pd.DataFrame, fields: tuple[str, ...], order: forest.Order | None
) -> tuple[pd.DataFrame, Form | None]:
    """Return the sorted rows, and the form of the number shown for `outside`; None for `hspp`."""
    form = next((each.form for each in forest.OUTSIDE if each.field in fields), None)
    return (rows if order is None else forest.in_order(rows, order, form or "ratio")), form


def ratio_rows(
    key: StudyKey, flags: FlagValues, by: tuple[str, ...], fields: tuple[str, ...], measure: str
) -> pd.DataFrame:
    """Return the ratios as a frame; the second of two columns must be one that has a filter."""
    if len(by) < 2:
        first = by[0] if by else None
        return forest.forest_rows(data.result(key, measure, flags, first).rows, by=first, fields=fields)
    first, second = by
    all_values = dict(flags).get(second) or data.choices(key).values[second]
    values = (all_values,) if isinstance(all_values, str) else all_values[:MOST_VALUES]
    parts = {}
    for value in values:
        of_value = data.flags_of(dict(flags) | {second: value if second in SINGLE else (value,)})
        rows = attempt(key, measure, of_value, first).rows
        parts[value] = forest.forest_rows(rows, by=first, fields=fields)
    return forest.crossed_rows(parts)


def curve(
    key: StudyKey,
    flags: FlagValues,
    by: tuple[str, ...],
    fields: tuple[str, ...],
    order: forest.Order | None,
    measure: str,
) -> Chart:
    """Draw the numbers of a measure along the bins of a column, a panel for each judge."""
    rows, form = _ordered_rows(ratio_rows(key, flags, by, fields, measure), fields, order)
    chart_rows = rows[rows["panel_order"] < MOST_PANELS]
    axis = title(by[0]).lower()
    spec = spec_of(lines.along(chart_rows, title=axis, outside=form)) if len(chart_rows) else {}
    return Chart(spec, chart_rows, _judges(chart_rows, "panel"), _judges(rows, "panel"))


def comparison_chart(
    key: StudyKey,  # noqa: ARG001 - that of side A
    flags: FlagValues,  # noqa: ARG001 - each side has its own
    sides: Sides,
    fields: tuple[str, ...],
    common: bool,
) -> Chart:
    """Draw a comparison: a row for each judge, or for each number of two judges.

    Of many judges, those highest on side A are drawn.
    """
    comparison = data.comparison(sides, fields, common)
    as_ratio = compared_as_ratio(comparison.measure, fields[0])
    label = change.judge_of if sides.judge_a is None else lambda row: title(row["field"])
    rows = comparison.rows
    if len(rows) > MOST_JUDGES + 1:
        ranked = (row for row in rows if row["judge"] is None or row["rank_a"] is not None)
        rows = [row for row in ranked if row["judge"] is None or row["rank_a"] <= MOST_JUDGES]
    frame = change.two_side_rows(rows, as_ratio=as_ratio, label=label)
    spec = spec_of(change.two_sides(frame, as_ratio=as_ratio, picks=True))
    return Chart(spec, frame, len(rows), len(comparison.rows), COMPARED_TITLES)


def claim_figure(key: StudyKey, flags: FlagValues, claim_id: str, width: int) -> Chart:  # noqa: ARG001 - a claim has its own
    """Draw the small chart of a claim."""
    claims = data.outcome(key, claim_id.partition(":")[0]).claims
    claim = next(each for each in claims if each.id == claim_id)
    draw = partial(measure_charts.claim_chart, **measure_charts.chart_settings(claim), width=width)
    return chart_of(measure_charts.rows_of(claim), draw)


Draw = Callable[[pd.DataFrame], alt.TopLevelMixin]


def chart_of(frame: pd.DataFrame, draw: Draw, titles: Titles = ()) -> Chart:
    """Draw all of a frame; nothing where it is empty."""
    return Chart(spec_of(draw(frame)) if len(frame) else {}, frame, titles=titles)


def first_judges_chart(frame: pd.DataFrame, draw: Draw, titles: Titles, most: int) -> Chart:
    """Draw the first `most` judges of a frame."""
    judges = list(dict.fromkeys(frame["judge"]))
    chart_rows = frame[frame["judge"].isin(judges[:most])].reset_index(drop=True)
    spec = spec_of(draw(chart_rows)) if len(chart_rows) else {}
    return Chart(spec, chart_rows, min(len(judges), most), len(judges), titles)


# ------------------------------------------------------------------------------
# The charts of pages by name: those of several measures, and all that `explorer.data.figure` caches.


MOST = 40
"""Most judges and generators drawn in a heatmap."""

MOST_SLICES = 12
"""Most slices of a column that have a small heatmap each."""

MATRIX_TITLES = (
    ("judge", "Judge"),
    ("generator", "Generator"),
    ("relation", "Relation"),
    ("words", "Value [95% interval]"),
    ("over", "Passed though failed"),
    ("under", "Failed though passed"),
    ("delta", "Centered delta, points"),
)
VOTES_TITLES = MATRIX_TITLES[:4]


def without(flags: FlagValues, *names: str) -> FlagValues:
    """Return the flags without those that a chart sets itself."""
    return tuple((name, value) for name, value in flags if name not in names)


def attempt(key: StudyKey, measure: str, flags: FlagValues, by: str | None = None) -> Result:
    """Compute a measure; if it rejects the slice, return no rows, with the error as the reason."""
    try:
        return data.result(key, measure, flags, by)
    except UsageError as error:
        name = data.study(key).name
        return Result(find(measure), name, dict(flags), {}, {}, str(error), by)


def heatmap_names(key: StudyKey, flags: FlagValues, role: str) -> tuple[tuple[str, ...], int]:
    """Return the judges or generators that a heatmap shows, and how many were requested."""
    choices = data.choices(key)
    all_names = choices.judges if role == "judges" else choices.models
    requested = dict(flags).get(role) or all_names
    names = tuple(name for name in all_names if name in requested)
    return names[:MOST], len(names)


def limit_flags(key: StudyKey, flags: FlagValues, *roles: str) -> FlagValues:
    """Return the flags limited to the judges or generators that a heatmap shows.

    Intervals of some ten thousand unseen cells would take a minute.
    """
    limited = dict(flags)
    for role in roles:
        names, total = heatmap_names(key, flags, role)
        if len(names) < total:
            limited[role] = names
    return data.flags_of(limited)


def cells_of(key: StudyKey, flags: FlagValues, by: str | None = None) -> Result:
    """Return both kinds of error in the cells that are drawn."""
    limited = limit_flags(key, flags, "judges", "generators")
    return _with_flags(attempt(key, "overestimation", limited, by), flags)


def deltas(key: StudyKey, flags: FlagValues, by: str | None = None) -> Result:
    """Return the score deltas of the judges that are drawn, over all requested generators.

    They are of whole responses, whatever level is requested.
    """
    return _with_flags(attempt(key, "delta", limit_flags(key, without(flags, "level"), "judges"), by), flags)


def _with_flags(result: Result, flags: FlagValues) -> Result:
    """Return the result with the filters that the reader chose: the page says how many are shown."""
    requested = {role: dict(flags).get(role, ()) for role in ("judges", "generators")}
    return replace(result, filters=result.filters | requested)


def matrix(
    key: StudyKey, flags: FlagValues, shade: str, order: heatmap.Order, by: str | None = None
) -> Chart:
    """Draw the heatmap of judges and generators, or a small one for each of the first slices of a column."""
    families = data.study(key).families(dict(flags).get("relatives"))
    generators, _ = heatmap_names(key, flags, "generators")
    cells, scores = cells_of(key, flags, by).rows, deltas(key, flags, by).rows
    values = [None] if by is None else [row["slice"] for row in (cells if shade != "delta" else scores)]
    frames = [
        heatmap.cell_rows(
            (row for row in cells if by is None or row["slice"] == value),
            (
                row
                for row in scores
                if row["generator"] in generators and (by is None or row["slice"] == value)
            ),
            shade=shade,
            families=families,
            row_order=order,
            column_order=order,
            most=MOST,
        ).assign(slice=forest.NO_VALUE if value is None else str(value))
        for value in list(dict.fromkeys(values))[:MOST_SLICES]
    ]
    frame = pd.concat(frames, ignore_index=True)
    judges, total = heatmap_names(key, flags, "judges")
    if by is not None:
        titles = (("slice", title(by)), *MATRIX_TITLES)
        return Chart(spec_of(heatmap.multiples(frame, shade)), frame, len(judges), total, titles)
    chart = alt.hconcat(heatmap.heatmap(frame, shade))  # a row of one, which the page stretches
    return Chart(spec_of(chart), frame.drop(columns="slice"), len(judges), total, MATRIX_TITLES)


def votes(key: StudyKey, flags: FlagValues, most: int = MOST) -> Chart:
    """Draw the heatmap of each judge's votes.

    Of more than `most` models, those that most judges voted on; of equally many, those that win most.
    """
    families = data.study(key).families()
    rows = data.result(key, "votes", flags).rows
    judges = Counter(row["generator"] for row in rows if row["win_rate"] is not None)
    order: heatmap.Order = "value" if len({row["generator"] for row in rows}) > most else "family"
    frame = heatmap.cell_rows(
        rows, shade="votes", families=families, row_order="family", column_order=order, most=MOST
    )
    places = dict(zip(frame["generator"], frame["generator_order"], strict=True))
    models = sorted(places, key=lambda model: (-judges[model], places[model]))[:most]
    frame = frame[frame["generator"].isin(models)].reset_index(drop=True)
    chart = alt.hconcat(heatmap.heatmap(frame, "votes", width=500))  # leaves room for family names
    return Chart(spec_of(chart), frame, titles=VOTES_TITLES)


@dataclass(frozen=True)
class Figure:
    """A chart of one measure: its frame, made from the measure's rows, how it is drawn, and its titles.

    Filters that are `idle` have no effect on it, `flags` are its own. It shows the first `most` judges.
    """

    measure: str
    frame: Callable[[list[dict[str, Any]]], pd.DataFrame]
    draw: Draw
    titles: Titles
    most: int | None = None
    by: str | None = None
    idle: tuple[str, ...] = ()
    flags: FlagValues = ()

    def result(self, key: StudyKey, flags: FlagValues) -> Result:
        """Compute the measure."""
        return attempt(key, self.measure, (*without(flags, *self.idle), *self.flags), self.by)

    def __call__(self, key: StudyKey, flags: FlagValues) -> Chart:
        """Draw the chart."""
        frame = self.frame(self.result(key, flags).rows)
        if self.most is None:
            return chart_of(frame, self.draw, self.titles)
        return first_judges_chart(frame, self.draw, self.titles, self.most)


FIGURES: dict[str, Callable[..., Chart]] = {
    "compared": comparison_chart,
    "ratios": ratios,
    "claim": claim_figure,
    "ranks": Figure("ranking", scatter.ranking_rows, scatter.rankings, RANKING_TITLES),
    "matrix": matrix,
    "votes": votes,
    "curve": curve,
}


# ------------------------------------------------------------------------------
# What the power page says in words: the numbers needed, and the assumptions.


ASSUMPTIONS = (
    "Every judge has the same effect and judges every response; clustered failures count for less. The "
    "formula is for ratios of rubric verdicts, and agrees with simulated studies of at least ten own "
    "failures per judge (docs/intervals.md)."
)
"""The assumptions of the curves."""

COSTS = (
    "Every call succeeds the first time, at the judges' mean price. A call on a pair reads twice as many "
    "tokens; a call on all rubrics writes an answer for each."
)
"""The assumptions of the costs."""


def power_sentences(plan: Assumptions, power: float, sizes: Mapping[Target, StudySize]) -> list[str]:
    """Return how many instances each question needs, and what that means for one judge."""
    one, all_of, mean = (sizes[target].instances for target in ("judge", "adjusted", "mean"))
    return [
        f"Detecting a ratio of {plan.effect:g} with {power:.0%} power takes {quantity(one, 'instance')}.",
        f"With p adjusted for testing all {plan.judges} judges, it takes {all_of:,}.",
        f"For the mean over judges, it takes {mean:,}.",
        f"Each judge then has about {sizes['judge'].own_failures:,.0f} own failures.",
    ]


# ------------------------------------------------------------------------------
# A judge's numbers as a sentence: the counts, the result, and its meaning.


def judge_sentences(rows: Sequence[Row], level: str) -> list[str]:
    """Return a sentence for each judge of the rows of `hspp`, at rubric or instance level."""
    return [_of_judge(row, level) for row in rows if row["judge"] is not None]


def _of_judge(row: Row, level: str) -> str:
    if row["hspp_self"] is None:
        return f"{row['judge']} has no ratio: {meaning(row['reasons'].get('hspp_self'))}."
    of_rubrics = level == "rubric"
    things, verb = ("rubrics", "failed") if of_rubrics else ("comparisons", "lost")
    sentence = (
        f"{row['judge']} {'passed' if of_rubrics else 'made wins or ties of'} {row['o_self']:.1%} of the "
        f"{row['n_self']:,} {things} that its own responses {verb}, and {row['o_other']:.1%} of those that "
        f"another family's model {verb}, averaged over models: {_times(row, 'hspp_self', ' as often')}."
    )
    if row.get("hspp_matched") is not None:
        sentence += f" Where both failed: {_times(row, 'hspp_matched')}."
    if row.get("hspp_family") is not None:
        sentence += f" For its family: {_times(row, 'hspp_family')}."
    return sentence


def _times(row: Row, field: str, more: str = "") -> str:
    """Return `1.38 times (95% CI 1.20 to 1.55)`; `more` follows `times`."""
    return f"{number(row[field])} times{more} ({confidence(row[f'{field}_low'], row[f'{field}_high'])})"
