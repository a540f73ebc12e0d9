"""Telling the author from the judge where two columns hold the same models and neither is called either.

An answer, what is true of it and all else that is known of it are there once for each author of a question,
whoever judged; a verdict depends on the judge too.
"""

from collections.abc import Iterator
from itertools import permutations

from engine.importers.reading.columns import value_at
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.judge_agreement import dependence

_MANY = 20
"""So many answers that several judged, and half as many that differ between authors, are no chance."""


def tell_judge_from_author(table: GuessedTable) -> None:
    """Take the author and the judge from two columns of the same models, if the other columns tell them."""
    columns = table.result.open.get("judge", ())
    if table.has("judge", "generator", "opponent") or len(columns) != 2 or "generator" in table.result.open:
        return
    labels = [table.sample.labels(column).keys() for column in columns]
    if 2 * len(labels[0] & labels[1]) < max(map(len, labels)):
        return
    for things in _things(table, columns):
        witnesses = {
            author: witness
            for author, judge in permutations(columns)
            if (witness := _of_answers(table, things, author, judge)) is not None
        }
        if len(witnesses) == 1:
            ((author, witness),) = witnesses.items()
            (judge,) = set(columns) - {author}
            _take(table, things, author, judge, witness)
            return


def _take(table: GuessedTable, things: list[str], author: str, judge: str, witness: str) -> None:
    del table.result.open["judge"]
    table.take("generator", author)
    table.take("judge", judge)
    table.models |= set(table.sample.labels(author))
    if table.question is None and not table.column_for("instance_id", table.sample.is_id):
        table.take("prompt" if table.sample.is_prompt(things[0]) else "instance_id", things[0])
    each = ", ".join(map(repr, things))
    table.result.notes.append(
        f"{witness!r} has one value for each {each} and {author!r}, whatever {judge!r} is, so {author!r} "
        f"is taken for who answered and {judge!r} for who judged "
        f"({table.spelling.columns({'judge': author, 'generator': judge})} if it is the other way round)"
    )


def _things(table: GuessedTable, models: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the columns of question and criterion, or those that with the models tell all rows apart."""
    sample = table.sample
    criterion = table.column_for("criterion", sample.is_label) or table.column_for(
        "rubric_id", sample.is_label
    )
    rest = [] if criterion is None else [criterion]
    if question := table.question or table.column_for("instance_id", sample.is_id):
        yield [question, *rest]
        return
    for column in sorted(table.free, key=sample.is_prompt):
        things = [column, *rest]
        labels = sample.labels(column)
        if column in {*models, *rest} or not sample.is_id(column) or 2 * len(labels) > labels.total():
            continue
        places = {tuple(str(value_at(row, each)) for each in (*things, *models)) for row in sample.rows}
        if len(places) == len(sample.rows):
            yield things


def _of_answers(table: GuessedTable, things: list[str], author: str, judge: str) -> str | None:
    """Return a column with one value for each question and author that has several for each and judge.

    None if no other column, of verdicts, depends on both: what depends on one alone may be a judge's verdict.
    """
    sample = table.sample
    if not any(_is_of_both(table, column, things, author, judge) for column in table.free):
        return None
    for column in (each for each in table.free if each not in {*things, author, judge}):
        if any(sample.has_one_for_each(column, *each) for each in ([author], [judge], things)):
            continue
        of_answers = dependence(sample, column, judge, [*things, author])
        if of_answers.several < _MANY or of_answers.differing:
            continue
        if 2 * dependence(sample, column, author, [*things, judge]).differing >= _MANY:
            return column
    return None


def _is_of_both(table: GuessedTable, column: str, things: list[str], author: str, judge: str) -> bool:
    """Return whether a column has verdicts, few for so many rows, that differ by author and by judge."""
    labels = table.sample.labels(column)
    if column in {*things, author, judge} or 2 * len(labels) > labels.total():
        return False
    if not (table.is_truth(column) or table.is_score(column)):
        return False
    by_judge = dependence(table.sample, column, judge, [*things, author])
    return by_judge.differing > 0 and dependence(table.sample, column, author, [*things, judge]).differing > 0
