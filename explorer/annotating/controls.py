"""The buttons under an item: answers, how sure, steps, skips and reports, each with its key in sight."""

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from engine.annotations.labelling import Shown
from explorer.annotating import choosing, desk
from explorer.annotating.desk import Desk

Style = Literal["primary", "secondary", "tertiary"]


def show(at: Desk, item: Shown) -> None:
    """Show what can be done with an item now."""
    if at.task.closed:
        st.text("This task is closed: it takes no more answers. Ask its coordinator to open it.")
        _steps(at, item)
    elif at.mode == "skipping":
        _reasons(item)
    elif at.mode == "reporting":
        _report(item)
    else:
        if at.mode == "answering":
            _answers(at, item)
        _steps(at, item)


def chosen(on: bool, style: Style = "primary", otherwise: Style = "tertiary") -> Style:
    """Return how a button looks whose choice is on."""
    return style if on else otherwise


def button(
    words: str,
    key: str,
    shortcut: str | None,
    does: Callable[..., None],
    place: int | None,
    *arguments: Any,
    style: Style = "tertiary",
    disabled: bool = False,
) -> None:
    """Show a button that does something with the item at a place."""
    st.button(
        words,
        key=key,
        shortcut=None if disabled else shortcut,
        type=style,
        on_click=desk.act,
        args=(does, place, *arguments),
        disabled=disabled,
    )


def _answers(at: Desk, item: Shown) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="answers"):
        for number, choice in enumerate(choosing.choices(item)):
            given = item.kind != "clusters" and item.answer == choice.value
            # What was seen is part of the key: a press meant for an item never answers the next one.
            key = f"say_{number}_at_{at.turn}_{len(at.levels)}"
            told, style = (choice.value, len(at.levels)), chosen(given, otherwise="secondary")
            button(choice.words, key, choice.key, desk.answer, item.place, *told, style=style)
        if at.levels:
            button("Start again", "levels_again", "Backspace", desk.restart_levels, item.place)
        with st.container(horizontal=True, vertical_alignment="center", key="sure", width="content"):
            st.text("How sure?", width="content")
            for choice in choosing.SURENESS:
                value, style = choice.value, chosen(at.sure == choice.value)
                key = f"sure_{value}"
                button(choice.words, key, choice.key, desk.choose_sure, item.place, value, style=style)


def _steps(at: Desk, item: Shown) -> None:
    place, explained = item.place, at.mode == "explained"
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        button("Previous", "previous", "P", desk.step_back, place, disabled=place == 1)
        waits = not explained and not desk.said_before(item)
        button("Next", "next", "N", desk.step_on, place, style=chosen(explained), disabled=waits)
        if at.task.closed or explained:
            return
        button("Undo", "undo", "U", desk.undo, place)
        button("Skip", "skip", "S", desk.take_mode, place, "skipping")
        button("Report harm", "report", "H", desk.take_mode, place, "reporting")
        with st.container(key="comment_box"):
            if at.comment_key not in st.session_state:
                st.session_state[at.comment_key] = item.comment or ""
            st.text_input(
                "Comment",
                key=at.comment_key,
                placeholder="Comment (W), Enter to go on",
                label_visibility="collapsed",
            )


def _reasons(item: Shown) -> None:
    with st.container(horizontal=True, key="reasons"):
        for choice in choosing.REASONS:
            key = f"reason_{choice.value}"
            button(choice.words, key, choice.key, desk.skip, item.place, choice.value, style="secondary")
        button("Do not skip", "no_skip", "Escape", desk.take_mode, item.place, "answering")


def _report(item: Shown) -> None:
    place = item.place
    with st.container(horizontal=True, vertical_alignment="bottom", key="reporting"):
        with st.container(key="comment_report"):
            st.text_input("What is harmful? The coordinator reads it.", key="report_words")
        button("Report and skip", "report_skip", "1", desk.report, place, True, style="secondary")
        button("Report, and I answer", "report_stay", "2", desk.report, place, False)
        button("Do not report", "no_report", "Escape", desk.take_mode, place, "answering")
