"""A judge's card: one picture with its conclusion, its numbers on one axis, and doubts."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, style
from engine.charts.board import COLOURS
from engine.charts.lazy_altair import alt
from engine.conclusions import is_firm
from engine.phrases import shortened

WIDTH = 720
LABELS = 250  # pixels for the names of rows, left of their axis
NUMBERS = 130  # pixels for the numbers as text, right of the axis
CARD_LINE = 19  # pixels of a line of text
LONGEST_NAME = 34  # most characters of a judge's name; longer ones are cut
Numbers = Sequence[tuple[str, float, float | None, float | None, str]]
"""Labels, values, ends of their intervals (None without one) and texts."""


def card(
    name: str,
    chip: tuple[str, str],
    sentences: Sequence[str],
    numbers: Numbers,
    foot: Sequence[str],
    axis: str = "",
) -> alt.TopLevelMixin:
    """Draw a card.

    `chip` is the conclusion's code and its words; the numbers are cases of 100, and `axis` says which.
    """
    title = shortened(name, LONGEST_NAME)
    small_lines = _lines(foot, 126)
    footer = _text(small_lines, top=8, size=11.5, opacity=0.75)
    parts: list[Any] = [
        _card_head(title, chip, _lines(sentences, 112)),
        *([_numbers(numbers, axis)] if numbers else []),
        alt.layer(footer, width=WIDTH, height=CARD_LINE * max(len(small_lines), 1)),
    ]
    chart: alt.TopLevelMixin = (
        alt.vconcat(*parts, spacing=14)
        .resolve_scale(x="independent", y="independent")
        .configure(background="white", padding=18, font="sans-serif", view={"stroke": None})
    )
    return chart


def _lines(sentences: Sequence[str], width: int) -> list[str]:
    return [line for each in sentences for line in textwrap.wrap(each, width, break_on_hyphens=False)]


def _card_head(name: str, chip: tuple[str, str], lines: Sequence[str]) -> alt.TopLevelMixin:
    """Return the judge's name, its conclusion as a chip, and the sentences."""
    code, words = chip
    wide, filled = 8.0 * len(words) + 26, is_firm(code)
    box = alt.Chart(alt.InlineData(values=[{"x": WIDTH - wide / 2, "y": 16}])).mark_rect(
        width=wide,
        height=28,
        cornerRadius=14,
        fill=COLOURS[code],
        fillOpacity=1.0 if filled else 0.0,
        stroke=COLOURS[code],
        strokeWidth=1.6,
    )
    layers = [box.encode(**_in_pixels())]
    in_chip: dict[str, Any] = {
        "align": "center",
        "fontSize": 13.5,
        "fill": style.CELL if filled else style.INK,
    }
    large: dict[str, Any] = {"align": "left", "fontSize": 22, "fill": style.INK}
    for text, x, look in ((name, 0, large), (words, WIDTH - wide / 2, in_chip)):
        base = alt.Chart(alt.InlineData(values=[{"text": text, "x": x, "y": 16}]))
        mark = base.mark_text(baseline="middle", fontWeight="bold", **look)
        layers.append(mark.encode(**_in_pixels(), text=alt.Text("text:N")))
    body = _text(lines, top=50, size=13.5)
    return alt.layer(*layers, body, width=WIDTH, height=50 + CARD_LINE * len(lines))


def _in_pixels() -> dict[str, Any]:
    """Return the channels of a place that the rows give in pixels."""
    return {"x": alt.X("x:Q", scale=None, axis=None), "y": alt.Y("y:Q", scale=None, axis=None)}


def _text(lines: Sequence[str], *, top: float, size: float, opacity: float = 1.0) -> alt.Chart:
    rows = [{"text": line, "x": 0, "y": top + CARD_LINE * place} for place, line in enumerate(lines)]
    marks = alt.Chart(alt.InlineData(values=rows)).mark_text(
        align="left", baseline="middle", fontSize=size, fill=style.INK, opacity=opacity
    )
    chart: alt.Chart = marks.encode(**_in_pixels(), text=alt.Text("text:N"))
    return chart


def _numbers(numbers: Numbers, title: str) -> alt.TopLevelMixin:
    """Return the numbers with their intervals on one axis, the first in full colour."""
    frame = pd.DataFrame(numbers, columns=["label", "value", "low", "high", "words"])
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    shown = frame[["value", "low", "high"]].to_numpy(dtype=float)
    low, high = (
        min(0.0, float(np.nanmin(shown))),
        min(100.0, 10 * np.ceil(float(np.nanmax(shown)) / 10 + 0.1)),
    )
    for column in ("value", "low", "high"):
        frame[column] = frame[column].clip(low, high)
    scale = alt.Scale(nice=False, range=[LABELS, WIDTH - NUMBERS])
    order, colours = list(frame["label"]), [style.SELF, *[style.NEUTRAL] * (len(frame) - 1)]
    y = alt.Y("label:N", sort=order, axis=None)
    colour: dict[str, Any] = {"labelColor": style.INK, "titleColor": style.INK}
    look: dict[str, Any] = {"titleFontWeight": "normal", "titleLimit": WIDTH, "titleAnchor": "start"}
    axis = alt.Axis(gridOpacity=0.35, ticks=False, domain=False, tickCount=5, **colour, **look)
    x = alt.X("value:Q", title=title or None, scale=scale, axis=axis)
    tint = alt.Color("label:N", scale=alt.Scale(domain=order, range=colours), legend=None)
    base = alt.Chart(chart_marks.values(frame)).encode(y=y, color=tint)
    lines = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title=title or None, scale=scale), x2=alt.X2("high:Q")
    )
    text = base.mark_text(align="left", fontSize=12.5, baseline="middle", fill=style.INK)
    layers = [
        axes.ends(low, high, scale),
        *([lines] if frame[["low", "high"]].notna().all(axis=1).any() else []),
        base.mark_point(filled=True, size=95, opacity=1).encode(x=x),
        text.encode(**chart_marks.fixed(x=0), text=alt.Text("label:N")),
        text.encode(**chart_marks.fixed(x=WIDTH - NUMBERS + 12), text=alt.Text("words:N")),
    ]
    return alt.layer(*layers, width=WIDTH, height=28 * len(frame))
