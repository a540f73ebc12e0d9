"""The look shared by all charts: palette, marks, and placement of labels."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.measures.entry import FieldKind
from engine.values import shortened
from engine.words import FORM_OF, with_interval

# ------------------------------------------------------------------------------
# One visual language: the same colour and shape for the same thing in every chart.


SELF = "#D55E00"
FAMILY = "#009E73"
OTHER = "#2E86C1"
NEUTRAL = "#7F7F7F"

COLOURS = {"self": SELF, "family": FAMILY, "other": OTHER}
"""The colour of each relation between a judge and a generator."""

CIRCLE, DIAMOND, SQUARE, TRIANGLE = "circle", "diamond", "square", "triangle-up"

SEQUENTIAL = ("#F7FBFF", "#C6DBEF", "#6BAED6", "#2171B5", "#08306B")
"""Rates from the lowest shown to the highest."""

DIVERGING = ("#2166AC", "#9ECAE1", "#F7F7F7", "#FDBE85", "#B35806")
"""Points below and above 0; blue and orange stay distinct in all common colour blindness."""

CELL = "#FFFFFF"  # text on dark cells; cells look the same on light and dark pages
INK = "#101418"  # text on light cells


@dataclass(frozen=True)
class Look:
    """A colour with a shape, so that either alone tells things apart."""

    colour: str
    shape: str


PARADIGMS = {
    "single_rubric": Look("#8E6BBF", CIRCLE),
    "all_rubrics": Look("#B07D12", SQUARE),
    "direct_assessment": Look("#C2588C", TRIANGLE),
    "pairwise": Look("#5F8391", DIAMOND),
}
"""The paradigms; none has the colour of a relation."""

LEVELS = {"rubric": Look("#8E6BBF", CIRCLE), "instance": Look("#5F8391", DIAMOND)}
ACCURACIES = {"rubric": "mra", "instance": "mipa"}  # the field of a judge's accuracy at each level
MEMBER = Look(SELF, CIRCLE)  # a judge's own number
COMMITTEE = Look(NEUTRAL, DIAMOND)  # that of the committee in its place

ARCHETYPES = {
    "Incompetent Randomizer": Look(NEUTRAL, SQUARE),
    "Objective": Look("#5F8391", CIRCLE),
    "Machiavellian": Look("#B07D12", TRIANGLE),
    "Blindly Biased": Look("#8E6BBF", DIAMOND),
}

SERIES = (
    Look("#8E6BBF", CIRCLE),
    Look("#B07D12", SQUARE),
    Look("#5F8391", DIAMOND),
    Look("#C2588C", TRIANGLE),
)
"""Looks of series without their own, in order; they repeat after four."""


# ------------------------------------------------------------------------------
# Shared parts: numbers in words, intervals as lines, few cases as hollow marks, axes of ratios.


Layered = alt.LayerChart | alt.FacetChart  # what `altair.layer` returns
Form = Literal["ratio", "share", "difference", "points"]
"""How a chart writes a number: a `difference` is one of two shares of 1, written in points of 100."""

OF_KIND: dict[FieldKind, Form] = {"share": "share", "difference": "difference", "points": "points"}
"""The form of each kind of field; all others are written like ratios."""

PLAIN = "format(datum.value, '~g')"
"""The label of a tick of any number. As an axis' own format, `~g` would write 10 as 1e+1."""

SIGNED = "datum.value === 0 ? '0' : format(datum.value, '+~g')"
"""The label of a tick of signed numbers."""

IN_POINTS = "datum.value === 0 ? '0' : format(100 * datum.value, '+~g')"
"""The label of a tick of differences, in points of 100."""

_TICKS: dict[Form, dict[str, Any]] = {
    "ratio": {"labelExpr": PLAIN},
    "share": {"format": ".0%"},
    "difference": {"labelExpr": IN_POINTS},
    "points": {"labelExpr": SIGNED},
}
LOWEST, HIGHEST = 0.2, 8.0  # the limits of any axis of ratios; values beyond are shown at its edge
ENDS = (LOWEST, 0.25, 0.33, 0.5, 0.67, 0.8, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, HIGHEST)
"""Where an axis of ratios may end. With few choices a chart keeps its axis while its numbers change a little,
so that slices can be compared by eye and a browser moves the marks instead of redrawing."""

