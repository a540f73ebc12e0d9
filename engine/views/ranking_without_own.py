"""The ranking of models by all judges, without each model's own verdicts, and without its family's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.charts import scatter
from engine.charts.scatter import NAMES, main_rankings, ranking_name
from engine.measures.ranking import ALL
from engine.measures.result import Result
from engine.schema import RESPONSE_SCORES
from engine.values import join_names, quantity, sentence_case
from engine.views.drawing import MARKS, figure_of
from engine.views.keys import needs_paradigm
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown, Table
from engine.views.view import View
from engine.words import Row, number, text_of, without_zeros

if TYPE_CHECKING:
    from engine.study import Study

WITHOUT = {
    "all-without-self": "each model's own verdicts",
    "all-without-family": "the verdicts of each model's family",
}
"""What each ranking leaves out of that by all judges."""

MOST_NAMED = 3
"""How many models a sentence names."""

CAPTION = "Rank of each model by all judges, without its own and its family's verdicts, and by the reference."
RANKS = (
    "Ranks with their 95% intervals, 1 the highest. A move is called clear where the two intervals do not "
    "overlap. Leaving out a model's own judge leaves out that judge's strictness, too."
)


@dataclass(frozen=True)
class Keys:
    """Nothing can be chosen: models are ranked over the whole study."""


def answer(study: "Study", keys: Keys) -> Shown:  # noqa: ARG001 - there are none
    """Show each model's rank in the three ways, and which models move."""
    ranking = measure(study, "ranking", {})
    joint = main_rankings(ranking.rows)
    rows = [row for row in ranking.rows if row["by"] in joint]
    figure = figure_of(scatter.ranking_rows(rows), scatter.rankings, CAPTION, MARKS)
    sentences = [moves_sentence(rows, by) for by in WITHOUT if by in joint]
    shown = shown_of(study, ranking, {}, ("by", "model"), sentences=sentences, figure=figure)
    if shown.table is None or not rows:
        return shown
    return replace(shown, table=_table(ranking, joint), basis=(*shown.basis, RANKS))


def _table(ranking: Result, joint: Sequence[str]) -> Table:
    """Return a row for each model, the first by all judges first, and a column for each ranking."""
    rows = [row for row in ranking.rows if row["by"] in joint]
    order = [ALL, *WITHOUT, *(by for by in joint if by not in (ALL, *WITHOUT))]
    heads = {by: sentence_case(ranking_name(by)) if by in NAMES else ranking_name(by) for by in order}
    cells = {
        (row["model"], row["by"]): without_zeros(text_of(row, "rank", "rank_low", "rank_high"))
        for row in rows
    }
    places = {row["model"]: row["rank"] for row in rows if row["by"] == ALL}
    models = sorted(dict.fromkeys(row["model"] for row in rows), key=lambda name: places.get(name, 1e9))
    return Table.of_models(models, {by: heads[by] for by in order if by in joint}, cells, map(dict, rows))


def moves_sentence(rows: Sequence[Row], by: str) -> str:
    """Say how many models rank elsewhere without some verdicts, and which moves are clear."""
    ranks = {(row["by"], row["model"]): row for row in rows}
    both = [
        (ranks[ALL, row["model"]], row)
        for row in rows
        if row["by"] == by and row["rank"] is not None and _rank(ranks, row["model"]) is not None
    ]
    moved = [pair for pair in both if pair[0]["rank"] != pair[1]["rank"]]
    if not both:
        return ""
    if not moved:
        return f"Without {WITHOUT[by]} no model changes its rank."
    moved.sort(key=lambda pair: -abs(pair[1]["rank"] - pair[0]["rank"]))
    clear = [pair for pair in moved if _is_clear(*pair)]
    moves = join_names([_move(*pair) for pair in (clear or moved)[:MOST_NAMED]])
    verb = "changes its rank" if len(moved) == 1 else "change their rank"
    count = f"Without {WITHOUT[by]} {len(moved):,} of {quantity(len(both), 'model')} {verb}"
    if not clear:
        return f"{count}, none of them clearly; farthest {moves}."
    others = len(clear) - MOST_NAMED
    more = f" and {others:,} more" if others > 0 else ""
    return f"{count}, {len(clear):,} of them clearly: {moves}{more}."


def _rank(ranks: Mapping[tuple[str, str], Row], model: str) -> float | None:
    row = ranks.get((ALL, model))
    return None if row is None else row["rank"]


def _is_clear(before: Row, after: Row) -> bool:
    """Return whether the two intervals of a model's rank do not overlap."""
    ends = [row[f"rank_{end}"] for row in (before, after) for end in ("low", "high")]
    if any(end is None for end in ends):
        return False
    return bool(ends[1] < ends[2] or ends[3] < ends[0])


def _move(before: Row, after: Row) -> str:
    return f"{before['model']} from {_place(before)} to {_place(after)}"


def _place(row: Row) -> str:
    """Return `6 (95% CI 4 to 9)`."""
    low, high = row["rank_low"], row["rank_high"]
    rank = without_zeros(number(row["rank"]))
    if low is None or high is None:
        return rank
    return f"{rank} (95% CI {without_zeros(number(low))} to {without_zeros(number(high))})"


RANKING_WITHOUT_OWN = View(
    "ranking_without_own",
    "Ranking without own verdicts",
    "Does it change who ranks first?",
    Keys,
    answer,
    needs_paradigm(*RESPONSE_SCORES),
)
