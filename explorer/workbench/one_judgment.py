"""One judgment, with steps to the previous and the next one."""

from typing import Any

import streamlit as st

from engine.values import parse_int
from explorer import data
from explorer.parts import components, selection, view_widgets
from explorer.workbench.judged_item import LAST_READ, ItemDisplay, show_beside, show_item
from explorer.workbench.listed_judgments import RENDERED, JudgmentSource, beside_choice


def open_place() -> int | None:
    """Return the place of the open judgment, from 0; None if the list is shown."""
    if selection.value("item") is None:
        return None
    return max((parse_int(selection.value("item") or "") or 1) - 1, 0)


def show_judgment(source: JudgmentSource, query: data.ListQuery, place: int) -> None:
    """Show one judgment of the list in full."""
    page = data.listing(source.key, query, PAGE, place - place % PAGE)
    if page.total and place >= page.total:
        components.say(f"There is no row {place + 1} in this selection; the first is shown.")
        selection.choose("item", "1")
        place, page = 0, data.listing(source.key, query, PAGE, 0)
    st.session_state[LAST_READ] = place + 1
    with st.container(horizontal=True, vertical_alignment="bottom", key="reading"):
        st.button(
            "All judgments",
            key="all_judgments",
            icon=":material/arrow_back:",
            on_click=selection.choose,
            args=("item",),
        )
        beside_choice(source)
        rendered = view_widgets.switch("rendered", "Rendered", RENDERED, clears=None)
        if page.rows:
            _steps(place, page.total)
            if selection.value("compare") is None:  # a comparison may be of another study
                _every_judge(page.rows[place - page.offset])
    if not page.rows:
        components.say(f"Nothing to show: {page.reason}.")
        return
    row, on_page = page.rows[place - page.offset], place - page.offset
    item = data.item(source.key, query, PAGE, page.offset, on_page)
    reading = ItemDisplay(source.key, rendered)
    if query.beside is None:
        show_item(item, row, reading)
        return
    other = item
    if query.beside.role == "generator":
        other = data.item(source.key, query, PAGE, page.offset, on_page, query.beside.name)
    show_beside(item, row, query.beside, other, reading)


def _every_judge(row: dict[str, Any]) -> None:
    """Lead to the verdicts of all judges on this answer."""

    def show_grid() -> None:
        answer = {"chart": "grid", "instance": row["instance_id"], "response": row["generator"]}
        for key, text in answer.items():
            selection.choose(key, text)
        for key in ("item", "q", "value"):
            selection.choose(key)

    st.button("All verdicts on this answer", key="grid", icon=":material/grid_on:", on_click=show_grid)


def _steps(place: int, total: int) -> None:
    for label, key, icon, step, enabled in (
        ("Previous", "p", "arrow_back", -1, place > 0),
        ("Next", "n", "arrow_forward", 1, place + 1 < total),
    ):
        st.button(
            label,
            key=label.lower(),
            shortcut=key,
            icon=f":material/{icon}:",
            on_click=selection.choose,
            args=("item", str(place + step + 1)),
            disabled=not enabled,
        )
    st.text(f"{place + 1:,} of {total:,}", width="content")


PAGE = 100
"""Judgments loaded at a time, among which one steps."""


RELATIONS = {"self": "the model itself", "family": "same family as the model", "other": ""}
"""The relation of a judge to the model whose response it judges."""
