"""Findings: what the study's numbers show, question by question, and their effect on a ranking."""

from typing import Any

import streamlit as st

from engine.findings.answers import answer
from engine.findings.claims import RuleOutcome, claims_by_doubt
from engine.findings.cross_checks import cross_check
from engine.findings.findings import visible_claims
from engine.findings.questions import QUESTIONS, Question
from engine.findings.rules import RULES
from engine.measures.catalogue import MEASURES
from engine.phrases import full_stop, quantity
from engine.words.based_on import runs_in_picture
from engine.words.plain_names import on_page
from explorer import data
from explorer.parts import components, view_widgets
from explorer.parts.context import Context, report_button, show_page
from explorer.parts.sections import section
from explorer.parts.show import show
from explorer.workbench import board, finding_cards, study_needs

# Cards shown for a question by default; the others show on request.
FEW = 4

# The short answers, on the left and on the right.
SIDES: tuple[tuple[Question, ...], ...] = (
    ("who", "order", "where", "advice"),
    ("ranking", "committee", "changed"),
)

PARTS = {"findings": "Findings", "ranking": "Corrected ranking", "rules": "How these are made"}


def render(context: Context) -> None:
    """Show the part chosen."""
    view_widgets.drop_unknown("part", tuple(PARTS), "Part")
    with st.container(horizontal=True, vertical_alignment="center"):
        part = view_widgets.part("part", PARTS, "findings")
        report_button(context)
    if part == "ranking":
        if not show(context, *context.page.parts[part]):
            context.link("judges", "How each judge ranks the models by its votes")
    elif part == "rules":
        _rules(context)
    else:
        _findings(context)


def _findings(context: Context) -> None:
    """Show the short answers, filled in as rules are tried, and the claims behind them as cards."""
    outcomes = _try_rules(context)
    nothing = not any(outcome.claims for outcome in outcomes)
    scorecard = board.scorecard(context.key)
    if scorecard is not None and (remarks := runs_in_picture(context.study, scorecard)):
        components.note(*remarks, key="runs_together")
    if nothing and scorecard is None:
        study_needs.mend(context)
    if nothing:
        components.note(f"“{PARTS['rules']}” says what each rule tried.", key="nothing_claimed")
        return
    every = view_widgets.switch(
        "all_claims", "All findings", "Off: the first few of each question", clears=None
    )
    claims = visible_claims(outcomes)
    sentences = {claim.id: claim.sentence for claim in claims_by_doubt(outcomes)}
    words = {rule.name: rule.words for rule in RULES}
    for question, title in QUESTIONS.items():
        group = [claim for claim in claims if claim.question == question]
        st.subheader(title, anchor=False)
        finding_cards.not_tried(question, outcomes, group)
        visible = group if every else group[:FEW]
        n_standing = sum(claim.stands for claim in visible)  # these come first
        finding_cards.cards(context.key, visible[:n_standing], words, sentences.get)
        if visible[n_standing:]:
            st.markdown("**Not shown**")
            finding_cards.cards(context.key, visible[n_standing:], words, sentences.get, n_standing)
        if more := len(group) - len(visible):
            components.note(f"{more:,} more: turn on All findings.", key=f"more_{question}")


def _try_rules(context: Context) -> tuple[RuleOutcome, ...]:
    """Try every rule, and show what is known so far in a box for each question."""
    boxes: dict[Question, Any] = {}
    for column, questions in zip(st.columns(2), SIDES, strict=True):
        with column:
            for question in questions:
                with st.container(border=True, key=f"finding_{question}"):
                    st.markdown(f"**{QUESTIONS[question]}**")
                    boxes[question] = st.empty()
    bar = st.empty()
    outcomes: tuple[RuleOutcome, ...] = ()
    for place, rule in enumerate(RULES):
        if rule.slow:
            _fill(boxes, outcomes, waiting=True)
            bar.progress(place / len(RULES), f"Rule {place + 1} of {len(RULES)}: {rule.title}")
        outcomes = (*outcomes, data.outcome(context.key, rule.name))
    bar.empty()
    crossed = cross_check(outcomes)
    _fill(boxes, crossed, waiting=False)
    return crossed


def _fill(boxes: dict[Question, Any], outcomes: tuple[RuleOutcome, ...], *, waiting: bool) -> None:
    """Write the short answers known so far, and mark the pending ones."""
    crossed = cross_check(outcomes)
    answered = {outcome.question for outcome in outcomes if outcome.claims}
    for question, box in boxes.items():
        pending = waiting and question not in answered
        lines = ("Looking …",) if pending else answer(question, crossed).sentences
        # One element: of several, some would remain when the next answer has fewer.
        box.text(on_page("\n\n".join(lines)))


@section
def _rules(context: Context) -> None:
    """Show every rule in words, and its outcome here."""
    components.note(
        "No model writes these sentences. Each rule is a small function that reads the rows of a measure; p "
        "is adjusted for everything that one rule tried (Benjamini-Hochberg), not for the whole page.",
        key="rules",
    )
    for question, title in QUESTIONS.items():
        st.subheader(title, anchor=False)
        for rule in (rule for rule in RULES if rule.question == question):
            outcome = data.outcome(context.key, rule.name)
            with st.container(border=True, key=f"rule_{rule.name}"):
                st.markdown(f"**{rule.title}**")
                st.markdown(rule.words)
                outcome_words = outcome.summary if outcome.reason is None else f"not tried, {outcome.reason}"
                components.note(
                    f"Here: {quantity(len(outcome.claims), 'finding')}; {full_stop(outcome_words)}",
                    *([f"From: {MEASURES[rule.measure].title}."] if rule.measure in MEASURES else []),
                    key=f"came_{rule.name}",
                )


show_page(render)
