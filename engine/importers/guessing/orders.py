"""Which answer of a pair was shown first: by a column, by a flag, or by how the pairs are written."""

import re

from engine.importers.guessing.guessed_table import GuessedTable
from engine.importers.reading.columns import value_at
from engine.importers.table_columns import plain
from engine.importers.verdict_words import MET

_SWAPPED = re.compile(r"(is_|was_)?(swap|swapped|flip|flipped|reversed)")
"""Names of columns that are true where the second model was shown first."""


def take_order(table: GuessedTable) -> None:
    """Take the column that says which answer was shown first."""
    if table.is_of_pairs:
        table.choose("first", table.is_order, ask=False)


def read_order(table: GuessedTable) -> None:
    """Read a flag such as `swapped`: true is the opponent first."""
    column = table.places.get("first")
    if column is None or "first" in table.explained:
        return
    labels = table.sample.labels(column).keys()
    if _SWAPPED.fullmatch(plain(column.rpartition(".")[2])) and labels <= MET.keys():
        meanings = {label: "opponent" if MET[label] else "generator" for label in labels}
        table.result.value["first"] = meanings
        table.result.notes.append(f"a true {column!r} means that the opponent was shown first")


def assume_order(table: GuessedTable) -> None:
    """Take the generator's answer to have been shown first, where no column says it and the pairs show it."""
    if table.is_of_pairs and not table.had("first") and (reason := _reason_for_first(table)):
        table.result.set["first"] = "generator"
        table.result.notes.append(
            f"{reason}, so that {table.places['generator']!r} is taken to be the answer shown first "
            f"({table.spelling.constant('first', 'unknown')} if it was not)"
        )


def _reason_for_first(table: GuessedTable) -> str | None:
    """Return why the generator's response was shown first, as far as the table shows it."""
    words = plain(table.places.get("generator") or "").split("_")
    for side, other in (("first", "the second"), ("left", "on the right")):
        if side in words:
            return f"{table.places['opponent']!r} is {other}"
    return "each pair is there both ways round" if _is_mirrored(table) else None


def _is_mirrored(table: GuessedTable) -> bool:
    """Return whether nearly all pairs of a question and judge are there twice, once each way round."""
    judge, generator, opponent = map(table.places.get, ("judge", "generator", "opponent"))
    question = table.question
    if question is None or generator is None or opponent is None:
        return False
    ways: dict[tuple[str, ...], list[str]] = {}
    for row in table.sample.rows:
        models = [str(value_at(row, column)) for column in (generator, opponent)]
        who = "" if judge is None else str(value_at(row, judge))
        ways.setdefault((who, str(value_at(row, question)), *sorted(models)), []).append(models[0])
    both = sum(len(each) == 2 and each[0] != each[1] for each in ways.values())
    return both > 0 and both >= 0.9 * len(ways)
