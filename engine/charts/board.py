"""The board of judges, and the card of one: conclusion, deciding number, and doubts."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import style
from engine.measures.rows import FEW
from engine.values import shortened
from engine.words import conclusions, given_expected

# ------------------------------------------------------------------------------
# The board of judges: a row for each, with its conclusion, what it gave and what was expected, and doubts.


PICK = "judge_row"  # the name of the selection that a click on a row sets; its field is `judge`
_SHADED_JUDGE = "opened"  # the name of the parameter that holds the judge whose row is shaded

COLOURS = {
    "favours_itself": "#B4460A",
    "overrates_itself": "#A0622F",
    "no_material_preference": "#5F7F6A",
    "not_shown": "#6F7479",
    "too_few_cases": "#6F7479",
    "underrates_itself": "#3F78A8",
    "disfavours_itself": "#1F6AA5",
}
"""The colour of each conclusion: orange for itself, blue against, grey if nothing is shown."""

ROW, TALL = 44, 73
"""Height in pixels of a judge's row, and of a narrow board's, where the interval is below the text."""

HEAD = 18  # pixels from the top of a tall row to the middle of its name, and from there to its facts
TEXT_SHARE = 0.62  # the share of a tall row's height that name and facts take
LINE = 9  # pixels of name and facts above and below the middle of a row
WIDEST = 330  # maximal width in pixels of names and facts beside the intervals
LETTER, FACT, SMALL_LETTER = 8.0, 5.6, 6.0
"""Approximate pixels of a character of a name, of a fact, and on a chip."""

DOUBT = 17  # width in pixels of the mark of a doubt
PAGE_COLOUR = "currentColor"  # the colour of text: that of the surrounding page
ITSELF, FAMILY = "own answers", "its family's answers"
THICK, THIN = 11, 6
"""Height in pixels of a judge's bar, and of its family's below it."""

COLUMNS = [
    *("judge", "series", "given", "expected", "low", "high", "words", "n", "conclusion", "colour", "small"),
]


def board_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge's own answers and, where it has them, for its family's, by excess.

    Columns: `judge`, `series`, `given` and `expected` (cases of 100), `low` and `high` (the ends of the
    expected ones, NaN without an interval), `words`, `n` (own cases), `conclusion` and its `colour`, `small`
    (n below 30).
    """
    records: list[tuple[Any, ...]] = []
    for row in conclusions.by_excess(rows):
        n = int(row["n_own"] or 0)
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


def _colour(row: Mapping[str, Any]) -> str:
    return COLOURS.get(row["conclusion"], COLOURS["not_shown"])


def board(rows: Sequence[Mapping[str, Any]], *, narrow: bool = False) -> alt.TopLevelMixin:
    """Draw the rows of `scorecard`: name, numbers, bar, caveats and chip of each judge, by excess.

    A bar leads from what was expected of 100 own cases, with its interval, to what the judge gave; a lighter
    one below it does so for its family. All bars share one axis, and a click on a row chooses its judge.
    Names and numbers are left of the axis and conclusions right of it; if `narrow`, both are above it.
    `shade_row` marks a judge's row in the written chart.
    """
    sorted_rows = conclusions.by_excess(rows)
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
        layers += [style.ends(low, high, scale)]
        layers += _bars(marks, y, scale, height / 2 - 16 if narrow else 0, (low, high))
    layers += _heads(heads, y, height, narrow=narrow)
    layers += _doubts(sorted_rows, y, 2 * HEAD - height / 2 if narrow else 0, beside_chip=not narrow)
    return alt.layer(*layers, height=alt.Step(height), width=640)


