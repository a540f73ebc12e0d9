"""A claim as a card: its sentence, number and marks, a small chart, and a link to its view."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from engine.findings.claims import CONCLUSIONS, Claim, RuleOutcome
from engine.findings.rules import RULES
from engine.findings.standing import MarkKind
from engine.phrases import full_stop, join_names
from engine.words.based_on import left_out
from engine.words.written_numbers import p_value
from explorer import data, page_list
from explorer.parts import components, downloads

Texts = Callable[[str], str | None]


ACROSS = 2
"""Cards side by side."""


LOOKS: dict[MarkKind, tuple[str, downloads.Colour]] = {
    MarkKind.SMALL: (":material/blur_on:", "gray"),
    MarkKind.NOT_SIGNIFICANT: (":material/question_mark:", "yellow"),
    MarkKind.NOT_CONCLUDED: (":material/question_mark:", "yellow"),
    MarkKind.CAUSE_OPEN: (":material/question_mark:", "gray"),
    MarkKind.FRAGILE: (":material/warning:", "yellow"),
    MarkKind.SIMULATED: (":material/science:", "orange"),
    MarkKind.CONTRADICTED: (":material/block:", "red"),
}
"""Icon and colour of each mark."""


WIDTH = 400
"""Width in pixels of a card's chart."""


def cards(
    key: data.StudyKey, claims: Sequence[Claim], words: Mapping[str, str], because: Texts, before: int = 0
) -> None:
    """Show claims as cards, two side by side.

    `words` explains the claims of each rule, `because` returns the sentence of a claim's id. `before` is the
    number of cards above these for the same question.
    """
    for start in range(0, len(claims), ACROSS):
        columns = st.columns(ACROSS)
        for place, claim in enumerate(claims[start : start + ACROSS]):
            with columns[place]:
                _card(key, claim, f"{claim.question}_{before + start + place}", words[claim.rule], because)


def _card(key: data.StudyKey, claim: Claim, name: str, words: str, because: Texts) -> None:
    """Show one claim; `name` identifies its place on the page."""
    with st.container(border=True, key=f"card_{name}"):
        st.text(claim.sentence)
        _marks(claim)
        with st.container(key=f"note_{name}", gap=None):
            for line in lines_of(claim):
                st.text(line)
        figure = data.claim_figure(key, claim.id, WIDTH)
        if figure is not None:
            components.plot(dict(figure.spec), figure.caption, key=f"chart_{name}")
        with st.container(horizontal=True, vertical_alignment="center"):
            page, query = page_list.link(claim.page, claim.view)
            label = "Open the ranking" if claim.page == "findings" else f"Open in {page.title}"
            st.page_link(page.path, label=label, icon=":material/open_in_new:", query_params=query)
            if claim.because:
                with st.popover("Evidence", icon=":material/fact_check:", type="tertiary", key=f"why_{name}"):
                    for description in filter(None, map(because, claim.because)):
                        st.text(description)
            with st.popover("How", icon=":material/help:", type="tertiary", key=f"how_{name}"):
                st.text(words)
                st.code(claim.command, language=None, wrap_lines=True)


def not_tried(question: str, outcomes: Sequence[RuleOutcome], claims: Sequence[Claim]) -> None:
    """Say what stands beside claims, which rules could not be tried and, without claims, which were."""
    titles = {rule.name: rule.title for rule in RULES}
    of_question = [outcome for outcome in outcomes if outcome.question == question]
    if question == "who":
        of_question = [outcome for outcome in of_question if outcome.rule in CONCLUSIONS]
    reasons = dict.fromkeys(each.reason for each in of_question if each.reason is not None)
    lines = [remark for outcome in of_question for remark in outcome.remarks]
    for why in reasons:
        rules = [titles[each.rule].lower() for each in of_question if each.reason == why]
        lines.append(f"Not tried ({join_names(rules)}): {why}.")
    if not claims:
        lines += [
            f"{titles[each.rule]}: {full_stop(each.summary)}"
            for each in of_question
            if each.reason is None and each.summary
        ]
    if lines:
        components.note(*lines, key=f"tried_{question}")


def lines_of(claim: Claim) -> list[str]:
    """Return lines on what the number rests on, and why it is marked."""
    parts = []
    if claim.n:  # advice for a study without own cases has none
        parts.append(f"{claim.n:,} {claim.cases}" if claim.cases else f"n {claim.n:,}")
    if claim.p_adjusted is not None:
        parts.append(f"adjusted p {p_value(claim.p_adjusted, 'below ')}{claim.p_means}")
    lines = ["; ".join(parts) + "."] if parts else []
    # The page's head already says that a study is simulated.
    lines += [
        f"{mark.title.capitalize()}: {mark.why}."
        for mark in claim.marks
        if mark.kind is not MarkKind.SIMULATED
    ]
    return [*lines, left_out(claim.left_out)]


def _marks(claim: Claim) -> None:
    with st.container(horizontal=True, gap="xsmall"):
        if claim.stands and claim.question != "advice":
            meaning = "Significant, and nothing contradicts it"
            st.badge("stands", icon=":material/check:", color="green", help=meaning)
        for kind, title in dict.fromkeys((mark.kind, mark.title) for mark in claim.marks):
            icon, colour = LOOKS[kind]
            st.badge(title, icon=icon, color=colour)
