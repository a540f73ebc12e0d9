"""Texts of a study: plain, or rendered from Markdown that was made harmless."""

import unicodedata

import streamlit as st

from explorer.parts.safe_markdown import LANGUAGES, LONGEST, safe_markdown

LANGUAGES |= {"sh", "sql", "toml", "typescript", "xml", "yaml"}
"""Languages of code that is highlighted; not `mermaid` and `math`, which would be drawn."""


LONG = 1_400
"""Characters above which a text scrolls."""


BOX = 380
"""Height in pixels of the box in which it scrolls."""


def show(
    text: str | None,
    key: str,
    *,
    rendered: bool,
    absent: str = "This study holds no such text.",
    border: bool = True,
    small: bool = False,
) -> None:
    """Show a text in a box, or `absent` if there is none; `key` names the box on its page."""
    long = text is not None and (len(text) > LONG or text.count("\n") > LONG // 60)
    name = f"text_{direction(text or '')}_{'small_' if small else ''}{key}"
    with st.container(border=border, key=name, height=BOX if long else "content"):
        if text is None:
            st.text(absent)
        else:
            write(text or "(empty)", rendered=rendered)


def show_verbatim(text: str, key: str) -> None:
    """Show a text verbatim, in a box with a copy button."""
    long = len(text) > LONG or text.count("\n") > LONG // 60
    with st.container(key=f"text_{direction(text)}_small_{key}"):
        st.code(text, language=None, wrap_lines=True, height=BOX if long else "content")


def write(text: str, *, rendered: bool) -> None:
    """Write a text into the current container."""
    if not rendered or len(text) > LONGEST:
        st.text(text)
    else:
        st.markdown(safe_markdown(text), anchors=False)
    if rendered and len(text) > LONGEST:
        st.text(f"Shown plain: only texts of up to {LONGEST:,} characters are rendered.")


def direction(text: str) -> str:
    """Return `rtl` if the first letter with a direction runs from right to left, else `ltr`."""
    for sign in text:
        kind = unicodedata.bidirectional(sign)
        if kind in ("L", "R", "AL"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"
