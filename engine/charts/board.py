"""The board of judges: a row for each, with its conclusion, what was given and expected, and doubts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from engine.charts import axes, chart_marks, style
from engine.charts.lazy_altair import alt
from engine.conclusions import CONCLUSIONS, NOT_SHOWN, is_firm
from engine.measures.rows import FEW
from engine.phrases import shortened
from engine.words import board_facts, caveats, conclusions, given_expected

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

PICK = "judge_row"  # the name of the selection that a click on a row sets; its field is `judge`
_SHADED_JUDGE = "opened"  # the name of the parameter that holds the judge whose row is shaded

COLOURS = {each.judge.code: style.CONCLUSIONS[each.kind, each.side] for each in CONCLUSIONS}
"""The colour of each conclusion."""

ROW, TALL = 44, 73
"""Height in pixels of a judge's row, and of a narrow board's, where the interval is below the text."""

HEAD = 18  # pixels from the top of a tall row to the middle of its name, and from there to its facts
LINE = 9  # pixels of name and facts above and below the middle of a row
WIDEST = 330  # maximal width in pixels of names and facts beside the intervals
LETTER, FACT, SMALL_LETTER = 8.0, 5.6, 6.0
"""Approximate pixels of a character of a name, of a fact, and on a chip."""

LONGEST, LONGEST_NARROW = int((WIDEST - 24) / LETTER), 24
"""Most characters of a name beside the intervals, and above them on a narrow board; a tooltip has all."""

DOUBT = 17  # width in pixels of the mark of a doubt
ITSELF, FAMILY = "own answers", "its family's answers"
THICK, THIN = 11, 6
"""Height in pixels of a judge's bar, and of its family's below it."""

COLUMNS = [
    *("judge", "series", "given", "expected", "low", "high", "words", "n", "conclusion", "colour", "small"),
]


def board_rows(rows: Sequence[ScorecardRow]) -> pd.DataFrame:
    """Return a row for each judge's own answers and, where it has them, for its family's, by excess.

    Columns: `judge`, `series`, `given` and `expected` (cases of 100), `low` and `high` (the ends of the
    expected ones, NaN without an interval), `words`, `n` (own cases), `conclusion` and its `colour`, `small`
    (n below 30).
    """
    records: list[tuple[Any, ...]] = []
    for row in board_facts.by_excess(rows):
        n = int(row[given_expected.cases_of(row).number] or 0)
        facts = (n, conclusions.conclusion_words(row), _colour(row), n < FEW)
        ends = row.get("own_expected_low"), row.get("own_expected_high")
        if given_expected.has_numbers(row):
            numbers = _of_100(row["own_given"], row["own_expected"], *ends)
            words = f"{given_expected.briefly(row)}{given_expected.interval_words(row)}"
            records.append((row["judge"], ITSELF, *numbers, words, *facts))
        given, expected = row.get("family_given"), row.get("family_expected")
        if given is not None and expected is not None:
            words = f"{100 * given:.0f} given, {100 * expected:.0f} expected"
            records.append((row["judge"], FAMILY, *_of_100(given, expected, None, None), words, *facts))
    return pd.DataFrame.from_records(records, columns=COLUMNS)


def _of_100(*numbers: float | None) -> tuple[float, ...]:
    return tuple(np.nan if number is None else 100 * float(number) for number in numbers)


def _colour(row: ScorecardRow) -> str:
    return COLOURS.get(str(row["conclusion"]), COLOURS[NOT_SHOWN])


def board(rows: Sequence[ScorecardRow], *, narrow: bool = False) -> alt.TopLevelMixin:
    """Draw the rows of `scorecard`: name, numbers, bar, caveats and chip of each judge, by excess.

    A bar leads from what was expected of 100 own cases, with its interval, to what the judge gave; a lighter
    one below it does so for its family. All bars share one axis, and a click on a row chooses its judge.
    Names and numbers are left of the axis and conclusions right of it; if `narrow`, both are above it.
    `shade_row` marks a judge's row in the written chart.
    """
    sorted_rows = board_facts.by_excess(rows)
    names = [str(row["judge"]) for row in sorted_rows]
    height = TALL if narrow else ROW
    y = alt.Y("judge:N", sort=None, scale=alt.Scale(domain=names, padding=0), axis=None)
    heads = pd.DataFrame([_head(row, narrow=narrow) for row in sorted_rows])
    kind: dict[str, Any] = {}
    if not narrow:  # the axis is right of names and facts, and left of conclusions and doubts
        left = max(LETTER * heads["name"].str.len().max(), FACT * heads["facts"].str.len().max()) + 24
        right = float((heads["chip_width"] + DOUBT * heads["doubts"]).max()) + 26
        left_end = alt.ExprRef(f"min({min(left, WIDEST):.0f}, 0.45 * width)")
        kind["range"] = [left_end, alt.ExprRef(f"width - {right:.0f}")]
    scale = alt.Scale(nice=False, zero=False, **kind)
    layers = _rows_of(heads, y)
    frame = board_rows(rows)
    if len(frame):
        marks, low, high = _on_axis(frame)
        layers += [axes.ends(low, high, scale)]
        layers += _bars(marks, y, scale, height / 2 - 16 if narrow else 0, (low, high))
    layers += _heads(heads, y, height, narrow=narrow)
    layers += _doubts(sorted_rows, y, 2 * HEAD - height / 2 if narrow else 0, beside_chip=not narrow)
    return alt.layer(*layers, height=alt.Step(height), width=640)


def _on_axis(frame: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Return the numbers clipped to the axis, and its ends: the tens around all numbers from 0 to 100."""
    numbers = frame[["given", "expected", "low", "high"]].to_numpy(dtype=float)
    low = max(10 * np.floor(np.nanmin(numbers) / 10), 0.0)
    high = min(10 * np.ceil(np.nanmax(numbers) / 10), 100.0)
    shown = frame[["given", "expected", "low", "high"]].clip(low, high)
    marks = frame.assign(**{f"{name}_shown": shown[name] for name in shown})
    least, most = np.nanmin(numbers, axis=1), np.nanmax(numbers, axis=1)
    marks["under"] = [f"◀ {value:.0f}" if value < low else "" for value in least]
    marks["over"] = [f"{value:.0f} ▶" if value > high else "" for value in most]
    return marks, float(low), float(high)


