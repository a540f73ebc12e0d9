"""How wide the place of a page's charts is, which only the browser knows."""

from pathlib import Path
from typing import Any

import streamlit as st

STEPS = (320, 350, 380, 420, 480, 560, 640, 700, 760, 830, 900, 960, 1010, 1070, 1130, 1220, 1320, 1440, 1550)
"""Pixels; charts are drawn for the widest step that has room."""

USUAL, PHONE = 1070, 350
"""What is taken until the browser has answered: no second run for windows of 1440 pixels, and most phones."""

COARSE = (320, 560, 700)
"""The steps that matter to a page whose charts take the width of their place by themselves."""

_WIDTH, _EXACT = "_window_width", "_width_taken"

_BROWSER = st.components.v2.component(
    "spb_window", js=(Path(__file__).parent / "window.js").read_text(encoding="utf-8")
)


def about() -> int:
    """Return about how many pixels there are, for what another step would hardly change."""
    known: int | None = st.session_state.get(_WIDTH)
    return known or (PHONE if "Mobile" in (st.context.headers.get("User-Agent") or "") else USUAL)


def width() -> int:
    """Return for how many pixels charts are drawn in this session; the page runs again where they change."""
    st.session_state[_EXACT] = True
    return about()


def narrower(than: int) -> bool:
    """Return whether there are fewer pixels than one of the steps of COARSE."""
    return about() < than


def watch() -> None:
    """Let the browser say how wide the place is, once the page is drawn.

    The page runs again where that is another step of those that matter to what it drew.
    """
    matter = STEPS if st.session_state.pop(_EXACT, False) else COARSE
    with st.container(key="window"):
        data = {"steps": list(STEPS), "matter": list(matter), "now": about()}
        _BROWSER(key="window_width", data=data, on_width_change=_keep)


def _keep() -> None:
    answer: Any = st.session_state["window_width"]
    wide = answer.get("width")
    if wide in STEPS:
        st.session_state[_WIDTH] = wide
