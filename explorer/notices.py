"""Sentences about what was taken out of a view, shown until something else is chosen."""

from collections.abc import Sequence

import streamlit as st

from explorer import address

_NOTICES = "_notices"


def until_changed(name: str, sentences: Sequence[str]) -> None:
    """Show sentences here, now and again as long as the view stays as it is; `name` tells places apart."""
    kept = st.session_state.setdefault(_NOTICES, {})
    now = repr(sorted(address.view().items()))
    if sentences:
        kept[name] = (tuple(sentences), now)
    told, when = kept.get(name, ((), None))
    if when == now:
        for sentence in told:
            with st.container(border=True):
                st.text(sentence)
