"""Widgets for a slice, made from the declarations of `engine.slices` and the study's own values."""

from dataclasses import Field
from typing import Any

import streamlit as st

from engine.slices import FLAGS, NULL
from explorer import address
from explorer.choices import Choices
from explorer.data import Asked, asked_of
from explorer.sitemap import FILTERS
from explorer.wording import title

FIRST = ("paradigm", "level", "reference", "judges", "generators", "polarity", "axis", "theme", "checker")
FIRST += ("length", "min_agreement", "ordering", "position")
"""The filters that stand open; the others are folded away."""

DECLARED: dict[str, "Field[Any]"] = {flag.name: flag for flag in FLAGS if flag.name in FILTERS}

_DROPPED = "_dropped"


def sidebar(choices: Choices) -> Asked:
    """Show the filters in the sidebar and return what is chosen."""
    dropped = settle(choices)
    with st.sidebar:
        for name in FIRST:
            _widget(name, choices)
        rest = [name for name in DECLARED if name not in FIRST and _offered(name, choices)]
        if rest:
            with st.expander("More filters", expanded=any(name in address.view() for name in rest)):
                for name in rest:
                    _widget(name, choices)
        st.button("Clear all filters", on_click=_clear, key="clear", width="stretch")
    _tell(dropped)
    return asked()


def asked() -> Asked:
    """Return the filters chosen in the view."""
    view = address.view()
    several = ("names", "numbers")
    return asked_of(
        {
            name: view[name] if flag.metadata["kind"] in several else view[name][0]
            for name, flag in DECLARED.items()
            if view.get(name)
        }
    )


def settle(choices: Choices) -> list[str]:
    """Take out of the view what the study does not have; return a sentence for each filter concerned."""
    sentences = []
    for name in DECLARED:
        chosen = address.view().get(name, ())
        good = tuple(value for value in chosen if _valid(name, value, choices))
        if good != chosen:
            gone = ", ".join(repr(value) for value in chosen if value not in good)
            sentences.append(f"{title(name)} {gone} is not in this study and was taken out of the selection.")
            address.view().pop(name)
            if good:
                address.view()[name] = good
            st.session_state.pop(address.widget(name), None)
    return sentences


def _tell(dropped: list[str]) -> None:
    """Say what was taken out, until something else is chosen."""
    now = repr(sorted(address.view().items()))
    if dropped:
        st.session_state[_DROPPED] = (dropped, now)
    told, when = st.session_state.get(_DROPPED, ([], None))
    if when == now:
        for sentence in told:
            with st.container(border=True):
                st.text(sentence)


def _offered(name: str, choices: Choices) -> bool:
    return name in choices.values or name in choices.ranges or DECLARED[name].metadata["kind"] == "switch"


def _valid(name: str, value: str, choices: Choices) -> bool:
    """Return whether the study has a value of a filter, as it stands in an address."""
    kind = DECLARED[name].metadata["kind"]
    if kind == "switch":
        return value == "true"
    if kind == "range":
        return name in choices.ranges and decode(name, (value,), choices) is not None
    if kind == "number":
        return name in choices.ranges and _float(value) is not None
    return value in choices.values.get(name, ())


def _widget(name: str, choices: Choices) -> None:
    """Show one filter, where it can change anything."""
    if not _offered(name, choices):
        return
    flag, key = DECLARED[name], address.widget(name)
    kind, label = flag.metadata["kind"], title(name)
    if key not in st.session_state:
        st.session_state[key] = decode(name, address.view().get(name, ()), choices)
    shared: dict[str, Any] = {
        "key": key,
        "help": flag.metadata["meaning"].capitalize(),
        "on_change": _changed,
        "args": (name, choices.ranges.get(name)),
    }
    if kind in ("names", "numbers"):
        st.multiselect(
            label, choices.values[name], placeholder="all", format_func=lambda text: _shown(text), **shared
        )
    elif kind == "name":
        placeholder = str(
            flag.default or ("default" if name in ("paradigm", "level", "reference") else "all")
        )
        st.selectbox(
            label, choices.values[name], index=None, placeholder=placeholder, format_func=_shown, **shared
        )
    elif kind == "switch":
        st.toggle(label, **shared)
    else:
        low, high = choices.ranges[name]
        st.slider(label, low, high, step=0.05 if high <= 1 else 1.0, format="%g", **shared)


def _shown(value: str) -> str:
    return "(no value)" if value == NULL else value


def _changed(name: str, bounds: tuple[float, float] | None) -> None:
    address.keep(name, encode(name, st.session_state[address.widget(name)], bounds))


def _clear() -> None:
    for name in DECLARED:
        address.choose(name)


def encode(name: str, chosen: Any, bounds: tuple[float, float] | None = None) -> tuple[str, ...]:
    """Return a widget's value as texts of the address; nothing where it chooses all."""
    kind = DECLARED[name].metadata["kind"]
    if chosen is None or chosen is False:
        return ()
    if kind in ("names", "numbers"):
        return tuple(str(value) for value in chosen)
    if kind == "range":
        return () if tuple(chosen) == bounds else (f"{chosen[0]:g}:{chosen[1]:g}",)
    if kind == "number":
        return (f"{chosen:g}",) if bounds is None or chosen > bounds[0] else ()
    return ("true",) if kind == "switch" else (str(chosen),)


def decode(name: str, texts: tuple[str, ...], choices: Choices) -> Any:
    """Return the widget's value for texts of the address; None for a range that is none."""
    kind = DECLARED[name].metadata["kind"]
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
        return min(max(_float(texts[0]) or low, low), high)
    ends = texts[0].split(":")
    first, last = (_float(end) for end in ends) if len(ends) == 2 else (None, None)
    first = low if len(ends) == 2 and not ends[0] else first
    last = high if len(ends) == 2 and not ends[1] else last
    if first is None or last is None or first > last or last < low or first > high:
        return None
    return max(first, low), min(last, high)


def _float(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) != float("inf") and number == number else None
