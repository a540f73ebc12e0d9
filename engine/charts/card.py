"""A judge's card: one picture with its conclusion, its numbers on one axis, and doubts."""

import textwrap
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.board import COLOURS
from engine.charts.style import INK, NEUTRAL, SELF, ends, ratio_ends, ratio_ticks_of, reference_line, values
from engine.words.conclusions import STANDING

WIDTH = 720
LABELS = 250
"""Pixels of the names of rows, left of their axis."""

NUMBERS = 130
"""Pixels of the numbers in words, right of the axis."""

LINE, ROW = 19, 28
"""Pixels of a line of writing, and of a number's row."""

CHARACTERS, SMALL_CHARACTERS = 88, 102
"""Characters of a line, at most."""

LONGEST_NAME = 34
"""Characters of a judge's name, at most; a longer one is cut."""

PLACE = {"x": alt.X("x:Q", scale=None, axis=None), "y": alt.Y("y:Q", scale=None, axis=None)}
"""Where writing stands, in pixels."""


def card(
    name: str,
    chip: tuple[str, str],
    sentences: Sequence[str],
    numbers: Sequence[tuple[str, float, float | None, float | None, str]],
    foot: Sequence[str],
    *,
    ratio: bool,
) -> alt.TopLevelMixin:
    """Draw a card.

    `chip` is the conclusion's code and its words, `numbers` are labels, values, ends of their intervals
    (None without one) and words; `ratio` says whether they are ratios, with 1 for nothing found.
    """
    shown = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    parts: list[Any] = [_head(shown, chip, _lines(sentences))]
    if numbers:
        parts.append(_numbers(numbers, ratio=ratio))
    small = _lines(foot, SMALL_CHARACTERS)
    written = _text(small, top=8, size=11.5, opacity=0.75)
    parts.append(alt.layer(written, width=WIDTH, height=LINE * max(len(small), 1)))
    chart: alt.TopLevelMixin = (
        alt.vconcat(*parts, spacing=14)
        .resolve_scale(x="independent", y="independent")
        .configure(background="white", padding=18, font="sans-serif", view={"stroke": None})
    )
    return chart


def _lines(sentences: Sequence[str], width: int = CHARACTERS) -> list[str]:
    return [line for each in sentences for line in textwrap.wrap(each, width, break_on_hyphens=False)]


def _head(name: str, chip: tuple[str, str], lines: Sequence[str]) -> alt.TopLevelMixin:
    """Return the judge's name, its conclusion as a chip, and the sentences."""
    code, words = chip
    wide, filled = 8.0 * len(words) + 26, code in STANDING
    box = alt.Chart(alt.InlineData(values=[{"x": WIDTH - wide / 2, "y": 16}])).mark_rect(
        width=wide,
        height=28,
        cornerRadius=14,
        fill=COLOURS[code],
        fillOpacity=1.0 if filled else 0.0,
        stroke=COLOURS[code],
        strokeWidth=1.6,
    )
    titles: list[dict[str, Any]] = [
        {"text": name, "x": 0, "y": 16, "size": 22, "align": "left"},
        {"text": words, "x": WIDTH - wide / 2, "y": 16, "size": 13.5, "align": "center"},
    ]
    texts = [
        alt.Chart(alt.InlineData(values=[title])).mark_text(
            align=title["align"],
            baseline="middle",
            fontSize=title["size"],
            fontWeight="bold",
            fill="#FFFFFF" if filled and title["align"] == "center" else INK,
        )
        for title in titles
    ]
    written = _text(lines, top=50, size=13.5)
    layers = [box.encode(**PLACE), *(text.encode(**PLACE, text="text:N") for text in texts), written]
    return alt.layer(*layers, width=WIDTH, height=50 + LINE * len(lines))


def _text(lines: Sequence[str], *, top: float, size: float, opacity: float = 1.0) -> alt.Chart:
    rows = [{"text": line, "x": 0, "y": top + LINE * place} for place, line in enumerate(lines)]
    marks = alt.Chart(alt.InlineData(values=rows)).mark_text(
        align="left", baseline="middle", fontSize=size, fill=INK, opacity=opacity
    )
    chart: alt.Chart = marks.encode(**PLACE, text="text:N")
    return chart


def _numbers(
    numbers: Sequence[tuple[str, float, float | None, float | None, str]], *, ratio: bool
) -> alt.TopLevelMixin:
    """Return the numbers with their intervals on one axis, the first in full colour."""
    frame = pd.DataFrame(numbers, columns=["label", "value", "low", "high", "words"])
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    if ratio:
        low, high = ratio_ends(frame, ("value", "low", "high"))
    else:
        most = float(np.nanmax(np.abs(frame[["value", "low", "high"]].to_numpy(dtype=float)))) * 1.08 or 0.01
        low, high = -most, most
    for column in ("value", "low", "high"):
        frame[column] = frame[column].clip(low, high)
    room = [LABELS, WIDTH - NUMBERS]
    scale = alt.Scale(type="log" if ratio else "linear", nice=False, range=room)
    colour = [SELF, *[NEUTRAL] * (len(frame) - 1)]
    order = list(frame["label"])
    y = alt.Y("label:N", sort=order, axis=None)
    axis = alt.Axis(gridOpacity=0.35, ticks=False, domain=False, labelColor=INK)
    if ratio:
        axis = alt.Axis(**axis.to_dict(), values=ratio_ticks_of("x"), format="~g")
    x = alt.X("value:Q", title=None, scale=scale, axis=axis)
    tint = alt.Color("label:N", scale=alt.Scale(domain=order, range=colour), legend=None)
    base = alt.Chart(values(frame)).encode(y=y, color=tint)
    known = bool(frame[["low", "high"]].notna().all(axis=1).any())
    lines = base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q", title=None, scale=scale), x2="high:Q")
    names = base.mark_text(align="left", fontSize=12.5, baseline="middle", fill=INK)
    texts = [
        names.encode(x=alt.value(x), text=text)
        for x, text in ((0, "label:N"), (WIDTH - NUMBERS + 12, "words:N"))
    ]
    layers = [
        ends(low, high, scale),
        reference_line(1 if ratio else 0, "x"),
        *([lines] if known else []),
        base.mark_point(filled=True, size=95, opacity=1).encode(x=x),
        *texts,
    ]
    return alt.layer(*layers, width=WIDTH, height=ROW * len(frame))
