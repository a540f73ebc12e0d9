"""Widgets that choose what a page shows, and charts in which a mark can be chosen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine.charts.forest import NO_VALUE
from engine.charts.style import PICK
from engine.slices import NULL
from explorer.data import Drawn
from explorer.parts import address, components

# ------------------------------------------------------------------------------
# Widgets that choose what a page shows, kept in the view.


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
        on_change=changed,
        args=(key, clears),
    )
    return address.value(key)


def drop_unknown(key: str, options: Sequence[str], label: str) -> None:
    """Take out of the view what is not among the options, and say so."""
    chosen = address.value(key)
    if chosen is not None and chosen not in options:
        components.say(f"{label} {chosen!r} is not in this study and was removed from the selection.")
        address.view().pop(key)
        st.session_state.pop(address.widget(key), None)


def switch(key: str, label: str, meaning: str, *, clears: str | None = "item") -> bool:
    """Show a choice of yes or no, kept in the view, and return it. A new choice also clears another key."""
    on = address.value(key) == "true"
    name = address.begin(key, on)
    st.toggle(label, on, key=name, help=meaning, on_change=_switched, args=(key, clears))
    return on


def common(label: str, meaning: str, *, usual: bool = True) -> bool:
    """Show whether only what all sides have in common is taken, and return it; `usual` unless chosen."""
    on = address.value("common") != "false" if usual else address.value("common") == "true"
    name = address.begin("common", on)
    st.toggle(
        label,
        on,
        key=name,
        help=meaning,
        on_change=lambda: _keep_common(st.session_state[name], usual),
    )
    return on


def _keep_common(now: bool, usual: bool) -> None:
    address.keep("common", () if now == usual else (str(now).lower(),))


def _switched(key: str, clears: str | None) -> None:
    address.keep(key, ("true",) if st.session_state[address.widget(key)] else ())
    if clears is not None:
        address.choose(clears)


def changed(key: str, clears: str | None) -> None:
    """Keep the one text of a widget; for its `on_change`."""
    chosen = st.session_state[address.widget(key)]
    address.keep(key, (chosen,) if chosen else ())
    if clears is not None:
        address.choose(clears)


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
    text = address.value(key)
    if text is None:
        return default
    try:
        chosen = float(text)
    except ValueError:
        chosen = float("nan")
    if bounds[0] <= chosen <= bounds[1]:
        return chosen
    components.say(f"{label} {text!r} is not a number from {bounds[0]:g} to {bounds[1]:g}.")
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
    wanted = address.value(key)
    chosen = wanted if wanted is not None and wanted in words else default
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


def quantity(wanted: Quantity, default: float) -> float:
    """Show a number to be typed, kept in the view where it is not the default, and return it.

    What the address holds is left out with a sentence where it is no number within the bounds.
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
        key=address.begin(wanted.key, kind(chosen)),
        help=wanted.meaning,
        on_change=_keep_number,
        args=(wanted.key, kind(usual)),
        format="%d" if whole else "%.3g",
    )
    return float(chosen)


# ------------------------------------------------------------------------------
# Marks that are chosen: by a click on the chart, by the address, by a chip that is taken off.


_MARKS = "_marks"


@dataclass(frozen=True)
class MarkedChart:
    """A chart, the key of its place, what it shows in words, and the lines under it."""

    drawn: Drawn
    key: str
    words: str
    lines: tuple[str, ...]


def show_marked(
    shown: MarkedChart,
    study: str,
    mark: dict[str, str] | None,
    opened: Callable[[Mapping[str, Any] | None], None],
    room: int,
    caption: Sequence[str] = (),
) -> None:
    """Show a chart with its rows, in which one mark is chosen; `opened` is told of another one."""
    turn, first = _turn(shown.key, mark)
    components.figure(
        beginning_with(shown.drawn, first),
        shown.key,
        shown.words,
        shown.lines,
        study=study,
        picks=PICK,
        on_pick=lambda: _picked(shown.key, turn, opened),
        caption=caption,
        turn=turn,
        room=room,
    )


def show_cells(shown: MarkedChart, study: str, fields: tuple[str, ...], kind: str, room: int) -> None:
    """Show a chart whose marks are a judge's judgments of a model, in a slice where it is split.

    `fields` are the columns of its rows that hold the judge, the model and the slice; `kind` is that of the
    judgments which a click lists.
    """
    there = set(shown.drawn.rows[list(fields)].itertuples(index=False, name=None))
    values = [NO_VALUE if value == NULL else value for value in address.view().get("value", ())]
    cell = (address.value("judge"), address.value("generator"), *values)[: len(fields)]
    mark = dict(zip(fields, map(str, cell), strict=True)) if cell in there else None

    def opened(picked: Mapping[str, Any] | None) -> None:
        if picked is None:
            choose_mark(None, None)
        elif (chosen := tuple(picked[name] for name in fields)) in there:
            choose_mark(*chosen[:2], *(NULL if value == NO_VALUE else value for value in chosen[2:]))
            address.choose("show", kind)

    show_marked(shown, study, mark, opened, room)


def _turn(key: str, mark: dict[str, str] | None) -> tuple[int, dict[str, str] | None]:
    """Return which drawing of a chart this is, and the mark that it began with.

    A browser keeps what was clicked. Where something else is chosen without a click, the chart is drawn anew.
    """
    drawings = st.session_state.setdefault(_MARKS, {})
    turn, now, first = drawings.get(key, (0, None, None))
    if mark != now:
        turn, first = turn + 1, mark
        drawings[key] = turn, mark, first
    return turn, first


def beginning_with(drawn: Drawn, mark: dict[str, str] | None) -> Drawn:
    """Return the chart with a mark chosen from the beginning."""
    if mark is None:
        return drawn
    params = [each | {"value": [mark]} if each.get("name") == PICK else each for each in drawn.spec["params"]]
    return replace(drawn, spec=drawn.spec | {"params": params})


def _picked(key: str, turn: int, opened: Callable[[Mapping[str, Any] | None], None]) -> None:
    event: Any = st.session_state[f"{key}_{PICK}" + (f"_{turn}" if turn else "")]
    picks = event["selection"].get(PICK, [])
    drawings = st.session_state[_MARKS]
    drawings[key] = turn, dict(picks[0]) if picks else None, drawings.get(key, (0, None, None))[2]
    opened(picks[0] if picks else None)


def choose_mark(judge: str | None, generator: str | None, *values: str) -> None:
    """Choose whose judgments are listed, and of which slices of the columns that the chart is split by."""
    address.choose("judge", judge)
    address.choose("generator", generator)
    address.choose("value", *values)
    for key in ("show", "q", "item"):
        address.choose(key)
