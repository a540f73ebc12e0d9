"""What a button does, and what is told of it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from engine.annotations.database import Database
from engine.errors import SpbError
from explorer import components, identity

_TOLD = "_coordinator_told"


def act(does: Callable[..., str | None], *arguments: Any) -> None:
    """Do something in a button's callback and keep what it tells, or why it could not be done.

    The arguments are of the run that drew the button. What somebody may have typed or chosen since, `does`
    takes from the session: a press can reach the server before the run that would have seen it.
    """
    try:
        st.session_state[_TOLD] = does(*arguments)
    except SpbError as error:
        st.session_state[_TOLD] = str(error)


def tell() -> None:
    """Show what the last button told, once."""
    words = st.session_state.pop(_TOLD, None)
    if words:
        components.say(words, key="coordinator_told")


def me(database: Database) -> str:
    """Return the name of who coordinates, who is in the database afterwards."""
    return identity.entered(database, identity.visitor())
