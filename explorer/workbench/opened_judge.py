"""The judge that is opened: its conclusion, how it differs from outside judges, and why."""

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from engine.arrays.text_names import criterion_words
from engine.conclusions import ALIKE, is_claim, side_of
from engine.explore.stated_reasons import Reasons
from engine.extras import NO_PICTURES, can_draw
from engine.report.card import CardForm
from engine.views import differences
from engine.views.conclusion import conclusion_of
from engine.views.differences import DIFFERENCES
from engine.views.keys import read_keys
from engine.views.stated_reasons import REASONS, reasons_for
from engine.words import board_facts
from explorer import data
from explorer.parts import components, downloads, view_widgets
from explorer.parts.context import Context, open_page
from explorer.parts.sections import section
from explorer.parts.show import has_rows, show_more, table, texts_of
from explorer.workbench import judged_item, listed_judgments

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

BADGES: dict[int, downloads.Colour] = {1: "orange", -1: "blue"}
"""The colours of claims, by their side."""

CARDS: downloads.Forms[CardForm] = {
    "PNG": ("png", "image/png", "png"),
    "SVG": ("svg", "image/svg+xml", "svg"),
    "Markdown": ("md", "text/markdown", "md"),
    "HTML": ("html", "text/html", "html"),
}
"""The forms of a judge's card."""


@section
def show_judge(context: Context, row: "ScorecardRow") -> None:
    """Show the conclusion of a row of the scorecard, and the evidence behind it."""
    concluded = conclusion_of(row)
    judge = concluded.judge
    with st.container(border=True, key="one_judge"):
        with st.container(horizontal=True, vertical_alignment="center", key="judge_head"):
            st.subheader(judge, anchor=False, width="content")
            st.badge(concluded.chip, color=_colour(concluded.code))
            _card(context, judge)
            back = partial(listed_judgments.deselect, "judge")
            st.button("All judges", key="all_judges", icon=":material/arrow_back:", on_click=back)
        st.text(concluded.sentence)
        if concluded.family is not None:
            st.text(concluded.family)
        components.note(concluded.meaning, key="meaning")
        if concluded.doubts:
            components.note(*(f"▲ {doubt}" for doubt in concluded.doubts), key="doubts")
        if concluded.numbers:
            with st.expander("Numbers", key="conclusion_open", on_change="rerun") as numbers:
                if numbers.open:
                    table(concluded.table, "conclusion_numbers")
        _differences(context, judge)
        _reasons(context)
        show_more(context, "strongest_slices", "own_rank")
        _method(row)


def _colour(code: str) -> downloads.Colour:
    return "green" if code == ALIKE else BADGES.get(side_of(code), "gray")


def _method(row: "ScorecardRow") -> None:
    """Show the number behind the conclusion, and what it is."""
    if row["estimate"] is None:
        return
    with st.expander("Method", key="method"):
        st.text(f"{board_facts.named_value(row)}: {board_facts.NUMBERS[str(row['decided_by'])]}.")
        if (agreement := board_facts.agreement(row)) and is_claim(row["conclusion"]):
            st.text(f"{agreement[:1].upper()}{agreement[1:]} in sign.")


@st.fragment
def _card(context: Context, judge: str) -> None:
    """Offer the judge's card: one picture, or one page."""
    menu = st.popover("Card", icon=":material/badge:", type="tertiary", key="card", on_change="rerun")
    if menu.open:
        with menu, st.container(horizontal=True):
            forms = CARDS if can_draw() else {"Markdown": CARDS["Markdown"]}
            files = downloads.files(forms, partial(data.card, context.key, judge))
            downloads.buttons(f"{judge}-card", "card", files)
            if not can_draw():
                st.text(NO_PICTURES)


@section
def _differences(context: Context, judge: str) -> None:
    """List the judge's own responses on which an outside judge's verdict differs, and show one beside it."""
    outside = differences.outside_judges(context.study, judge)
    if not outside:
        return
    st.markdown(f"**{DIFFERENCES.title}**")
    judge_of = {f"judge:{name}": name for name in outside}
    options = tuple(judge_of)
    view_widgets.drop_unknown("beside", options, "Compare with")
    view_widgets.choice(
        "beside", options, "Judge of another family", outside[0], judge_of.__getitem__, width=260
    )
    texts = texts_of(DIFFERENCES)
    shown = data.shown(context.key, DIFFERENCES.name, texts)
    components.note(*shown.warnings, *shown.sentences, key=DIFFERENCES.name)
    if shown.table is None:
        return
    components.note("Choose a row to read both judges' reasons.", key="differences_rows")
    keys, _ = read_keys(DIFFERENCES.keys, context.study, texts)
    beside, (query,) = differences.beside_of(context.study, keys), shown.queries
    place = table(shown.table, "differences_rows", selectable=True)
    if place is not None and beside is not None:
        flags = data.flags_of(query.filters)
        query_of_list = data.ListQuery(flags, query.kind, judge, judge, beside=beside)
        item = data.item(context.key, query_of_list, differences.MOST, 0, place)
        reading = judged_item.ItemDisplay(context.key, rendered=False)
        judged_item.show_beside(item, dict(shown.table.numbers[place]), beside, item, reading)
    if st.button("Read all", key="read_differences", icon=":material/gavel:"):
        places = {"judge": (judge,), "generator": (judge,), "show": (query.kind,), "item": (), "q": ()}
        places |= {"compare": (), "value": ()}
        open_page("workbench", **places, beside=(str(beside),), differ=("true",))


@section
def _reasons(context: Context) -> None:
    """Show why the judge passes its own failed answers, with examples; nothing without reasons."""
    show_more(context, REASONS.name)
    if not has_rows(context, REASONS.name):
        return
    keys, _ = read_keys(REASONS.keys, context.study, texts_of(REASONS))
    with st.expander("Examples, side by side", key="reason_examples"):
        _reason_examples(reasons_for(context.study, keys))


def _reason_examples(reasons: Reasons) -> None:
    for number, group in enumerate(reasons.groups):
        for place, example in enumerate(group.examples):
            with st.container(border=True, key=f"reason_{number}_{place}"):
                st.text(criterion_words(example.criterion, example.own.rubric_id) or "")
                own, outside = st.columns(2)
                own.text(f"{example.own.judge}, passed: {example.own.text}")
                if example.outside is not None:
                    verdict = "passed" if example.outside.passed else "failed"
                    outside.text(f"{example.outside.judge}, {verdict}: {example.outside.text}")
