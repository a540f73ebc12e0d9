"""The choices on a page: the session's view, the address that mirrors it, and the widgets that change it.

Pages read the view with `value` and `view`; `read` and `write` synchronise it with the address.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.words.plain_names import on_page
from explorer.parts.page_list import PAGES, View, current_view
from explorer.parts.safe_markdown import escape_markdown

# ------------------------------------------------------------------------------
# The view: choices stored in the session, written to the address and read from it.


_VIEW, _WRITTEN, _PAGE, _TOUCHED, _BARE = "_view", "_written", "_page", "_touched", "_bare"
_IMPLIED = "_implied"
_BEHIND = "_behind"
_UNKNOWN = "_unknown_keys"
"""Overwritten addresses, until the browser shows the last one written."""

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
    the page's name. An address without parameters changes nothing, nor does an outdated one: a distant
    browser sends it until the last one written has reached it.
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
    state[_BEHIND] = []
    state[_WRITTEN] = current  # now, as the next step in the history may end this run
    choices = current if implied is None else current_view(implied, current)
    every_key = {"token", *(key for each in PAGES for key in each.keys)}
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


def write_address(keys: Iterable[str], implied: View | None = None) -> None:
    """Write the view's `keys` into the address, as one step of the browser's history.

    Keys that the page's name implies but that are not chosen are written as NOTHING. An address without
    parameters that was reached by Back stays as it is, so that Back can leave it.
    """
    target = dict.fromkeys(implied or (), NOTHING) | parameters(keys)
    current = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
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


# ------------------------------------------------------------------------------
# Sentences about what was removed from a view, shown until the view changes.


_NOTICES = "_notices"


def until_changed(name: str, sentences: Sequence[str]) -> None:
    """Show sentences here in every run until the view changes; `name` identifies the place."""
    notices = st.session_state.setdefault(_NOTICES, {})
    now = repr(sorted(view().items()))
    if sentences:
        notices[name] = (tuple(sentences), now)
    words, when = notices.get(name, ((), None))
    if when == now:
        for sentence in words:
            _box(sentence)


def _box(sentence: str) -> None:
    with st.container(border=True):
        st.text(on_page(sentence))


# ------------------------------------------------------------------------------
# Widgets that choose what a page shows, stored in the view.


def choice(
    key: str,
    options: Sequence[str],
    label: str,
    placeholder: str,
    words: Callable[[str], str] = str,
    *,
    width: int | None = None,
    clears: str | None = "item",
) -> str | None:
    """Show a choice of one name or none, stored in the view, and return it.

    A new choice also clears another key.
    """
    name = begin(key, value(key), has_default=False)
    st.selectbox(
        label,
        options,
        index=None,
        key=name,
        format_func=words,
        placeholder=placeholder,
        width=width or "stretch",
        on_change=store_text,
        args=(key, clears),
    )
    return value(key)


def drop_unknown(key: str, options: Sequence[str], label: str) -> None:
    """Remove a choice that is not among the options, and say so."""
    text = value(key)
    if text is not None and text not in options:
        _box(f"{label} {text!r} is not in this study and was removed from the selection.")
        view().pop(key)
        st.session_state.pop(widget(key), None)


def switch(key: str, label: str, meaning: str, *, clears: str | None = "item", usual: bool = False) -> bool:
    """Show a choice of yes or no, stored in the view unless it is the default `usual`, and return it.

    A new choice also clears another key.
    """
    on = value(key) != "false" if usual else value(key) == "true"
    name = begin(key, on)
    st.toggle(label, on, key=name, help=meaning, on_change=_store_switch, args=(key, clears, usual))
    return on


def pass_value(key: str, store: Callable[[Any], None]) -> None:
    """Pass on a widget's value; for its `on_change`.

    Does nothing if the page was left before the change arrived: the widget then has no value.
    """
    name = widget(key)
    if name in st.session_state:
        store(st.session_state[name])


def store_widget(key: str, values: Callable[[Any], tuple[str, ...]], clears: str | None = None) -> None:
    """Store `values` of a widget's value, and clear another key; for its `on_change`."""

    def store(state: Any) -> None:
        keep(key, values(state))
        if clears is not None:
            choose(clears)

    pass_value(key, store)


def _store_switch(key: str, clears: str | None, usual: bool) -> None:
    store_widget(key, lambda on: () if on == usual else (str(on).lower(),), clears)


def store_text(key: str, clears: str | None) -> None:
    """Store the one text of a widget; for its `on_change`."""
    store_widget(key, lambda text: (text,) if text else (), clears)


def amount(key: str, label: str, bounds: tuple[float, float], default: float, meaning: str) -> float:
    """Show a choice of a number in steps of 0.05, stored in the view, and return it.

    A value in the address that is no number within the bounds is dropped with a sentence.
    """
    number = _number(key, label, bounds, default)
    st.slider(
        label,
        *bounds,
        number,
        step=0.05,
        format="%.2f",
        key=begin(key, number),
        help=meaning,
        on_change=_store_number,
        args=(key, default),
    )
    return number


def _number(key: str, label: str, bounds: tuple[float, float], default: float) -> float:
    """Return the number in the view, or the default if it is missing or, with a sentence, invalid."""
    text = value(key)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if bounds[0] <= number <= bounds[1]:
        return number
    _box(f"{label} {text!r} is not a number from {bounds[0]:g} to {bounds[1]:g}.")
    choose(key)
    return default


def _store_number(key: str, default: float) -> None:
    store_widget(key, lambda now: () if now == default else (f"{now:g}",))


def button_row(
    key: str, label: str, words: Mapping[str, str], default: str, store: Callable[[Any], None], **look: Any
) -> None:
    """Show a choice among a few as buttons in a row; `store` is called with another choice.

    Their words may be names of a study: buttons would show these as Markdown, so they are escaped. A session
    value that is not among them is replaced by `default`. `look` holds Streamlit's display options.
    """
    name = widget(key)
    if st.session_state.get(name) not in words:
        st.session_state[name] = default
    st.segmented_control(
        label,
        list(words),
        key=name,
        default=default,
        format_func=lambda option: escape_markdown(words[option]),
        on_change=pass_value,
        args=(key, store),
        **look,
    )


def part(key: str, words: Mapping[str, str], default: str) -> str:
    """Show the parts of a page and return the chosen one, or the default."""
    text = value(key)
    name = text if text is not None and text in words else default
    look = {"required": True, "label_visibility": "collapsed"}
    button_row(key, "Part", words, name, lambda other: keep(key, (other,)), **look)
    return name


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number to type: its key in the view, its label, its bounds and step, and what it means."""

    key: str
    label: str
    low: float
    high: float
    step: float
    meaning: str


def quantity(field: Quantity, default: float) -> float:
    """Show a number to type, stored in the view unless it is the default, and return it.

    A value in the address that is no number within the bounds is dropped with a sentence.
    """
    whole = isinstance(field.step, int)
    usual = min(max(round(default, 3), field.low), field.high)
    number = _number(field.key, field.label, (field.low, field.high), usual)
    kind = int if whole else float
    st.number_input(
        field.label,
        kind(field.low),
        kind(field.high),
        kind(number),
        step=kind(field.step),
        key=begin(field.key, kind(number)),
        help=field.meaning,
        on_change=_store_number,
        args=(field.key, kind(usual)),
        format="%d" if whole else "%.3g",
    )
    return float(number)
