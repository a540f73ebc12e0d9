"""The board of judges: a row for each, with its conclusion, the number that decided it, and doubts."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.style import (
    CIRCLE,
    DIAMOND,
    FAMILY,
    NEUTRAL,
    OTHER,
    SELF,
    SQUARE,
    TRIANGLE,
    Look,
    difference_ends,
    ends,
    looks,
    ratio_ends,
    ratio_ticks_of,
    reference_line,
    tooltips,
    values,
)
from engine.measures.rows import FEW
from engine.words import board_words, conclusions

PICK = "judge_row"
"""The name of the selection that a click on a row makes; it holds `judge`."""
_OPENED = "opened"
"""The name of the parameter that holds the judge whose row is shaded."""

COLOURS = {
    "favours_itself": "#B4460A",
    "leans_to_itself": "#A0622F",
    "no_material_preference": "#5F7F6A",
    "inconclusive": "#6F7479",
    "leans_against_itself": "#3F78A8",
    "disfavours_itself": "#1F6AA5",
}
"""The colour of each conclusion: orange for itself, blue against, grey where nothing is known."""

ROW, TALL = 44, 73
"""Pixels of a judge's row, and of one whose interval stands below what is written, where there is no room."""

HEAD = 18
"""Pixels down a tall row to the middle of the line with its name; its facts stand as much below."""

LINE = 9
"""Pixels that name and facts stand above and below the middle of a row."""

WIDEST = 300
"""Pixels that names and facts take at most beside the intervals."""

LETTER, FACT, SMALL_LETTER = 8.0, 5.6, 6.0
"""Pixels of a character of a name, of a fact, and on a chip, about."""

DOUBT = 17
"""Pixels of the mark of a doubt."""

THEMED = "currentColor"
"""The colour of writing, which is that of the page that the chart stands on."""

DECIDES, MATCHED, OF_FAMILY = "deciding number", "on matched rubrics", "its family's responses"
SERIES = {DECIDES: Look(SELF, CIRCLE), MATCHED: Look(OTHER, DIAMOND), OF_FAMILY: Look(FAMILY, SQUARE)}
"""The numbers of a judge and how each looks."""

COLUMNS = ["judge", "series", "value", "low", "high", "words", "n", "conclusion", "small"]


