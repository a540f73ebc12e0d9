"""The numbers of published studies, as the first screen and the page *Atlas* show them."""

from typing import Any

import streamlit as st

from engine.atlas.declared import declared
from engine.atlas.rows import shipped
from engine.views.atlas import By, atlas_shown, known_so_far, means_shown
from engine.views.shown import Shown
from explorer.parts import components, page_width

NARROW = 700
"""Width in pixels below which each part of a bar's label has a line of its own."""


@st.cache_data(show_spinner=False)
def sentences() -> tuple[str, ...]:
    """Return sentences on how large self-preference is known to be."""
    return known_so_far(shipped())


@st.cache_data(show_spinner=False)
def judges(by: By) -> Shown:
    """Return the judges of all studies, in groups."""
    return atlas_shown(shipped(), declared(), by)


@st.cache_data(show_spinner=False)
def means() -> tuple[Shown, Shown]:
    """Return the means over studies, of families and of models."""
    return means_shown(shipped(), declared())


def draw(by: By, **look: Any) -> None:
    """Draw the judges of all studies, one bar each; `look` is what `components.plot` takes."""
    figure = judges(by).figure
    if figure is not None:
        narrow = figure.narrow if page_width.is_narrower(NARROW) else None
        with st.container(key="atlas"):
            components.plot(dict(narrow or figure.spec), figure.caption, **look)
        components.note("Published studies. " + figure.marks, key="atlas_marks")
