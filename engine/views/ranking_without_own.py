"""The ranking of models by all judges, without each model's own verdicts, and without its family's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.charts.rank_lines import NAMES, main_rankings, ranking_name
from engine.measures.rankings.ranking import ALL, EQUAL
from engine.measures.result import Result
from engine.paradigms import PAIR_PARADIGMS, RESPONSE_SCORES
from engine.phrases import join_names, part_of, sentence_case
from engine.stats.scores.ranks import average_ranks
from engine.views.drawing import MARKS, figure_of
from engine.views.keys import NoKeys, needs_paradigm
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.row_cells import Row, text_of
from engine.words.written_numbers import confidence, ends_without_zeros, number, without_zeros

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

WITHOUT = {
    "all-without-self": "each model's own verdicts",
    "all-without-family": "the verdicts of each model's family",
}
"""What each ranking leaves out of that by all judges."""

WITHOUT_VOTES = {
    "all-without-self": "votes on pairs with the judge's own answer",
    "all-without-family": "votes on pairs with an answer of the judge's family",
}
"""The same of a ranking by votes."""

MOST_NAMED = 3
"""How many models a sentence names."""

CAPTION = "Rank of each model by all judges, without its own and its family's verdicts, and by the reference."
OPTIONS = {"strictness": EQUAL}
"""A judge that is left out of one model's scores must not take its strictness along."""

RANKS = (
    "Ranks with their 95% intervals, 1 the highest, by scores as judges of equal strictness would give them: "
    "an effect of each model and of each judge, fitted together. A move is called clear where the two "
    "intervals do not overlap."
)

RANKS_BY_VOTES = (
    "Ranks with their 95% intervals, 1 the highest, by the strengths of all judges' votes together (Bradley "
    "and Terry). A move is called clear where the two intervals do not overlap."
)

NO_RANKING = (
    "The judges together rank no models: that needs judges who each score several models on one question, or "
    "vote between their answers."
)


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show each model's rank in the three ways, by scores or else by votes, and which models move."""
    paradigms = set(study.inventory.values("paradigm"))
    if not paradigms & set(RESPONSE_SCORES):
        return _by_votes(study)
    by_scores = _ranked(study, measure(study, "ranking", OPTIONS), OPTIONS, WITHOUT, RANKS)
    if by_scores.table is not None or not paradigms & set(PAIR_PARADIGMS):
        return by_scores
    by_votes = _by_votes(study)
    return by_scores if by_votes.table is None else by_votes


def _by_votes(study: "MeasuredStudy") -> Shown:
    return _ranked(study, measure(study, "vote-ranking", {}), {}, WITHOUT_VOTES, RANKS_BY_VOTES)


def _ranked(
    study: "MeasuredStudy",
    ranking: Result,
    options: Mapping[str, Any],
    without: Mapping[str, str],
    basis: str,
) -> Shown:
    joint = main_rankings(ranking.rows)
    rows = [row for row in ranking.rows if row["by"] in joint]
    figure = figure_of(ranking.with_rows(rows), CAPTION, MARKS)
    sentences = _moves(study, rows, [by for by in without if by in joint], without)
    sentences += [f"Without {without[by]} none is left." for by in without if rows and by not in joint]
    shown = shown_of(study, ranking, options, ("by", "model"), sentences=sentences, figure=figure)
    if shown.table is None:
        return shown
    if not any(row["by"] == ALL for row in rows):
        return replace(shown, table=None, problems=(NO_RANKING,))
    return replace(shown, table=_table(ranking, joint), basis=(*shown.basis, basis))


ALONE = "Each family has one model here, so that the ranking without its family's is the same."


def _moves(
    study: "MeasuredStudy", rows: Sequence[Row], rankings: Sequence[str], without: Mapping[str, str]
) -> list[str]:
    """Return a sentence for each ranking; one for both where no family has a second model."""
    families = [family for family in study.families().values() if family is not None]
    if len(rankings) > 1 and families and len(set(families)) == len(families):
        return [moves_sentence(rows, rankings[0], without), ALONE]
    return [moves_sentence(rows, by, without) for by in rankings]


def _table(ranking: Result, joint: Sequence[str]) -> ShownTable:
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
    return ShownTable.of_models(
        models, {by: heads[by] for by in order if by in joint}, cells, map(dict, rows)
    )


@dataclass(frozen=True)
class Move:
    """A model's place among the models that two rankings share, and its rows in both."""

    before: Row
    after: Row
    place: float
    place_after: float

    @property
    def distance(self) -> float:
        """How many places it moves."""
        return abs(self.place_after - self.place)

    def is_clear(self) -> bool:
        """Return whether the two intervals of its rank do not overlap."""
        ends = [row[f"rank_{end}"] for row in (self.before, self.after) for end in ("low", "high")]
        return None not in ends and bool(ends[1] < ends[2] or ends[3] < ends[0])

    def words(self, *, with_intervals: bool) -> str:
        """Return `a-model from 6 (95% CI 4 to 9) to 4 (95% CI 3 to 7)`."""
        places = (self.place, self.before), (self.place_after, self.after)
        first, second = (_place(place, row if with_intervals else {}) for place, row in places)
        return f"{self.before['model']} from {first} to {second}"


def moves_sentence(rows: Sequence[Row], by: str, without: Mapping[str, str] = WITHOUT) -> str:
    """Say how many models rank elsewhere without some verdicts, and which moves are clear.

    Where fewer models can be ranked without them, places are those among the models that both rank, which
    have no intervals, so that no move is called clear.
    """
    before, after = ({row["model"]: row for row in rows if row["by"] == each} for each in (ALL, by))
    models = [model for model in before if model in after]
    if not models:
        return ""
    is_whole = len(models) == len(before) == len(after)
    places = [average_ranks(-np.array([of[model]["rank"] for model in models])) for of in (before, after)]
    moves = [
        Move(before[model], after[model], *map(float, of_model))
        for model, *of_model in zip(models, *places, strict=True)
    ]
    moved = sorted((move for move in moves if move.distance), key=lambda move: -move.distance)
    fewer = "" if is_whole else f" (of {len(before):,}, those that both rank)"
    if not moved:
        return f"Without {without[by]} {part_of(0, len(models), 'model')}{fewer} changes its rank."
    clear = [move for move in moved if is_whole and move.is_clear()]
    farthest = [move.words(with_intervals=is_whole) for move in (clear or moved)[:MOST_NAMED]]
    verb = "changes its rank" if len(moved) == 1 else "change their rank"
    count = f"Without {without[by]} {part_of(len(moved), len(models), 'model')}{fewer} {verb}"
    if not is_whole:
        return f"{count}; farthest {join_names(farthest)}."
    if not clear:
        return f"{count}, none of them clearly; farthest {join_names(farthest)}."
    others = len(clear) - MOST_NAMED
    more = f" and {others:,} more" if others > 0 else ""
    return f"{count}, {len(clear):,} of them clearly: {join_names(farthest)}{more}."


def _place(place: float, row: Row) -> str:
    """Return `6 (95% CI 4 to 9)`, or the place alone without an interval."""
    low, high = row.get("rank_low"), row.get("rank_high")
    rank = without_zeros(number(place))
    if low is None or high is None:
        return rank
    return f"{rank} ({ends_without_zeros(confidence(low, high))})"


RANKING_WITHOUT_OWN = View(
    "ranking_without_own",
    "Ranking without own verdicts",
    "Does it change who ranks first?",
    NoKeys,
    answer,
    needs_paradigm(*RESPONSE_SCORES, *PAIR_PARADIGMS),
)
