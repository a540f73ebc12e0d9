"""The view and the address: what is chosen is written there, and what stands there is chosen.

The view is a mapping from a key (a filter's name, `study`, `by`, ...) to texts, kept in the session for
all pages. Streamlit's own binding of widgets to the address is not used: it leaves defaults out, so that
a link would open another study where the default differs, and on a change of page it makes a step in the
browser's history for each widget, so that Back would take filters off one by one.
"""

from collections.abc import Iterable
from typing import Any

import streamlit as st

View = dict[str, tuple[str, ...]]

_VIEW, _WRITTEN, _PAGE, _TOUCHED, _BARE = "_view", "_written", "_page", "_touched", "_bare"
_IMPLIED = "_implied"


def view() -> View:
    """Return the session's view."""
    found: View = st.session_state.setdefault(_VIEW, {})
    return found


def value(key: str) -> str | None:
    """Return the one text chosen for a key, None where nothing is."""
    chosen = view().get(key, ())
    return chosen[0] if chosen else None


def choose(key: str, *values: str | None) -> None:
    """Choose texts for a key, or nothing; in a callback, or before the key's widget is made."""
    keep(key, tuple(text for text in values if text is not None))
    st.session_state.pop(widget(key), None)


def keep(key: str, values: tuple[str, ...]) -> None:
    """Keep what a widget shows; for the widget's `on_change`.

    Notes too that this run comes from the page itself: such a run may carry an address that is a step
    behind, because the last one written has not reached the browser yet.
    """
    if values:
        view()[key] = values
    else:
        view().pop(key, None)
    st.session_state[_TOUCHED] = True


def widget(key: str) -> str:
    """Return the session's key of the widget that shows a key of the view."""
    return f"w_{key}"


def begin(key: str, value: Any, *, has_default: bool = True) -> str:
    """Let the widget of a key show a value where it shows none yet; return the session's key of it.

    Whoever makes the widget gives it the same value as its own default. The session's is told to the browser
    in one run only: where a click breaks that run off, or comes before the browser has loaded what draws the
    widget, it is lost, and a widget without a default would come up empty and be taken for a choice of
    nothing. A list of one choice has no default, because Streamlit would not let it be cleared: its value
    is set in every run.
    """
    name = widget(key)
    if not has_default or name not in st.session_state:
        st.session_state[name] = value
    return name


def read(page: str, keys: Iterable[str]) -> None:
    """Take over the address where it was changed from outside: opened, reloaded, gone back to, edited.

    `keys` are those that the page shows; what the address lacks of them is taken as not chosen. An
    address without any parameter changes nothing.
    """
    state, known = st.session_state, tuple(keys)
    told = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    touched, moved = state.pop(_TOUCHED, False), state.get(_PAGE) != page
    state[_PAGE] = page
    state[_BARE] = not told and not moved and state.get(_WRITTEN) is not None
    if moved:  # a widget of the same key on another page is another widget, which begins empty
        for key in known:
            state.pop(widget(key), None)
    if touched or not told or (told == state.get(_WRITTEN) and not moved):
        return
    state[_WRITTEN] = told  # now, as this run may be broken off by the next step in the history
    for key in known:
        view().pop(key, None)
        state.pop(widget(key), None)
        if told.get(key):
            view()[key] = told[key]


def write(keys: Iterable[str]) -> None:
    """Write the view's `keys` into the address, as one step of the browser's history.

    An address without any parameter that was gone back to stays as it is, so that Back can leave it.
    """
    wanted = parameters(keys)
    here = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    before, st.session_state[_WRITTEN] = st.session_state.get(_WRITTEN), wanted
    if here != wanted and not (st.session_state[_BARE] and before == wanted):
        st.query_params.from_dict({key: list(values) for key, values in wanted.items()})


def parameters(keys: Iterable[str]) -> View:
    """Return the part of the view that the address of a page with these keys holds.

    What a saved slice says is left out: its name says it.
    """
    implied = {key: values for told in _implied().values() for key, values in told.items()}
    chosen = view()  # once: each look into the session takes longer than all the rest
    return {key: chosen[key] for key in keys if chosen.get(key) and chosen[key] != implied.get(key)}


def imply(name: str, told: View) -> None:
    """Note what the name chosen for a key stands for: choices that the address need not repeat."""
    _implied()[name] = told


def implied_by(name: str) -> View:
    """Return what the name chosen for a key stands for."""
    return _implied().get(name, {})


def _implied() -> dict[str, View]:
    found: dict[str, View] = st.session_state.setdefault(_IMPLIED, {})
    return found
