"""Which answer of a pair was shown first: by a column, by a flag, or by how the pairs are written."""

import re

from engine.importers.guessing.guessed_table import GuessedTable
from engine.importers.mirrored_pairs import are_mirrored
from engine.importers.reading.rows import Choice
from engine.importers.table_columns import plain, side_marks
from engine.importers.verdict_words import MET, NO_VERDICT

_SWAPPED = re.compile(r"(is_|was_)?(swap|swapped|flip|flipped|reversed)")
"""Names of columns that are true where the second model was shown first."""

_OF_FLAGS = frozenset(
    ("is", "was", "shown", "first", "model", "answer", "response", "presented", "came", "goes", "on")
)
"""Words beside a side's in the name of a column that is true where that side was shown first."""


def take_order(table: GuessedTable) -> None:
    """Take the column that says which answer was shown first."""
    if table.is_of_pairs and not table.choose("first", table.is_order, ask=False):
        flags = [column for column in table.free if _side_of_flag(table, column)]
        if len(flags) == 1:
            table.take("first", flags[0])


def read_order(table: GuessedTable) -> None:
    """Read a flag such as `swapped`, true for the opponent first, or `a_shown_first`, true for `model_a`."""
    column = table.places.get("first")
    if column is None or "first" in table.explained:
        return
    labels = table.sample.labels(column).keys()
    side = _side_of_flag(table, column)
    if _SWAPPED.fullmatch(plain(column.rpartition(".")[2])) and labels <= MET.keys():
        side = "opponent"
    if side is not None:
        other = "generator" if side == "opponent" else "opponent"
        meanings = {label: side if MET[label] else other for label in labels if label in MET}
        table.result.value["first"] = meanings
        whose = "the opponent" if side == "opponent" else repr(table.places["generator"])
        table.result.notes.append(f"a true {column!r} means that {whose} was shown first")


def _side_of_flag(table: GuessedTable, column: str) -> Choice | None:
    """Return the side of a flag that is true where it was shown first, such as `a_shown_first`; else None."""
    generator, opponent = table.places.get("generator"), table.places.get("opponent")
    labels = table.sample.labels(column).keys() - NO_VERDICT
    words = set(plain(column.rpartition(".")[2]).split("_"))
    if (
        generator is None
        or opponent is None
        or not labels
        or not labels <= MET.keys()
        or "first" not in words
    ):
        return None
    marks = side_marks(generator, opponent)
    hits = [mark for mark in marks or () if mark in words]
    if marks is None or len(hits) != 1 or not words - set(hits) <= _OF_FLAGS:
        return None
    return "generator" if hits[0] == marks[0] else "opponent"


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
    return are_mirrored(table.sample, question, judge, generator, opponent)
