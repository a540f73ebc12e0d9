"""Columns that say by their names who won a pair: `chosen` and `rejected`, or `a_wins`, true or false."""

from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.table_columns import VERDICTS, plain, side_marks
from engine.importers.tables.verdict_words import MET, NO_VERDICT

_WON_AND_LOST = (
    ("chosen", "rejected"),
    ("preferred", "rejected"),
    ("preferred", "dispreferred"),
    ("winner", "loser"),
    ("better", "worse"),
)
_MODELS = frozenset(("model", "models", "generator", "system", "author", "by", "name"))
"""Words beside these in the name of a column of models."""

_WINS = frozenset(("wins", "win", "won", "winner", "better", "preferred", "chosen", "is", "was", "model"))
"""Words beside a side's in the name of a column that is true where that side won."""


def take_winner_and_loser(table: GuessedTable) -> None:
    """Take two columns of models, of which one won each pair, for the two authors; the first always won."""
    given = (table.places.get("generator"), table.places.get("opponent"))
    if table.had(*VERDICTS) or (table.has("generator", "opponent") and None in given):
        return
    columns = {_role(column): column for column in (*table.free, *filter(None, given))}
    for won, lost in _WON_AND_LOST:
        pair = (columns.get(won), columns.get(lost))
        if None in pair or given not in ((None, None), pair):
            continue
        for name, column in zip(("generator", "opponent"), pair, strict=True):
            if column is None or not (table.sample.is_name(column) and table.holds_models(column)):
                return
            if not table.has(name):
                table.take(name, column)
        table.places["choice"] = None
        table.result.set["choice"] = "generator"
        table.result.notes.append(f"each pair was won by the model in {pair[0]!r}, not that in {pair[1]!r}")
        return


def leave_flag_of_winner_open(table: GuessedTable) -> None:
    """Propose the one column that is true where one side won, such as `a_wins`, with what its values mean."""
    generator, opponent = table.places.get("generator"), table.places.get("opponent")
    if table.had(*VERDICTS) or "choice" in table.result.open or generator is None or opponent is None:
        return
    marks = side_marks(generator, opponent)
    hits = [(column, place) for column in table.free for place in _sides_of_flag(table, column, marks or ())]
    if len(hits) == 1 and "choice" not in table.explained:
        [(column, place)] = hits
        sides = ("a", "b") if place == 0 else ("b", "a")
        labels = table.sample.labels(column).keys() - NO_VERDICT
        table.result.open["choice"] = (column,)
        table.result.value["choice"] = {
            label: sides[not MET[label]] for label in sorted(labels, key=MET.__getitem__, reverse=True)
        }


def _sides_of_flag(table: GuessedTable, column: str, marks: tuple[str, ...]) -> list[int]:
    """Return the place of the side that a column says won, in a list; empty for any other column."""
    words = set(plain(column.rpartition(".")[2]).split("_"))
    labels = table.sample.labels(column).keys() - NO_VERDICT
    hits = [place for place, mark in enumerate(marks) if mark in words]
    if len(hits) != 1 or not labels or not labels <= MET.keys():
        return []
    beside = words - {marks[hits[0]]}
    return hits if beside - {"is", "was", "model"} and beside <= _WINS else []


def _role(column: str) -> str:
    """Return a column's name without words that say that it holds models."""
    return "_".join(word for word in plain(column).split("_") if word not in _MODELS)
