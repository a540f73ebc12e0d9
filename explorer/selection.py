"""Widgets that choose what a page shows of a slice: the grouping, and the judgments to read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine import drill
from engine.wording import SHOWN, title
from explorer import address, components, context, data


def grouping(here: context.Context) -> str | None:
    """Show what to group by and return it."""
    drop_unknown("by", here.choices.groupings, "Group by")
    return choice("by", here.choices.groupings, "Group by", "nothing", title, width=260, clears="value")


def query(here: context.Context, asked: data.Asked) -> data.Query:
    """Show which judgments to list and return it."""
    value, by = address.value("value"), address.value("by")
    if by is None or value is None:
        by = value = None
    else:
        _slice_of(by, value)
    drop_unknown("show", tuple(SHOWN), "Show")
    drop_unknown("judge", here.choices.judges, "Judge")
    drop_unknown("generator", here.choices.models, "Generator")
    columns = st.columns([3, 2, 2, 3])
    with columns[0]:
        kind = choice("show", tuple(SHOWN), "Show", SHOWN["overestimation"], SHOWN.__getitem__)
    with columns[1]:
        judge = choice("judge", here.choices.judges, "Judge", "all judges")
    with columns[2]:
        generator = choice("generator", here.choices.models, "Generator", "all generators")
    with columns[3]:
        search = _words()
    return data.Query(asked, kind or "overestimation", judge, generator, search, by, value)


def choice(
    key: str,
    options: Sequence[str],
    label: str,
    placeholder: str,
    words: Callable[[str], str] = str,
    *,
    width: int | None = None,
    clears: str = "item",
) -> str | None:
    """Show a choice of one name or none, kept in the view, and return it.

    A new choice also clears another key.
    """
    name = address.begin(key, address.value(key), has_default=False)
    st.selectbox(
        label,
        options,
        index=None,
        key=name,
        format_func=words,
        placeholder=placeholder,
        width=width or "stretch",
        on_change=_changed,
        args=(key, clears),
    )
    return address.value(key)


def drop_unknown(key: str, options: Sequence[str], label: str) -> None:
    """Take out of the view what is not among the options, and say so."""
    chosen = address.value(key)
    if chosen is not None and chosen not in options:
        components.say(f"{label} {chosen!r} is not in this study and was taken out of the selection.")
        address.view().pop(key)
        st.session_state.pop(address.widget(key), None)


def beside(here: context.Context) -> drill.Beside | None:
    """Show what to set beside each judgment and return it."""
    options = [f"judge:{name}" for name in here.choices.judges if len(here.choices.judges) > 1]
    options += [f"generator:{name}" for name in here.choices.models if len(here.choices.models) > 1]
    drop_unknown("beside", options, "Set beside")
    chosen = choice("beside", options, "Set beside it", "nothing", _beside_words, width=230)
    if chosen is None:
        return None
    differ = switch("differ", "Only different", "Those whose two verdicts are not the same")
    return drill.Beside.of(chosen, differ=differ)


def _beside_words(option: str) -> str:
    role, _, name = option.partition(":")
    return f"judge {name}" if role == "judge" else f"response of {name}"


def switch(key: str, label: str, meaning: str, *, clears: str | None = "item") -> bool:
    """Show a choice of yes or no, kept in the view, and return it. A new choice also clears another key."""
    on = address.value(key) == "true"
    name = address.begin(key, on)
    st.toggle(label, on, key=name, help=meaning, on_change=_switched, args=(key, clears))
    return on


def common(label: str, meaning: str) -> bool:
    """Show whether only what all sides have in common is taken, which it is unless told, and return it."""
    on = address.value("common") != "false"
    name = address.begin("common", on)
    st.toggle(
        label,
        on,
        key=name,
        help=meaning,
        on_change=lambda: address.keep("common", () if st.session_state[name] else ("false",)),
    )
    return on


def _switched(key: str, clears: str | None) -> None:
    address.keep(key, ("true",) if st.session_state[address.widget(key)] else ())
    if clears is not None:
        address.choose(clears)


def _words() -> str | None:
    """Show the search in texts and return the words."""
    words = address.value("q")
    st.text_input(
        "Search in texts",
        words or "",
        key=address.begin("q", words or ""),
        on_change=_changed,
        args=("q", "item"),
        placeholder="words, then Enter",
    )
    return words


def _changed(key: str, clears: str) -> None:
    chosen = st.session_state[address.widget(key)]
    address.keep(key, (chosen,) if chosen else ())
    address.choose(clears)


def _slice_of(by: str, value: str) -> None:
    """Say to which slice of a grouping the list is restricted, and offer to lift that."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"Only {title(by).lower()}: {value}", width="content")
        st.button("All slices", key="all_slices", on_click=_lift, icon=":material/close:")


