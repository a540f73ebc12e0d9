"""Judges by generators: what each judge gives each model, and what that does to scores and ranks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd

from engine.charts import heat_cells, heatmap
from engine.charts.chart_marks import PICK
from engine.charts.chart_spec import spec_of
from engine.charts.forest import NO_VALUE
from engine.charts.lazy_altair import alt
from engine.explore.filter_choices import Choices
from engine.measures.result import Result
from engine.views import vote_matrix
from engine.views.drawing import judgments_behind
from engine.views.keys import Filters, choice, choices_in, filters, needs_verdicts, switch, without
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown, VerdictQuery
from engine.views.view import View
from engine.words import bonus_words
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import DeltaRow, OverestimationRow

MOST, MOST_SLICES = 40, 12
"""Most judges and generators drawn, and most slices of a column that have a small heatmap each."""

SHADES = {
    "overestimation": "overestimation",
    "underestimation": "underestimation",
    "delta": "centered score delta",
}
ORDERS = {"study": "study order", "family": "by family", "value": "by value", "name": "by name"}
BEHIND = {"overestimation": "overestimation", "underestimation": "underestimation", "delta": "disagreement"}
"""The verdicts behind a cell of each shade."""

FIELDS = {
    "overestimation": ("judge", "generator", "relation", "rate", "over", "n"),
    "underestimation": ("judge", "generator", "relation", "under_rate", "under", "under_n"),
    "delta": ("judge", "generator", "delta", "bonus", "n"),
}
LIFTS = (
    "judge",
    "bonus",
    "family_bonus",
    "leniency_outside",
    "rank_shift",
    "pair_order",
    "bonus_p_adjusted",
    "n",
)

MARKS = (
    "Solid outline: the judge's own answers; dashed: its family's; hollow dot: fewer than 30 cases. Hover "
    "over a cell for its confusion table."
)
LEADS = "Click a cell to list its judgments."
NOTHING = ""


def columns_or_none(study: "MeasuredStudy") -> Mapping[str, str]:
    return {NOTHING: "nothing"} | {name: title(name) for name in choices_in(study).groupings}


@dataclass(frozen=True)
class MatrixKeys:
    """The slice, what the cells show, the column that splits it, and the order of judges and generators."""

    slice_: Annotated[Filters, filters()]
    shade: Annotated[str, choice("Cells show", "What a cell shows", lambda _: SHADES)]
    by: Annotated[
        str, choice("Split by", "A small heatmap for each value of a column", columns_or_none, clears="value")
    ]
    sort: Annotated[heat_cells.Order, choice("Sort", "The order of judges and models", lambda _: ORDERS)]


@dataclass(frozen=True)
class LiftKeys:
    """The slice, and whether there is a sentence for each judge."""

    slice_: Annotated[Filters, filters("level")]
    in_words: Annotated[bool, switch("In words, for each judge", "Off: the largest effect")]


def drawn_names(choices: Choices, slice_: Filters, role: str) -> tuple[tuple[str, ...], int]:
    """Return the judges or generators that a heatmap draws, and how many were requested."""
    every = choices.judges if role == "judges" else choices.models
    limits = slice_.get(role) or every
    names = tuple(name for name in every if name in limits)
    return names[:MOST], len(names)


def limited(study: "MeasuredStudy", slice_: Filters, *roles: str) -> dict[str, Any]:
    """Return the filters limited to what is drawn: ten thousand unseen cells would take a minute."""
    options = dict(slice_)
    for role in roles:
        names, total = drawn_names(choices_in(study), slice_, role)
        if len(names) < total:
            options[role] = names
    return options


def answer(study: "MeasuredStudy", keys: MatrixKeys) -> Shown:
    """Show every judge on every model's responses; of pairs alone, whom it votes for."""
    split = {"by": keys.by} if keys.by else {}
    of_cells = limited(study, keys.slice_, "judges", "generators") | split
    whole = without(keys.slice_, "level")
    of_scores = limited(study, whole, "judges") | split
    cells, deltas = measure(study, "overestimation", of_cells), measure(study, "delta", of_scores)
    result = deltas if keys.shade == "delta" else cells
    if not result.rows:
        votes = vote_matrix.answer(study, vote_matrix.VoteMatrixKeys(keys.slice_))
        if votes.table is not None:
            missing = f"{SHADES[keys.shade].capitalize()} is not shown: {result.reason}."
            return replace(votes, problems=(missing, *votes.problems))
    options = of_scores if keys.shade == "delta" else of_cells
    shown = shown_of(study, result, options, FIELDS[keys.shade], figure=_figure(study, keys, cells, deltas))
    return replace(shown, queries=(VerdictQuery(keys.slice_, BEHIND[keys.shade]),))


def _figure(study: "MeasuredStudy", keys: MatrixKeys, cells: Result, deltas: Result) -> Figure | None:
    families = study.families(keys.slice_.get("relatives"))
    generators, _ = drawn_names(choices_in(study), keys.slice_, "generators")
    judges, n_judges = drawn_names(choices_in(study), keys.slice_, "judges")
    main, by = (deltas if keys.shade == "delta" else cells), keys.by or None
    if not main.rows:
        return None
    values = [None] if by is None else list(dict.fromkeys(row["slice"] for row in main.rows))
    every_cell: list[OverestimationRow] = cells.rows
    every_delta: list[DeltaRow] = deltas.rows
    frames = [
        heat_cells.cell_rows(
            (row for row in every_cell if by is None or row["slice"] == value),
            (
                row
                for row in every_delta
                if row["generator"] in generators and (by is None or row["slice"] == value)
            ),
            shade=keys.shade,
            families=families,
            row_order=keys.sort,
            column_order=keys.sort,
            most=MOST,
        ).assign(slice=NO_VALUE if value is None else main.names.get(str(value), str(value)))
        for value in values[:MOST_SLICES]
    ]
    frame = pd.concat(frames, ignore_index=True)
    shade = heat_cells.ALL_SHADES[keys.shade].words
    caption = f"Judges in rows, models in columns: {shade}."
    if by is not None:
        spec = spec_of(heatmap.multiples(frame, keys.shade))
        caption = f"{caption} One panel for each {title(by).lower()}."
    else:  # a row of one, which the page stretches
        spec = spec_of(alt.hconcat(heatmap.heatmap(frame.drop(columns="slice"), keys.shade)))
    return Figure(spec, caption, MARKS, len(judges), n_judges, pick=PICK)


def lifts(study: "MeasuredStudy", keys: LiftKeys) -> Shown:
    """Show the effect of each judge's treatment of itself in points and ranks."""
    options = limited(study, keys.slice_, "judges")
    result = measure(study, "delta", options)
    if not result.rows:
        return Shown(problems=(f"Points and ranks are not shown: {result.reason}.",), measures=("delta",))
    ratios = measure(study, "hspp", keys.slice_).rows
    sentence_of = bonus_words.score_bonus_sentences(result.rows, ratios)
    first = bonus_words.largest_bonus(result.rows)
    lines = (
        list(sentence_of.values())[:MOST] if keys.in_words else [] if first is None else [sentence_of[first]]
    )
    own = result.with_rows(bonus_words.own_rows(result.rows))
    return shown_of(study, own, options, LIFTS, sentences=lines)


MATRIX = View(
    "matrix",
    "Judges × models",
    "How does each judge treat each model?",
    MatrixKeys,
    answer,
    needs_verdicts,
    click=judgments_behind,
    leads=LEADS,
    stays=True,
)
LIFT = View(
    "lifts",
    "Effect in points and ranks",
    "How many points and ranks does a judge give itself?",
    LiftKeys,
    lifts,
)
