"""Charts of rubric verdicts, of single results and of power, and the sentences beside them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from engine.charts import forest, heatmap, measure_charts, panels, scatter
from engine.charts.export import spec_of
from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.measures.result import Result, meaning
from engine.views.matrix import limited
from engine.words import Row, confidence, number
from explorer import data
from explorer.data import Chart, FlagValues, StudyKey
from explorer.parts import components

# ------------------------------------------------------------------------------
# The charts that draw one result: ratios, a comparison, a claim, ranks; `explorer.data` caches them.


MOST_JUDGES = 40
"""Most judges drawn one under another: those with the highest ratios."""


Titles = tuple[tuple[str, str], ...]
"""Columns of a chart's rows, each with its title."""


def titles(*, cases: str = "n", **columns: str) -> Titles:
    """Return columns of a chart's rows with their titles, the last two for the number of cases."""
    return (*columns.items(), ("n", cases), ("small", "Few cases"))


RANKING_TITLES = (
    ("model", "Model"),
    ("by", "Ranked by"),
    ("words", "Rank [95% interval]"),
    ("shift", "Compared with the reference"),
    ("n", "n"),
)


def ratios(key: StudyKey, flags: FlagValues, fields: tuple[str, ...]) -> Chart:
    """Draw the forest plot of ratios, those of the judges with the highest ones."""
    rows = forest.forest_rows(data.result(key, "hspp", flags).rows, fields=fields)
    chart_rows = forest.highest(rows, MOST_JUDGES)
    spec = forest.forest_spec(chart_rows, width=740)
    return Chart(spec, chart_rows, _judges(chart_rows), _judges(rows))


def _judges(rows: pd.DataFrame) -> int:
    return int(rows.loc[rows["label"] != forest.MEANS, "label"].nunique())


def claim_figure(key: StudyKey, flags: FlagValues, claim_id: str, width: int) -> Chart:  # noqa: ARG001 - a claim has its own
    """Draw the small chart of a claim."""
    claims = data.outcome(key, claim_id.partition(":")[0]).claims
    claim = next(each for each in claims if each.id == claim_id)
    return chart_of(*measure_charts.drawing_of([claim], width=width))


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

VOTES_TITLES = (
    ("judge", "Judge"),
    ("generator", "Generator"),
    ("relation", "Relation"),
    ("words", "Value [95% interval]"),
)


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


def limit_flags(key: StudyKey, flags: FlagValues, *roles: str) -> FlagValues:
    """Return the flags limited to the judges or generators that a heatmap shows."""
    return data.flags_of(limited(data.study(key), dict(flags), *roles))


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


# ------------------------------------------------------------------------------
# The charts of the pages on pairs and on all measures together.


MOST_PANELS = 12
"""Most judges drawn with a panel each."""

SIGN_TITLES = (
    ("judge", "Judge"),
    ("measure", "Measure"),
    ("words", "Value [95% interval]"),
    ("says", "Direction"),
    ("rank", "Rank"),
    ("n", "n"),
)


WIN_TITLES = titles(panel="Judge", generator="Model", series="Relation", words="Win rate [95% interval]")

SIGNS_TEXT = "Judges in rows, measures in columns; colours show for or against self-preference."
SIGN_COLOURS = (
    "Orange: self-preference; blue: the opposite; grey: neither. Pale: the 95% interval includes no "
    "preference, or is missing. Hover for the interval and n."
)


def say_cut(chart: Chart) -> None:
    """Say how many judges are drawn, unless all are."""
    if chart.panels < chart.all_panels:
        components.note(
            f"Showing the first {chart.panels} of {chart.all_panels} judges; choose others in the filters.",
            key=f"cut_{chart.panels}_{chart.all_panels}_{len(chart.rows)}",
        )


def win_rates(
    key: StudyKey, flags: FlagValues, by: str | None = None, order: panels.Order = "value"
) -> Chart:
    """Draw how often each model wins with each judge, in each slice of a column if one is given."""
    rows, families = attempt(key, "votes", flags, by).rows, data.study(key).families()
    every = panels.win_rate_rows(rows, families, order=order, most=MOST)
    frame = every[every["panel_order"] < MOST_PANELS].reset_index(drop=True)
    spec = spec_of(panels.win_rates(frame)) if len(frame) else {}
    return Chart(spec, frame, frame["panel"].nunique(), every["panel"].nunique(), WIN_TITLES)


def of_pairs(flags: FlagValues) -> FlagValues:
    """Return the flags of the measure on pairs."""
    return (*without(flags, "paradigm", "level", "min_agreement"), ("paradigm", "pairwise"))


FIGURES: dict[str, Callable[..., Chart]] = {
    "ratios": ratios,
    "claim": claim_figure,
    "ranks": Figure("ranking", scatter.ranking_rows, scatter.rankings, RANKING_TITLES),
    "votes": votes,
    "together": Figure("together", heatmap.direction_rows, heatmap.direction_grid, SIGN_TITLES, MOST),
    "win_rates": win_rates,
}


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
