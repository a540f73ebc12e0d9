"""Who votes for whom: each judge's votes on each model, and how each judge ranks the models by them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import heat_cells, heatmap
from engine.charts.chart_marks import PICK
from engine.charts.chart_spec import spec_of
from engine.charts.lazy_altair import alt
from engine.measures.pairs.votes import MOST_RESAMPLED
from engine.views.drawing import judgments_behind
from engine.views.keys import Filters, filters, needs_pairs
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Figure, Shown, ShownTable, VerdictQuery
from engine.views.view import View
from engine.words import row_cells, written_numbers

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import VotesRow

MOST, ON_A_PHONE = 40, 10
"""Most models drawn, and most on a phone."""

FIELDS = ("judge", "generator", "win_rate", "rank", "n")
RANK = ("rank", "rank_low", "rank_high")
CAPTION = "Judges in rows, models in columns: the share of each judge's votes that go to the model."
MARKS = (
    "Each cell: the share of a judge's votes that go to the model. Both orders of a pair are one vote: a tie "
    "in both, or another winner in each, is half a vote. Solid outline: the judge's own answers; dashed: its "
    "family's; hollow dot: fewer than 30 pairs."
)
LEADS = "Click a cell to list its judgments."


@dataclass(frozen=True)
class VoteMatrixKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("paradigm", "level", "min_agreement")]


def answer(study: "MeasuredStudy", keys: VoteMatrixKeys) -> Shown:
    """Show the share of each judge's votes that go to each model."""
    result = measure(study, "votes", keys.slice_)
    if not result.rows:
        return shown_of(study, result, keys.slice_, FIELDS)
    families = study.families(keys.slice_.get("relatives"))
    models = len({row["generator"] for row in result.rows})
    cut = f"Showing {MOST} of {models:,} models: those that most judges voted on, then those that win most."
    wide, narrow = (_spec(result.rows, families, most) for most in (MOST, ON_A_PHONE))
    n_judges = len({row["judge"] for row in result.rows})
    figure = Figure(wide, CAPTION, MARKS, min(n_judges, MOST), n_judges, narrow, PICK)
    shown = shown_of(
        study, result, keys.slice_, FIELDS, sentences=(cut,) if models > MOST else (), figure=figure
    )
    return replace(shown, queries=(VerdictQuery(keys.slice_, "all"),))


def _spec(rows: "Sequence[VotesRow]", families: Mapping[str, str | None], most: int) -> dict[str, Any]:
    """Draw the models that most judges voted on; of equally many, those that win most."""
    judges = Counter(row["generator"] for row in rows if row["win_rate"] is not None)
    order: heat_cells.Order = "value" if len({row["generator"] for row in rows}) > most else "family"
    frame = heat_cells.cell_rows(
        rows, shade="votes", families=families, row_order="family", column_order=order, most=MOST
    )
    places = dict(zip(frame["generator"], frame["generator_order"], strict=True))
    models = sorted(places, key=lambda model: (-judges[model], places[model]))[:most]
    frame = frame[frame["generator"].isin(models)].reset_index(drop=True)
    return spec_of(alt.hconcat(heatmap.heatmap(frame, "votes", width=500)))  # leaves room for family names


def ranks(study: "MeasuredStudy", keys: VoteMatrixKeys) -> Shown:
    """Show each judge's ranking of the models by its votes."""
    result = measure(study, "votes", keys.slice_)
    shown = shown_of(study, result, keys.slice_, FIELDS)
    if shown.table is None:
        return shown
    models = len({row["generator"] for row in result.rows})
    limit = "" if models <= MOST_RESAMPLED else f", which are left out of more than {MOST_RESAMPLED} models"
    method = (
        f"Ranks by each judge's votes (Bradley and Terry), 1 the highest, with 95% intervals{limit}. A "
        "judge's own rank is in its own row."
    )
    return replace(shown, table=_rank_table(result.rows), basis=(*shown.basis, method))


def _rank_table(rows: "Sequence[VotesRow]") -> ShownTable:
    """Return a row for each model, the highest by the mean over judges first, and a column for each judge."""
    cells, ranks_of = dict[tuple[str, str], str](), dict[str, list[float]]()
    for row in rows:
        model = str(row["generator"])
        # Whole numbers: an interval's end between two ranks adds nothing.
        whole: dict[str, Any] = {**row}
        whole |= {name: round(whole[name]) for name in RANK if whole[name] is not None}
        cells[model, str(row["judge"])] = written_numbers.without_zeros(row_cells.text_of(whole, *RANK))
        ranks_of.setdefault(model, []).append(row["rank"])
    models = sorted(ranks_of, key=lambda model: sum(ranks_of[model]) / len(ranks_of[model]))
    heads = {judge: f"by {judge}" for _, judge in cells}
    return ShownTable.of_models(models, heads, cells, map(dict, rows))


VOTE_MATRIX = View(
    "vote_matrix",
    "Who votes for whom",
    "Which models does each judge vote for?",
    VoteMatrixKeys,
    answer,
    needs_pairs,
    judgments_behind,
    LEADS,
    stays=True,
)
VOTE_RANKS = View(
    "vote_ranks",
    "How each judge ranks the models",
    "How does each judge rank the models by its votes?",
    VoteMatrixKeys,
    ranks,
    needs_pairs,
)
