"""The words of a column of scores: which number each of them is."""

from collections.abc import Mapping

import streamlit as st

from engine.importers.reading.rows import number_of
from engine.importers.tables.asking.questions import MOST_VALUES
from engine.importers.tables.asking.score_questions import words_among
from engine.importers.tables.verdict_words import NO_VERDICT, lookup_key
from explorer.new_run.column_labels import LABELS
from explorer.new_run.form_words import VERDICT_OF
from explorer.new_run.hand_choices import HandChoices
from explorer.new_run.table_sample import TableSample
from explorer.parts import components
from explorer.parts.safe_markdown import escape_markdown


def score_words(
    name: str, column: str, sample: TableSample, by_hand: HandChoices, before: Mapping[str, str]
) -> tuple[dict[str, str], int]:
    """Ask which number each word of a column is; return the answers, and how many are not given.

    `name` is our column, `before` the answers so far. Nothing is asked of so many words that the
    column can hardly be one of scores: its reader says so.
    """
    words = words_among(sample.values[column])
    if not 0 < len(words) <= MOST_VALUES:
        return dict(before), 0
    components.note(
        f"{column!r} holds words, which are no scores. If they say passed or failed, choose "
        f"“{LABELS[VERDICT_OF[name]]}” in its list; else type a number for each, or none for no verdict.",
        key=f"import_words_{name}",
    )
    answers = {value: number for value, number in before.items() if value not in words}
    n_open = 0
    for word in words:
        field = f"import_value_{name}_{word}"
        answer = st.text_input(
            f"{LABELS[name]}: which number is {escape_markdown(repr(word))}?",
            by_hand.value(field, before.get(word, "")), **by_hand.field(field), max_chars=20,
            placeholder="a number, or none",
        ).strip()  # fmt: skip
        if number_of(answer) is not None or (answer and lookup_key(answer) in NO_VERDICT):
            answers[word] = answer
        else:
            n_open += 1
    return answers, n_open