def board_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge and number of the rows of `scorecard`, sorted by what was found.

    Columns: `judge`, `series` (the deciding number; the matched ratio and that of the family where these
    are on the same scale), `value`, `low`, `high` (NaN where there is none), `words`, `n` (own cells),
    `conclusion` (in words), `small` (n below 30).
    """
    lines: list[tuple[Any, ...]] = []
    for row in board_words.ordered(rows):
        n = int(row["n_own"] or 0)
        about = (n, conclusions.conclusion_words(row), n < FEW)
        numbers = [(DECIDES, (row["estimate"], row["low"], row["high"]))]
        if row["decided_by"] is not None and board_words.is_ratio(row["decided_by"]):
            numbers.append((MATCHED, (row.get("hspp_matched"), None, None)))
            numbers.append((OF_FAMILY, (row.get("odds_family"), None, None)))
        for series, (value, low, high) in numbers:
            if series != DECIDES and (value is None or value == row["estimate"]):
                continue
            shown = tuple(np.nan if each is None else float(each) for each in (value, low, high))
            text = board_words.value(row) if series == DECIDES else f"{value:.2f}"
            lines.append((row["judge"], series, *shown, text, *about))
    return pd.DataFrame.from_records(lines, columns=COLUMNS)


def board(rows: Sequence[Mapping[str, Any]], *, narrow: bool = False) -> alt.TopLevelMixin:
    """Draw the rows of `scorecard`: name, facts, doubts and chip of each judge above its interval.

    All intervals stand on one axis, a click on a row chooses its judge. Names and facts stand left of the
    axis, conclusions right of it; where it is `narrow` above it. `shaded` marks a judge's row in the written
    chart.
    """
    listed = board_words.ordered(rows)
    number = next((str(row["decided_by"]) for row in listed if row["estimate"] is not None), "odds_self")
    names = [str(row["judge"]) for row in listed]
    height = TALL if narrow else ROW
    marks, low, high = _on_axis(board_rows(rows), number)
    y = alt.Y("judge:N", sort=None, scale=alt.Scale(domain=names, padding=0), axis=None)
    heads = pd.DataFrame([_head(row, narrow=narrow) for row in listed])
    place: dict[str, Any] = {} if narrow else {"range": _between(heads)}
    kind: dict[str, Any] = {"type": "log"} if board_words.is_ratio(number) else {}
    scale = alt.Scale(nice=False, **kind, **place)
    layers = [
        *_rows_of(heads, y),
        ends(low, high, scale),
        reference_line(1 if board_words.is_ratio(number) else 0, "x"),
        *_intervals(marks, y, scale, number, height / 2 - 14 if narrow else 0),
        *_heads(heads, y, height, narrow=narrow),
        *_doubts(listed, y, HEAD - height / 2 if narrow else 0),
    ]
    return alt.layer(*layers, height=alt.Step(height), width=640)


def _between(heads: pd.DataFrame) -> list[Any]:
    """Return where the axis begins and ends: right of names and facts, left of conclusions and doubts."""
    left = max(LETTER * heads["name"].str.len().max(), FACT * heads["facts"].str.len().max()) + 24
    right = float((heads["chip_width"] + DOUBT * heads["doubts"]).max()) + 26
    return [alt.ExprRef(f"min({min(left, WIDEST):.0f}, 0.45 * width)"), alt.ExprRef(f"width - {right:.0f}")]


def _on_axis(frame: pd.DataFrame, number: str) -> tuple[pd.DataFrame, float, float]:
    """Return the numbers clipped to the axis, and its ends."""
    axis = ratio_ends if board_words.is_ratio(number) else difference_ends
    low, high = axis(frame, ("value", "low", "high"))
    data = frame.copy()
    for name, column in (("from", "low"), ("to", "high")):
        data[name] = data[column].clip(low, high)
    data["shown"] = data["value"].clip(low, high)
    data["off"] = np.select([data["value"] < low, data["value"] > high], ["◀", "▶"], "")
    return data, low, high


def _head(row: Mapping[str, Any], *, narrow: bool) -> dict[str, Any]:
    """Return what stands written in a judge's row."""
    name, words = str(row["judge"]), conclusions.conclusion_words(row)
    n = f"n {row['n_own']:,}" if row["n_own"] is not None else ""
    facts = " · ".join(filter(None, (board_words.named_value(row), board_words.agreement(row), n)))
    return {
        "judge": name,
        "name": name if len(name) <= 24 or not narrow else f"{name[:23]}…",
        "facts": facts,
        "doubts": len(board_words.doubts(row)),
        "chip": words,
        "chip_width": SMALL_LETTER * 1.06 * len(words) + 18,
        "colour": COLOURS[row["conclusion"]],
        "filled": row["conclusion"] in conclusions.STANDING,
        "meaning": conclusions.conclusion_sentence(row),
    }


def shaded(spec: dict[str, Any], judge: str | None) -> dict[str, Any]:
    """Return a written board on which the row of a judge is shaded."""
    params = [each | {"value": judge} if each["name"] == _OPENED else each for each in spec["params"]]
    return spec | {"params": params}


