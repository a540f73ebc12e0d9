"""Which column has what is true, and whether people, a program or a key decided it."""

from collections.abc import Sequence

from engine.importers.reading.rows import number_of
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.judged_things import dependence_on_judge, judged_things
from engine.importers.tables.guessing.verdicts import are_true_or_false
from engine.importers.tables.judge_agreement import is_of_questions
from engine.importers.tables.table_columns import TRUTHS
from engine.importers.tables.verdict_names import is_of_key, is_of_people, is_of_program, may_be_true
from engine.importers.tables.verdict_words import MET, NO_VERDICT, SIDES
from engine.phrases import join_names


def take_truth(table: GuessedTable) -> None:
    """Take the column that is called like what is true, else one that is named after people."""
    if table.has(*TRUTHS):
        return
    if table.is_of_pairs:
        name, fits = "preference", table.is_choice
    elif table.candidates("reference_met", table.is_truth):
        name, fits = "reference_met", table.is_truth
    else:
        name, fits = "reference_score", table.is_score
    if not table.choose(name, fits, ask=False):
        hits = table.candidates(name, fits)
        if len(hits) > 1:
            table.result.undecided.append(
                f"{' and '.join(map(repr, hits))} may each be what is true; neither is taken "
                f"({table.spelling.columns({name: 'FIELD'})} names one)"
            )
        elif not hits:
            _take_truth_of_people(table)


def _take_truth_of_people(table: GuessedTable) -> None:
    """Take the one column that is named after people and has values like the judges' verdicts."""
    if table.is_of_pairs:
        name, judged, fits = "preference", "choice", table.is_choice
    elif table.has("score"):
        name, judged, fits = "reference_score", "score", table.is_score
    else:
        name, judged, fits = "reference_met", "met", table.is_truth
    judges = table.columns_of_judges
    verdicts = table.places.get(judged)
    if verdicts is None and judges and (table.is_of_pairs or are_true_or_false(table)):
        verdicts = judges[0]
    if verdicts is None:
        return
    beside_judges = bool(table.places.get("judge") or judges)
    hits = [
        column
        for column in table.free
        if is_of_people(column, beside_judges=beside_judges)
        and fits(column)
        and _is_on_scale_of(table, column, verdicts)
    ]
    _take_only(table, name, hits)


def _take_only(table: GuessedTable, name: str, hits: Sequence[str]) -> None:
    """Take a column for what is true if it is the only one; say which there are if there are several."""
    if len(hits) == 1:
        table.take(name, hits[0])
    elif hits:
        table.result.undecided.append(
            f"{join_names(list(map(repr, hits)))} may each be what is true; none is taken "
            f"({table.spelling.columns({name: 'FIELD'})} names one)"
        )


def _is_on_scale_of(table: GuessedTable, column: str, verdicts: str) -> bool:
    """Return whether all values of a column are verdicts too, or lie between two of them."""
    labels = table.sample.labels(verdicts).keys() | NO_VERDICT
    others = table.sample.labels(column).keys() - labels
    scores = [number for each in labels if (number := number_of(each)) is not None]
    numbers = [number for each in others if (number := number_of(each)) is not None]
    if scores and len(numbers) == len(others):
        return all(min(scores) <= number <= max(scores) for number in numbers)
    words = SIDES.keys() | table.models if table.is_of_pairs else MET.keys()
    return others <= words


def take_truth_of_key_or_program(table: GuessedTable) -> None:
    """Take the one column that is named after a key, a test or success, and that no judge decides."""
    if table.has(*TRUTHS, "opponent"):
        return
    judged = table.columns_of_judges or table.has("met", "score")
    columns = table.free if judged else filter(is_of_program, table.free)
    things = judged_things(table)
    _take_only(table, "reference_met", [c for c in columns if _is_truth_by_name(table, c, things)])


def _is_truth_by_name(table: GuessedTable, column: str, things: Sequence[str] | None) -> bool:
    if not (is_of_program(column) or is_of_key(column) or may_be_true(column)):
        return False
    labels = table.sample.labels(column).keys() - NO_VERDICT
    if len(labels) < 2 or not labels <= MET.keys():
        return False
    spread = dependence_on_judge(table, column, things) if things is not None else None
    if spread is not None and spread.differing:
        return False
    if is_of_program(column):
        return True
    if is_of_key(column):
        return table.question is None or not _is_of_questions_alone(table, column, table.question)
    return bool(table.columns_of_judges) or (spread is not None and spread.is_none)


def _is_of_questions_alone(table: GuessedTable, column: str, question: str) -> bool:
    """Return whether a column is about the question, of which there are several answers or criteria."""
    others = (table.places.get(name) for name in ("generator", "rubric_id", "criterion"))
    several = any(each is not None and not table.sample.has_one_for_each(each, question) for each in others)
    return several and is_of_questions(table.sample, column, question)


def truth_name(table: GuessedTable, column: str) -> str:
    """Return our column that a column of what is true is, by its values."""
    if table.is_of_pairs:
        return "preference"
    return "reference_met" if table.is_truth(column) else "reference_score"


def take_annotator(table: GuessedTable) -> None:
    """Take the column of the people who said what is true, where that is known."""
    if table.has(*TRUTHS):
        table.choose("annotator", table.sample.is_label, ask=False)


def assume_source(table: GuessedTable) -> None:
    """Say that a program or a key decided what is true, where the name of its column says so."""
    names = ("reference_met", "reference_score")
    columns = [column for name in names if (column := table.places.get(name)) is not None]
    if table.has("reference_source", "annotator") or len(columns) != 1:
        return
    column, human = columns[0], table.spelling.constant("reference_source", "human")
    if is_of_program(column):
        table.result.set["reference_source"] = "program"
        table.result.notes.append(f"{column!r} is taken for what a program decided ({human} if people did)")
    elif is_of_key(column):
        table.result.set["reference_source"] = "gold"
        program = table.spelling.constant("reference_source", "program")
        table.result.notes.append(
            f"{column!r} is taken for a key, the source 'gold' ({human} if people decided, {program} if "
            "a program did)"
        )
