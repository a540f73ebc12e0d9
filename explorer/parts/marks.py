"""Chosen marks: by a click on the chart, by the address, or by removing a chip."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

_MARKS = "_marks"


def turn_of(key: str, mark: dict[str, str] | None) -> tuple[int, dict[str, str] | None]:
    """Return the number of a chart's current drawing, and the mark that was chosen when it was drawn.

    The browser remembers the last click, so a choice by other means draws the chart anew.
    """
    drawings = st.session_state.setdefault(_MARKS, {})
    turn, now, first = drawings.get(key, (0, None, None))
    if mark != now:
        turn, first = turn + 1, mark
        drawings[key] = turn, mark, first
    return turn, first


def remember_turn(key: str, turn: int, mark: Mapping[str, Any] | None, first: dict[str, str] | None) -> None:
    """Note that the reader chose a mark in a drawing of a chart, which then needs no other."""
    st.session_state[_MARKS][key] = turn, mark, first
