"""Columns of a table that no list gives a meaning: which the import would read all the same, or ask about."""

from collections.abc import Collection
from dataclasses import replace

import streamlit as st

from engine.importers.reading.columns import column_in
from engine.importers.tables.asking.likely_truths import likely_truths, unread_verdicts
from engine.importers.tables.criterion_points import below_zero, unread_signs
from engine.importers.tables.own_columns import own_columns
from engine.importers.tables.table_columns import COLUMNS
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from explorer.new_run.hand_choices import HandChoices
from explorer.parts.safe_markdown import escape_markdown

_ANSWERS = {"": "choose", "points": "yes", "else": "no, it says something else"}


def leave_out(plan: TablePlan, sample: FirstRows, unused: Collection[str]) -> TablePlan:
    """Return a plan that leaves out what the import would read of the columns that are not used.

    It reads a column that is called like ours, and columns that group the questions or criteria. Where one is
    left out, another may be read in its place.
    """
    names = [name for name in COLUMNS if name not in plan.names]
    plan = _without(plan, [each for each in unused if any(column_in(name, [each]) for name in names)])
    while True:
        truths = {*unread_verdicts(plan, sample), *likely_truths(plan, sample), *unread_signs(plan, sample)}
        groups = own_columns(plan, sample, truths).columns.values()
        if not (more := [column for column in unused if column in groups]):
            return plan
        plan = _without(plan, more)


def ask_of_signs(plan: TablePlan, sample: FirstRows, by_hand: HandChoices) -> tuple[TablePlan, list[str]]:
    """Ask of each unused column that may say which criteria are bad to meet whether it does.

    Return the plan without those that do not, and what is still open.
    """
    unclear = []
    for column in unread_signs(plan, sample):
        field = f"import_signs_{column}"
        bad = below_zero(sample, column)
        answer = st.selectbox(
            f"Does {escape_markdown(repr(column))} say which criteria are bad to meet "
            f"({escape_markdown(bad)})?",
            _ANSWERS, index=[*_ANSWERS].index(by_hand.value(field, "")), format_func=_ANSWERS.__getitem__,
            key=f"{field}{by_hand.reading}", on_change=_answer, args=(by_hand, column, field),
            help="That turns the verdicts on these criteria around",
        )  # fmt: skip
        if answer:
            plan = _without(plan, [column])
        else:
            unclear.append(
                f"{column!r} may say which criteria are bad to meet: answer the question about it."
            )
    return plan, unclear


def _answer(by_hand: HandChoices, column: str, field: str) -> None:
    """Store an answer; yes is a choice in the column's list."""
    answer = st.session_state[f"{field}{by_hand.reading}"]
    if answer == "points":
        by_hand.give_meaning(column, answer)
    else:
        by_hand.store(field, answer)


def _without(plan: TablePlan, columns: Collection[str]) -> TablePlan:
    left_out = (*plan.options.leave_out, *columns)
    return replace(plan, options=replace(plan.options, leave_out=left_out))
