"""Which column tells apart verdicts that are alike in all else: the runs of a repeated collection."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial

from engine.importers.reading.columns import value_at
from engine.importers.tables.asking.unread_orders import unread_orders
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.table_columns import RUN, TRUTHS, VERDICTS

_REMARKS = ("reference_answer", "explanation", "raw")
"""Columns that say nothing about which verdict a row has."""

_NEARLY_ALL = 0.9


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
    places = _places(table)
    if len(set(places)) == len(places):
        return ()
    columns = []
    for column in table.free:
        values = [str(value_at(row, column)) for row in table.sample.rows]
        tells_apart = len(set(zip(places, values, strict=True))) == len(places)
        if tells_apart and _is_of_several(table, column):
            columns.append(column)
    return tuple(columns)


def columns_within_answers(table: GuessedTable) -> tuple[str, ...]:
    """Return the columns of repeats, else, of most answers with several verdicts, those that differ in each.

    Some rows may be there twice. The column that differs most is the first.
    """
    columns = columns_of_repeats(table)
    if columns or not table.has("generator") or not table.has("instance_id", "prompt"):
        return columns
    places = _places(table)
    n_values: dict[str, int] = {}
    for column in filter(partial(_is_of_several, table), table.free) if _are_repeated(places) else ():
        within = defaultdict[tuple[str, ...], set[str]](set)
        for row, place in zip(table.sample.rows, places, strict=True):
            within[place].add(str(value_at(row, column)))
        if sum(len(values) > 1 for values in within.values()) > _NEARLY_ALL * len(within):
            n_values[column] = sum(map(len, within.values()))
    return tuple(sorted(n_values, key=n_values.__getitem__, reverse=True))


def questions_with_repeats(table: GuessedTable) -> tuple[str, ...]:
    """Return the columns that may be the question's, if a judge has several verdicts on answers by each."""
    columns = table.result.open.get("instance_id", ()) if table.question is None else ()
    return columns if all(_are_repeated(_places(table, column)) for column in columns) else ()


def _places(table: GuessedTable, *further: str) -> list[tuple[str, ...]]:
    """Return for each row what is known of what it judges, and by whom."""
    verdicts = {table.places.get(name) for name in (*VERDICTS, *TRUTHS, *_REMARKS)}
    identity = [column for column in table.places.values() if column and column not in verdicts]
    return [tuple(str(value_at(row, each)) for each in (*identity, *further)) for row in table.sample.rows]


def _are_repeated(places: Sequence[tuple[str, ...]]) -> bool:
    """Return whether most places have several rows."""
    counts = Counter(places).values()
    return 2 * sum(count > 1 for count in counts) > len(counts)


def _is_of_several(table: GuessedTable, column: str) -> bool:
    """Return whether a column has labels that stand in several rows each."""
    n_rows = len(table.sample.rows)
    n_values = len({str(value_at(row, column)) for row in table.sample.rows})
    return table.sample.is_label(column) and 2 * n_values <= n_rows
