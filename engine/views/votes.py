"""Votes: how often each model wins with each judge, which needs no reference."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from engine.charts import win_rates
from engine.charts.chart_marks import PICK
from engine.charts.chart_spec import spec_of
from engine.explore.cautions import single_orders
from engine.explore.doctor import unknown_self_preference
from engine.measures.pairs.votes import SINGLE
from engine.measures.scorecard.deciding_source import knows_orders
from engine.views.drawing import MARKS, MOST_PANELS, judgments_behind
from engine.views.keys import Filters, choice, filters, needs_pairs
from engine.views.matrix import MOST, columns_or_none
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown, VerdictQuery
from engine.views.slices import ORDERS, cannot_be_compared
from engine.views.view import View
from engine.words import slice_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = ("judge", "generator", "win_rate", "rank", "n")
CAPTION = (
    "How often each model wins with each judge. Both orders of a pair are one vote: a winner in one and a "
    "tie in the other wins; a tie in both, or another winner in each, is half a win."
)
LEADS = "Click a mark to list its judgments."
NO_REFERENCE = "This shows how often each model wins with each judge, which needs no reference."


@dataclass(frozen=True)
class VotesKeys:
    """The slice, the column that splits it, and the order of models."""

    slice_: Annotated[Filters, filters("paradigm", "level", "min_agreement")]
    by: Annotated[
        str, choice("Split by", "Panels for each value of a column", columns_or_none, clears="value")
    ]
    sort: Annotated[win_rates.Order, choice("Sort", "The order of models", lambda _: ORDERS)]


def answer(study: "MeasuredStudy", keys: VotesKeys) -> Shown:
    """Show how often each model wins with each judge, and in each slice of a column."""
    options = {**keys.slice_, **({"by": keys.by} if keys.by else {})}
    result = measure(study, "votes", options)
    if not result.rows:
        return shown_of(study, result, options, FIELDS)
    every = win_rates.win_rate_rows(result.rows, study.families(), order=keys.sort, most=MOST)
    frame = every[every["panel_order"] < MOST_PANELS].reset_index(drop=True)
    figure = None
    if len(frame):
        marks = f"{CAPTION} The dashed line is one half. {MARKS}"
        n_drawn, n_judges = frame["panel"].nunique(), every["panel"].nunique()
        figure = Figure(spec_of(win_rates.win_rates(frame)), CAPTION, marks, n_drawn, n_judges, pick=PICK)
    single = result.filters.get(SINGLE) or ()
    of_known_order = bool(single) and knows_orders(study)
    cautions = [caution.text for caution in single_orders(single, of_known_order=of_known_order)]
    why = [] if cannot_be_compared(study) is None else [unknown_self_preference(study)]
    lines = (*(slice_words.leaders(result.rows) if not keys.by else ()), NO_REFERENCE, *cautions, *why)
    shown = shown_of(study, result, options, FIELDS, sentences=lines, figure=figure)
    return replace(shown, queries=(VerdictQuery(keys.slice_, "all"),))


VOTES = View(
    "votes",
    "Votes",
    "How often does each model win with each judge?",
    VotesKeys,
    answer,
    needs_pairs,
    judgments_behind,
    LEADS,
    stays=True,
)
