"""Columns of a table that nothing is read from, although their names are near those of ours."""

from collections.abc import Iterator
from typing import Literal

from engine.importers.tables.table_columns import DECLARED, plain
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows

_MEANINGS = {
    "theme": "the question's topic",
    "axis": "the quality that the criterion is about",
    "category": "the question's kind of task",
    "language": "the question's language",
    "points": "the criterion's weight",
    "explanation": "the judge's reason",
}
"""Our columns that a table need not have, in words after `if it is`."""

_NUMBERS, _TEXTS = ("points",), ("explanation",)


def unread_notes(plan: TablePlan, sample: FirstRows) -> Iterator[str]:
    """Yield how a column could be read that is not, where its name is near one of ours."""
    proposed: set[str] = set()
    for column in plan.unread(sample.columns):
        name = near_column(column, plan, sample)
        if name is None or name in proposed:
            continue
        proposed.add(name)
        remedy = plan.options.spelling.columns({name: column})
        yield f"{column!r} is not stored; if it is {_MEANINGS[name]}, give {remedy}"


def near_column(column: str, plan: TablePlan, sample: FirstRows) -> str | None:
    """Return our column that a column may be by the last word of its name, if nothing is read as that."""
    _, *others = plain(column).split("_")
    if not others:
        return None
    for name in _MEANINGS:
        words = {word for group in DECLARED[name].groups() for word in group}
        if others[-1] in words and _fits(name, column, sample):
            if name == "theme" and _varies_within_questions(column, plan, sample):
                name = "axis"
            is_of_judge = name not in _TEXTS or text_of(column, plan, sample) is None
            return name if is_of_judge and name not in plan.names else None
    return None


def text_of(column: str, plan: TablePlan, sample: FirstRows) -> Literal["prompt", "response"] | None:
    """Return whose text a column of sentences may be, as each question or answer has one whoever judged."""
    question, author = (plan.places.get("instance_id"), plan.places.get("generator"))
    if question is None or not sample.is_sentences(column):
        return None
    if sample.has_one_for_each(column, question):
        return "prompt"
    is_of_answers = author is not None and sample.has_one_for_each(column, question, author)
    return "response" if is_of_answers and "opponent" not in plan.names else None


def _fits(name: str, column: str, sample: FirstRows) -> bool:
    if name in _NUMBERS:
        return sample.is_number(column)
    return sample.is_text(column) if name in _TEXTS else sample.is_label(column)


def _varies_within_questions(column: str, plan: TablePlan, sample: FirstRows) -> bool:
    place = plan.places.get("instance_id", plan.places.get("prompt"))
    return place is not None and not sample.has_one_for_each(column, place)
