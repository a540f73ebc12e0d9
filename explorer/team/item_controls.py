"""The buttons under an item: answers, confidence, steps, skips and reports, each showing its key."""

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from engine.annotations.shown_items import ShownItem
from explorer.team import keys
from explorer.team import label_session as actions
from explorer.team.label_session import LabelSession

Style = Literal["primary", "secondary", "tertiary"]


def show_controls(session: LabelSession, item: ShownItem) -> None:
    """Show the current actions on an item."""
    if session.task.closed:
        st.text("This task is closed: it takes no more answers. Ask its coordinator to open it.")
        _steps(session, item)
    elif session.mode == "skipping":
        _reasons(session)
    elif session.mode == "reporting":
        _report(session)
    else:
        if session.mode == "answering":
            _answers(session, item)
        _steps(session, item)


def style_if(on: bool, style: Style = "primary", otherwise: Style = "tertiary") -> Style:
    """Return the style of a button by whether its choice is on."""
    return style if on else otherwise


def button(
    session: LabelSession,
    words: str,
    key: str,
    shortcut: str | None,
    action: Callable[..., None],
    *arguments: Any,
    style: Style = "tertiary",
    disabled: bool = False,
) -> None:
    """Show a button that acts on the current item."""
    place = None if session.item is None else session.item.place
    st.button(
        words,
        key=key,
        shortcut=None if disabled else shortcut,
        type=style,
        on_click=actions.act,
        args=(action, place, *arguments),
        disabled=disabled,
    )


def _answers(session: LabelSession, item: ShownItem) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="answers"):
        for number, choice in enumerate(keys.choices(item)):
            selected = item.kind != "clusters" and item.answer == choice.value
            # What was seen is part of the key: a press meant for an item never answers the next one.
            key = f"say_{number}_at_{session.turn}_{len(session.levels)}"
            arguments, style = (choice.value, len(session.levels)), style_if(selected, otherwise="secondary")
            button(session, choice.words, key, choice.key, actions.answer, *arguments, style=style)
        if session.levels:
            button(session, "Start again", "levels_again", keys.START_AGAIN, actions.restart_levels)


def _steps(session: LabelSession, item: ShownItem) -> None:
    explained = session.mode == "explained"
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        if session.mode == "answering" and not session.task.closed:
            _sureness(session)
        button(session, "Previous", "previous", keys.PREVIOUS, actions.step_back, disabled=item.place == 1)
        fresh = not explained and not actions.is_handled(item)
        button(session, "Next", "next", keys.NEXT, actions.step_on, style=style_if(explained), disabled=fresh)
        if session.task.closed or explained:
            return
        button(session, "Undo", "undo", keys.UNDO, actions.undo)
        button(session, "Skip", "skip", keys.SKIP, actions.switch_mode, "skipping")
        button(session, "Report harm", "report", keys.REPORT, actions.switch_mode, "reporting")
        with st.container(key="comment_box"):
            if session.comment_key not in st.session_state:
                st.session_state[session.comment_key] = session.comment
            st.text_input(
                "Comment",
                key=session.comment_key,
                placeholder=f"Comment ({keys.COMMENT}), Enter to go on",
                label_visibility="collapsed",
            )


def _sureness(session: LabelSession) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="sure", width="content"):
        st.text("How sure?", width="content")
        for choice in keys.SURENESS:
            key, style = f"sure_{choice.value}", style_if(session.confidence == choice.value)
            button(session, choice.words, key, choice.key, actions.choose_sure, choice.value, style=style)


def _reasons(session: LabelSession) -> None:
    with st.container(horizontal=True, key="reasons"):
        for choice in keys.REASONS:
            key = f"reason_{choice.value}"
            button(session, choice.words, key, choice.key, actions.skip, choice.value, style="secondary")
        button(session, "Do not skip", "no_skip", keys.CANCEL, actions.switch_mode, "answering")


def _report(session: LabelSession) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="reporting"):
        with st.container(key="comment_report"):
            st.text_input("What is harmful? The coordinator reads it.", key="report_words")
        skipping = keys.REPORT_AND_SKIP
        button(session, "Report and skip", "report_skip", skipping, actions.report, True, style="secondary")
        button(session, "Report and answer", "report_stay", keys.REPORT_AND_ANSWER, actions.report, False)
        button(session, "Do not report", "no_report", keys.CANCEL, actions.switch_mode, "answering")
