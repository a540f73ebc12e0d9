"""What the browser does by itself on the annotator's page: see `keys.js`."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

_RUN = "_keys_run"

_COMPONENT = st.components.v2.component(
    "spb_keys",
    html='<div role="status" aria-live="polite"></div>',
    css="div { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def tell(say: str, turn: int, regions: Mapping[str, str], now: str | None = None) -> None:
    """Say something to a screen reader, and name the boxes of texts, by their containers' keys.

    The box `now`, which is asked about, is brought into sight. Each call tells the browser that what was
    pressed has been done.
    """
    run = st.session_state[_RUN] = st.session_state.get(_RUN, 0) + 1
    _COMPONENT(key="keys", data={"say": say, "turn": turn, "run": run, "regions": dict(regions), "now": now})
