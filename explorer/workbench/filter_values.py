"""The filters chosen in a view: their values as texts of the address, as flags of measures and in words."""

from collections.abc import Collection
from typing import Any

import streamlit as st

from engine.explore.filter_choices import Choices
from engine.phrases import shortened
from engine.slices import BY_RUBRIC, FLAGS, NULL, agreement_of_others
from engine.values import float_in
from engine.words.plain_names import value_words
from engine.words.short_titles import title
from explorer.data import FlagValues, flags_of
from explorer.page_list import FILTERS, SAVED
from explorer.parts import selection

FILTER_FLAGS = {flag.name: flag for flag in FLAGS if flag.name in FILTERS}

MOST_NAMED = 2
"""Values that a chip names; the rest are counted."""

LONGEST = 40
"""Most characters of a value on a chip."""


def values_of(name: str, choices: Choices, prefix: str = "") -> str:
    """Return the chosen values of a filter in words."""
    texts, kind = selection.view().get(prefix + name, ()), FILTER_FLAGS[name].kind
    if kind == "range":
        low, _, high = texts[0].partition(":")
        ends = f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}"
        return f"{ends} {unit_of(name, prefix)}"
    if kind == "number":
        return f"at least {texts[0]}"
    values = [shortened(words_of_value(name, choices, text), LONGEST) for text in texts[:MOST_NAMED]]
    return ", ".join(values) + (f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else "")


def unit_of(name: str, prefix: str = "") -> str:
    """Return the unit of a filter by a range of lengths; that of criteria is itself chosen."""
    unit = selection.view().get(f"{prefix}length_unit", ()) if name == "length" else ()
    return unit[0] if unit else "characters"


def current(prefix: str = "") -> dict[str, tuple[str, ...]]:
    """Return the filters chosen in the view, as its texts."""
    view = selection.view()
    return {name: view[prefix + name] for name in FILTER_FLAGS if view.get(prefix + name)}


def flag_values(prefix: str = "", choices: Choices | None = None, idle: Collection[str] = ()) -> FlagValues:
    """Return the filters chosen in the view and, if `choices` are given, those that a page starts with.

    Leaves out `idle` ones; agreement is that of judges outside each judge's family.
    """
    starts: dict[str, tuple[str, ...] | str] = {} if choices is None else dict(choices.starts)
    flags = starts | {name: as_flag(name, texts) for name, texts in current(prefix).items()}
    flags = {name: value for name, value in flags.items() if name not in idle}
    return flags_of(agreement_of_others(flags, next(iter(selection.view().get("by", ())), None), "true"))


def as_flag(name: str, texts: tuple[str, ...]) -> tuple[str, ...] | str:
    """Return the texts of a filter in the form that measures take."""
    return texts if FILTER_FLAGS[name].kind in ("names", "numbers") else texts[0]


def drop_unknown(choices: Choices, prefix: str = "") -> list[str]:
    """Remove from the view what the study does not have; return a sentence for each filter concerned."""
    sentences = []
    for name in FILTER_FLAGS:
        key = prefix + name
        texts = selection.view().get(key, ())
        allowed = tuple(value for value in texts if choices.allows(name, value))
        if allowed != texts:
            text = ", ".join(repr(value) for value in texts if value not in allowed)
            sentences.append(f"{title(name)} {text} is not in this study and was removed from the selection.")
            selection.view().pop(key)
            if allowed:
                selection.view()[key] = allowed
            st.session_state.pop(selection.widget(key), None)
    return sentences


def words_of_value(name: str, choices: Choices, value: str) -> str:
    """Return a value of a filter in words: the text of a criterion whose id an import made of it."""
    if name == BY_RUBRIC:
        return choices.criteria.get(value, value)
    return "(no value)" if value == NULL else value_words(name, value)


def clear(prefix: str = "") -> None:
    """Remove all filters of a side, and deselect its saved slice."""
    for name in (*FILTER_FLAGS, SAVED):
        selection.choose(prefix + name)


def encode(name: str, value: Any, bounds: tuple[float, float] | None = None) -> tuple[str, ...]:
    """Return a widget's value as texts of the address; none if it chooses all."""
    kind = FILTER_FLAGS[name].kind
    if value is None or value is False:
        return ()
    if kind in ("names", "numbers"):
        return tuple(str(each) for each in value)
    if kind == "range":
        return () if tuple(value) == bounds else (f"{value[0]:g}:{value[1]:g}",)
    if kind == "number":
        return (f"{value:g}",) if bounds is None or value > bounds[0] else ()
    return ("true",) if kind == "switch" else (str(value),)


def decode(name: str, texts: tuple[str, ...], choices: Choices) -> Any:
    """Return the widget's value for texts of the address; None for an invalid range."""
    kind = FILTER_FLAGS[name].kind
    if kind in ("names", "numbers"):
        return list(texts)
    if kind == "switch":
        return texts == ("true",)
    if kind == "name":
        return texts[0] if texts else None
    low, high = choices.ranges[name]
    if not texts:
        return (low, high) if kind == "range" else low
    if kind == "number":
        return min(max(float_in(texts[0]) or low, low), high)
    ends = texts[0].split(":")
    first, last = (float_in(end) for end in ends) if len(ends) == 2 else (None, None)
    first = low if len(ends) == 2 and not ends[0] else first
    last = high if len(ends) == 2 and not ends[1] else last
    if first is None or last is None or first > last or last < low or first > high:
        return None
    return max(first, low), min(last, high)
