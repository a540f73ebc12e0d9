"""The board of judges, and the card of one: conclusion, deciding number, and doubts."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import style
from engine.charts.style import Look
from engine.measures.rows import FEW
from engine.words import conclusions

# ------------------------------------------------------------------------------
# The board of judges: a row for each, with its conclusion, deciding number, and doubts.


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
DECIDES, MATCHED, OF_FAMILY = "deciding number", "on matched rubrics", "its family's responses"
SERIES = {
    DECIDES: Look(style.SELF, style.CIRCLE),
    MATCHED: Look(style.OTHER, style.DIAMOND),
    OF_FAMILY: Look(style.FAMILY, style.SQUARE),
}
"""The numbers of a judge and how each looks."""

COLUMNS = ["judge", "series", "value", "low", "high", "words", "n", "conclusion", "small"]


def board_rows(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each judge and number from the rows of `scorecard`, sorted by conclusion.

    Columns: `judge`, `series` (the deciding number; also the matched ratio and the family's odds if on the
    same scale), `value`, `low`, `high` (NaN if there is none), `words`, `n` (own cases), `conclusion` (in
    words), `small` (n below 30).
    """
    records: list[tuple[Any, ...]] = []
    for row in conclusions.by_conclusion(rows):
        n = int(row["n_own"] or 0)
        facts = (n, conclusions.conclusion_words(row), n < FEW)
        numbers = [(DECIDES, (row["estimate"], row["low"], row["high"]))]
        if row["decided_by"] is not None and conclusions.is_ratio(row["decided_by"]):
            numbers.append((MATCHED, (row.get("hspp_matched"), None, None)))
            numbers.append((OF_FAMILY, (row.get("odds_family"), None, None)))
        for series, (value, low, high) in numbers:
            if series != DECIDES and (value is None or value == row["estimate"]):
                continue
            estimate = tuple(np.nan if each is None else float(each) for each in (value, low, high))
            text = conclusions.value(row) if series == DECIDES else f"{value:.2f}"
            records.append((row["judge"], series, *estimate, text, *facts))
    return pd.DataFrame.from_records(records, columns=COLUMNS)


def board(rows: Sequence[Mapping[str, Any]], *, narrow: bool = False) -> alt.TopLevelMixin:
    """Draw the rows of `scorecard`: name, facts, interval, doubts and chip of each judge.

    All intervals share one axis, and a click on a row chooses its judge. Names and facts are left of the
    axis and conclusions right of it; if `narrow`, both are above it. `shade_row` marks a judge's row in the
    written chart.
    """
    sorted_rows = conclusions.by_conclusion(rows)
    number = next((str(row["decided_by"]) for row in sorted_rows if row["estimate"] is not None), "odds_self")
    names = [str(row["judge"]) for row in sorted_rows]
    height = TALL if narrow else ROW
    y = alt.Y("judge:N", sort=None, scale=alt.Scale(domain=names, padding=0), axis=None)
    heads = pd.DataFrame([_head(row, narrow=narrow) for row in sorted_rows])
    kind: dict[str, Any] = {"type": "log"} if conclusions.is_ratio(number) else {}
    if not narrow:  # the axis is right of names and facts, and left of conclusions and doubts
        left = max(LETTER * heads["name"].str.len().max(), FACT * heads["facts"].str.len().max()) + 24
        right = float((heads["chip_width"] + DOUBT * heads["doubts"]).max()) + 26
        left_end = alt.ExprRef(f"min({min(left, WIDEST):.0f}, 0.45 * width)")
        kind["range"] = [left_end, alt.ExprRef(f"width - {right:.0f}")]
    scale = alt.Scale(nice=False, **kind)
    layers = _rows_of(heads, y)
    marks, low, high = _on_axis(board_rows(rows), number)
    if marks["shown"].notna().any():
        layers += [style.ends(low, high, scale), _null_line(heads, scale, number, narrow=narrow)]
        layers += _intervals(marks, y, scale, number, height / 2 - 14 if narrow else 0, (low, high))
    layers += _heads(heads, y, height, narrow=narrow)
    layers += _doubts(sorted_rows, y, HEAD - height / 2 if narrow else 0)
    return alt.layer(*layers, height=alt.Step(height), width=640)


