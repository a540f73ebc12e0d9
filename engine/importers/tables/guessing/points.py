"""Which column has the points of criteria, whose sign says whether to meet one is good."""

from collections.abc import Sequence

from engine.importers.tables.criterion_points import (
    below_zero,
    criterion_fields,
    is_called_points,
    may_be_points,
    points_of_words,
    signs,
)
from engine.importers.tables.guessing.guessed_table import GuessedTable


def take_points(table: GuessedTable) -> None:
    """Take the column that is called like points; their sign is said."""
    criteria, sample = criterion_fields(table.places), table.sample
    if not criteria or table.has("points", "opponent"):
        return
    column = points_by_name(table, criteria, table.free)
    if column is None:
        return
    table.take("points", column)
    if words := points_of_words(sample, column):
        table.result.value["points"] = words
    if below := below_zero(sample, column):
        others = [
            each for each in _called_points(table, criteria, table.free) if not any(signs(sample, each))
        ]
        beside = (
            f"; {others[0]!r} is not read beside it: write both as one number, such as -3" if others else ""
        )
        table.result.notes.append(
            f"{column!r} has the points of criteria: where it is {below}, to meet one counts against the "
            f"answer ({table.spelling.without([column])} if it is something else){beside}"
        )


def points_by_name(table: GuessedTable, criteria: Sequence[str], columns: Sequence[str]) -> str | None:
    """Return the column that is called like points of these criteria; of several one with points below 0.

    None where several do not agree on which are below 0, which is asked about.
    """
    sample, called = table.sample, _called_points(table, criteria, columns)
    signed = [each for each in called if any(signs(sample, each))]
    hits = signed or [each for each in called if not points_of_words(sample, each)]
    if len({signs(sample, each) for each in hits}) != 1:
        return None
    return max(hits, key=lambda column: len(sample.labels(column)))


def _called_points(table: GuessedTable, criteria: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns that are called like points and have one for each criterion."""
    question = table.question
    called = [each for each in columns if is_called_points(each)] if question is not None else []
    return [each for each in called if may_be_points(table.sample, each, str(question), criteria)]
