"""One item with all its controls: a fragment, which reruns alone, so that keys respond quickly."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from engine.annotations.progress import Progress
from engine.annotations.shown_items import ShownItem
from engine.errors import SpbError
from engine.phrases import duration, quantity
from explorer.parts import components, safe_text
from explorer.team import announcements, keys, visitors
from explorer.team import label_session as actions
from explorer.team.item_controls import button, show_controls, style_if
from explorer.team.item_texts import SIZES, change_reading, current_reading, show_responses
from explorer.team.label_session import LabelSession
from explorer.team.task_words import repeat_words

STYLE = Path(__file__).parent / "labels.css"
_SIZE_WORDS = ("Text size", "Text size: large", "Text size: larger")


@st.fragment
def show_screen(session: LabelSession) -> None:
    """Show the current item with its controls."""
    try:
        if visitors.visitor().name != session.annotator:
            st.rerun()
    except SpbError as error:
        session.notice = str(error)
    with st.container(key=f"desk_{SIZES[current_reading().size]}", gap="xsmall"):
        _head(session)
        if session.guidelines:
            with st.container(border=True, key="text_ltr_guidelines"):
                safe_text.write(session.task.guidelines, rendered=True)
        if session.item is None:
            _all_done(session)
            announcements.announce(f"{session.notice} All items are done.", session.turn, {})
            return
        regions = show_responses(session, session.item)
        with st.container(key=f"desk_controls_{session.turn}", gap="xsmall"):
            _notices(session, session.item)
            show_controls(session, session.item)
        announcement = f"{session.notice} {_position(session, session.item)}"
        announcements.announce(announcement, session.turn, regions, _next_box(session, regions))


def _next_box(session: LabelSession, regions: Mapping[str, str]) -> str | None:
    """Return the box of the response that needs a level next, None if the question is about all."""
    boxes = [key for key in regions if key.startswith("item_response_low_")]
    return boxes[len(session.levels)] if session.levels and boxes else None


def _head(session: LabelSession) -> None:
    """Show the task, the progress, and how texts are shown."""
    with st.container(horizontal=True, vertical_alignment="center", key="desk_head"):
        st.header("Annotate", anchor=False, width="content")
        with st.container(key="task_title", width="content"):
            st.text(session.task.title)
        st.text(_progress_words(session.progress), width="stretch")
        if session.task.guidelines:
            style = style_if(session.guidelines, "secondary")
            button(session, "Guidelines", "guide", keys.GUIDELINES, actions.toggle_guidelines, style=style)
        reading = current_reading()
        if session.item is not None and len(session.item.texts.responses) == 2:
            _toggle("Differences", keys.DIFFERENCES, reading.differences, differences=not reading.differences)
        _toggle("Rendered", keys.RENDERED, reading.rendered, rendered=not reading.rendered)
        size = (reading.size + 1) % len(SIZES)
        _toggle(_SIZE_WORDS[reading.size], keys.SIZE, bool(reading.size), size=size)
    st.progress(session.progress.done / session.progress.total if session.progress.total else 0.0)


def _toggle(words: str, shortcut: str, active: bool, **changes: object) -> None:
    key = f"read_{shortcut.lower()}"
    style = style_if(active, "secondary")
    change = change_reading
    st.button(words, key=key, shortcut=shortcut, type=style, on_click=change, kwargs=changes)


def _notices(session: LabelSession, item: ShownItem) -> None:
    """Show the question, the item's position, and the latest notice."""
    with st.container(horizontal=True, vertical_alignment="center", key="asked"):
        st.text(keys.QUESTIONS[item.kind], width="content")
        st.text(_position(session, item), width="content")
        if session.notice:
            with st.container(key="failed" if session.failed else "said", width="content"):
                st.text(session.notice)


def _position(session: LabelSession, item: ShownItem) -> str:
    if session.mode == "explained" and session.feedback is not None:
        expected = keys.words(item.kind, session.feedback.expected)
        right = session.feedback.expected == item.answer
        text = f"That is right: {expected}." if right else f"Expected: {expected}."
        return f"Practice. {text} {session.feedback.explanation or ''}".strip()
    if item.practice:
        return "Practice: the answer is explained, and does not count."
    if item.skip_reason is not None:
        return f"Skipped before: {keys.SKIP_WORDS[item.skip_reason].lower()}."
    if item.answer is not None:
        return f"Your answer was: {keys.words(item.kind, item.answer)}."
    return f"Item {session.progress.done + 1:,} of {session.progress.total:,}."


def _all_done(session: LabelSession) -> None:
    progress = session.progress
    again = f", {progress.repeated:,} of them twice" if progress.repeated else ""
    components.say(
        f"Done: {quantity(progress.items, 'item')}{again}; {progress.skipped:,} skipped. Thank you.",
        key="all_done",
    )
    with st.container(horizontal=True, key="steps"):
        button(session, "Previous", "previous", keys.PREVIOUS, actions.step_back)
        if not session.task.closed:
            button(session, "Undo", "undo", keys.UNDO, actions.undo)


def _progress_words(progress: Progress) -> str:
    parts = [f"{progress.done:,} of {progress.total:,} done"]
    if progress.repeated:
        parts.append(repeat_words(progress.repeated))
    if progress.skipped:
        parts.append(f"{progress.skipped:,} skipped")
    if progress.seconds_each is not None and progress.done < progress.total:
        parts.append(f"{progress.seconds_each:.0f} s each")
        parts.append(f"about {duration(progress.seconds_left or 0)} left")
    return " · ".join(parts)
