"""The choices on a page: the session's view, the address that mirrors it, and the widgets that change it.

Pages read the view with `value` and `view`; `read` and `write` synchronise it with the address.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.slices import BY_WORDS
from explorer.page_list import PAGES, View, current_view

_VIEW, _WRITTEN, _PAGE, _TOUCHED, _BARE = "_view", "_written", "_page", "_touched", "_bare"
_IMPLIED, _ADOPTED, _HELD = "_implied", "_adopted", "_held"
_BEHIND = "_behind"
_UNKNOWN = "_unknown_keys"
"""Overwritten addresses, until the browser shows the last one written."""


@dataclass
class _Held:
    """An address with something that its page does not have, and what would be written in its place."""

    address: View
    instead: View | None = None


NOTHING = ("none",)
"""The address's value of a key that is not chosen although the page's name implies a choice."""


def view() -> View:
    """Return the session's view."""
    state: View = st.session_state.setdefault(_VIEW, {})
    return state


def value(key: str) -> str | None:
    """Return the one text chosen for a key, None if there is none."""
    texts = view().get(key, ())
    return texts[0] if texts else None


def choose(key: str, *values: str | None) -> None:
    """Choose texts for a key, or none; in a callback, or before the key's widget is drawn."""
    keep(key, tuple(text for text in values if text is not None))
    st.session_state.pop(widget(key), None)


def keep(key: str, values: tuple[str, ...]) -> None:
    """Store what a widget shows; for the widget's `on_change`.

    Also records that the page itself caused this run, whatever its address says.
    """
    address = st.session_state.get(_HELD)
    if address is not None and address.instead is not None and view().get(key, ()) != values:
        del st.session_state[_HELD]
    if values:
        view()[key] = values
    else:
        view().pop(key, None)
    st.session_state[_TOUCHED] = True


def widget(key: str) -> str:
    """Return the session key of the widget that shows a key of the view."""
    return f"w_{key}"


def begin(key: str, value: Any, *, has_default: bool = True) -> str:
    """Give the widget of a key a value if it has none yet; return the widget's session key.

    Callers also pass the value as the widget's default. Streamlit sends the session's value to the browser in
    one run only: if a click interrupts that run, or comes before the browser has loaded the widget, the value
    is lost, and a widget without a default would appear empty and count as a choice of nothing. A selectbox
    has no default, because Streamlit would not let it be cleared: its value is set in every run.
    """
    name = widget(key)
    if not has_default or name not in st.session_state:
        st.session_state[name] = value
    return name


def read_address(page: str, keys: Iterable[str], implied: View | None = None) -> None:
    """Adopt an address that was changed from outside: opened, reloaded, reached by Back, or edited.

    `keys` are those that the page shows; those missing from the address are not chosen, or as `implied` by
    the page's name. A filter may have the word of readers, such as `criterion`. An address without
    parameters changes nothing, nor does an outdated one: a distant browser sends it until the last one
    written has reached it.
    """
    state, page_keys = st.session_state, tuple(keys)
    current = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    from_page, moved = state.pop(_TOUCHED, False), state.get(_PAGE) != page
    state[_PAGE] = page
    state[_BARE] = not current and not moved and state.get(_WRITTEN) is not None
    if moved:  # a widget of the same key on another page is another widget, which starts empty
        for key in page_keys:
            state.pop(widget(key), None)
    arrived = current == state.get(_WRITTEN)
    unchanged = arrived if current else not implied
    outdated = current in state.get(_BEHIND, ()) and not _through_history()
    if arrived:
        state[_BEHIND] = []
    if from_page or not (current or implied):
        return
    if not moved and (unchanged or outdated):
        return
    state[_BEHIND], state[_ADOPTED] = [], True
    state.pop(_HELD, None)
    state[_WRITTEN] = current  # now, as the next step in the history may end this run
    every_key = {"token", *(key for each in PAGES for key in each.keys)}
    current = {key if key in every_key else BY_WORDS.get(key, key): texts for key, texts in current.items()}
    choices = current if implied is None else current_view(implied, current)
    state[_UNKNOWN] = [key for key in choices if key not in every_key and not key.startswith("embed")]
    for key in page_keys:
        view().pop(key, None)
        state.pop(widget(key), None)
        if choices.get(key, NOTHING) != NOTHING:
            view()[key] = choices[key]


def unknown_keys() -> list[str]:
    """Return a sentence on what the address that was just read holds and no page knows."""
    names = st.session_state.pop(_UNKNOWN, [])
    if not names:
        return []
    verb = "is no choice" if len(names) == 1 else "are no choices"
    return [f"{', '.join(map(repr, names))} in the address {verb} of this page and had no effect."]


def hold_address() -> None:
    """Leave the address as it is until the user changes something, if what it says was dropped just now."""
    if st.session_state.get(_ADOPTED) and _HELD not in st.session_state:
        st.session_state[_HELD] = _Held(st.session_state[_WRITTEN])


def held_address() -> View | None:
    """Return the address that is left as it is; None if there is none."""
    held = st.session_state.get(_HELD)
    return None if held is None else dict(held.address)


def write_address(keys: Iterable[str], implied: View | None = None) -> None:
    """Write the view's `keys` into the address, as one step of the browser's history.

    Keys that the page's name implies but that are not chosen are written as NOTHING. An address without
    parameters that was reached by Back stays as it is, so that Back can leave it, and so does one that is
    held.
    """
    target = dict.fromkeys(implied or (), NOTHING) | parameters(keys)
    current = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    held = st.session_state.get(_HELD)
    st.session_state.pop(_ADOPTED, None)
    if held is not None and held.address == current and held.instead in (None, target):
        held.instead, st.session_state[_WRITTEN] = target, current
        return
    st.session_state.pop(_HELD, None)
    before, st.session_state[_WRITTEN] = st.session_state.get(_WRITTEN), target
    if current != target and not (st.session_state[_BARE] and before == target):
        st.session_state.setdefault(_BEHIND, []).extend([current, before])
        st.query_params.from_dict({key: list(values) for key, values in target.items()})


def _through_history() -> bool:
    """Return whether the user caused this run by going back or forward."""
    run = get_script_run_ctx()
    return run is not None and run.is_history_navigation


def parameters(keys: Iterable[str]) -> View:
    """Return the part of the view that the address of a page with these keys holds.

    Choices that a saved slice's name implies are left out.
    """
    implied = {key: values for values_of in _implied().values() for key, values in values_of.items()}
    choices = view()  # once: each access to the session takes longer than all the rest
    return {key: choices[key] for key in keys if choices.get(key) and choices[key] != implied.get(key)}


def imply(name: str, values: View) -> None:
    """Record the choices that a name stands for, which the address need not repeat."""
    _implied()[name] = values


def implied_by(name: str) -> View:
    """Return the choices that a name stands for."""
    return _implied().get(name, {})


def _implied() -> dict[str, View]:
    state: dict[str, View] = st.session_state.setdefault(_IMPLIED, {})
    return state
