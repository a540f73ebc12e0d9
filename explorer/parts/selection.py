"""The choices on a page: the session's view, the address that mirrors it, and the widgets that change it.

Pages read the view with `value` and `view`; `read` and `write` synchronise it with the address.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.words import on_page
from explorer.parts.page_list import View, renamed

# ------------------------------------------------------------------------------
# The view: choices stored in the session, written to the address and read from it.


_VIEW, _WRITTEN, _PAGE, _TOUCHED, _BARE = "_view", "_written", "_page", "_touched", "_bare"
_IMPLIED = "_implied"
_BEHIND = "_behind"
"""Overwritten addresses, until the browser shows the last one written."""

NOTHING = ("none",)
"""The address's value of a key that is not chosen although the page's name implies a choice."""


def view() -> View:
    """Return the session's view."""
    state: View = st.session_state.setdefault(_VIEW, {})
    return state


def value(key: str) -> str | None:
    """Return the one text chosen for a key, None if there is none."""
    chosen = view().get(key, ())
    return chosen[0] if chosen else None


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


def read(page: str, keys: Iterable[str], implied: Mapping[str, tuple[str, ...]] | None = None) -> None:
    """Adopt an address that was changed from outside: opened, reloaded, reached by Back, or edited.

    `keys` are those that the page shows; those missing from the address are not chosen, or as `implied` by
    the page's name. An address without parameters changes nothing, nor does an outdated one: a distant
    browser sends it until the last one written has reached it.
    """
    state, known = st.session_state, tuple(keys)
    parameters_given = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    touched, moved = state.pop(_TOUCHED, False), state.get(_PAGE) != page
    state[_PAGE] = page
    state[_BARE] = not parameters_given and not moved and state.get(_WRITTEN) is not None
    if moved:  # a widget of the same key on another page is another widget, which starts empty
        for key in known:
            state.pop(widget(key), None)
    arrived = parameters_given == state.get(_WRITTEN)
    nothing_new = arrived if parameters_given else not implied
    behind = parameters_given in state.get(_BEHIND, ()) and not _through_history()
    if arrived:
        state[_BEHIND] = []
    if touched or not (parameters_given or implied):
        return
    if not moved and (nothing_new or behind):
        return
    state[_BEHIND] = []
    state[_WRITTEN] = parameters_given  # now, as the next step in the history may end this run
    chosen = parameters_given if implied is None else renamed(implied, parameters_given)
    for key in known:
        view().pop(key, None)
        state.pop(widget(key), None)
        if chosen.get(key, NOTHING) != NOTHING:
            view()[key] = chosen[key]


def write(keys: Iterable[str], implied: Mapping[str, tuple[str, ...]] | None = None) -> None:
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
    chosen = view()  # once: each access to the session takes longer than all the rest
    return {key: chosen[key] for key in keys if chosen.get(key) and chosen[key] != implied.get(key)}


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
        on_change=changed,
        args=(key, clears),
    )
    return value(key)


def drop_unknown(key: str, options: Sequence[str], label: str) -> None:
    """Remove a choice that is not among the options, and say so."""
    chosen = value(key)
    if chosen is not None and chosen not in options:
        _box(f"{label} {chosen!r} is not in this study and was removed from the selection.")
        view().pop(key)
        st.session_state.pop(widget(key), None)


def switch(key: str, label: str, meaning: str, *, clears: str | None = "item", usual: bool = False) -> bool:
    """Show a choice of yes or no, stored in the view unless it is the default `usual`, and return it.

    A new choice also clears another key.
    """
    on = value(key) != "false" if usual else value(key) == "true"
    name = begin(key, on)
    st.toggle(label, on, key=name, help=meaning, on_change=_switched, args=(key, clears, usual))
    return on


def hand_on(key: str, keeping: Callable[[Any], None]) -> None:
    """Pass on a widget's value; for its `on_change`.

    Does nothing if the page was left before the change arrived: the widget then has no value.
    """
    name = widget(key)
    if name in st.session_state:
        keeping(st.session_state[name])


