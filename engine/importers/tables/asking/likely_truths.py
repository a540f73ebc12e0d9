"""Columns of a table that nothing is read from, although they may say what is true, or what judges said.

They have the values of verdicts, or two words of their own. What may be true does not depend on who judged,
and a conclusion that takes no account of it may be another one. What judges said does, and is missing if the
truth is read in its place. Both are said beside the conclusion.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from engine.importers.reading.columns import value_at
from engine.importers.tables.asking.questions import OPEN
from engine.importers.tables.guessing.binary_scores import BINARY
from engine.importers.tables.judge_agreement import dependence
from engine.importers.tables.table_columns import DECLARED, TRUTHS, matching
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import is_called_something_else, is_of_people, true_is_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT, lookup_key
from engine.importers.tables.verdicts_by_sound import may_be_verdicts
from engine.phrases import join_names

TRUE_OF = {"met": "reference_met", "score": "reference_score", "choice": "preference"}
"""Our column of what is true, by that of what judges said of the same thing."""

_QUESTION, _CRITERION = ("instance_id", "prompt"), ("rubric_id", "criterion")
_ANSWER = ("generator", "opponent")

_MANY = 10
"""Each of two words that are not the judges' stands for so many answers where they may say what is true."""


def judged_by(plan: TablePlan) -> str | None:
    """Return our column of what judges said; None if the table has none."""
    return next((name for name in TRUE_OF if name in plan.names), None)


def likely_truths(plan: TablePlan, sample: FirstRows) -> dict[str, str]:
    """Return the unread columns that may say what is true, each with a caution on it; none if one is read.

    Their values are among those of the verdicts, at least two of them, or two words of their own, with one
    for each answer and criterion whoever judged, while verdicts differ. What a question, criterion or author
    alone decides is no truth, nor what an answer decides in words of its own, but under a name of people.
    """
    verdict = judged_by(plan)
    question, criterion, answer = (_fields(plan, names) for names in (_QUESTION, _CRITERION, _ANSWER))
    if verdict is None or not question or plan.names & set(TRUTHS):
        return {}
    columns = list(plan.wide) or _fields(plan, (verdict,))
    identity = [*question, *criterion, *answer]
    if not columns or not _depend_on_judge(columns, sample, identity):
        return {}
    wholes = [(*question, *criterion), (*criterion, *answer), criterion, answer]
    parts = [
        names
        for names in wholes
        if names and not all(sample.has_one_for_each(other, *names) for other in identity)
    ]
    of_answers = [*question, *answer]
    likely = [
        column
        for column in plan.unread(sample.columns)
        if not _is_something_else(column, verdict)
        and (
            _has_values_of(columns, column, sample)
            or (
                verdict == "met"
                and _has_two_words(column, sample, identity)
                and _may_be_true_in_own_words(column, sample, of_answers, has_criterion=bool(criterion))
            )
        )
        and sample.has_one_for_each(column, *identity)
        and not any(sample.has_one_for_each(column, *names) for names in parts)
    ]
    return {column: _caution(column, verdict, plan, columns, sample) for column in likely}


def true_name(column: str, verdict: str, plan: TablePlan, sample: FirstRows) -> str:
    """Return our column of what is true: of scores that are 0 and 1 like it, that of verdicts."""
    is_named = bool({"score", "scale"} & {*plan.given.map, *plan.given.set})
    columns = [column, *_fields(plan, (verdict,))]
    if verdict != "score" or is_named or plan.wide or not _words_in(columns, sample) <= BINARY:
        return TRUE_OF[verdict]
    return "reference_met"


def true_meanings(column: str, verdict: str, words: Mapping[str, str], sample: FirstRows) -> dict[str, str]:
    """Return the meanings of what is true: `words`, those of the verdicts, and `?` for others not known."""
    if verdict != "met":
        return dict(words)
    if (values := _words_in([column], sample)) <= words.keys() | MET.keys():
        return {value: word for value, word in words.items() if value in values}
    return {value: words.get(value, OPEN) for value in sorted(values - (MET.keys() - words.keys()))}


