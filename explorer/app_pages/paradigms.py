"""Paradigms and committee: whether the way of judging, a majority or agreement takes the bias away."""

from collections.abc import Callable, Collection

import streamlit as st

from engine import published
from explorer import address, context, data, filters, sections
from explorer.sitemap import FILTERS

PARTS: dict[str, tuple[str, Callable[[context.Context, data.Asked], None]]] = {
    "paradigms": ("Ways of judging", sections.paradigms),
    "committee": ("Committee", sections.committee),
    "agreement": ("Agreement", sections.agreement),
    "slices": ("Kinds of rubrics", sections.slices),
}
PRINTED = "printed"
# The filters that have no effect on a part.
IDLE: dict[str, Collection[str]] = {
    "paradigms": ("paradigm", "level"),
    "committee": ("level",),
    "agreement": ("level", "min_agreement"),
    PRINTED: FILTERS,
}


def render(here: context.Context) -> None:
    """Show the part chosen."""
    part = _part(published.dataset_of(here.study) is not None)
    asked = filters.sidebar(here.choices, IDLE.get(part, ()))
    if part == PRINTED:
        sections.as_printed(here)
    else:
        PARTS[part][1](here, asked)


def _part(is_published: bool) -> str:
    """Show which parts there are and return the one chosen, the first unless another is."""
    words = {name: told for name, (told, _) in PARTS.items()}
    if is_published:
        words[PRINTED] = "As printed"
    chosen = address.value("part")
    if chosen not in words:
        chosen = next(iter(words))
    name = address.widget("part")
    if st.session_state.get(name) not in words:
        st.session_state[name] = chosen
    st.segmented_control(
        "Part",
        list(words),
        key=name,
        format_func=words.__getitem__,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: address.keep("part", (st.session_state[name],)),
    )
    return chosen


context.show(render)