def _lift() -> None:
    address.choose("value")
    address.choose("item")


def amount(key: str, label: str, bounds: tuple[float, float], default: float, meaning: str) -> float:
    """Show a choice of a number in steps of 0.05, kept in the view, and return it.

    What the address holds is taken where it is a number within the bounds, and left out with a sentence
    where it is not.
    """
    chosen = _number(key, label, bounds, default)
    st.slider(
        label,
        *bounds,
        chosen,
        step=0.05,
        format="%.2f",
        key=address.begin(key, chosen),
        help=meaning,
        on_change=_keep_number,
        args=(key, default),
    )
    return chosen


def _number(key: str, label: str, bounds: tuple[float, float], default: float) -> float:
    """Return the number in the view, the default where there is none, or, said so, where it is none."""
    told = address.value(key)
    if told is None:
        return default
    try:
        chosen = float(told)
    except ValueError:
        chosen = float("nan")
    if bounds[0] <= chosen <= bounds[1]:
        return chosen
    components.say(f"{label} {told!r} is no number from {bounds[0]:g} to {bounds[1]:g}.")
    address.choose(key)
    return default


def _keep_number(key: str, default: float) -> None:
    now = st.session_state[address.widget(key)]
    address.keep(key, () if now == default else (f"{now:g}",))


def few(
    key: str, label: str, words: Mapping[str, str], chosen: str, keep: Callable[[Any], None], **shown: Any
) -> None:
    """Show a choice among a few as buttons in a row; `keep` is told of another choice.

    What the session holds is left out where it is not among them. `shown` says how the buttons are shown.
    """
    name = address.widget(key)
    if st.session_state.get(name) not in words:
        st.session_state[name] = chosen
    st.segmented_control(
        label,
        list(words),
        key=name,
        default=chosen,
        format_func=words.__getitem__,
        on_change=lambda: keep(st.session_state[name]),
        **shown,
    )


def part(key: str, words: Mapping[str, str], default: str) -> str:
    """Show which parts a page has and return the one chosen, the default unless another is."""
    asked = address.value(key)
    chosen = asked if asked in words else default
    look = {"required": True, "label_visibility": "collapsed"}
    few(key, "Part", words, chosen, lambda other: address.keep(key, (other,)), **look)
    return chosen


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number to be typed: its key in the view, its label, its bounds and step, and what it means."""

    key: str
    label: str
    low: float
    high: float
    step: float
    meaning: str


def quantity(asked: Quantity, default: float) -> float:
    """Show a number to be typed, kept in the view where it is not the default, and return it.

    What the address holds is left out with a sentence where it is no number within the bounds.
    """
    whole = isinstance(asked.step, int)
    usual = min(max(round(default, 3), asked.low), asked.high)
    chosen = _number(asked.key, asked.label, (asked.low, asked.high), usual)
    kind = int if whole else float
    st.number_input(
        asked.label,
        kind(asked.low),
        kind(asked.high),
        kind(chosen),
        step=kind(asked.step),
        key=address.begin(asked.key, kind(chosen)),
        help=asked.meaning,
        on_change=_keep_number,
        args=(asked.key, kind(usual)),
        format="%d" if whole else "%.3g",
    )
    return float(chosen)