TICKS = (0.2, 0.25, 0.33, 0.5, 0.7, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
CROWDED = (0.25, 0.33, 0.7, 1.25, 3.0, 6.0)
LONG_AXIS = 6  # `CROWDED` ticks are left out if the axis' high end is more than this many times the low one
LONGEST_AXIS_LABEL = 170  # pixels after which a name on an axis is cut; the tooltip has it in full


def number(row: Mapping[str, Any], field: str) -> tuple[float, float, float]:
    """Return a row's value with the ends of its interval, NaN for null."""
    ends = (row.get(name) for name in (field, f"{field}_low", f"{field}_high"))
    value, low, high = (np.nan if end is None else float(end) for end in ends)
    return value, low, high


def words(numbers: tuple[float, float, float], form: Form) -> str:
    """Return `1.08 [1.03, 1.14]`, the value alone without an interval, a dash if it is undefined."""
    return with_interval(*numbers, form=FORM_OF.get(form, "ratio"))


def ticks_of(form: Form) -> dict[str, Any]:
    """Return how the labels of an axis or legend of such numbers are written, as its arguments."""
    return dict(_TICKS[form])


def with_unit(title: str, form: Form) -> str:
    """Return the title of an axis of such numbers: that of differences names its unit."""
    return f"{title}, points" if form == "difference" else title


def tooltips(**titles: str) -> list[alt.Tooltip]:
    """Return tooltips: columns with their titles, as counts (`n` and `n_...`) or texts."""
    return [
        alt.Tooltip(f"{name}:Q", title=title, format=",")
        if name.partition("_")[0] == "n"
        else alt.Tooltip(f"{name}:N", title=title)
        for name, title in titles.items()
    ]


def names_axis(**settings: Any) -> alt.Axis:
    """Return an axis of names: long ones are cut, and nothing else is drawn unless `settings` say so."""
    plain: dict[str, Any] = {"ticks": False, "domain": False, "grid": False}
    return alt.Axis(labelLimit=LONGEST_AXIS_LABEL, **plain | settings)


Record = dict[str, Any]
"""A row of a chart's data."""


def values(frame: pd.DataFrame) -> alt.InlineData:
    """Return a frame's rows as inline data of a specification, ten times as fast as Altair's conversion."""
    return alt.InlineData(values=records(frame))


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, NaN as None."""
    columns = [[None if each != each else each for each in column.tolist()] for _, column in frame.items()]
    return [dict(zip(frame.columns, row, strict=True)) for row in zip(*columns, strict=True)]


_FIXED: dict[str, Any] = {"x": alt.XValue, "x2": alt.X2Value, "y": alt.YValue}


def fixed(**pixels: float | str) -> dict[str, Any]:
    """Return the channels `x`, `x2` and `y` at a place, as objects.

    Altair takes ten milliseconds to find the class of each channel that is given as a text or `alt.value`.
    """
    return {channel: _FIXED[channel](place) for channel, place in pixels.items()}


def interval(base: alt.Chart, **channels: Any) -> alt.Chart:
    chart: alt.Chart = base.mark_rule(strokeWidth=2).encode(**channels)
    return chart


def points(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Draw numbers in the style of all charts: hollow if the frame's `small` is true."""
    mark = base.mark_point(filled=True, size=60, opacity=1, strokeWidth=1.6, strokeOpacity=1)
    small = alt.FieldEqualPredicate(field="small", equal=True)
    fill = alt.FillOpacityValue(1, condition={"test": small, "value": 0})
    chart: alt.Chart = mark.encode(stroke=channels["color"], fillOpacity=fill, **channels)
    return chart


PICK = "mark"  # the name of the selection that a click on a mark sets
PALE = 0.35  # opacity of all other marks while one is chosen


def selection(fields: Sequence[str]) -> alt.Parameter:
    """Return the selection of one mark by the values of these fields; `fade_others` turns the others pale."""
    return alt.selection_point(name=PICK, fields=list(fields), toggle=False)


def fade_others(marks: alt.Chart) -> alt.Chart:
    """Return marks that turn pale while another one is chosen."""
    picked = {"param": PICK, "empty": True, "value": 1}
    chart: alt.Chart = marks.encode(opacity=alt.OpacityValue(PALE, condition=picked))
    return chart


def by_judge(chart: Layered, frame: pd.DataFrame, columns: int, **header: Any) -> alt.FacetChart:
    """Return a panel of the chart for each judge of the frame; `header` styles the panels' titles."""
    judges = list(dict.fromkeys(frame["judge"]))
    facet = alt.Facet("judge:N", title=None, sort=judges, header=alt.Header(**header))
    return chart.facet(facet, columns=columns)


def reference_line(value: float, axis: Literal["x", "y"]) -> alt.Chart:
    """Draw the line of no preference."""
    channel = alt.XDatum(value) if axis == "x" else alt.YDatum(value)
    rule: alt.Chart = alt.Chart().mark_rule(color=NEUTRAL, strokeDash=[4, 3]).encode(channel)
    return rule


def ends(low: float, high: float, scale: alt.Scale) -> alt.Chart:
    """Draw nothing, but make the x axis reach from `low` to `high`.

    With its ends in the data, not in the specification, the chart stays the same in every slice: see
    `engine.charts.export.spec_of`.
    """
    data = alt.InlineData(values=[{"end": low}, {"end": high}])
    chart: alt.Chart = alt.Chart(data).mark_point(opacity=0, aria=False).encode(x=alt.X("end:Q", scale=scale))
    return chart


def looks(field: str, values: Mapping[str, Look], *, legend: bool = True) -> tuple[alt.Color, alt.Shape]:
    """Return colour and shape of a field whose values are the keys of `values`."""
    shared_legend = alt.Legend(orient="top", labelLimit=300, symbolOpacity=1) if legend else None
    colours = alt.Scale(domain=list(values), range=[look.colour for look in values.values()])
    shapes = alt.Scale(domain=list(values), range=[look.shape for look in values.values()])
    return (
        alt.Color(f"{field}:N", title=None, scale=colours, legend=shared_legend),
        alt.Shape(f"{field}:N", title=None, scale=shapes, legend=shared_legend),
    )


def gradient(
    field: str, title: str, low: float, high: float, colours: Sequence[str], **legend: Any
) -> alt.Color:
    """Return the colour of a numeric field from `low` to `high`, with its bar above the chart."""
    steps = list(np.linspace(low, high, len(colours)))
    return alt.Color(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=steps, range=list(colours), interpolate="lab"),
        legend=alt.Legend(orient="top", direction="horizontal", gradientLength=200, **legend),
    )


