"""The texts of an item: the question, the criterion, and the responses side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine.annotations.shown_items import ShownItem
from engine.messages import conversation
from explorer.parts import components, safe_text
from explorer.parts.text_differences import differences
from explorer.team import keys
from explorer.team.label_session import LabelSession
from explorer.team.task_words import NO_CRITERION, OF_CRITERIA

SIZES = ("normal", "large", "larger")
_READING = "_reading"
_ABREAST = 3
"""Most responses shown side by side."""


@dataclass(frozen=True)
class TextDisplay:
    """How texts are shown: rendered or plain, with differences marked or not, and how large."""

    rendered: bool = False
    differences: bool = False
    size: int = 0


def current_reading() -> TextDisplay:
    """Return how this session shows texts."""
    state: TextDisplay = st.session_state.setdefault(_READING, TextDisplay())
    return state


def change_reading(**changes: Any) -> None:
    """Change how this session shows texts, for a button's `on_click`."""
    st.session_state[_READING] = replace(current_reading(), **changes)


def show_responses(session: LabelSession, item: ShownItem) -> dict[str, str]:
    """Show an item's texts; return the names of the boxes that scroll, by key."""
    reading = current_reading()
    _question(item, reading)
    regions = {"item_question": "Question"}
    if (criterion := item.texts.criterion_words) is not None:
        components.note("Criterion", key="criterion")
        safe_text.show(criterion, "criterion", rendered=reading.rendered)
    elif item.kind in OF_CRITERIA:
        components.note(NO_CRITERION, key="criterion")
    if item.texts.options:
        with st.container(border=True, key="item_options", gap=None):
            for score, words in item.texts.options:
                st.text(f"{score:g}: {words}")
    names = keys.response_names(item.kind, len(item.texts.responses))
    for first in range(0, len(names), _ABREAST):
        row = names[first : first + _ABREAST]
        columns = st.columns(len(row), gap="small")
        for place, (column, name) in enumerate(zip(columns, row, strict=True), first):
            with column:
                _response(session, item, reading, place, name)
            regions[_box(place, names)] = name
    return regions


def _question(item: ShownItem, reading: TextDisplay) -> None:
    with st.container(border=True, key="item_question", gap="xsmall"):
        messages = conversation(item.texts.prompt)
        if not messages:
            st.text("The question has no text.")
        for place, message in enumerate(messages):
            if len(messages) > 1:
                components.note(message.role, key=f"role_{place}")
            _text(message.text, f"message_{place}", reading)


def _response(session: LabelSession, item: ShownItem, reading: TextDisplay, place: int, name: str) -> None:
    level = ""
    if item.kind == "clusters":
        levels = session.levels or ([] if item.answer is None else item.answer)
        level = f": level {levels[place]}" if place < len(levels) else ""
        is_next = place == len(session.levels) and session.mode == "answering"
        name = f"▶ {name}" if is_next else name
    components.note(f"{name}{level}", key=f"name_{place}")
    with st.container(border=True, key=_box(place, item.texts.responses)):
        responses = item.texts.responses
        if reading.differences and len(responses) == 2:
            cached = st.session_state.get("_difference")
            if cached is None or cached[0] != session.turn:
                cached = st.session_state["_difference"] = (session.turn, differences(*responses))
            with st.container(key=f"text_{safe_text.direction(responses[place])}_marked_{place}"):
                st.html(f'<div class="marked">{cached[1][place]}</div>')
        else:
            _text(responses[place], f"response_{place}", reading)


def _text(text: str, key: str, reading: TextDisplay) -> None:
    with st.container(key=f"text_{safe_text.direction(text)}_{key}"):
        safe_text.write(text or "(empty)", rendered=reading.rendered)


def _box(place: int, all_of_them: Sequence[str]) -> str:
    """Return the key of a response's box, a lower box if there is more than one row."""
    return f"item_response_{'low_' if len(all_of_them) > _ABREAST else ''}{place}"
