"""Which column has the top of the scale of scores."""

from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import number_of
from engine.importers.tables.asking.scale_checks import MOST_MISTAKES
from engine.importers.tables.guessing.guessed_table import GuessedTable


def take_scale(table: GuessedTable) -> None:
    """Take the column that has the top of the scale of scores: one number, or one for each judge."""
    score = table.places.get("score")
    if score is None or table.has("scale", "opponent", "paradigm"):
        return
    if table.choose("scale", lambda column: bool(_tops(table, column, score)), ask=False):
        column = str(table.places["scale"])
        tops = sorted(set(_tops(table, column, score).values()))
        which = f"{tops[0]:g}" if len(tops) == 1 else f"{tops[0]:g} to {tops[-1]:g}, one for each judge"
        table.result.notes.append(
            f"{column!r} is taken for the top of the scale of {score!r} ({which}), by which scores are "
            f"divided ({table.spelling.without([column])} if it is something else)"
        )


def _tops(table: GuessedTable, column: str, score: str) -> dict[str, float]:
    """Return each judge's top of the scale by a column; none if that varies or scores do not fit it.

    A few scores above it are mistakes, and their rows will be left out.
    """
    tops: dict[str, float] = {}
    judge, scores, n_above = table.places.get("judge"), [], 0
    for row in table.sample.rows:
        if (number := number_of(value_at(row, score))) is None:
            continue
        scores.append(number)
        top = number_of(value_at(row, column))
        whose = str(value_at(row, judge)) if judge else ""
        if top is None or number < 0 or tops.setdefault(whose, top) != top:
            return {}
        n_above += number > top
    return tops if max(scores, default=0) > 1 and n_above <= MOST_MISTAKES * len(scores) else {}