def unread_verdicts(plan: TablePlan, sample: FirstRows) -> dict[str, str]:
    """Return the unread columns that judges decide, each with a caution, if they decide none that is read."""
    verdict = next((name for name in TRUE_OF if name in plan.places), None)
    question, criterion, answer = (_fields(plan, names) for names in (_QUESTION, _CRITERION, _ANSWER))
    judge = plan.places.get("judge")
    if verdict is None or judge is None or not question or plan.wide:
        return {}
    column, things = plan.places[verdict], [*question, *criterion, *answer]
    read = dependence(sample, column, judge, things)
    if read.several == read.differing:
        return {}
    words = sample.labels(column).keys() | MET.keys() | NO_VERDICT
    return {
        other: _caution_on_verdicts(column, other, verdict, plan)
        for other in plan.unread(sample.columns)
        if len(values := sample.labels(other).keys() - NO_VERDICT) > 1
        and values <= words
        and not is_called_something_else(other)
        and not true_is_bad(other, values)
        and read.is_truth_beside(dependence(sample, other, judge, things))
    }


def _caution_on_verdicts(column: str, other: str, verdict: str, plan: TablePlan) -> str:
    spelling = plan.options.spelling
    given = {verdict: other} if plan.names & set(TRUTHS) else {verdict: other, TRUE_OF[verdict]: column}
    return (
        f"{column!r}, read as the verdicts, does not depend on who judged, and {other!r}, which is not read, "
        f"does: if that is what judges said, give {spelling.columns(given)} "
        f"({spelling.without([other])} if it is not)"
    )


def _fields(plan: TablePlan, names: Iterable[str]) -> list[str]:
    return [plan.places[name] for name in names if name in plan.places]


def _depend_on_judge(columns: list[str], sample: FirstRows, identity: list[str]) -> bool:
    """Return whether judges give different verdicts on some answer, in one column or a column for each."""
    if len(columns) > 1:
        return any(len({str(row.get(name)) for name in columns if row.get(name)}) > 1 for row in sample.rows)
    return not sample.has_one_for_each(columns[0], *identity)


def _has_values_of(columns: list[str], column: str, sample: FirstRows) -> bool:
    values = _words_in([column], sample)
    return len(values) > 1 and values <= _words_in(columns, sample)


def _words_in(columns: Sequence[str], sample: FirstRows) -> set[str]:
    """Return the values of columns without the words for a missing verdict that are none."""
    values = sum((sample.labels(each) for each in columns), Counter[str]())
    return values.keys() - NO_VERDICT.difference(may_be_verdicts(values))


def _has_two_words(column: str, sample: FirstRows, identity: Sequence[str]) -> bool:
    """Return whether a column has two words, each of many answers."""
    words = _words_in([column], sample)
    if len(words) != 2 or not sample.is_truth(column, ()) or words <= sample.numbers(column):
        return False
    rows = ((value_at(row, column), row) for row in sample.rows)
    things = {
        (lookup_key(value), *(str(value_at(row, each)) for each in identity))
        for value, row in rows
        if value is not None
    }
    counts = Counter(value for value, *_ in things)
    return all(counts[word] >= _MANY for word in words)


def _may_be_true_in_own_words(
    column: str, sample: FirstRows, of_answers: Sequence[str], *, has_criterion: bool
) -> bool:
    """Return whether a name is of people, or of nothing else and the criterion decides the value too."""
    if is_of_people(column, beside_judges=True):
        return True
    by_criterion = has_criterion and not sample.has_one_for_each(column, *of_answers)
    return by_criterion and not is_called_something_else(column)


def _is_something_else(column: str, verdict: str) -> bool:
    """Return whether a name is of an order in which answers were shown, or of a number that is no score."""
    if verdict == "choice":
        return bool(matching([column], (name for group in DECLARED["first"].groups() for name in group)))
    return verdict == "score" and is_called_something_else(column)


def _caution(column: str, verdict: str, plan: TablePlan, columns: list[str], sample: FirstRows) -> str:
    spelling, name = plan.options.spelling, true_name(column, verdict, plan, sample)
    remedy = spelling.columns({name: column})
    words = true_meanings(column, verdict, plan.options.value.get(verdict, {}), sample)
    if OPEN in words.values():
        remedy += f" {spelling.open_meanings(name, words, 'yes or no')}"
    elif words:
        remedy += f" {spelling.meanings(name, words)}"
    has_criteria = verdict != "choice" and bool(plan.names & set(_CRITERION))
    thing = "pair" if verdict == "choice" else "answer and criterion" if has_criteria else "answer"
    verdicts = join_names(list(map(repr, columns)))
    like = f"values like {verdicts}" if _has_values_of(columns, column, sample) else "two values of its own"
    return (
        f"{column!r} has {like}, one for each {thing}, and is not read: if it says what is "
        f"true, give {remedy} ({spelling.without([column])} if it does not)"
    )
