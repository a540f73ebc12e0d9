"""Which answer of a pair was shown first: by a column, by a flag, or by how the pairs are written."""

import re

from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.rows import Choice
from engine.importers.tables.asking.unread_orders import unread_orders
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.table_columns import SIDE_MARKS, plain, side_marks
from engine.importers.tables.verdict_words import MET, NO_VERDICT, PAIRS

_SWAPPED = re.compile(
    r"(is_|was_)?((ab|order|orders|positions?|responses?|answers?|sides?)_)?((is|was|were)_)?"
    r"(swap|swapped|flip|flipped|reversed)"
)
"""Names of columns that are true where the second model was shown first."""

_OF_FLAGS = frozenset(
    ("is", "was", "shown", "first", "model", "answer", "response", "presented", "came", "goes", "on")
)
"""Words beside a side's in the name of a column that is true where that side was shown first."""

_PLACE = frozenset(("position", "place", "slot"))
_BESIDE_PLACE = frozenset(
    ("of", "the", "in", "model", "answer", "response", "bot", "system", "shown", "prompt")
)
"""Words in the name of a column that says at which place one side was shown, and words beside them."""

_SHOWN = frozenset(("shown", "displayed", "presented", "seen", "placed", "appeared", "appears", "printed"))
_FIRST = frozenset(("first", "top", "above"))
_BESIDE_SHOWN = frozenset(
    ("on", "at", "the", "side", "which", "was", "is", "one", "who", "bot", "model", "answer", "response")
)
"""Words in the name of a column that says which side was shown first, and words beside them."""


def take_order(table: GuessedTable) -> None:
    """Take the column that says which answer was shown first."""
    if table.is_of_pairs and not table.choose("first", table.is_order, ask=False):
        flags = [column for column in table.free if _says_order(table, column)]
        if len(flags) == 1 or (len(flags) == 2 and all(_meanings_of_places(table, each) for each in flags)):
            table.take("first", flags[0])


def _says_order(table: GuessedTable, column: str) -> bool:
    """Return whether a column's name and values say which answer was shown first, in one way only."""
    words = set(plain(column.rpartition(".")[2]).split("_"))
    is_called = words & _SHOWN and words & _FIRST and words <= _SHOWN | _FIRST | _BESIDE_SHOWN
    is_flag = table.sample.labels(column).keys() <= MET.keys()
    if is_flag and _SWAPPED.fullmatch(plain(column.rpartition(".")[2])):
        return True
    is_of_sides = is_called and table.is_order(column) and not is_flag
    return bool(is_of_sides or _side_of_flag(table, column) or _meanings_of_places(table, column))


def _meanings_of_places(table: GuessedTable, column: str) -> dict[str, str]:
    """Return which answer was shown first by the place of one, as in `position_of_a`; empty for others."""
    generator, opponent = table.places.get("generator"), table.places.get("opponent")
    labels = table.sample.labels(column).keys() - NO_VERDICT
    words = set(plain(column.rpartition(".")[2]).split("_"))
    if generator is None or opponent is None or (marks := side_marks(generator, opponent)) is None:
        return {}
    hits = [mark for mark in marks if mark in words]
    if len(hits) != 1 or not words & _PLACE or not words <= _PLACE | _BESIDE_PLACE | {*hits}:
        return {}
    own, other = ("generator", "opponent") if hits[0] == marks[0] else ("opponent", "generator")
    for first, second in (("1", "2"), ("0", "1"), *PAIRS[1:]):
        if labels == {first, second}:
            return {first: own, second: other}
    return {}


def read_order(table: GuessedTable) -> None:
    """Read a flag such as `swapped`, true for the opponent first, or `a_shown_first`, true for `model_a`."""
    column = table.places.get("first")
    if column is None or "first" in table.explained:
        return
    labels = table.sample.labels(column).keys()
    side = _side_of_flag(table, column)
    if _SWAPPED.fullmatch(plain(column.rpartition(".")[2])) and labels <= MET.keys():
        side = "opponent"
    if places := _meanings_of_places(table, column):
        table.result.value["first"] = places
        table.result.notes.append(f"{column!r} says at which place an answer was shown")
    elif side is not None:
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
    """Take an answer to have been shown first by its column's name, as no column says it.

    Where names say no side, it is the generator's if all rows have each pair both ways round.
    """
    if not table.is_of_pairs or table.had("first"):
        table.result.leaves_order = not table.has("first")
        return
    if "choice" in table.result.set:  # the columns say who won, and nothing of the order
        return
    if unread_orders(table.sample, table.free, table.places):  # of which it is asked
        return
    generator, opponent = table.places.get("generator"), table.places.get("opponent")
    side: Choice = "opponent" if _is_second(generator, opponent) else "generator"
    if reason := _reason_for_order(table, side):
        table.result.set["first"] = side
        table.result.notes.append(order_note(reason, table.places[side], table.spelling))
    else:
        table.result.first_if_mirrored = side


def order_note(reason: str, column: str | None, spelling: OptionSpelling) -> str:
    """Return that the answer of a column's model is taken to have been shown first, and why."""
    return (
        f"{reason}, so that {column!r} is taken to be the answer shown first "
        f"({spelling.constant('first', 'unknown')} if it was not)"
    )


def _is_second(generator: str | None, opponent: str | None) -> bool:
    """Return whether the generator's column is called by the second of two sides, as `model_b`."""
    marks = side_marks(opponent, generator) if generator and opponent else None
    return marks in SIDE_MARKS


def _reason_for_order(table: GuessedTable, side: Choice) -> str | None:
    """Return why the response of a side was shown first, as far as names show it."""
    second = table.places["opponent" if side == "generator" else "generator"]
    words = plain(table.places.get(side) or "").split("_")
    for word, other in (("first", "the second"), ("left", "on the right")):
        if word in words:
            return f"{second!r} is {other}"
    return None
