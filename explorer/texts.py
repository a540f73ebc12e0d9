"""Texts of a study as they are read: plain, or rendered from Markdown that was made harmless.

Either way a text has the direction of its own script, breaks words that are too long for their place,
and scrolls in a box of its own when it is long.
"""

import unicodedata

import streamlit as st

from explorer.safe_markdown import LONGEST, harmless

LONG = 1_400
"""Characters from which on a text scrolls."""

BOX = 380
"""Pixels of the box that it scrolls in."""


def show(
    text: str | None,
    key: str,
    *,
    rendered: bool,
    absent: str = "This study holds no such text.",
    border: bool = True,
    small: bool = False,
) -> None:
    """Show a text in a box of its own, or say that it is `absent`; `key` names the box on its page."""
    long = text is not None and (len(text) > LONG or text.count("\n") > LONG // 60)
    name = f"text_{direction(text or '')}_{'small_' if small else ''}{key}"
    with st.container(border=border, key=name, height=BOX if long else "content"):
        if text is None:
            st.text(absent)
        else:
            write(text or "(empty)", rendered=rendered)


def copied(text: str, key: str) -> None:
    """Show a text letter by letter as it is, in a box of its own with a button that copies it."""
    long = len(text) > LONG or text.count("\n") > LONG // 60
    with st.container(key=f"text_{direction(text)}_small_{key}"):
        st.code(text, language=None, wrap_lines=True, height=BOX if long else "content")


def write(text: str, *, rendered: bool) -> None:
    """Write a text into the container that is open."""
    if not rendered or len(text) > LONGEST:
        st.text(text)
    else:
        st.markdown(harmless(text), anchors=False)
    if rendered and len(text) > LONGEST:
        st.text(f"Shown plain: only texts of up to {LONGEST:,} characters are rendered.")


def direction(text: str) -> str:
    """Return `rtl` where the first letter with a direction is written from right to left, else `ltr`."""
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind in ("L", "R", "AL"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"
