"""Sentences about what was removed from a view, shown until the view changes."""

from collections.abc import Sequence

import streamlit as st

from engine.words.plain_names import on_page
from explorer.parts import selection

_NOTICES = "_notices"


def until_changed(name: str, sentences: Sequence[str]) -> None:
    """Show sentences here in every run until the view changes; `name` identifies the place.

    An address that says what they are about stays until then.
    """
    notices = st.session_state.setdefault(_NOTICES, {})
    if sentences:
        selection.hold_address()
    now = repr(selection.held_address() or sorted(selection.view().items()))
    if sentences:
        notices[name] = (tuple(sentences), now)
    words, when = notices.get(name, ((), None))
    if when == now:
        for sentence in words:
            with st.container(border=True):
                st.text(on_page(sentence))
