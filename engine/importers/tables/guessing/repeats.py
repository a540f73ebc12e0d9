"""Which column tells apart verdicts that are alike in all else: the runs of a repeated collection."""

from engine.importers.reading.columns import value_at
from engine.importers.tables.asking.unread_orders import unread_orders
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.table_columns import RUN, TRUTHS, VERDICTS

_REMARKS = ("reference_answer", "explanation", "raw")
"""Columns that say nothing about which verdict a row has."""


def take_runs(table: GuessedTable) -> None:
    """Take the column of the runs by its name."""
    table.choose(RUN, table.sample.is_run, ask=False)


def leave_runs_open(table: GuessedTable) -> None:
    """Note the columns that may be of runs, unless they may be of criteria, as those of phrases are."""
    if table.had(RUN) or "rubric_id" in table.result.open:
        return
    orders = unread_orders(table.sample, table.free, table.places)
    runs = [column for column in columns_of_repeats(table) if column not in orders]
    if not table.has("rubric_id", "criterion", "opponent"):
        phrases = tuple(column for column in runs if _are_phrases(table, column))
        table.result.open |= {"rubric_id": phrases} if phrases else {}
        runs = [column for column in runs if column not in phrases]
    if runs := list(filter(table.sample.is_run, runs)):
        table.result.open[RUN] = tuple(runs)


def _are_phrases(table: GuessedTable, column: str) -> bool:
    """Return whether most values of a column have several words, as criteria and no runs have."""
    values = [str(value).split() for value in table.sample.labels(column)]
    return 2 * sum(len(words) > 2 for words in values) > len(values)


def columns_of_repeats(table: GuessedTable) -> tuple[str, ...]:
    """Return the columns that tell apart rows which are alike in all else that is known of them.

    Each of their values stands in several places: an id of the row alone would tell all rows apart. As
    long as nobody knows who answered or what, authors and questions tell rows apart, and nothing is said.
    """
    if not table.has("generator") or not table.has("instance_id", "prompt"):
        return ()
    verdicts = {table.places.get(name) for name in (*VERDICTS, *TRUTHS, *_REMARKS)}
    identity = [column for column in table.places.values() if column and column not in verdicts]
    rows = table.sample.rows
    places = [tuple(str(value_at(row, column)) for column in identity) for row in rows]
    if len(set(places)) == len(places):
        return ()
    columns = []
    for column in table.free:
        values = [str(value_at(row, column)) for row in rows]
        tells_apart = len(set(zip(places, values, strict=True))) == len(places)
        if tells_apart and table.sample.is_label(column) and 2 * len(set(values)) <= len(values):
            columns.append(column)
    return tuple(columns)
