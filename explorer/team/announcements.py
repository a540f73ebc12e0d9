"""What the browser does by itself with keys and boxes: see `screen.js`."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

_RUN = "_keys_run"

_COMPONENT = st.components.v2.component(
    "spb_keys",
    html='<div role="status" aria-live="polite"></div>',
    css="div { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }",
    js=(Path(__file__).parent / "screen.js").read_text(encoding="utf-8"),
)


def announce(say: str, turn: int, regions: Mapping[str, str], now: str | None = None) -> None:
    """Announce `say` to screen readers, and name the boxes of texts by their containers' keys.

    The box `now`, which the question is about, is scrolled into view. Each call confirms to the browser that
    the last key was handled.
    """
    run = st.session_state[_RUN] = st.session_state.get(_RUN, 0) + 1
    _COMPONENT(key="keys", data={"say": say, "turn": turn, "run": run, "regions": dict(regions), "now": now})
