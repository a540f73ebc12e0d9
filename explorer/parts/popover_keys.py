"""Popovers by keyboard: Tab goes from a popover's button into it."""

from pathlib import Path

import streamlit as st

_BROWSER = st.components.v2.component(
    "spb_popovers", js=(Path(__file__).parent / "popover_keys.js").read_text(encoding="utf-8")
)


def listen() -> None:
    """Let the browser handle the key, on any page."""
    with st.container(key="popover_keys"):
        _BROWSER(key="popovers")
