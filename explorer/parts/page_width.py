"""The width available to a page's charts, which only the browser knows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

STEPS = (320, 350, 380, 420, 480, 560, 640, 700, 760, 830, 900, 960, 1010, 1070, 1130, 1220, 1320, 1440, 1550)
"""Pixels; charts are drawn for the widest step that has room."""


USUAL, PHONE = 1320, 350
"""Widths assumed until the browser answers: right for windows of 1440 pixels and for most phones."""


COARSE = (320, 560, 700)
"""The steps that matter to a page whose charts all stretch to their container."""


_WIDTH, _EXACT = "_window_width", "_width_taken"


_BROWSER = st.components.v2.component(
    "spb_window", js=(Path(__file__).parent / "window.js").read_text(encoding="utf-8")
)


def likely_width() -> int:
    """Return the approximate width in pixels, for uses to which another step hardly matters."""
    width: int | None = st.session_state.get(_WIDTH)
    return width or (PHONE if "Mobile" in (st.context.headers.get("User-Agent") or "") else USUAL)


def page_width() -> int:
    """Return the width in pixels for which charts are drawn; the page reruns when it changes."""
    st.session_state[_EXACT] = True
    return likely_width()


def is_narrower(than: int) -> bool:
    """Return whether the width is below a step of COARSE."""
    return likely_width() < than


def watch_width() -> None:
    """Let the browser report the available width once the page is drawn.

    The page reruns if that is another of the steps that matter to its charts.
    """
    matter = STEPS if st.session_state.pop(_EXACT, False) else COARSE
    with st.container(key="window"):
        message = {"steps": list(STEPS), "matter": list(matter), "now": likely_width()}
        state = _BROWSER(key="window_width", data=message, on_width_change=_store_width)
    if _store(state):  # a report that reached a run in which `_store_width` could not read it
        st.rerun()


def _store_width() -> None:
    # A report can come after the page that asked for it, and its state, have gone.
    _store(st.session_state.get("window_width"))


def _store(state: Mapping[str, Any] | None) -> bool:
    """Store the width that the browser reports, if any; return whether it is another one."""
    width = (state or {}).get("width")
    if width not in STEPS or width == st.session_state.get(_WIDTH):
        return False
    st.session_state[_WIDTH] = width
    return True
