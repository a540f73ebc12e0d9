"""Marks that are chosen: by a click on the chart, by the address, by a chip that is taken off."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from engine.charts.style import PICK
from explorer.data import Drawn
from explorer.parts import address, components

_MARKS = "_marks"


@dataclass(frozen=True)
class Shown:
    """A chart, the key of its place, what it shows in words, and the lines under it."""

    drawn: Drawn
    key: str
    words: str
    lines: tuple[str, ...]


def draw(
    shown: Shown,
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


def choose(judge: str | None, generator: str | None, *values: str) -> None:
    """Choose whose judgments are listed, and of which slices of the columns that the chart is split by."""
    address.choose("judge", judge)
    address.choose("generator", generator)
    address.choose("value", *values)
    for key in ("show", "q", "item"):
        address.choose(key)