def _null_line(heads: pd.DataFrame, scale: alt.Scale, number: str, *, narrow: bool) -> alt.Chart:
    """Return the line of no preference; in narrow rows only below their text."""
    null = conclusions.null_of(number)
    if not narrow:
        return style.reference_line(null, "x")
    line = alt.Chart(style.values(heads)).mark_rule(color=style.NEUTRAL, strokeDash=[4, 3], aria=False)
    top = alt.Y("judge:N", sort=None, axis=None, bandPosition=TEXT_SHARE)
    chart: alt.Chart = line.encode(x=alt.XDatum(null, scale=scale), y=top, y2=alt.Y2("judge", bandPosition=1))
    return chart


def _on_axis(frame: pd.DataFrame, number: str) -> tuple[pd.DataFrame, float, float]:
    """Return the numbers clipped to the axis, and its ends."""
    axis = style.ratio_ends if conclusions.is_ratio(number) else style.difference_ends
    low, high = axis(frame, ("value", "low", "high"))
    data = frame.copy()
    for name, column in (("from", "low"), ("to", "high")):
        data[name] = data[column].clip(low, high)
    data["shown"] = data["value"].clip(low, high)
    below, above = data[["value", "low"]].min(axis=1) < low, data[["value", "high"]].max(axis=1) > high
    data["under"], data["over"] = np.where(below, "◀", ""), np.where(above, "▶", "")
    return data, low, high