def in_cells(base: alt.Chart, **look: Any) -> alt.Chart:
    """Write the frame's `label` into cells, in the colour given by its `ink`."""
    text = base.mark_text(**{"fontSize": 11, "aria": False} | look)
    chart: alt.Chart = text.encode(text=alt.Text("label:N"), fill=alt.Fill("ink:N", scale=None))
    return chart


def ratio_ends(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[float, float]:
    """Return the ends of an axis that covers 1 and the ratios in these columns."""
    numbers = frame[list(columns)].to_numpy(dtype=float)
    positive = numbers[np.isfinite(numbers) & (numbers > 0)]
    low, high = positive.min(initial=1.0) / 1.02, positive.max(initial=1.0) * 1.02  # room for half a mark
    below = [end for end in ENDS if end < 1 and end <= low]
    above = [end for end in ENDS if end > 1 and end >= high]
    return max(below, default=LOWEST), min(above, default=HIGHEST)


def ratio_axis(
    frame: pd.DataFrame, columns: Sequence[str] = ("value", "low", "high"), **settings: Any
) -> tuple[pd.DataFrame, alt.Scale, alt.Axis]:
    """Return the frame with these columns clipped to their axis of ratios, its scale, and its ticks."""
    low, high = ratio_ends(frame, columns)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=ratio_ticks(low, high), format="~g", gridOpacity=0.4, **settings)
    return frame.assign(**{name: frame[name].clip(low, high) for name in columns}), scale, axis


