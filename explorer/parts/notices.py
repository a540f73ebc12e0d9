"""Sentences about what was removed from a view, shown until the view changes."""

from collections.abc import Sequence

import streamlit as st

from engine.words.plain_names import on_page
from explorer.parts import selection

_NOTICES = "_notices"


def until_changed(name: str, sentences: Sequence[str]) -> None:
    """Show sentences here in every run until the view changes; `name` identifies the place."""
    notices = st.session_state.setdefault(_NOTICES, {})
    now = repr(sorted(selection.view().items()))
    if sentences:
        notices[name] = (tuple(sentences), now)
    words, when = notices.get(name, ((), None))
    if when == now:
        for sentence in words:
            show_notice(sentence)


def show_notice(sentence: str) -> None:
    with st.container(border=True):
        st.text(on_page(sentence))