def _head(row: ScorecardRow, *, narrow: bool) -> dict[str, Any]:
    name, words = str(row["judge"]), conclusions.conclusion_words(row)
    number = row[given_expected.cases_of(row).number]
    n = f"n {number:,}" if number is not None else ""
    facts = " · ".join(filter(None, (given_expected.briefly(row) or "no number", n)))
    return {
        "judge": name,
        "name": shortened(name, LONGEST_NARROW if narrow else LONGEST),
        "facts": facts,
        "doubts": len(caveats.caveats_of(row)),
        "chip": words,
        "chip_width": SMALL_LETTER * 1.06 * len(words) + 18,
        "colour": _colour(row),
        "filled": is_firm(row["conclusion"]),
        "meaning": conclusions.conclusion_sentence(row),
    }


def shade_row(spec: dict[str, Any], judge: str | None) -> dict[str, Any]:
    """Return a written board with a judge's row shaded."""
    params = [each | {"value": judge} if each["name"] == _SHADED_JUDGE else each for each in spec["params"]]
    return spec | {"params": params}


def _rows_of(heads: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    """Return the background of the rows, which reacts to clicks, and the lines between them."""
    pick = alt.selection_point(name=PICK, fields=["judge"], toggle=False)
    shaded = alt.param(name=_SHADED_JUDGE, value=None)
    rows = (
        alt.Chart(chart_marks.values(heads))
        .mark_rect(color=style.NEUTRAL, cursor="pointer", stroke=None)
        .encode(
            y=y,
            **chart_marks.fixed(x=0, x2="width"),
            opacity=alt.OpacityValue(1),
            fillOpacity=alt.FillOpacityValue(
                0.0, condition={"test": f"datum.judge === {_SHADED_JUDGE}", "value": 0.14}
            ),
            tooltip=chart_marks.tooltips(judge="judge", meaning="result"),
        )
        .add_params(pick, shaded)
    )
    lines = alt.Chart(chart_marks.values(heads)).mark_rule(color=style.NEUTRAL, opacity=0.25, aria=False)
    below = alt.Y("judge:N", sort=None, axis=None, bandPosition=1)
    return [rows, lines.encode(y=below, **chart_marks.fixed(x=0, x2="width"))]


def _bars(
    marks: pd.DataFrame, y: alt.Y, scale: alt.Scale, below: float, axis_ends: tuple[float, float]
) -> list[alt.Chart]:
    """Return the bars from expected to given, `below` pixels under the middle, with the expected interval.

    An arrow with its value shows where a number lies beyond the axis.
    """
    axis = alt.Axis(
        orient="top", grid=True, gridOpacity=0.35, domain=False, ticks=False, tickCount=5, labelFlush=False
    )
    x = alt.X("given_shown:Q", scale=scale, axis=axis, title=None)
    expected = alt.X("expected_shown:Q", scale=scale, axis=axis, title=None)
    tooltip = chart_marks.tooltips(judge="judge", series="of", words="of 100 cases", n="own cases")
    own, family = marks[marks["series"] == ITSELF], marks[marks["series"] == FAMILY]
    fill = alt.Fill("colour:N", scale=None, legend=None)
    layers = []
    for part, high, down, opacity in ((family, THIN, THICK, 0.4), (own, THICK, 0, 0.75)):
        if part.empty:
            continue
        look: dict[str, Any] = {"yOffset": below + down, "opacity": opacity}
        base = alt.Chart(chart_marks.values(part)).encode(y=y)
        bar = base.mark_bar(height=high, **look)
        colour = fill if part is own else alt.FillValue(style.FAMILY)
        layers.append(bar.encode(x=expected, x2=alt.X2("given_shown:Q"), fill=colour, tooltip=tooltip))
        if part is family:
            end = base.mark_point(shape=style.SQUARE, filled=True, size=38, yOffset=below + down, opacity=1)
            layers.append(end.encode(x=x, fill=colour, tooltip=tooltip))
    base = alt.Chart(chart_marks.values(own)).encode(y=y)
    if own["low"].notna().any():
        line = base.mark_rule(strokeWidth=2, color=style.NEUTRAL, yOffset=below)
        layers.append(line.encode(x=alt.X("low_shown:Q", scale=scale), x2=alt.X2("high_shown:Q")))
    tick = base.mark_tick(thickness=2, size=THICK + 7, color=style.NEUTRAL, opacity=1, yOffset=below)
    dot = base.mark_point(filled=True, size=95, opacity=1, yOffset=below)
    layers += [tick.encode(x=expected), dot.encode(x=x, fill=fill, tooltip=tooltip)]
    sides: tuple[tuple[str, float, Literal["left", "right"]], ...] = (
        ("under", axis_ends[0], "left"),
        ("over", axis_ends[1], "right"),
    )
    for side, end, align in sides:
        if (own[side] != "").any():
            beyond = base.transform_filter(f"datum.{side} !== ''").mark_text(
                yOffset=below, fontSize=11, align=align, baseline="bottom", aria=False, fill=style.PAGE
            )
            layers.append(beyond.encode(x=alt.XDatum(end, scale=scale), text=alt.Text(f"{side}:N")))
    return layers


def _heads(heads: pd.DataFrame, y: alt.Y, height: int, *, narrow: bool) -> list[alt.Chart]:
    """Return names, facts and chips: beside the interval or, if narrow, above it."""
    up = HEAD - height / 2 if narrow else -LINE
    facts_up = up + (HEAD if narrow else 2 * LINE)
    base = alt.Chart(chart_marks.values(heads)).encode(y=y)
    left: dict[str, Any] = {"align": "left", "baseline": "middle", "aria": False, "fill": style.PAGE}
    name = base.mark_text(fontSize=13.5, fontWeight="bold", yOffset=up, **left)
    facts = base.mark_text(fontSize=11.5, opacity=0.75, yOffset=facts_up, **left)
    chip_up = HEAD - height / 2 if narrow else 0
    in_chip: dict[str, Any] = {"yOffset": chip_up, "xOffset": {"expr": "-datum.chip_width / 2"}}
    chip = base.encode(**chart_marks.fixed(x="width")).mark_rect(
        width={"expr": "datum.chip_width"},
        height=21,
        cornerRadius=10,
        strokeWidth=1.4,
        aria=False,
        tooltip=None,
        **in_chip,
    )
    words = base.encode(**chart_marks.fixed(x="width"), text=alt.Text("chip:N")).mark_text(
        fontSize=11.5, fontWeight="bold", baseline="middle", aria=False, fill=style.PAGE, **in_chip
    )
    return [
        name.encode(**chart_marks.fixed(x=8), text=alt.Text("name:N")),
        facts.encode(**chart_marks.fixed(x=8), text=alt.Text("facts:N")),
        chip.encode(
            fill=alt.Fill("colour:N", scale=None, legend=None),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
            fillOpacity=alt.FillOpacityValue(0.0, condition={"test": "datum.filled", "value": 1}),
        ),
        words.encode(fill=alt.FillValue(style.PAGE, condition={"test": "datum.filled", "value": style.CELL})),
    ]


def _doubts(rows: Sequence[ScorecardRow], y: alt.Y, up: float, *, beside_chip: bool) -> list[alt.Chart]:
    """Return a small mark for each doubt, left of the chip or below it; its tooltip has the sentence."""
    marks = [
        {
            "judge": str(row["judge"]),
            "doubt": sentence,
            "left": 34 + chip + DOUBT * place if beside_chip else DOUBT * (place + 0.5),
        }
        for row in rows
        for chip in (SMALL_LETTER * 1.06 * len(conclusions.conclusion_words(row)),)
        for place, sentence in enumerate(caveats.caveats_of(row).values())
    ]
    if not marks:
        return []
    base = alt.Chart(alt.InlineData(values=marks)).encode(y=y, **chart_marks.fixed(x="width"))
    offset: dict[str, Any] = {"yOffset": up, "xOffset": {"expr": "-datum.left"}}
    mark = base.mark_point(
        shape=style.TRIANGLE, filled=True, size=110, color=style.DOUBT, opacity=1, **offset
    )
    return [mark.encode(tooltip=chart_marks.tooltips(judge="judge", doubt="doubt"))]
