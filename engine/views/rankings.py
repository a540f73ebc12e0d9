"""Rankings of models by judges: the corrected ranking, how near each is to the reference's, and flips."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.charts.rank_lines import NAMES, REFERENCE, main_rankings, ranking_name
from engine.findings.commands import command_of
from engine.findings.rankings import is_joint
from engine.measures.result import Result
from engine.phrases import join_names, quantity, sentence_case
from engine.views.drawing import MARKS, figure_of
from engine.views.keys import NoKeys
from engine.views.of_measure import beside, measure, shown_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words import row_cells, written_numbers

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import RankingDistanceRow

DISTANCE = ("by", "tau", "gain", "shift", "flips", "n_models", "nearest")
FLIPS = ("by", "above", "below", "lead", "lead_reference", "sure", "itself")
TITLES = {
    "by": "Ranked by",
    "tau": "Agreement in order (tau-b)",
    "gain": "Gain over all judges",
    "shift": "Places moved",
    "flips": "Pairs reversed",
    "n_models": "Models",
    "nearest": "Closest",
    "above": "Puts higher",
    "below": "Reference puts higher",
    "lead": "Score difference",
    "lead_reference": "By the reference",
    "sure": "Resamples that agree",
    "itself": "Puts itself higher",
}
"""Titles of columns that say more of rankings than their names."""

CAPTION = "Rank of each model by all judges, without its own and its family's verdicts, and by the reference."
RANKS = "Ranks with their 95% intervals, 1 the highest."


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show the rank of each model by every ranking, and which is nearest to the reference's."""
    ranking, distance = measure(study, "ranking", {}), measure(study, "ranking-distance", {})
    figure = figure_of(ranking, CAPTION, MARKS)
    sentences = distance_sentences(distance) if ranking.rows else ()
    shown = shown_of(study, ranking, {}, ("by", "model"), sentences=sentences, figure=figure)
    if shown.table is None:
        return shown
    commands = (*shown.commands, command_of(study.name, distance.measure.name, {"run": study.only_runs}))
    shown = replace(shown, table=_rank_table(ranking), basis=(*shown.basis, RANKS), commands=commands)
    return beside(shown, distance)


def _rank_table(ranking: Result) -> ShownTable:
    """Return a row for each model and a column for each ranking, the reference's and joint ones first."""
    joint = main_rankings(ranking.rows)
    rankings = [*joint, *dict.fromkeys(str(row["by"]) for row in ranking.rows if row["by"] not in joint)]
    cells = {
        (row["model"], row["by"]): written_numbers.without_zeros(
            row_cells.text_of(row, "rank", "rank_low", "rank_high")
        )
        for row in ranking.rows
    }
    leading = REFERENCE if REFERENCE in joint else rankings[0]
    ranks = {row["model"]: row["rank"] for row in ranking.rows if row["by"] == leading}
    models = sorted(
        dict.fromkeys(row["model"] for row in ranking.rows), key=lambda name: ranks.get(name, 1e9)
    )
    heads = {by: sentence_case(ranking_name(by)) if by in NAMES else ranking_name(by) for by in rankings}
    return ShownTable.of_models(models, heads, cells, map(dict, ranking.rows))


def distance_sentences(distance: Result) -> tuple[str, ...]:
    """Say which ranking is nearest to the reference's, and how near the joint rankings are."""
    every: list[RankingDistanceRow] = distance.rows
    rows = [row for row in every if row["tau"] is not None]
    if not rows:
        reason = distance.reason or "it ranks no models"
        return (f"No ranking can be compared with the reference: {reason}.",)
    nearest = [row for row in rows if row["nearest"]]
    names = join_names([ranking_name(row["by"]) for row in nearest])
    sentences = [f"Closest to the reference's order: {names}, Kendall's tau-b {_tau(nearest[0])}."]
    for row in rows:
        if is_joint(row["by"]):
            name, reversed_pairs = sentence_case(ranking_name(row["by"])), quantity(int(row["flips"]), "pair")
            sentences.append(f"{name}: tau-b {_tau(row)}, {reversed_pairs} reversed.")
    return tuple(sentences)


def _tau(row: "RankingDistanceRow") -> str:
    return written_numbers.in_sentence(row["tau"], row["tau_low"], row["tau_high"])


def distances(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show how far each ranking is from the reference's."""
    return _in_words(shown_of(study, measure(study, "ranking-distance", {}), {}, DISTANCE))


def flips(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show which pairs of models each ranking puts the other way round, the surest first."""
    result = measure(study, "ranking", {"rows": "flips"})
    surest = result.with_rows(sorted(result.rows, key=lambda row: -(row["sure"] or 0)))
    return _in_words(shown_of(study, surest, {}, FLIPS))


def _in_words(shown: Shown) -> Shown:
    """Return a table of rankings with their names and its own titles."""
    table = shown.table
    if table is None or table.result is None:
        return shown
    rows = tuple(tuple(map(_cell, table.names, row)) for row in table.rows)
    heads = tuple(TITLES[name] for name in table.names)
    records: Sequence[Mapping[str, Any]] = table.result.rows
    return replace(shown, table=replace(table, heads=heads, rows=rows, result=None, records=tuple(records)))


def _cell(name: str, text: str) -> str:
    if name == "by":
        return ranking_name(text)
    return written_numbers.without_zeros(text) if name == "flips" else text


RANKINGS = View(
    "rankings", "Corrected ranking", "Who ranks first without the bias of judges?", NoKeys, answer
)
DISTANCES = View(
    "distances",
    "Which ranking is closest to the reference's?",
    "How far is each ranking from the reference's?",
    NoKeys,
    distances,
)
RANK_FLIPS = View("rank_flips", "Which ranks flip?", "Which models does a ranking reverse?", NoKeys, flips)