def keep_widget(key: str, values: Callable[[Any], tuple[str, ...]], clears: str | None = None) -> None:
    """Store `values` of a widget's value, and clear another key; for its `on_change`."""

    def keeping(now: Any) -> None:
        keep(key, values(now))
        if clears is not None:
            choose(clears)

    hand_on(key, keeping)


def _switched(key: str, clears: str | None, usual: bool) -> None:
    keep_widget(key, lambda on: () if on == usual else (str(on).lower(),), clears)


def changed(key: str, clears: str | None) -> None:
    """Store the one text of a widget; for its `on_change`."""
    keep_widget(key, lambda chosen: (chosen,) if chosen else (), clears)


def amount(key: str, label: str, bounds: tuple[float, float], default: float, meaning: str) -> float:
    """Show a choice of a number in steps of 0.05, stored in the view, and return it.

    A value in the address that is no number within the bounds is dropped with a sentence.
    """
    chosen = _number(key, label, bounds, default)
    st.slider(
        label,
        *bounds,
        chosen,
        step=0.05,
        format="%.2f",
        key=begin(key, chosen),
        help=meaning,
        on_change=_keep_number,
        args=(key, default),
    )
    return chosen


def _number(key: str, label: str, bounds: tuple[float, float], default: float) -> float:
    """Return the number in the view, or the default if it is missing or, with a sentence, invalid."""
    text = value(key)
    if text is None:
        return default
    try:
        chosen = float(text)
    except ValueError:
        chosen = float("nan")
    if bounds[0] <= chosen <= bounds[1]:
        return chosen
    _box(f"{label} {text!r} is not a number from {bounds[0]:g} to {bounds[1]:g}.")
    choose(key)
    return default


def _keep_number(key: str, default: float) -> None:
    keep_widget(key, lambda now: () if now == default else (f"{now:g}",))


def few(
    key: str, label: str, words: Mapping[str, str], chosen: str, changed: Callable[[Any], None], **shown: Any
) -> None:
    """Show a choice among a few as buttons in a row; `changed` is called with another choice.

    A session value that is not among them is replaced by `chosen`. `shown` holds Streamlit's display options.
    """
    name = widget(key)
    if st.session_state.get(name) not in words:
        st.session_state[name] = chosen
    st.segmented_control(
        label,
        list(words),
        key=name,
        default=chosen,
        format_func=words.__getitem__,
        on_change=hand_on,
        args=(key, changed),
        **shown,
    )


def part(key: str, words: Mapping[str, str], default: str) -> str:
    """Show the parts of a page and return the chosen one, or the default."""
    wanted = value(key)
    chosen = wanted if wanted is not None and wanted in words else default
    look = {"required": True, "label_visibility": "collapsed"}
    few(key, "Part", words, chosen, lambda other: keep(key, (other,)), **look)
    return chosen


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number to type: its key in the view, its label, its bounds and step, and what it means."""

    key: str
    label: str
    low: float
    high: float
    step: float
    meaning: str


def quantity(wanted: Quantity, default: float) -> float:
    """Show a number to type, stored in the view unless it is the default, and return it.

    A value in the address that is no number within the bounds is dropped with a sentence.
    """
    whole = isinstance(wanted.step, int)
    usual = min(max(round(default, 3), wanted.low), wanted.high)
    chosen = _number(wanted.key, wanted.label, (wanted.low, wanted.high), usual)
    kind = int if whole else float
    st.number_input(
        wanted.label,
        kind(wanted.low),
        kind(wanted.high),
        kind(chosen),
        step=kind(wanted.step),
        key=begin(wanted.key, kind(chosen)),
        help=wanted.meaning,
        on_change=_keep_number,
        args=(wanted.key, kind(usual)),
        format="%d" if whole else "%.3g",
    )
    return float(chosen)