def _head(row: Mapping[str, Any], *, narrow: bool) -> dict[str, Any]:
    name, words = str(row["judge"]), conclusions.conclusion_words(row)
    n = f"n {row['n_own']:,}" if row["n_own"] is not None else ""
    number = "no number" if row["estimate"] is None else conclusions.named_value(row)
    beside = conclusions.why_inconclusive(row) or conclusions.agreement(row)
    facts = " · ".join(filter(None, (number, beside, n)))
    return {
        "judge": name,
        "name": name if len(name) <= 24 or not narrow else f"{name[:23]}…",
        "facts": facts,
        "doubts": len(conclusions.doubts(row)),
        "chip": words,
        "chip_width": SMALL_LETTER * 1.06 * len(words) + 18,
        "colour": COLOURS.get(row["conclusion"], COLOURS["not_shown"]),
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


def _intervals(
    marks: pd.DataFrame, y: alt.Y, scale: alt.Scale, number: str, below: float, axis_ends: tuple[float, float]
) -> list[alt.Chart]:
    """Return intervals and marks, `below` pixels under the middle: the deciding number in full colour.

    Arrows show where a mark or an interval continues beyond the axis.
    """
    labels = style.IN_POINTS if number == "vote_outside" else style.SIGNED
    ticks: dict[str, Any] = {"labelExpr": labels, "tickCount": 5}
    if conclusions.is_ratio(number):
        ticks = {"format": "~g", "values": style.ratio_ticks_of("x")}
    axis = alt.Axis(orient="top", grid=True, gridOpacity=0.35, domain=False, ticks=False, **ticks)
    x = alt.X("shown:Q", scale=scale, axis=axis, title=None)
    looks = {name: look for name, look in SERIES.items() if name in set(marks["series"])}
    legend = alt.Legend(orient="top", labelLimit=300) if len(looks) > 1 else None
    colour, shape = (channel.legend(legend) for channel in style.looks("series", looks))
    tooltip = style.tooltips(judge="judge", series="shown", words="value [95% interval]", n="n")
    base = alt.Chart(style.values(marks)).encode(y=y)
    opacity = alt.OpacityValue(0.5, condition={"test": f"datum.series === '{DECIDES}'", "value": 1})
    arrows = [
        base.transform_filter(f"datum.{side} !== ''")
        .mark_text(yOffset=below, fontSize=12, baseline="middle", aria=False)
        .encode(x=alt.XDatum(end, scale=scale), text=alt.Text(f"{side}:N"), color=colour)
        for side, end in zip(("under", "over"), axis_ends, strict=True)
        if (marks[side] != "").any()
    ]
    lines = base.mark_rule(strokeWidth=3, yOffset=below).encode(
        x=alt.X("from:Q", scale=scale), x2=alt.X2("to:Q"), color=colour, opacity=opacity
    )
    return [
        *([lines] if marks["from"].notna().any() else []),
        base.mark_point(filled=True, size=85, yOffset=below).encode(
            x=x, shape=shape, color=colour, opacity=opacity, tooltip=tooltip
        ),
        *arrows,
    ]


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


def _doubts(rows: Sequence[Mapping[str, Any]], y: alt.Y, up: float) -> list[alt.Chart]:
    """Return a small mark for each doubt, left of the chip; its tooltip has the sentence."""
    marks = [
        {
            "judge": str(row["judge"]),
            "doubt": sentence,
            "left": SMALL_LETTER * 1.06 * len(conclusions.conclusion_words(row)) + 34 + DOUBT * place,
        }
        for row in rows
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
    *,
    ratio: bool,
) -> alt.TopLevelMixin:
    """Draw a card.

    `chip` is the conclusion's code and its words; `ratio` says whether the numbers are ratios, for which 1
    means no preference.
    """
    title = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
    small_lines = _lines(foot, 102)
    footer = _text(small_lines, top=8, size=11.5, opacity=0.75)
    parts: list[Any] = [
        _card_head(title, chip, _lines(sentences, 88)),
        *([_numbers(numbers, ratio=ratio)] if numbers else []),
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


def _numbers(numbers: Numbers, *, ratio: bool) -> alt.TopLevelMixin:
    """Return the numbers with their intervals on one axis, the first in full colour."""
    frame = pd.DataFrame(numbers, columns=["label", "value", "low", "high", "words"])
    frame[["low", "high"]] = frame[["low", "high"]].astype(float)
    if ratio:
        low, high = style.ratio_ends(frame, ("value", "low", "high"))
    else:
        most = float(np.nanmax(np.abs(frame[["value", "low", "high"]].to_numpy(dtype=float)))) * 1.08 or 0.01
        low, high = -most, most
    for column in ("value", "low", "high"):
        frame[column] = frame[column].clip(low, high)
    scale = alt.Scale(type="log" if ratio else "linear", nice=False, range=[LABELS, WIDTH - NUMBERS])
    order, colours = list(frame["label"]), [style.SELF, *[style.NEUTRAL] * (len(frame) - 1)]
    y = alt.Y("label:N", sort=order, axis=None)
    ticks: dict[str, Any] = {"values": style.ratio_ticks_of("x"), "format": "~g"} if ratio else {}
    axis = alt.Axis(gridOpacity=0.35, ticks=False, domain=False, labelColor=style.INK, **ticks)
    x = alt.X("value:Q", title=None, scale=scale, axis=axis)
    tint = alt.Color("label:N", scale=alt.Scale(domain=order, range=colours), legend=None)
    base = alt.Chart(style.values(frame)).encode(y=y, color=tint)
    lines = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title=None, scale=scale), x2=alt.X2("high:Q")
    )
    text = base.mark_text(align="left", fontSize=12.5, baseline="middle", fill=style.INK)
    layers = [
        style.ends(low, high, scale),
        style.reference_line(1 if ratio else 0, "x"),
        *([lines] if frame[["low", "high"]].notna().all(axis=1).any() else []),
        base.mark_point(filled=True, size=95, opacity=1).encode(x=x),
        text.encode(**style.fixed(x=0), text=alt.Text("label:N")),
        text.encode(**style.fixed(x=WIDTH - NUMBERS + 12), text=alt.Text("words:N")),
    ]
    return alt.layer(*layers, width=WIDTH, height=28 * len(frame))
