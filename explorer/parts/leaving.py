"""Leaving a page for another one, for good.

Streamlit forgets `st.switch_page` if a timer of the page that is left fires before the browser knows of the
other one: it then runs the old page again. So the way is remembered until the other page has run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from explorer.page_list import BY_NAME, Page

_SHOWN, _LEFT = "_shown_page", "_left_page"
_MOST_TRIES = 3
"""As often is a page left again; then something else is wrong, and it is shown."""


@dataclass(frozen=True)
class Leaving:
    """The names of the page that is left and of the one to go to, and the values of its address."""

    origin: str
    target: str
    query: Mapping[str, list[str]]
    tries: int = 0

    def go(self) -> None:
        st.session_state[_LEFT] = self
        st.switch_page(BY_NAME[self.target].path, query_params=dict(self.query))


def leave_for(target: Page, query: Mapping[str, list[str]]) -> None:
    """Go from the page that is shown to another one."""
    Leaving(st.session_state[_SHOWN], target.name, query).go()


def begin(page: Page) -> None:
    """Begin the run of a page; one that was left is left again."""
    st.session_state[_SHOWN] = page.name
    left: Leaving | None = st.session_state.get(_LEFT)
    if left is None or page.name == left.target:
        return
    if page.name == left.origin and left.tries < _MOST_TRIES:
        replace(left, tries=left.tries + 1).go()
    del st.session_state[_LEFT]


def end() -> None:
    """End the run of a page that was shown whole: whatever was left is left."""
    st.session_state.pop(_LEFT, None)
