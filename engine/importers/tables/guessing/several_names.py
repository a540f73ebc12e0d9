"""Columns of several models where the user gave one name for all rows."""

from collections.abc import Callable
from functools import partial

from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.judges import may_be_judges
from engine.importers.tables.verdict_words import NO_VERDICT


def several_names(table: GuessedTable) -> dict[str, str]:
    """Return, for judge and generator with one name for all rows, a column that has several names.

    It is free, and would have been taken if nobody had given the name.
    """
    fits: dict[str, Callable[[str], bool]] = {
        "judge": partial(may_be_judges, table),
        "generator": table.sample.is_name,
    }
    columns = {}
    for name in (name for name in fits if table.mapped.get(name, "") is None):
        hits = table.matches(name, fits[name])
        several = [column for column in hits if len(table.sample.labels(column).keys() - NO_VERDICT) > 1]
        if several:
            columns[name] = several[0]
    return columns
