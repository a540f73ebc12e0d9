"""Judges: which judges favour themselves, how certain that is, and what supports each conclusion."""

import streamlit as st

from engine.measures.result import Result
from engine.views.of_measure import measure
from engine.views.ratios import RATIOS
from engine.views.registry import VIEWS
from explorer import data
from explorer.new_run import first_study
from explorer.page_list import WITHOUT_OWN, part_of
from explorer.parts import components
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.parts.show import fold, has_rows, show, show_more
from explorer.workbench import board, study_facts, study_needs

VOTES = ("votes", "vote_matrix", "vote_ranks", "flips")


def render(context: Context) -> None:
    """Show the board, or the available measures if no conclusion is possible, and then the study."""
    if part_of(context.page, None, context.study) == WITHOUT_OWN:
        _without_own(context)
    else:
        _with_own(context)
        with st.expander("Every measure for each judge", key="every_measure", on_change="rerun") as measures:
            if measures.open:
                show_more(context, "together", "associations")
    study_facts.failures(context)
    study_facts.about(context)


def _with_own(context: Context) -> None:
    """Show the conclusions on judges, else ratios, else votes, else whatever the study allows."""
    result = board.scorecard(context.key)
    ratios = measure(context.study, "hspp", {})
    if result is not None:
        board.show(context, lambda: first_study.after_the_demonstration(context.root, context.studies))
        of_pairs = any(row["decided_by"] == "vote_outside" for row in result.rows)
        if of_pairs:
            show_more(context, *VOTES)
        if ratios.rows:
            study_needs.cautions(context, ratios)
            show_more(context, "accuracy")
            fold(context, "ratios")
        elif not of_pairs:
            components.note(f"There are no ratios: {ratios.reason}.", key="no_ratios")
            study_needs.next_steps(context)
    elif any(row[name] is not None for row in ratios.rows for name in RATIOS):
        study_needs.cautions(context, ratios)
        show(context, "ratios", titled=True)
        show_more(context, "accuracy")
    elif has_rows(context, "votes"):
        _votes_alone(context)
    elif ratios.rows:
        _no_conclusion(context, ratios)
        show_more(context, "accuracy")
    elif has_rows(context, "together"):
        show(context, "together", titled=True)
        components.note(f"The HSPP ratio is not among them: {ratios.reason}.", PAGES_OF_MEASURES, key="more")
    else:
        _no_conclusion(context, ratios)


PAGES_OF_MEASURES = (
    "Each measure has a page of its own, with intervals and n: Equal quality, Quality baseline and Order "
    "effects, under Measures."
)


@section
def _without_own(context: Context) -> None:
    """Show what a study says in which no judge has judged its own responses, and what would help."""
    of_pairs = has_rows(context, "votes")
    if not of_pairs:  # votes say so themselves
        components.say(data.unknown_self_preference(context.key), key="finding")
    names = context.page.parts[WITHOUT_OWN]
    rows = [name for name in names if VIEWS[name].lacks(context.study) is None]
    shown = [name for name in rows if has_rows(context, name)]
    if shown or (rows and not of_pairs):
        show(context, *(shown or rows), titled=True)
    if of_pairs:
        show_more(context, *VOTES)
    if has_rows(context, "accuracy"):
        show_more(context, "accuracy")
    study_needs.let_judge(context, both_orders=of_pairs)
    components.note(f"Who judges whose answers: {'; '.join(data.relations(context.key))}.", key="relations")


@section
def _votes_alone(context: Context) -> None:
    """Show the votes of a study that allows no conclusion, and what would help."""
    study_needs.let_judge(context, both_orders=True)
    components.note(f"Who judges whose answers: {'; '.join(data.relations(context.key))}.", key="relations")
    show_more(context, *VOTES)


@section
def _no_conclusion(context: Context, ratios: Result) -> None:
    """Say why there is no conclusion about any judge, and what would help."""
    if not data.statuses(context.key):
        components.lacks_rows(ratios)
        study_needs.next_steps(context)
        return
    relations = "; ".join(data.relations(context.key))
    if data.judges_itself(context.key):
        reason = measure(context.study, board.MEASURE, {}).reason
        because = "; ".join(filter(None, (relations, reason)))
        components.say(f"Self-preference cannot be measured here: {because}.", key="finding")
        study_needs.next_steps(context)
        return
    components.say(data.unknown_self_preference(context.key), key="finding")
    study_needs.let_judge(context, both_orders=False)
    components.note(f"Who judges whose answers: {relations}.", key="relations")


show_page(render)
