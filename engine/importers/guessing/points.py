"""Which column has the points of criteria, whose sign says whether to meet one is good."""

from engine.importers.criterion_points import (
    below_zero,
    criterion_fields,
    is_called_points,
    may_be_points,
    points_of_words,
    signs,
)
from engine.importers.guessing.guessed_table import GuessedTable


def take_points(table: GuessedTable) -> None:
    """Take the column that is called like points, of several one with points below 0 if all agree on these."""
    question, criteria = table.question, criterion_fields(table.places)
    if question is None or not criteria or table.has("points", "opponent"):
        return
    sample = table.sample
    free = [column for column in table.free if is_called_points(column)]
    columns = [column for column in free if may_be_points(sample, column, question, criteria)]
    signed = [column for column in columns if any(signs(sample, column))]
    if len({signs(sample, column) for column in signed}) > 1:  # which is asked about
        return
    hits = sorted(signed or columns, key=lambda column: -len(sample.labels(column)))
    if not hits or not (signed or not points_of_words(sample, hits[0])):
        return
    column, words = hits[0], points_of_words(sample, hits[0])
    table.take("points", column)
    if words:
        table.result.value["points"] = words
    if signed:
        others = [each for each in columns if each not in signed]
        beside = f"; {others[0]!r} is not read beside it" if others else ""
        table.result.notes.append(
            f"{column!r} has the points of criteria: where they are below 0 "
            f"({below_zero(sample, column)}), to meet one counts against the answer "
            f"({table.spelling.without([column])} if it is something else){beside}"
        )
