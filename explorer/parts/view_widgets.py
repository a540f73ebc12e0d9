"""Widgets that choose what a page shows, stored in the view."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.parts import notices, selection
from explorer.parts.safe_markdown import escape_markdown


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
    name = selection.begin(key, selection.value(key), has_default=False)
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
    return selection.value(key)


def drop_unknown(key: str, options: Sequence[str], label: str) -> None:
    """Remove a choice that is not among the options, and say so if the address made it.

    Another page's choice of the same key is nobody's choice here.
    """
    text, sentences = selection.value(key), []
    if text is not None and text not in options:
        if key in st.query_params:
            sentences = [f"{label} {text!r} is not in this study and was removed from the selection."]
        selection.view().pop(key)
        st.session_state.pop(selection.widget(key), None)
    notices.until_changed(f"dropped_{key}", sentences)


def switch(key: str, label: str, meaning: str, *, clears: str | None = "item", usual: bool = False) -> bool:
    """Show a choice of yes or no, stored in the view unless it is the default `usual`, and return it.

    A new choice also clears another key.
    """
    on = selection.value(key) != "false" if usual else selection.value(key) == "true"
    name = selection.begin(key, on)
    st.toggle(label, on, key=name, help=meaning, on_change=_store_switch, args=(key, clears, usual))
    return on


def pass_value(key: str, store: Callable[[Any], None]) -> None:
    """Pass on a widget's value; for its `on_change`.

    Does nothing if the page was left before the change arrived: the widget then has no value.
    """
    name = selection.widget(key)
    if name in st.session_state:
        store(st.session_state[name])


def store_widget(key: str, values: Callable[[Any], tuple[str, ...]], clears: str | None = None) -> None:
    """Store `values` of a widget's value, and clear another key; for its `on_change`."""

    def store(state: Any) -> None:
        selection.keep(key, values(state))
        if clears is not None:
            selection.choose(clears)

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
        key=selection.begin(key, number),
        help=meaning,
        on_change=_store_number,
        args=(key, default),
    )
    return number


def _number(key: str, label: str, bounds: tuple[float, float], default: float) -> float:
    """Return the number in the view, or the default if it is missing or, with a sentence, invalid."""
    text, sentences = selection.value(key), []
    number = default if text is None else number_of(text, bounds)
    if number is None:
        sentences = [f"{label} {text!r} is not a number from {bounds[0]:g} to {bounds[1]:g}."]
        selection.choose(key)
    notices.until_changed(f"dropped_{key}", sentences)
    return default if number is None else number


def number_of(text: str, bounds: tuple[float, float]) -> float | None:
    """Return the number that a text is, None if it is none within the bounds."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if bounds[0] <= number <= bounds[1] else None


def _store_number(key: str, default: float) -> None:
    store_widget(key, lambda now: () if now == default else (f"{now:g}",))


def button_row(
    key: str, label: str, words: Mapping[str, str], default: str, store: Callable[[Any], None], **look: Any
) -> None:
    """Show a choice among a few as buttons in a row; `store` is called with another choice.

    Their words may be names of a study: buttons would show these as Markdown, so they are escaped. A session
    value that is not among them is replaced by `default`. `look` holds Streamlit's display options.
    """
    name = selection.widget(key)
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
    text = selection.value(key)
    name = text if text is not None and text in words else default
    look = {"required": True, "label_visibility": "collapsed"}
    button_row(key, "Part", words, name, lambda other: selection.keep(key, (other,)), **look)
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
        key=selection.begin(field.key, kind(number)),
        help=field.meaning,
        on_change=_store_number,
        args=(field.key, kind(usual)),
        format="%d" if whole else "%.3g",
    )
    return float(number)
