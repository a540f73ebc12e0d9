"""Scores that are only 0 and 1: verdicts under the name of scores, beside a truth of yes and no."""

from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.tables.asking.questions import TableQuestion, WholeAnswer
from engine.importers.tables.criterion_points import signs
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.verdict_names import true_is_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT

BINARY = frozenset(("0", "0.0", "1", "1.0"))

_ENOUGH = 100
"""So many cells of 0 and 1 are no part of a longer scale by chance."""


def read_binary_scores(table: GuessedTable) -> None:
    """Read the column taken for scores as verdicts, where it has only 0 and 1 and so has what is true.

    Left open are a few such cells, those of a table that names the top of their scale, and those without a
    truth on criteria of which some have points below 0. Scores that the user named, or whose scale, stay.
    """
    column, truth = table.places.get("score"), _truth(table)
    if column is None or not table.mapped.keys().isdisjoint(("score", "scale", "paradigm")):
        return
    if truth is None and not _has_points_below_zero(table):
        return
    if table.has("met", "opponent", "paradigm") or {"met", "score"} & {*table.explained}:
        return
    labels = table.sample.labels(column)
    values = labels.keys() - NO_VERDICT
    if not _is_binary(table, column) or true_is_bad(column, values):
        return
    if truth is None or table.has("scale") or sum(labels[value] for value in values) < _ENOUGH:
        table.result.maybe_binary = column
        return
    _rename(table, "score", "met")
    if table.has("reference_score"):
        _rename(table, "reference_score", "reference_met")
    table.result.binary = column
    scores = table.spelling.columns({"score": column})
    table.result.notes.append(
        f"{column!r} has only 0 and 1, beside {truth!r}, so it is read as verdicts ({scores} reads scores)"
    )


def _has_points_below_zero(table: GuessedTable) -> bool:
    points = table.places.get("points")
    return points is not None and any(signs(table.sample, points))


def _truth(table: GuessedTable) -> str | None:
    """Return the column of what is true that verdicts are compared with, if there is one."""
    column = table.places.get("reference_score")
    if column is not None and "reference_score" not in table.mapped and _is_binary(table, column):
        return column
    return table.places.get("reference_met")


def _is_binary(table: GuessedTable, column: str) -> bool:
    values = table.sample.labels(column).keys() - NO_VERDICT
    return values <= BINARY and {MET[value] for value in values} == {MET["0"], MET["1"]}


def _rename(table: GuessedTable, old: str, new: str) -> None:
    column = table.places.pop(old)
    table.result.map.pop(old, None)
    table.places[new] = table.result.map[new] = str(column)


def binary_question(column: str, spelling: OptionSpelling, *, has_points: bool) -> TableQuestion:
    """Return the question whether a column of 0 and 1 has verdicts or scores, which points turn around."""
    verdicts, scores = (ImportOptions(map={name: column}) for name in ("met", "score"))
    given = " or ".join(spelling.columns(each.map) for each in (verdicts, scores))
    text = f"{column!r} has only 0 and 1, which may be verdicts or scores: give {given}"
    if has_points:
        text += " (as a score, 1 counts against the answer where points are below 0)"
    choices = (
        WholeAnswer("they are verdicts", verdicts, without=("score", "scale")),
        WholeAnswer("they are scores", scores),
    )
    return TableQuestion(text, choices=choices)
