"""A claim as a card: its sentence, number and marks, a small chart, and the way to the view it came from."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from engine.findings import Claim, Mark, MarkKind
from engine.wording import left_out
from explorer import data
from explorer.sitemap import BY_NAME

Told = Callable[[str], str | None]

ACROSS = 2
"""Cards side by side."""

LOOKS: dict[MarkKind, tuple[str, str]] = {
    MarkKind.SMALL: (":material/blur_on:", "gray"),
    MarkKind.NOT_SIGNIFICANT: (":material/question_mark:", "yellow"),
    MarkKind.SIMULATED: (":material/science:", "orange"),
    MarkKind.CONTRADICTED: (":material/block:", "red"),
}
"""Icon and colour of each mark; its name stands beside them."""

WIDTH = 400
"""Pixels of a card's chart."""

STANDS = ":material/check:", "green"


def cards(key: data.StudyKey, claims: Sequence[Claim], words: Mapping[str, str], because: Told) -> None:
    """Show claims as cards, two side by side.

    `words` says of each rule how it makes its claims, `because` gives the sentence of a claim's id.
    """
    for start in range(0, len(claims), ACROSS):
        columns = st.columns(ACROSS)
        for place, claim in enumerate(claims[start : start + ACROSS]):
            with columns[place]:
                _card(key, claim, f"{claim.question}_{start + place}", words[claim.rule], because)


def _card(key: data.StudyKey, claim: Claim, name: str, words: str, because: Told) -> None:
    """Show one claim; `name` is that of its place on the page."""
    with st.container(border=True, key=f"card_{name}"):
        st.text(claim.sentence)
        _marks(claim)
        with st.container(key=f"note_{name}", gap=None):
            for line in lines_of(claim):
                st.text(line)
        drawn = data.figure(key, "claim", (), (claim.id, WIDTH))
        if not drawn.rows.empty:
            told = f"{claim.sentence} Beside it the numbers that it is compared with."
            st.vega_lite_chart(drawn.spec, width="content", alt=told, key=f"chart_{name}")
        with st.container(horizontal=True, vertical_alignment="center"):
            _open(claim)
            if claim.because:
                with st.popover("Evidence", icon=":material/fact_check:", type="tertiary", key=f"why_{name}"):
                    for told in filter(None, map(because, claim.because)):
                        st.text(told)
            with st.popover("How", icon=":material/help:", type="tertiary", key=f"how_{name}"):
                st.text(words)
                st.code(claim.command, language=None, wrap_lines=True)


def lines_of(claim: Claim) -> list[str]:
    """Return what the number rests on, and why it is marked, line by line."""
    parts = []
    if claim.n is not None:
        parts.append(f"n {claim.n:,} {claim.cases}".rstrip())
    if claim.p_adjusted is not None:
        parts.append("p below 0.001" if claim.p_adjusted < 0.001 else f"p {claim.p_adjusted:.3f}, adjusted")
    told = ["; ".join(parts) + "."] if parts else []
    told += [f"{mark.title.capitalize()}: {mark.why}." for mark in _told(claim)]
    return [*told, left_out(claim.left_out)]


def _told(claim: Claim) -> list[Mark]:
    """Return the marks that need a word of why; that a study is simulated stands over the whole page."""
    return [mark for mark in claim.marks if mark.kind is not MarkKind.SIMULATED]


def _marks(claim: Claim) -> None:
    with st.container(horizontal=True, gap="xsmall"):
        if claim.stands:
            st.badge(
                "stands", icon=STANDS[0], color=STANDS[1], help="Significant, and nothing contradicts it"
            )
        for kind in dict.fromkeys(mark.kind for mark in claim.marks):
            icon, colour = LOOKS[kind]
            title = next(mark.title for mark in claim.marks if mark.kind is kind)
            st.badge(title, icon=icon, color=colour)  # type: ignore[arg-type]


def _open(claim: Claim) -> None:
    page = BY_NAME[claim.page]
    told = {name: list(values) for name, values in claim.view.items() if name in page.keys}
    label = "Open the ranking" if claim.page == "findings" else f"Open in {page.title}"
    st.page_link(page.path, label=label, icon=":material/open_in_new:", query_params=told)