def within(frame: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Return the frame with `shown`, `from` and `to`: value and interval clipped to an axis `low` to `high`.

    A value beyond the axis has no `shown`. It, and a value whose interval goes on beyond the axis, has an
    `arrow`, to be drawn at its `edge`.
    """
    value, start, end = (frame[name].to_numpy(dtype=float) for name in ("value", "low", "high"))
    left, right = value < low, value > high
    goes_on_right = ~left & (end > high)
    goes_on_left = ~right & ~goes_on_right & (start < low)
    arrow = np.select([left | goes_on_left, right | goes_on_right], ["◀", "▶"], "")
    edge = np.select([arrow == "◀", arrow == "▶"], [low, high], value)
    shown = np.where(left | right, np.nan, value)
    start, end = (np.clip(numbers, low, high) for numbers in (start, end))
    return frame.assign(edge=edge, **{"from": start}, to=end, arrow=arrow, shown=shown)


def difference_ends(frame: pd.DataFrame, columns: Sequence[str], most: float = np.inf) -> tuple[float, float]:
    """Return the ends of an axis around 0 that covers the differences in these columns, up to `most`.

    Intervals may reach further than is possible: no difference of shares is larger than 1.
    """
    numbers = np.abs(frame[list(columns)].to_numpy(dtype=float))
    end = min(float(numbers[np.isfinite(numbers)].max(initial=0.01)) * 1.08, most)
    return -end, end


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return the ticks between the ends of an axis of ratios."""
    inside = [tick for tick in TICKS if low <= tick <= high]
    return [tick for tick in inside if high / low <= LONG_AXIS or tick not in CROWDED]


def ratio_ticks_of(scale: str) -> alt.ExprRef:
    """Return `ratio_ticks` as an expression of a scale's ends; Vega drops ticks beyond them."""
    few = [tick for tick in TICKS if tick not in CROWDED]
    return alt.ExprRef(f"domain('{scale}')[1] / domain('{scale}')[0] <= {LONG_AXIS} ? {list(TICKS)} : {few}")


# ------------------------------------------------------------------------------
# Names beside crowded marks: each is placed where it hides least.


FONT = 11
CHARACTER, LINE = 6.2, 13.0  # approximate pixels of a character and of a line of the font
LONGEST = 24  # characters after which a name is cut; the mark's tooltip has it in full
MARK = 6.0  # half a mark's size in pixels, with a margin
NEAR = 26.0
"""Vertical distance in pixels from a mark to the middle of its name beyond which a line connects them."""

Box = tuple[float, float, float, float]  # left, right, top and bottom in pixels


@dataclass(frozen=True)
class Plot:
    """The plane of the marks: the ends of its axes, and its size in pixels."""

    left: float
    right: float
    bottom: float
    top: float
    width: float
    height: float

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Return the position of a point in pixels from the upper left."""
        across = (x - self.left) / (self.right - self.left) * self.width
        return across, (self.top - y) / (self.top - self.bottom) * self.height

    def point(self, across: float, down: float) -> tuple[float, float]:
        """Return the point at these pixels."""
        x = self.left + across / self.width * (self.right - self.left)
        return x, self.top - down / self.height * (self.top - self.bottom)


def place_names(
    frame: pd.DataFrame, plot: Plot, *, label: str, corners: Iterable[tuple[str, float, float]] = ()
) -> pd.DataFrame:
    """Return the frame with `shown` (the name), `name_x` and `name_y` (its middle) and `apart`.

    The frame has `x`, `y` and their intervals `x_low`, `x_high`, `low` and `high`. Each name is placed around
    its mark where it covers least: other names and the texts that start at `corners` weigh most, then marks,
    then intervals. `apart` says that the name is so far off that a line should connect it to its mark.
    """
    boxes: list[Box] = []
    for corner, x, y in corners:
        across, down = plot.pixels(x, y)
        boxes.append((across, across + (len(corner) + 2) * CHARACTER, down, down + 1.6 * LINE))
    centres = [plot.pixels(x, y) for x, y in zip(frame["x"], frame["y"], strict=True)]
    marks = [(across - MARK, across + MARK, down - MARK, down + MARK) for across, down in centres]
    lines = _lines(frame, plot)
    rows = []
    for text, (across, down) in zip(frame[label], centres, strict=True):
        name = shortened(text, LONGEST)
        places = list(_places(across, down, len(name) * CHARACTER))
        costs = [_cost(box, boxes, marks, lines, plot) + 2 * step for step, box in enumerate(places)]
        best = places[int(np.argmin(costs))]
        boxes.append(best)
        middle = (best[0] + best[1]) / 2, (best[2] + best[3]) / 2
        rows.append((name, *plot.point(*middle), bool(abs(middle[1] - down) > NEAR)))
    names = pd.DataFrame(rows, columns=["shown", "name_x", "name_y", "apart"], index=frame.index)
    return frame.join(names)


def _places(across: float, down: float, wide: float) -> Iterator[Box]:
    """Yield boxes for a name around its mark, the nearest first, right before left."""
    for away in (12.0, 22.0, 36.0, 50.0, 64.0):
        for up in (-1, 1):
            middle = down + up * away
            for left in (across + MARK, across - MARK - wide, across - wide / 2):
                yield left, left + wide, middle - LINE / 2, middle + LINE / 2


def _lines(frame: pd.DataFrame, plot: Plot) -> list[Box]:
    """Return the intervals as thin boxes."""
    lines = []
    for row in frame.to_dict("records"):
        for names in (("x_low", "y", "x_high", "y"), ("x", "high", "x", "low")):
            x, y, x2, y2 = (row[name] for name in names)
            if not np.isnan([x, y, x2, y2]).any():
                (left, up), (right, low) = plot.pixels(x, y), plot.pixels(x2, y2)
                lines.append((left - 1, right + 1, up - 1, low + 1))
    return lines


def _cost(box: Box, names: list[Box], marks: list[Box], lines: list[Box], plot: Plot) -> float:
    """Return how much a name in this box would hide; leaving the plot costs most."""
    outside = box[0] < 0 or box[1] > plot.width or box[2] < 0 or box[3] > plot.height
    costs = ((names, 10.0), (marks, 4.0), (lines, 0.5))
    return 1e6 * outside + sum(cost * _overlap(box, other) for others, cost in costs for other in others)


def _overlap(first: Box, second: Box) -> float:
    """Return the area in pixels that two boxes share."""
    wide = min(first[1], second[1]) - max(first[0], second[0])
    tall = min(first[3], second[3]) - max(first[2], second[2])
    return wide * tall if wide > 0 and tall > 0 else 0.0
