"""Columns that may have the points of criteria, by their names, their values and what decides these.

Below 0, to meet a criterion counts against the answer, so that a column that is not read as points may turn a
conclusion around.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import number_of
from engine.importers.reading.value_maps import value_key
from engine.importers.tables.asking.questions import OPEN, SampledColumn, TableQuestion, WholeAnswer
from engine.importers.tables.sign_words import sign_of, signs_of
from engine.importers.tables.table_columns import DECLARED, matching, plain
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import is_called_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT
from engine.phrases import join_names

_BAD_IF_TRUE = frozenset(
    (
        *("negative", "negated", "harmful", "penalty", "undesirable", "undesired", "inverted", "reversed"),
        *("reverse_scored", "reverse_coded", "lower_is_better", "negative_criterion", "negative_weight"),
    )
)
_GOOD_IF_TRUE = frozenset(("positive", "beneficial", "desirable", "desired", "higher_is_better"))
"""Names of columns that are true of such criteria, also with `is_` before them."""

_MAY_BE_GOOD_IF_TRUE = frozenset(("wanted", "good", "merit", "strength", "asset", "allowed", "encouraged"))
"""Names that may be of such columns, as that of anything bad may be of those true of the opposite."""


def is_called_points(column: str) -> bool:
    """Return whether a name is one of points, or of what is true of criteria that count against an answer."""
    names = (name for group in DECLARED["points"].groups() for name in group)
    return bool(matching([column], names)) or _last(column) in _BAD_IF_TRUE | _GOOD_IF_TRUE


def points_of_words(sample: FirstRows, column: str) -> dict[str, str] | None:
    """Return the points of each word of a column, none for one of numbers; None if it has other values."""
    labels = sample.labels(column).keys()
    if labels <= MET.keys() and (good := _good_if_true(column)) is not None:
        return {value_key(label): "1" if MET[label] is good else "-1" for label in sorted(labels)}
    if (word_signs := signs_of(labels)) is not None:
        return {value_key(label): str(word_signs[label]) for label in sorted(labels)}
    words = {label for label in labels if number_of(label) is None}
    return {} if words < labels and words <= NO_VERDICT else None


def may_be_points(sample: FirstRows, column: str, question: str, criteria: Sequence[str]) -> bool:
    """Return whether a column has points, or words for their sign, one for each criterion of a question.

    What differs among questions whose criteria all have the same is about the questions.
    """
    return points_of_words(sample, column) is not None and _is_of_criteria(sample, column, question, criteria)


def _is_of_criteria(sample: FirstRows, column: str, question: str, criteria: Sequence[str]) -> bool:
    if not sample.has_one_for_each(column, question, *criteria):
        return False
    is_of_questions = len(sample.labels(column)) > 1 and sample.has_one_for_each(column, question)
    return not is_of_questions or all(sample.has_one_for_each(each, question) for each in criteria)


def signs(sample: FirstRows, column: str) -> tuple[bool, ...]:
    """Return for each row whether its points, by a column that may have them, are below 0."""
    words = points_of_words(sample, column) or {}
    cells = (value_at(row, column) for row in sample.rows)
    points = (None if cell is None else number_of(words.get(value_key(cell), cell)) for cell in cells)
    return tuple(number is not None and number < 0 for number in points)


def below_zero(sample: FirstRows, column: str) -> str:
    """Return which values of a column stand for points below 0, in words; empty without any."""
    words = points_of_words(sample, column) or {}
    values = {label: number_of(words.get(value_key(label), label)) for label in sample.labels(column)}
    return join_names([label for label, number in values.items() if number is not None and number < 0], 4)


def points_options(sample: FirstRows, column: str) -> ImportOptions:
    """Return the options that read a column as points."""
    words = points_of_words(sample, column)
    return ImportOptions(map={"points": column}, value={"points": words} if words else {})


def points_question(plan: TablePlan, sample: FirstRows) -> TableQuestion | None:
    """Return the question about unread columns by which criteria may count against an answer.

    None where there are none, or points are known. Both answers are whole where there is one column.
    """
    columns = unread_signs(plan, sample)
    if not columns:
        return None
    spelling, left_out = plan.options.spelling, plan.options.leave_out
    options = {column: points_options(sample, column) for column in columns}
    held = join_names([f"{column!r} ({below_zero(sample, column)})" for column in columns])
    [column, *others] = columns
    given = " ".join(
        (
            spelling.columns(options[column].map),
            *(spelling.meanings(name, words) for name, words in options[column].value.items()),
        )
    )
    text = (
        f"{held} may say of each criterion whether to meet it counts against the answer, which turns its "
        f"verdicts around. Give {'such as ' if others else ''}{given} if so, or "
        f"{spelling.without(columns)} if {'they are' if others else 'it is'} something else"
    )
    choices = [
        *(WholeAnswer(f"{each!r} has the points of criteria", options[each]) for each in columns),
        WholeAnswer(
            f"{'they are' if others else 'it is'} something else",
            ImportOptions(leave_out=(*left_out, *columns)),
            without=("points",),
        ),
    ]
    return TableQuestion(text, ImportOptions(map={"points": OPEN}), tuple(choices))


def word_question(column: SampledColumn) -> TableQuestion | None:
    """Return the question which points words stand for that the user named as such; None for numbers."""
    words = [value for value in column.unlike(NO_VERDICT) if number_of(value) is None]
    if not words:
        return None
    word_signs = signs_of(words) or {word: sign_of(word) for word in words}
    meanings = {word: str(sign or OPEN) for word, sign in word_signs.items()}
    what = "a number, below 0 where to meet the criterion counts against the answer"
    question = column.question(words, "points are numbers", what, meanings)
    is_open = OPEN in meanings.values()
    return question if is_open else replace(question, answer=ImportOptions(value={"points": meanings}))


def unread_signs(plan: TablePlan, sample: FirstRows) -> list[str]:
    """Return the unread columns by which some criteria, and not all, may have points below 0."""
    question = plan.places.get("instance_id") or plan.places.get("prompt")
    criteria = criterion_fields(plan.places)
    if question is None or not criteria or plan.names & {"points", "opponent"}:
        return []
    free = plan.unread(sample.columns)
    columns = [each for each in free if may_be_points(sample, each, question, criteria)]
    return [each for each in columns if any(below := signs(sample, each)) and _differs(sample, each, below)]


def _differs(sample: FirstRows, column: str, below: Sequence[bool]) -> bool:
    """Return whether criteria have different values of a column, or some have none."""
    return len(sample.labels(column)) > 1 or not all(below)


def sign_hint(plan: TablePlan, sample: FirstRows, column: str) -> str:
    """Return how a column of two values, one for each criterion, is read as signs; of any other empty.

    Words that are opposites in that sense are asked about.
    """
    labels = sorted(sample.labels(column).keys() - NO_VERDICT)
    question, criteria = (
        plan.places.get("instance_id") or plan.places.get("prompt"),
        criterion_fields(plan.places),
    )
    if len(labels) != 2 or question is None or not criteria or plan.names & {"points", "opponent"}:
        return ""
    if not _is_of_criteria(sample, column, question, criteria):
        return ""
    spelling = plan.options.spelling
    meanings = spelling.open_meanings("points", {value_key(label): OPEN for label in labels}, "1 or -1")
    return (
        "if it says of each criterion whether to meet it counts for or against the answer, give "
        f"{spelling.columns({'points': column})} {meanings}"
    )


def criterion_fields(places: Mapping[str, str | None]) -> list[str]:
    """Return the columns that name criteria."""
    names = ("rubric_id", "criterion")
    return [column for name in names if (column := places.get(name)) is not None]


def _good_if_true(column: str) -> bool | None:
    """Return whether what a column is true of is good, by its name; None if that does not say it."""
    name = _last(column)
    if name in _GOOD_IF_TRUE | _MAY_BE_GOOD_IF_TRUE:
        return True
    return False if name in _BAD_IF_TRUE or is_called_bad(name) or sign_of(name) < 0 else None


def _last(column: str) -> str:
    return plain(column.rpartition(".")[2]).removeprefix("is_")
