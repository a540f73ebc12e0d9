"""One item with all its controls: a part of the page that runs by itself, so that keys are quick."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from engine.annotations.labelling import Progress, Shown
from engine.errors import SpbError
from explorer import components, identity, texts
from explorer.annotating import choosing, controls, desk, keys, responses
from explorer.annotating.desk import Desk

STYLE = Path(__file__).parent / "style.css"
_SIZE_WORDS = ("A", "A+", "A++")


@st.fragment
def show(at: Desk) -> None:
    """Show what is on the desk."""
    try:
        if identity.visitor().name != at.annotator:
            st.rerun()
    except SpbError as error:
        at.said = str(error)
    with st.container(key=f"desk_{responses.SIZES[responses.reading().size]}", gap="xsmall"):
        _head(at)
        if at.guidelines:
            with st.container(border=True, key="text_ltr_guidelines"):
                texts.write(at.task.guidelines, rendered=True)
        if at.item is None:
            _all_done(at)
            keys.tell(f"{at.said} All items are done.", at.turn, {})
            return
        regions = responses.show(at, at.item)
        with st.container(key=f"desk_controls_{at.turn}", gap="xsmall"):
            _told(at, at.item)
            controls.show(at, at.item)
        keys.tell(f"{at.said} {_position(at, at.item)}", at.turn, regions, _asked_about(at, regions))


def _asked_about(at: Desk, regions: Mapping[str, str]) -> str | None:
    """Return the box of the response whose level is asked for, None where all are asked about."""
    boxes = [key for key in regions if key.startswith("item_response_low_")]
    return boxes[len(at.levels)] if at.levels and boxes else None


def _head(at: Desk) -> None:
    """Show the task, how far one is, and how texts are read."""
    with st.container(horizontal=True, vertical_alignment="center", key="desk_head"):
        st.header("Annotate", anchor=False, width="content")
        with st.container(key="task_title", width="content"):
            st.text(at.task.title)
        st.text(_far(at.progress), width="stretch")
        if at.task.guidelines:
            place = at.item.place if at.item else None
            style = controls.chosen(at.guidelines, "secondary")
            controls.button("Guidelines", "guide", "G", desk.toggle_guidelines, place, style=style)
        how = responses.reading()
        if at.item is not None and len(at.item.texts.responses) == 2:
            _reading("Differences", "D", how.differences, differences=not how.differences)
        _reading("Rendered", "M", how.rendered, rendered=not how.rendered)
        size = (how.size + 1) % len(responses.SIZES)
        _reading(_SIZE_WORDS[how.size], "F", bool(how.size), size=size)
    st.progress(at.progress.done / at.progress.total if at.progress.total else 0.0)


def _reading(words: str, shortcut: str, on: bool, **changes: object) -> None:
    key = f"read_{shortcut.lower()}"
    style = controls.chosen(on, "secondary")
    change = responses.read_otherwise
    st.button(words, key=key, shortcut=shortcut, type=style, on_click=change, kwargs=changes)


def _told(at: Desk, item: Shown) -> None:
    """Show what is asked, and what was last told or said of the item."""
    with st.container(horizontal=True, vertical_alignment="center", key="asked"):
        st.text(choosing.QUESTIONS[item.kind], width="content")
        st.text(_position(at, item), width="content")
        if at.said:
            with st.container(key="failed" if at.said.startswith("Not saved") else "said", width="content"):
                st.text(at.said)


def _position(at: Desk, item: Shown) -> str:
    if at.mode == "explained" and at.explained is not None:
        expected = choosing.words(item.kind, at.explained.expected)
        right = at.explained.expected == item.answer
        told = f"That is right: {expected}." if right else f"Expected: {expected}."
        return f"Practice. {told} {at.explained.explanation or ''}".strip()
    if item.practice:
        return "Practice: the answer is explained, and does not count."
    if item.skipped is not None:
        return f"Skipped before: {choosing.reason(item.skipped).lower()}."
    if item.answer is not None:
        return f"Your answer was: {choosing.words(item.kind, item.answer)}."
    return f"Item {at.progress.done + 1:,} of {at.progress.total:,}."


def _all_done(at: Desk) -> None:
    components.say(
        f"All {at.progress.total:,} items are done, {at.progress.skipped:,} of them skipped. Thank you.",
        key="all_done",
    )
    with st.container(horizontal=True, key="steps"):
        controls.button("Previous", "previous", "P", desk.step_back, None)
        if not at.task.closed:
            controls.button("Undo", "undo", "U", desk.undo, None)


def _far(progress: Progress) -> str:
    parts = [f"{progress.done:,} of {progress.total:,} done"]
    if progress.skipped:
        parts.append(f"{progress.skipped:,} skipped")
    if progress.seconds_each is not None and progress.done < progress.total:
        parts.append(f"{progress.seconds_each:.0f} s each")
        minutes = (progress.seconds_left or 0) / 60
        parts.append("less than a minute left" if minutes < 1 else f"about {minutes:,.0f} min left")
    return " · ".join(parts)
