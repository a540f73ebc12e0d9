"""Which columns have the answers, the other texts, and the labels of questions."""

from functools import partial

from engine.importers.reading.columns import value_at
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.judge_agreement import (
    dependence,
    has_several_rows_of_questions,
    is_of_questions,
)
from engine.importers.tables.table_columns import ANY_TEXT, matching, plain, sided

_TEXTS = ("prompt", "criterion", "reference_answer", "explanation", "raw")
_REMARKS = frozenset(
    (
        *("reason", "reasoning", "rationale", "explanation", "justification", "feedback", "critique"),
        *("comment", "comments", "remark", "remarks"),
        *("human", "expert", "gold", "reference"),
    )
)
"""Words in the name of a column whose texts are about an answer, or are an answer of no model."""

_MOST = 0.9
"""So large a share of questions have a text of their own, where some are asked twice."""

_LABELS = ("category", "theme", "language", "variant")


def take_responses(table: GuessedTable) -> None:
    """Take the text of the answer, or of both answers of a pair."""
    if not table.is_of_pairs:
        if not table.choose("response", table.sample.is_answer, ask=False):
            _take_only_text(table)
        return
    if table.has("response", "opponent_response"):
        return
    hits = [p for p in sided(table.free) if p.may_be_texts and table.sample.is_answer(p.first)]
    if len(hits) == 1:
        table.take("response", hits[0].first)
        table.take("opponent_response", hits[0].second)


def _take_only_text(table: GuessedTable) -> None:
    """Take a column that is just called text, if each answer of a question has its own."""
    question, generator = table.question, table.places.get("generator")
    hits = [column for column in matching(table.free, ANY_TEXT) if table.sample.is_prompt(column)]
    if len(hits) != 1 or question is None or generator is None:
        return
    if table.sample.differs_within(question, hits[0], generator):
        table.take("response", hits[0])


def take_texts_of_any_name(table: GuessedTable) -> None:
    """Take the only column of sentences that has one for each answer, and the only one for each question.

    Of pairs it is two columns, whose names differ in the side. A few rows may have another text: those that
    contradict an earlier one are left out, as with a column that is called so.
    """
    question, author = table.question, table.places.get("generator")
    if question is None or author is None:
        return
    texts = [
        c for c in table.free if table.sample.is_sentences(c) and _REMARKS.isdisjoint(plain(c).split("_"))
    ]
    opponent = table.places.get("opponent")
    if table.has("response", "opponent_response"):
        answers = []
    elif opponent is not None:
        answers = [
            {"response": pair.first, "opponent_response": pair.second}
            for pair in sided(texts)
            if _has_one_for_each_answer(table, pair.first, question, author)
            and _has_one_for_each_answer(table, pair.second, question, opponent)
        ]
    else:
        answers = [{"response": c} for c in texts if _has_one_for_each_answer(table, c, question, author)]
    free = () if table.has("prompt") else texts
    prompts = [{"prompt": c} for c in free if _has_one_for_each_question(table, c, question)]
    for hits in (answers, prompts):
        if len(hits) == 1:
            for name, column in hits[0].items():
                table.take(name, column)


def _has_one_for_each_answer(table: GuessedTable, column: str, question: str, author: str) -> bool:
    """Return whether each author's answer has one text in nearly all rows, mostly unlike the others'."""
    sample = table.sample
    if sample.has_one_for_each(column, question):
        return False
    if not sample.has_one_for_nearly_each(column, question, author):
        return False
    answers, texts = (
        {(str(value_at(row, question)), str(value_at(row, each))) for row in sample.rows}
        for each in (author, column)
    )
    return 2 * len(texts) > len(answers)


def _has_one_for_each_question(table: GuessedTable, column: str, question: str) -> bool:
    """Return whether several questions have one text each in nearly all their rows, few of them the same."""
    sample = table.sample
    if not has_several_rows_of_questions(sample, question):
        return False
    cells = ((value_at(row, column), str(value_at(row, question))) for row in sample.rows)
    texts = {cell for cell in cells if cell[0] is not None}
    differ = len({text for text, _ in texts}) >= _MOST * len(texts)
    return differ and sample.has_one_for_nearly_each(column, question)


def _may_be_reasons(table: GuessedTable, column: str) -> bool:
    """Return whether a column has texts that are not of the questions or answers alone, whoever judged."""
    sample, question, judge = table.sample, table.question, table.places.get("judge")
    if not sample.is_text(column) or question is None:
        return sample.is_text(column)
    authors = [each for name in ("generator", "opponent") if (each := table.places.get(name)) is not None]
    is_of_answers = judge is not None and dependence(sample, column, judge, [question, *authors]).is_none
    return not is_of_answers and not is_of_questions(sample, column, question)


def take_texts_and_labels(table: GuessedTable) -> None:
    """Take the other columns of texts, and those by which questions are grouped, by their names."""
    for name in _TEXTS:
        fits = table.sample.is_text if name != "explanation" else partial(_may_be_reasons, table)
        table.choose(name, fits, ask=False)
    for name in _LABELS:
        table.choose(name, table.sample.is_label, ask=False)
