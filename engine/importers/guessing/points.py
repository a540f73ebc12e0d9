"""Which column has the points of criteria, whose sign says whether to meet one is good."""

from collections.abc import Sequence

from engine.importers.criterion_points import (
    below_zero,
    criterion_fields,
    is_called_points,
    may_be_points,
    points_options,
    points_of_words,
    signs,
)
from engine.importers.guessing.guessed_table import GuessedTable


def take_points(table: GuessedTable) -> None:
    """Take the column that is called like points; their sign is said."""
    criteria, sample = criterion_fields(table.places), table.sample
    if not criteria or table.has("points", "opponent"):
        return
    column = points_by_name(table, criteria, table.free)
    if column is None:
        return
    table.take("points", column)
    table.result.value |= points_options(sample, column).value
    if below := below_zero(sample, column):
        table.result.notes.append(
            f"{column!r} has the points of criteria: where they are below 0 ({below}), to meet one counts "
            f"against the answer ({table.spelling.without([column])} if it is something else)"
        )


def points_by_name(table: GuessedTable, criteria: Sequence[str], columns: Sequence[str]) -> str | None:
    """Return the column that is called like points of these criteria; of several one with points below 0.

    None where several do not agree on which are below 0, which is asked about.
    """
    sample, question = table.sample, table.question
    if question is None:
        return None
    named = [each for each in columns if is_called_points(each)]
    named = [each for each in named if may_be_points(sample, each, question, criteria)]
    signed = [each for each in named if any(signs(sample, each))]
    hits = signed or [each for each in named if not points_of_words(sample, each)]
    if len({signs(sample, each) for each in hits}) != 1:
        return None
    return max(hits, key=lambda column: len(sample.labels(column)))