def axis_title(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what the axis counts, such as `passed, of 100 criteria that its own answers failed`."""
    row = next((row for row in rows if given_expected.has_numbers(row)), {})
    return given_expected.cases_of(row).axis


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


def _head(row: Mapping[str, Any], *, narrow: bool) -> dict[str, Any]:
    name, words = str(row["judge"]), conclusions.conclusion_words(row)
    n = f"n {row['n_own']:,}" if row["n_own"] is not None else ""
    facts = " · ".join(filter(None, (given_expected.briefly(row) or "no number", n)))
    return {
        "judge": name,
        "name": shortened(name, 24) if narrow else name,
        "facts": facts,
        "doubts": len(conclusions.doubts(row)),
        "chip": words,
        "chip_width": SMALL_LETTER * 1.06 * len(words) + 18,
        "colour": _colour(row),
        "filled": row["conclusion"] in conclusions.STANDING,
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
        alt.Chart(style.values(heads))
        .mark_rect(color=style.NEUTRAL, cursor="pointer", stroke=None)
        .encode(
            y=y,
            **style.fixed(x=0, x2="width"),
            opacity=alt.OpacityValue(1),
            fillOpacity=alt.FillOpacityValue(
                0.0, condition={"test": f"datum.judge === {_SHADED_JUDGE}", "value": 0.14}
            ),
            tooltip=style.tooltips(judge="judge", meaning="result"),
        )
        .add_params(pick, shaded)
    )
    lines = alt.Chart(style.values(heads)).mark_rule(color=style.NEUTRAL, opacity=0.25, aria=False)
    below = alt.Y("judge:N", sort=None, axis=None, bandPosition=1)
    return [rows, lines.encode(y=below, **style.fixed(x=0, x2="width"))]


def _bars(
    marks: pd.DataFrame, y: alt.Y, scale: alt.Scale, below: float, axis_ends: tuple[float, float]
) -> list[alt.Chart]:
    """Return the bars from expected to given, `below` pixels under the middle, with the expected interval.

    An arrow with its value shows where a number lies beyond the axis.
    """
    axis = alt.Axis(orient="top", grid=True, gridOpacity=0.35, domain=False, ticks=False, tickCount=5)
    x = alt.X("given_shown:Q", scale=scale, axis=axis, title=None)
    expected = alt.X("expected_shown:Q", scale=scale, axis=axis, title=None)
    tooltip = style.tooltips(judge="judge", series="of", words="of 100 cases", n="own cases")
    own, family = marks[marks["series"] == ITSELF], marks[marks["series"] == FAMILY]
    fill = alt.Fill("colour:N", scale=None, legend=None)
    layers = []
    for part, high, down, opacity in ((family, THIN, THICK, 0.4), (own, THICK, 0, 0.75)):
        if part.empty:
            continue
        look: dict[str, Any] = {"yOffset": below + down, "opacity": opacity}
        base = alt.Chart(style.values(part)).encode(y=y)
        bar = base.mark_bar(height=high, **look)
        colour = fill if part is own else alt.FillValue(style.FAMILY)
        layers.append(bar.encode(x=expected, x2=alt.X2("given_shown:Q"), fill=colour, tooltip=tooltip))
        if part is family:
            end = base.mark_point(shape=style.SQUARE, filled=True, size=38, yOffset=below + down, opacity=1)
            layers.append(end.encode(x=x, fill=colour, tooltip=tooltip))
    base = alt.Chart(style.values(own)).encode(y=y)
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
                yOffset=below, fontSize=11, align=align, baseline="bottom", aria=False, fill=PAGE_COLOUR
            )
            layers.append(beyond.encode(x=alt.XDatum(end, scale=scale), text=alt.Text(f"{side}:N")))
    return layers


def _heads(heads: pd.DataFrame, y: alt.Y, height: int, *, narrow: bool) -> list[alt.Chart]:
    """Return names, facts and chips: beside the interval or, if narrow, above it."""
    up = HEAD - height / 2 if narrow else -LINE
    facts_up = up + (HEAD if narrow else 2 * LINE)
    base = alt.Chart(style.values(heads)).encode(y=y)
    left: dict[str, Any] = {"align": "left", "baseline": "middle", "aria": False, "fill": PAGE_COLOUR}
    name = base.mark_text(fontSize=13.5, fontWeight="bold", yOffset=up, **left)
    facts = base.mark_text(fontSize=11.5, opacity=0.75, yOffset=facts_up, **left)
    chip_up = HEAD - height / 2 if narrow else 0
    in_chip: dict[str, Any] = {"yOffset": chip_up, "xOffset": {"expr": "-datum.chip_width / 2"}}
    chip = base.encode(**style.fixed(x="width")).mark_rect(
        width={"expr": "datum.chip_width"},
        height=21,
        cornerRadius=10,
        strokeWidth=1.4,
        aria=False,
        tooltip=None,
        **in_chip,
    )
    words = base.encode(**style.fixed(x="width"), text=alt.Text("chip:N")).mark_text(
        fontSize=11.5, fontWeight="bold", baseline="middle", aria=False, fill=PAGE_COLOUR, **in_chip
    )
    return [
        name.encode(**style.fixed(x=8), text=alt.Text("name:N")),
        facts.encode(**style.fixed(x=8), text=alt.Text("facts:N")),
        chip.encode(
            fill=alt.Fill("colour:N", scale=None, legend=None),
            stroke=alt.Stroke("colour:N", scale=None, legend=None),
            fillOpacity=alt.FillOpacityValue(0.0, condition={"test": "datum.filled", "value": 1}),
        ),
        words.encode(fill=alt.FillValue(PAGE_COLOUR, condition={"test": "datum.filled", "value": "#FFFFFF"})),
    ]


def _doubts(rows: Sequence[Mapping[str, Any]], y: alt.Y, up: float, *, beside_chip: bool) -> list[alt.Chart]:
    """Return a small mark for each doubt, left of the chip or below it; its tooltip has the sentence."""
    marks = [
        {
            "judge": str(row["judge"]),
            "doubt": sentence,
            "left": 34 + chip + DOUBT * place if beside_chip else DOUBT * (place + 0.5),
        }
        for row in rows
        for chip in (SMALL_LETTER * 1.06 * len(conclusions.conclusion_words(row)),)
        for place, sentence in enumerate(conclusions.doubts(row).values())
    ]
    if not marks:
        return []
    base = alt.Chart(alt.InlineData(values=marks)).encode(y=y, **style.fixed(x="width"))
    offset: dict[str, Any] = {"yOffset": up, "xOffset": {"expr": "-datum.left"}}
    mark = base.mark_point(shape=style.TRIANGLE, filled=True, size=110, color="#D97706", opacity=1, **offset)
    return [mark.encode(tooltip=style.tooltips(judge="judge", doubt="doubt"))]


# ------------------------------------------------------------------------------
# A judge's card: one picture with its conclusion, its numbers on one axis, and doubts.


WIDTH = 720
LABELS = 250  # pixels for the names of rows, left of their axis
NUMBERS = 130  # pixels for the numbers as text, right of the axis
CARD_LINE = 19  # pixels of a line of text
LONGEST_NAME = 34  # most characters of a judge's name; longer ones are cut
PLACE = {"x": alt.X("x:Q", scale=None, axis=None), "y": alt.Y("y:Q", scale=None, axis=None)}
"""The position of text in pixels."""


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
    wide, filled = 8.0 * len(words) + 26, code in conclusions.STANDING
    box = alt.Chart(alt.InlineData(values=[{"x": WIDTH - wide / 2, "y": 16}])).mark_rect(
        width=wide,
        height=28,
        cornerRadius=14,
        fill=COLOURS[code],
        fillOpacity=1.0 if filled else 0.0,
        stroke=COLOURS[code],
        strokeWidth=1.6,
    )
    layers = [box.encode(**PLACE)]
    in_chip: dict[str, Any] = {
        "align": "center",
        "fontSize": 13.5,
        "fill": "#FFFFFF" if filled else style.INK,
    }
    large: dict[str, Any] = {"align": "left", "fontSize": 22, "fill": style.INK}
    for text, x, look in ((name, 0, large), (words, WIDTH - wide / 2, in_chip)):
        base = alt.Chart(alt.InlineData(values=[{"text": text, "x": x, "y": 16}]))
        mark = base.mark_text(baseline="middle", fontWeight="bold", **look)
        layers.append(mark.encode(**PLACE, text=alt.Text("text:N")))
    body = _text(lines, top=50, size=13.5)
    return alt.layer(*layers, body, width=WIDTH, height=50 + CARD_LINE * len(lines))


def _text(lines: Sequence[str], *, top: float, size: float, opacity: float = 1.0) -> alt.Chart:
    rows = [{"text": line, "x": 0, "y": top + CARD_LINE * place} for place, line in enumerate(lines)]
    marks = alt.Chart(alt.InlineData(values=rows)).mark_text(
        align="left", baseline="middle", fontSize=size, fill=style.INK, opacity=opacity
    )
    chart: alt.Chart = marks.encode(**PLACE, text=alt.Text("text:N"))
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
    base = alt.Chart(style.values(frame)).encode(y=y, color=tint)
    lines = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title=title or None, scale=scale), x2=alt.X2("high:Q")
    )
    text = base.mark_text(align="left", fontSize=12.5, baseline="middle", fill=style.INK)
    layers = [
        style.ends(low, high, scale),
        *([lines] if frame[["low", "high"]].notna().all(axis=1).any() else []),
        base.mark_point(filled=True, size=95, opacity=1).encode(x=x),
        text.encode(**style.fixed(x=0), text=alt.Text("label:N")),
        text.encode(**style.fixed(x=WIDTH - NUMBERS + 12), text=alt.Text("words:N")),
    ]
    return alt.layer(*layers, width=WIDTH, height=28 * len(frame))
