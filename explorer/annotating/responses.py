"""The texts of an item: the question, the criterion, and the responses side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine.annotations.labelling import Shown
from engine.conversation import conversation
from explorer import components, texts
from explorer.annotating import difference
from explorer.annotating.desk import Desk

SIZES = ("normal", "large", "larger")
_READING = "_reading"
_ABREAST = 3
"""Responses that stand side by side at most."""


@dataclass(frozen=True)
class Reading:
    """How texts are read: rendered or plain, with what differs marked, and how large."""

    rendered: bool = False
    differences: bool = False
    size: int = 0


def reading() -> Reading:
    """Return how this session reads."""
    found: Reading = st.session_state.setdefault(_READING, Reading())
    return found


def read_otherwise(**changes: Any) -> None:
    """Change how this session reads, for a button's `on_click`."""
    st.session_state[_READING] = replace(reading(), **changes)


def show(desk: Desk, item: Shown) -> dict[str, str]:
    """Show an item's texts; return the boxes that scroll, by key, and what they are called."""
    how = reading()
    _question(item, how)
    regions = {"item_question": "Question"}
    if item.texts.criterion is not None:
        components.note("Criterion", key="criterion")
        texts.show(item.texts.criterion, "criterion", rendered=how.rendered)
    if item.texts.options:
        with st.container(border=True, key="item_options", gap=None):
            for score, words in item.texts.options:
                st.text(f"{score:g}: {words}")
    names = _names(item)
    for first in range(0, len(names), _ABREAST):
        row = names[first : first + _ABREAST]
        columns = st.columns(len(row), gap="small")
        for place, (column, name) in enumerate(zip(columns, row, strict=True), first):
            with column:
                _response(desk, item, how, place, name)
            regions[_box(place, names)] = name
    return regions


def _question(item: Shown, how: Reading) -> None:
    with st.container(border=True, key="item_question", gap="xsmall"):
        messages = conversation(item.texts.prompt)
        if not messages:
            st.text("There is no text of the question.")
        for place, message in enumerate(messages):
            if len(messages) > 1:
                components.note(message.role, key=f"role_{place}")
            _text(message.text, f"message_{place}", how)


def _response(desk: Desk, item: Shown, how: Reading, place: int, name: str) -> None:
    level = ""
    if item.kind == "clusters":
        given = desk.levels or ([] if item.answer is None else item.answer)
        level = f": level {given[place]}" if place < len(given) else ""
        now = place == len(desk.levels) and desk.mode == "answering"
        name = f"▶ {name}" if now else name
    components.note(f"{name}{level}", key=f"name_{place}")
    with st.container(border=True, key=_box(place, item.texts.responses)):
        both = item.texts.responses
        if how.differences and len(both) == 2:
            kept = st.session_state.get("_difference")
            if kept is None or kept[0] != desk.turn:
                kept = st.session_state["_difference"] = (desk.turn, difference.marked(*both))
            with st.container(key=f"text_{texts.direction(both[place])}_marked_{place}"):
                st.html(f'<div class="marked">{kept[1][place]}</div>')
        else:
            _text(both[place], f"response_{place}", how)


def _text(text: str, key: str, how: Reading) -> None:
    with st.container(key=f"text_{texts.direction(text)}_{key}"):
        texts.write(text or "(empty)", rendered=how.rendered)


def _box(place: int, all_of_them: Sequence[str]) -> str:
    """Return the key of a response's box, a lower one where they stand in more than one row."""
    return f"item_response_{'low_' if len(all_of_them) > _ABREAST else ''}{place}"


def _names(item: Shown) -> tuple[str, ...]:
    number = len(item.texts.responses)
    if number == 1:
        return ("Response",)
    if number == 2 and item.kind != "clusters":
        return ("Left", "Right")
    return tuple(f"Response {place}" for place in range(1, number + 1))
