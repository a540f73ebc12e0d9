"""The actions of buttons, and their messages."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.people import local_person
from engine.errors import SpbError
from explorer.parts import components
from explorer.team import visitors

_NOTICE = "_coordinator_notice"


def act(action: Callable[..., str | None], *arguments: Any) -> None:
    """Run an action in a button's callback, and store its message or its error.

    The arguments are from the run that drew the button. `action` reads what was typed or chosen since from
    the session: a press can reach the server before the run that would have seen it. Does nothing for
    somebody who is no coordinator any more: the run that follows says so.
    """
    try:
        if visitors.visitor().may("coordinator"):
            st.session_state[_NOTICE] = action(*arguments)
    except SpbError as error:
        st.session_state[_NOTICE] = str(error)


def button(label: str, key: str, action: Callable[..., str | None], *arguments: Any, **look: Any) -> None:
    """Show a button that runs an action, see `act`; `look` holds Streamlit's display options."""
    st.button(label, key=key, on_click=act, args=(action, *arguments), **look)


def show_message() -> None:
    """Show the message of the last button, once."""
    words = st.session_state.pop(_NOTICE, None)
    if words:
        components.say(words, key="coordinator_notice")


def coordinator_name(database: Database) -> str:
    """Return the coordinator's name, added to the database if need be."""
    visitor = visitors.visitor()
    assert visitor.name is not None  # noqa: S101 - pages that write ask first
    return local_person(database, visitor.name).name if visitor.local else visitor.name
