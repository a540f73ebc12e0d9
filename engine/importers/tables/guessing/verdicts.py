"""Which column has what judges said, by its name and its words."""

from collections.abc import Mapping, Sequence, Set

from engine.importers.reading.rows import Choice
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.judged_things import dependence_on_judge, judged_things
from engine.importers.tables.judge_agreement import has_no_verdicts, is_of_questions
from engine.importers.tables.side_columns import words_of_columns
from engine.importers.tables.stray_numbers import stray_numbers
from engine.importers.tables.table_columns import DECLARED, TRUTHS, VERDICTS, matching
from engine.importers.tables.verdict_names import is_called_something_else, is_of_people, true_is_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT, OK, SIDES
from engine.phrases import join_names


def take_verdicts(table: GuessedTable) -> None:
    """Take the winners of pairs, or what is met or scored."""
    if table.columns_of_verdicts or table.has(*VERDICTS):
        return
    if table.is_of_pairs or "opponent" in table.result.open:
        if not table.choose("choice", table.is_choice) and "choice" not in table.result.open:
            column = table.places.get("preference")
            if table.has("judge") and column is not None and "preference" not in table.mapped:
                del table.places["preference"]  # with a judge and no other verdict it is the judge's
                table.places["choice"] = table.result.map["choice"] = column
        return
    met = table.candidates("met", table.is_truth)
    columns = [*dict.fromkeys((*met, *table.candidates("score", table.is_score)))]
    if len(columns) == 1:
        table.take("met" if met else "score", columns[0])
    elif columns:
        table.result.open["met" if met else "score"] = tuple(columns)


def take_choice_of_sides(table: GuessedTable) -> None:
    """Take for the winners the one column of the sides by which the two authors' columns are called.

    It depends on who judged: what is the same for all judges may be true, or an order.
    """
    things = judged_things(table)
    if not table.is_of_pairs or table.columns_of_verdicts or table.had(*VERDICTS) or things is None:
        return
    sides = words_of_columns(table.places.get("generator"), table.places.get("opponent"))
    hits = [
        column
        for column in table.free
        if _has_sides(table.sample.labels(column).keys() - NO_VERDICT, sides)
        and not is_called_something_else(column)
        and not is_of_people(column, beside_judges=True)
        and dependence_on_judge(table, column, things).differing
    ]
    if len(hits) == 1 and "choice" not in table.result.open:
        table.take("choice", hits[0])


def _has_sides(labels: Set[str], sides: Mapping[str, Choice]) -> bool:
    """Return whether words are those of both sides, and of ties at most."""
    of_sides = labels & sides.keys()
    return len({sides[word] for word in of_sides}) > 1 and all(
        SIDES.get(w) == "tie" for w in labels - of_sides
    )


def take_verdicts_of_bad(table: GuessedTable) -> None:
    """Take the one column by whose name true is bad, for want of others; its meaning is asked about."""
    filled = table.places.keys() | table.result.open.keys()
    if filled & {*VERDICTS, "opponent"} or table.columns_of_verdicts:
        return
    sample, question = table.sample, table.question
    columns = [c for c in table.free if question is None or not is_of_questions(sample, c, question)]
    hits = [c for c in columns if true_is_bad(c, sample.labels(c).keys() - NO_VERDICT)]
    if any(may_be_verdicts(table, column, ("met",)) for column in columns if column not in hits):
        return
    if len(hits) == 1 and (table.has("judge") or not table.has(*TRUTHS)):
        table.take("met", hits[0])
    elif hits:
        table.result.open["met"] = tuple(hits)


def may_be_verdicts(table: GuessedTable, column: str, names: Sequence[str]) -> bool:
    """Return whether a column is called like verdicts, or has their words and is called nothing else.

    `names` are our columns of the verdicts that the table may have.
    """
    if is_called_verdicts(table, column, names):
        return True
    labels = table.sample.labels(column).keys() - NO_VERDICT
    is_something_else = is_called_something_else(column) or true_is_bad(column, labels)
    return "met" in names and len(labels) > 1 and labels <= MET.keys() and not is_something_else


def is_called_verdicts(table: GuessedTable, column: str, names: Sequence[str]) -> bool:
    """Return whether a column is called like one of ours, and has values like one of them."""
    fits = {"choice": table.is_choice, "met": table.is_truth, "score": table.is_score}
    groups = (group for name in names for group in DECLARED[name].groups())
    return any(matching([column], group) for group in groups) and any(fits[each](column) for each in names)


def are_true_or_false(table: GuessedTable) -> bool:
    """Return whether the verdicts are true or false, so that they need a criterion."""
    if table.has("met"):
        return True
    columns = table.columns_of_verdicts
    if not columns or table.is_of_pairs:
        return False
    labels = {label for column in columns for label in table.sample.labels(column)} - NO_VERDICT
    return bool(labels) and labels <= MET.keys() | OK.keys()


def read_ok(table: GuessedTable) -> None:
    """Read OK and NOT OK as yes and no, where a column has both and no other word."""
    columns = {name: [column] for name in ("met", "reference_met") if (column := table.places.get(name))}
    if not table.is_of_pairs and not table.has(*VERDICTS):
        columns["met"] = table.columns_of_verdicts
    for name, fields in columns.items():
        labels = {label for column in fields for label in table.sample.labels(column)} - NO_VERDICT
        if name in table.explained or {OK.get(label) for label in labels} != {"yes", "no"}:
            continue
        meanings = {label: OK[label] for label in sorted(labels)}
        table.result.value[name] = meanings
        read = join_names([f"{label!r} as {word}" for label, word in meanings.items()])
        table.result.notes.append(f"{fields[0]!r} has {read}")


def columns_of_numbers(table: GuessedTable) -> frozenset[str]:
    """Return the free columns of more than two numbers, and no words."""
    hits = []
    for column in table.free:
        labels = table.sample.labels(column)
        values = labels.keys() - NO_VERDICT - stray_numbers(labels)
        if len(values) > 2 and values <= table.sample.numbers(column):
            hits.append(column)
    return frozenset(hits)


def columns_without_verdicts(table: GuessedTable) -> frozenset[str]:
    """Return the free columns that have no verdicts, as their names or the questions show."""
    if table.has(*VERDICTS):
        return frozenset()
    return frozenset(c for c in table.free if has_no_verdicts(table.sample, c, table.question))