def _rows_of(heads: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    """Return the ground of the rows, which a click chooses."""
    pick = alt.selection_point(name=PICK, fields=["judge"], toggle=False)
    opened = alt.param(name=_OPENED, value=None)
    rows = (
        alt.Chart(values(heads))
        .mark_rect(color=NEUTRAL, cursor="pointer", stroke=None)
        .encode(
            y=y,
            x=alt.value(0),
            x2=alt.value("width"),
            opacity=alt.value(1),
            fillOpacity=alt.condition(f"datum.judge === {_OPENED}", alt.value(0.14), alt.value(0.0)),
            tooltip=tooltips(judge="judge", meaning="result"),
        )
        .add_params(pick, opened)
    )
    lines = (
        alt.Chart(values(heads))
        .mark_rule(color=NEUTRAL, opacity=0.25, aria=False)
        .encode(
            y=alt.Y("judge:N", sort=None, axis=None, bandPosition=1), x=alt.value(0), x2=alt.value("width")
        )
    )
    return [rows, lines]


def _intervals(marks: pd.DataFrame, y: alt.Y, scale: alt.Scale, number: str, below: float) -> list[alt.Chart]:
    """Return the intervals and marks, `below` the middle: what decides in full colour, the others lighter."""
    ticks: dict[str, Any] = {"format": "+.0%" if number == "vote_outside" else "+~g", "tickCount": 5}
    if board_words.is_ratio(number):
        ticks = {"format": "~g", "values": ratio_ticks_of("x")}
    axis = alt.Axis(orient="top", grid=True, gridOpacity=0.35, domain=False, ticks=False, **ticks)
    x = alt.X("shown:Q", scale=scale, axis=axis, title=None)
    used = {name: look for name, look in SERIES.items() if name in set(marks["series"])}
    legend = alt.Legend(orient="top", labelLimit=300) if len(used) > 1 else None
    colour, shape = (channel.legend(legend) for channel in looks("series", used))
    tooltip = tooltips(judge="judge", series="shown", words="value [95% interval]", n="n")
    base = alt.Chart(values(marks)).encode(y=y)
    faint = alt.condition(f"datum.series === '{DECIDES}'", alt.value(1), alt.value(0.5))
    off = (
        base.transform_filter("datum.off !== ''")
        .mark_text(yOffset=below, fontSize=12, dx=0)
        .encode(x=alt.X("shown:Q", scale=scale), text="off:N", color=colour)
    )
    lines = base.mark_rule(strokeWidth=3, yOffset=below).encode(
        x=alt.X("from:Q", scale=scale), x2="to:Q", color=colour, opacity=faint
    )
    return [
        *([lines] if marks["from"].notna().any() else []),
        base.mark_point(filled=True, size=85, yOffset=below).encode(
            x=x, shape=shape, color=colour, opacity=faint, tooltip=tooltip
        ),
        *([off] if (marks["off"] != "").any() else []),
    ]


def _heads(heads: pd.DataFrame, y: alt.Y, height: int, *, narrow: bool) -> list[alt.Chart]:
    """Return names, facts and chips: beside the interval, or above it."""
    up = HEAD - height / 2 if narrow else -LINE
    chip_up = HEAD - height / 2 if narrow else 0
    base = alt.Chart(values(heads)).encode(y=y)
    middle: dict[str, Any] = {"baseline": "middle", "aria": False, "fill": THEMED}
    return [
        base.mark_text(align="left", fontSize=13.5, fontWeight="bold", yOffset=up, **middle).encode(
            x=alt.value(8), text="name:N"
        ),
        base.mark_text(
            align="left", fontSize=11.5, opacity=0.75, yOffset=up + (HEAD if narrow else 2 * LINE), **middle
        ).encode(x=alt.value(8), text="facts:N"),
        base.mark_rect(
            width={"expr": "datum.chip_width"},
            height=21,
            xOffset={"expr": "-datum.chip_width / 2"},
            yOffset=chip_up,
            cornerRadius=10,
            strokeWidth=1.4,
            aria=False,
            tooltip=None,
        ).encode(
            x=alt.value("width"),
            fill=alt.Fill("colour:N", scale=None, legend=None),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
            fillOpacity=alt.condition("datum.filled", alt.value(1), alt.value(0.0)),
        ),
        base.mark_text(
            fontSize=11.5,
            fontWeight="bold",
            yOffset=chip_up,
            xOffset={"expr": "-datum.chip_width / 2"},
            **middle,
        ).encode(
            x=alt.value("width"),
            text="chip:N",
            fill=alt.condition("datum.filled", alt.value("#FFFFFF"), alt.value(THEMED)),
        ),
    ]


def _doubts(listed: Sequence[Mapping[str, Any]], y: alt.Y, up: float) -> list[alt.Chart]:
    """Return a small mark for each doubt, left of the chip; it says what it is when pointed at."""
    marks = [
        {
            "judge": str(row["judge"]),
            "doubt": sentence,
            "left": SMALL_LETTER * 1.06 * len(conclusions.conclusion_words(row)) + 34 + DOUBT * place,
        }
        for row in listed
        for place, sentence in enumerate(board_words.doubts(row).values())
    ]
    if not marks:
        return []
    base = alt.Chart(alt.InlineData(values=marks)).encode(y=y, x=alt.value("width"))
    offset: dict[str, Any] = {"yOffset": up, "xOffset": {"expr": "-datum.left"}}
    mark = base.mark_point(shape=TRIANGLE, filled=True, size=110, color="#D97706", opacity=1, **offset)
    return [mark.encode(tooltip=tooltips(judge="judge", doubt="doubt"))]
