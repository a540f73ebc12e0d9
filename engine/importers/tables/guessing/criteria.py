"""Which column names the criterion, what each is about, and whether there is only one."""

from engine.importers.reading.rows import OVERALL
from engine.importers.tables.criterion_points import points_options
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.points import points_by_name
from engine.importers.tables.guessing.question_ids import is_called_id
from engine.importers.tables.guessing.repeats import (
    columns_of_repeats,
    columns_within_answers,
    questions_with_repeats,
)
from engine.importers.tables.guessing.verdicts import are_true_or_false
from engine.importers.tables.table_columns import DECLARED, matching


def take_criterion_id(table: GuessedTable) -> None:
    """Take the criterion's id; beside its text one that is called so, and has one text in each question."""
    if table.is_of_pairs:
        return
    if not table.has("criterion"):
        table.choose("rubric_id", table.sample.is_label, ask=False)
        return
    sample, text, question = table.sample, table.places["criterion"], table.question
    if table.has("rubric_id") or text is None or question is None:
        return
    called = [
        name for group in DECLARED["rubric_id"].groups()[:-1] for name in group
    ]  # the last are axes too
    hits = [
        column
        for column in matching(table.free, called)
        if sample.is_label(column)
        and sample.has_one_for_each(text, question, column)
        and sample.has_one_for_each(column, question, text)
    ]
    if len(hits) == 1:
        table.take("rubric_id", hits[0])


def take_finer_criterion(table: GuessedTable) -> None:
    """Take a column for the criterion by which alone a judge's verdicts on an answer differ.

    Each of its values has one of the column that is called so: that says what the criteria are about. Several
    such columns are left open.
    """
    coarse, question = table.result.map.get("rubric_id"), table.question
    if coarse is None or question is None or table.has("criterion"):
        return
    finer = tuple(
        column
        for column in columns_of_repeats(table)
        if table.sample.differs_within(question, coarse, column)
    )
    if not finer:
        return
    del table.places["rubric_id"], table.result.map["rubric_id"]
    table.free.append(coarse)
    if len(finer) > 1:
        table.result.open["rubric_id"] = finer
        return
    table.take("rubric_id", finer[0])
    if not table.has("axis"):
        table.take("axis", coarse)
    table.result.notes.append(
        f"a judge's verdicts on one answer have the same {coarse!r} and differ in {finer[0]!r}, so "
        f"{finer[0]!r} is taken for the criterion ({table.spelling.columns({'rubric_id': 'FIELD'})} names "
        "another)"
    )


def take_axis(table: GuessedTable) -> None:
    """Take a category that differs among a question's criteria for what each of them is about."""
    column, question = table.places.get("category"), table.question
    criterion = table.places.get("rubric_id") or table.places.get("criterion")
    if column is None or question is None or criterion is None:
        return
    if "category" in table.mapped or table.has("axis"):
        return
    if not table.sample.differs_within(question, column, criterion):
        return
    del table.places["category"]
    table.result.map.pop("category", None)
    table.places["axis"] = table.result.map["axis"] = column
    table.result.notes.append(
        f"{column!r} differs among the criteria of a question, so it is taken for what each is about "
        f"({table.spelling.columns({'theme': column})} if it is a topic)"
    )


def assume_one_criterion(table: GuessedTable, *, of_scores: bool) -> None:
    """Take all verdicts to be on one criterion where no column names any, unless some column may.

    Unless `of_scores`, scores without a criterion are of whole answers.
    """
    if table.criteria or table.result.criteria or table.had("rubric_id", "criterion", "opponent", "paradigm"):
        return
    if not (are_true_or_false(table) or (of_scores and table.has("reference_score"))):
        return
    if columns := questions_with_repeats(table):
        table.result.open["criterion"] = columns
        return
    if columns := columns_within_answers(table):
        columns = tuple(sorted(columns, key=lambda each: (table.sample.is_number(each), is_called_id(each))))
        table.result.open["rubric_id"] = columns
        if (points := points_by_name(table, columns[:1], table.free)) is not None:
            table.result.if_criterion = points_options(table.sample, points)
        return
    table.result.set["rubric_id"] = OVERALL
    what = "scores" if table.has("reference_score") else "verdicts"
    given = table.spelling.constant("rubric_id", OVERALL)
    table.result.notes.append(f"no column names a criterion: all {what} are on one, {OVERALL!r} ({given})")
