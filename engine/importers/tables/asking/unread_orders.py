"""Columns of pairs that nothing is read from, although they may say which answer was shown first."""

from collections.abc import Iterable, Mapping

from engine.importers.import_options import ImportOptions
from engine.importers.reading.value_maps import value_key
from engine.importers.tables.asking.questions import OPEN, TableQuestion, WholeAnswer
from engine.importers.tables.side_columns import words_of_columns
from engine.importers.tables.table_columns import plain
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import is_of_people
from engine.importers.tables.verdict_words import NO_VERDICT, ORDERS
from engine.phrases import join_names

_OF_ORDERS = frozenset(
    (
        *("first", "order", "ordering", "position", "positions", "swap", "swapped", "flip", "flipped"),
        *("reversed", "mirrored", "top", "above", "side", "placement", "layout", "orientation"),
        *("permutation", "permuted", "arrangement", "sequence", "shuffled", "slot", "presentation"),
    )
)
"""Words in the name of a column that may say in which order answers were shown."""

_OF_ELSE = frozenset(
    (
        *("winner", "winning", "wins", "won", "choice", "chosen", "vote", "votes", "preference", "preferred"),
        *(
            "prefers",
            "pick",
            "picked",
            "verdict",
            "decision",
            "better",
            "best",
            "worse",
            "judgment",
            "ruling",
        ),
        *("selected", "selection", "outcome", "result", "longer", "shorter", "length"),
        *("correct", "truth", "gold", "confidence", "reason", "explanation", "id", "date", "time", "tie"),
        *("consistent", "consistency", "agrees", "agreement", "bias", "biased", "turn"),
    )
)
"""Words in the name of a column that says something else of a pair."""

_OF_VERDICTS = frozenset(("answer", "label"))
"""Words in the name of one that says who won, unless another word says that it is of an order."""


def unread_orders(sample: FirstRows, columns: Iterable[str], places: Mapping[str, str | None]) -> list[str]:
    """Return those of some columns that may say which answer of a pair was shown first.

    They are called so and have two values or models, or they have words for the two sides that differ within
    pairs. `places` has the columns that are known, by ours.
    """
    question = places.get("instance_id") or places.get("prompt")
    generator, opponent = places.get("generator"), places.get("opponent")
    if generator is None or opponent is None:
        return []
    models = sample.labels(generator).keys() | sample.labels(opponent).keys()
    sides = {word for word, side in ORDERS.items() if side != "tie"} | words_of_columns(
        generator, opponent
    ).keys()
    pair = [each for each in (question, generator, opponent) if each is not None]
    hits = []
    for column in columns:
        labels, words = (
            sample.labels(column).keys() - NO_VERDICT,
            {*plain(column.rpartition(".")[2]).split("_")},
        )
        if words & _OF_ELSE or is_of_people(column, beside_judges=True) or not sample.is_label(column):
            continue
        is_called = bool(words & _OF_ORDERS) and (len(labels) == 2 or (len(labels) > 1 and labels <= models))
        are_sides = len(labels) == 2 and labels <= sides and not words & _OF_VERDICTS
        if is_called or (are_sides and not sample.has_one_for_each(column, *pair)):
            hits.append(column)
    return hits


def order_question(plan: TablePlan, sample: FirstRows) -> TableQuestion | None:
    """Return the question about unread columns that may say which answer was shown first; None for none.

    An order that the user gave answers it, one that was assumed does not. Where there is one column, all
    answers are whole.
    """
    if "opponent" not in plan.names or "first" in {*plan.places, *plan.given.set}:
        return None
    columns = unread_orders(sample, plan.unread(sample.columns), plan.places)
    if not columns:
        return None
    spelling, left_out = plan.options.spelling, plan.options.leave_out
    nothing = ImportOptions(leave_out=(*left_out, *columns))
    if len(columns) > 1:
        text = (
            f"{join_names(list(map(repr, columns)))} may each say which answer of a pair was shown first. "
            f"Give {spelling.columns({'first': 'FIELD'})} for one that does, or "
            f"{spelling.without(columns)} if none does"
        )
        return TableQuestion(text, ImportOptions(map={"first": OPEN}))
    [column] = columns
    authors = [plan.places[name] for name in ("generator", "opponent")]
    models = {label for author in authors for label in sample.labels(author)}
    labels = sorted(sample.labels(column).keys() - NO_VERDICT)
    if {*labels} <= models:
        readings = {f"{column!r} names the model shown first": ImportOptions(map={"first": column})}
    else:
        first, second = labels
        readings = {
            f"{first!r} means that the answer of {author!r} was shown first": ImportOptions(
                map={"first": column},
                value={"first": {value_key(first): side, value_key(second): other}},
            )
            for author, side, other in zip(authors, ("a", "b"), ("b", "a"), strict=True)
        }
    given = [
        " ".join(
            (
                spelling.columns(options.map),
                *(spelling.meanings(name, words) for name, words in options.value.items()),
            )
        )
        + f" if {when}"
        for when, options in readings.items()
    ]
    text = (
        f"{column!r} may say which answer of a pair was shown first, on which conclusions from pairs rest. "
        f"Give {', '.join(given)}, or {spelling.without([column])} if it is something else"
    )
    choices = [WholeAnswer(when, options, without=("first",)) for when, options in readings.items()]
    choices.append(WholeAnswer("it is something else", nothing, without=("first",)))
    return TableQuestion(text, ImportOptions(map={"first": OPEN}), tuple(choices))
