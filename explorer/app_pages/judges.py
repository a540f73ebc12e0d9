"""Judges: which judges favour themselves, how certain that is, and what supports each conclusion."""

import streamlit as st

from engine.measures.result import Result
from engine.views.registry import VIEWS
from engine.words import sentences
from engine.words.glossary import meaning_of
from engine.words.sentences import leaders
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, figures
from explorer.parts.context import Context, show_page
from explorer.parts.page_list import WITHOUT_OWN, part_of
from explorer.parts.sections import section
from explorer.parts.show import show, texts_of
from explorer.workbench import board

HEADLINE = ("judge", "family", "hspp_self", "hspp_matched", "hspp_family", "n_self", "n_matched", "n_family")
RATIOS_TEXT = "Ratio of each judge for its own responses, on matched rubrics, and for its family."
RATIOS = ("hspp_self", "hspp_matched", "hspp_family")
# The terms of the ratios that the papers print.
EXPLAINED_TERMS = ("HSPP ratio", "confidence interval", "matched ratio", "family")


def render(context: Context) -> None:
    """Show the board, or the available measures if no conclusion is possible, and then the study."""
    if part_of(context.page, None, context.study) == WITHOUT_OWN:
        _without_own(context)
        studies.failures(context)
        studies.about(context)
        return
    result = board.scorecard(context.key)
    ratios = figures.attempt(context.key, "hspp", ())
    if result is not None:
        board.show(context, lambda: studies.after_the_demonstration(context.root, context.studies))
        of_pairs = any(row["decided_by"] == "vote_outside" for row in result.rows)
        if of_pairs and (of_study := board.votes_of_study(context)) is not None:
            board.show_votes(context, of_study)
        if ratios.rows:
            studies.cautions(context, ratios)
            _accuracy(context)
            _ratios(ratios)
        elif not of_pairs:
            components.note(f"There are no ratios: {ratios.reason}.", key="no_ratios")
            studies.next_steps(context)
    elif any(row[name] is not None for row in ratios.rows for name in RATIOS):
        _headline(context, ratios)
    elif (of_study := board.votes_of_study(context)) is not None:
        board.show_votes_alone(context, of_study)
    elif ratios.rows:
        _no_conclusion(context, ratios)
        _accuracy(context)
    else:
        _others(context, ratios)
    with st.expander("Every measure for each judge", key="together", on_change="rerun") as measures:
        if measures.open:
            board.every_measure(context)
    studies.failures(context)
    studies.about(context)


@section
def _without_own(context: Context) -> None:
    """Show what a study says in which no judge has judged its own responses, and what would help."""
    components.say(data.unknown_self_preference(context.key), key="finding")
    of_pairs = board.votes_of_study(context)
    names = context.page.parts[WITHOUT_OWN]
    rows = [name for name in names if VIEWS[name].lacks(context.study) is None]
    shown = [name for name in rows if data.shown(context.key, name, texts_of(VIEWS[name])).table is not None]
    if shown or (rows and of_pairs is None):
        show(context, *(shown or rows), titled=True)
    if of_pairs is not None:
        components.say(*leaders(of_pairs.rows), key="finding_votes")
        board.show_votes(context, of_pairs)
    if figures.attempt(context.key, "accuracy", ()).rows:
        _accuracy(context)
    studies.let_judge(context, both_orders=of_pairs is not None)
    components.note(f"Who judges whose responses: {'; '.join(data.relations(context.key))}.", key="relations")


def _ratios(result: Result) -> None:
    """Show the ratios that the papers print, and what they mean."""
    with st.expander("HSPP ratios, as in the papers", key="ratios"):
        components.measure_help(result.measure, "ratios")
        components.measure_table(result, _fields(result), "headline_numbers")
        components.basis(result, "headline")
    _in_words(result)


@section
def _headline(context: Context, result: Result) -> None:
    own = sentences.self_preference(result.rows, result.filters["level"] or "rubric")
    family = sentences.family_preference(result.rows)
    paragraphs = (" ".join(own[:2]), " ".join(own[2:]), " ".join(family))
    components.say(*filter(None, paragraphs), key="finding")
    studies.cautions(context, result)
    chart = data.figure(context.key, "ratios", (), (RATIOS,))
    st.subheader("Does a judge pass its own failures more often than others'?", anchor=False)
    if chart.panels < chart.all_panels:
        components.say(f"Showing the {chart.panels} of {chart.all_panels} judges with the highest ratios.")
    components.chart(chart, "headline", RATIOS_TEXT, result)
    components.measure_table(result, _fields(result), "headline_numbers")
    _in_words(result)
    _accuracy(context)


def _fields(result: Result) -> tuple[str, ...]:
    """Return the columns of ratios; only rubrics have matched ones."""
    of_rubrics = result.filters["level"] == "rubric"
    return HEADLINE if of_rubrics else tuple(name for name in HEADLINE if "matched" not in name)


@section
def _accuracy(context: Context) -> None:
    st.subheader("How often is a judge right?", anchor=False)
    accuracy = figures.attempt(context.key, "accuracy", ())
    if not components.lacks_rows(accuracy):
        components.measure_help(accuracy.measure, "accuracy")
        # Of rubrics, of pairs of responses, or of both, as the study has them.
        kinds = [kind for kind in ("mra", "mipa") if any(row[kind] is not None for row in accuracy.rows)]
        fields = ("judge", *(name for kind in kinds for name in (kind, f"{kind}_total")))
        components.measure_table(accuracy, fields, "accuracy")
        components.basis(accuracy, "accuracy")


@section
def _others(context: Context, ratios: Result) -> None:
    """Show the measures that a study without a ratio allows."""
    result = figures.attempt(context.key, "together", ())
    if not result.rows:
        _no_conclusion(context, ratios)
        return
    sentences = list(dict.fromkeys(row["sentence"] for row in result.rows))
    components.say(*sentences[: figures.MOST_PANELS], key="finding")
    chart = data.figure(context.key, "together", ())
    st.subheader("Every measure for each judge", anchor=False)
    figures.say_cut(chart)
    lines = (f"The HSPP ratio is not among them: {ratios.reason}.", figures.SIGN_COLOURS)
    components.figure(
        chart, "headline", figures.SIGNS_TEXT, lines, study=result.study, measure=result.measure
    )
    pages = "Equal quality, Quality baseline and Order effects, under Measures"
    components.note(f"Each measure has a page of its own, with intervals and n: {pages}.", key="more")


@section
def _no_conclusion(context: Context, ratios: Result) -> None:
    """Say why there is no conclusion about any judge, and what would help."""
    if not data.statuses(context.key):
        components.lacks_rows(ratios)
        studies.next_steps(context)
        return
    relations = "; ".join(data.relations(context.key))
    if data.judges_itself(context.key):
        reason = figures.attempt(context.key, board.MEASURE, ()).reason
        because = "; ".join(filter(None, (relations, reason)))
        components.say(f"Self-preference cannot be measured here: {because}.", key="finding")
        studies.next_steps(context)
        return
    components.say(data.unknown_self_preference(context.key), key="finding")
    studies.let_judge(context, both_orders=False)
    components.note(f"Who judges whose responses: {relations}.", key="relations")


def _in_words(result: Result) -> None:
    """Explain the numbers, and put those of each judge into a sentence."""
    with st.expander("What these numbers mean, judge by judge", key="in_words"):
        components.note(*(f"{name}: {meaning_of(name)}" for name in EXPLAINED_TERMS), key="how_to_read")
        st.text("\n\n".join(figures.judge_sentences(result.rows, result.filters["level"] or "rubric")))


show_page(render)
