"""Widgets for a slice, made from the declarations of `engine.slices` and the study's own values."""

from collections.abc import Callable, Collection
from dataclasses import Field
from typing import Any

import streamlit as st

from engine.choices import SETTLED, Choices
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import FLAGS, NULL
from engine.wording import title
from explorer import address, notices
from explorer.data import Asked, asked_of
from explorer.sitemap import FILTERS, SAVED, SECOND

FIRST = ("paradigm", "level", "reference", "judges", "generators", "polarity", "axis", "theme", "checker")
FIRST += ("length", "min_agreement", "ordering", "position")
"""The filters that stand open; the others are folded away."""

DECLARED: dict[str, "Field[Any]"] = {flag.name: flag for flag in FLAGS if flag.name in FILTERS}


def sidebar(choices: Choices, idle: Collection[str] = ()) -> Asked:
    """Show the filters in the sidebar and return what is chosen.

    Filters that are `idle` do not act on what the page shows: they are closed, and what is chosen in them
    elsewhere is said and not returned.
    """
    dropped = settle(choices)
    with st.sidebar:
        _controls(choices, "", idle)
    notices.until_changed("filters", dropped)
    unused = [title(name).lower() for name in chosen() if name in idle]
    if unused:
        st.text(f"Chosen, but without effect on what is shown here: {', '.join(unused)}.")
    return tuple((name, value) for name, value in asked() if name not in idle)


def two_sides(choices: Choices, others: Choices, above_second: Callable[[], None]) -> tuple[Asked, Asked]:
    """Show the filters of two sides in the sidebar and return what is chosen for each.

    `above_second` shows what stands above the filters of the second side.
    """
    dropped = [*settle(choices), *(f"B: {sentence}" for sentence in settle(others, SECOND))]
    with st.sidebar:
        one, two = st.tabs(["Filters of A", "Filters of B"], key="sides")
        with one:
            _controls(choices, "")
        with two:
            above_second()
            _controls(others, SECOND)
    notices.until_changed("filters", dropped)
    return asked(), asked(SECOND)


def _controls(choices: Choices, prefix: str, idle: Collection[str] = ()) -> None:
    """Show the filters of one side; `prefix` stands before their keys in the view, `idle` are closed."""
    for name in FIRST:
        _widget(name, choices, prefix, idle)
    rest = [name for name in DECLARED if name not in FIRST and _offered(name, choices)]
    if rest:
        unfolded = any(prefix + name in address.view() for name in rest)
        key = f"{prefix}more_filters"
        with st.expander("More filters", expanded=unfolded, key=key, on_change="rerun") as folded:
            for name in rest if folded.open else ():
                _widget(name, choices, prefix, idle)
    st.button("Clear all filters", on_click=clear, args=(prefix,), key=f"{prefix}clear", width="stretch")


def chosen(prefix: str = "") -> dict[str, tuple[str, ...]]:
    """Return the filters chosen in the view, as its texts."""
    view = address.view()
    return {name: view[prefix + name] for name in DECLARED if view.get(prefix + name)}


def asked(prefix: str = "") -> Asked:
    """Return the filters chosen in the view."""
    return asked_of({name: _as_asked(name, texts) for name, texts in chosen(prefix).items()})


def _as_asked(name: str, texts: tuple[str, ...]) -> tuple[str, ...] | str:
    return texts if DECLARED[name].metadata["kind"] in ("names", "numbers") else texts[0]


def settle(choices: Choices, prefix: str = "") -> list[str]:
    """Take out of the view what the study does not have; return a sentence for each filter concerned."""
    sentences = []
    for name in DECLARED:
        key = prefix + name
        told = address.view().get(key, ())
        good = tuple(value for value in told if choices.allows(name, value))
        if good != told:
            gone = ", ".join(repr(value) for value in told if value not in good)
            sentences.append(f"{title(name)} {gone} is not in this study and was taken out of the selection.")
            address.view().pop(key)
            if good:
                address.view()[key] = good
            st.session_state.pop(address.widget(key), None)
    return sentences


def _offered(name: str, choices: Choices) -> bool:
    return name in choices.values or name in choices.ranges or DECLARED[name].metadata["kind"] == "switch"


def _widget(name: str, choices: Choices, prefix: str, idle: Collection[str]) -> None:
    """Show one filter, where it can change anything."""
    if not _offered(name, choices):
        return
    flag = DECLARED[name]
    kind, label = flag.metadata["kind"], title(name)
    now = decode(name, address.view().get(prefix + name, ()), choices)
    meaning = flag.metadata["meaning"].capitalize()
    shared: dict[str, Any] = {
        "key": address.begin(prefix + name, now, has_default=kind != "name"),
        "help": f"{meaning}. It has no effect on what is shown here." if name in idle else meaning,
        "disabled": name in idle,
        "on_change": _changed,
        "args": (name, choices.ranges.get(name), prefix),
    }
    if kind in ("names", "numbers"):
        st.multiselect(
            label,
            choices.values[name],
            now,
            placeholder="all",
            format_func=lambda text: _shown(text),
            **shared,
        )
    elif kind == "name":
        placeholder = _unless_chosen(name, choices, prefix)
        st.selectbox(
            label, choices.values[name], index=None, placeholder=placeholder, format_func=_shown, **shared
        )
    elif kind == "switch":
        st.toggle(label, now, **shared)
    else:
        low, high = choices.ranges[name]
        st.slider(label, low, high, now, step=0.05 if high <= 1 else 1.0, format="%g", **shared)


def _unless_chosen(name: str, choices: Choices, prefix: str) -> str:
    """Return what a filter on one name stands for while nothing is chosen in it."""
    told = DECLARED[name].default or choices.defaults.get(name)
    if name == "level" and (ways := address.view().get(f"{prefix}paradigm")):
        told = "rubric" if ways[0] in RUBRIC_PARADIGMS else "instance"
    if told and told != "default":
        return f"{_shown(str(told))} (default)"
    return "default" if name in SETTLED else "all"


def _shown(value: str) -> str:
    return "(no value)" if value == NULL else value


def _changed(name: str, bounds: tuple[float, float] | None, prefix: str) -> None:
    """Keep what a widget shows; a saved slice of which a filter is taken off is left."""
    key = prefix + name
    texts = encode(name, st.session_state[address.widget(key)], bounds)
    address.keep(key, texts)
    if not texts and key in address.implied_by(prefix + SAVED):
        address.choose(prefix + SAVED)


def clear(prefix: str = "") -> None:
    """Take all filters of a side off, and leave its saved slice."""
    for name in (*DECLARED, SAVED):
        address.choose(prefix + name)


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
