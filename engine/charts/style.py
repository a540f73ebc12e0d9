"""How every chart looks: palette, marks, and where labels are placed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

from engine.words import Form as Written
from engine.words import with_interval

# ------------------------------------------------------------------------------
# One visual language: who is who has the same colour and shape in every chart.


SELF = "#D55E00"
FAMILY = "#009E73"
OTHER = "#2E86C1"
NEUTRAL = "#7F7F7F"

COLOURS = {"self": SELF, "family": FAMILY, "other": OTHER}
"""The colour of each relation between a judge and a generator."""

CIRCLE = "circle"
DIAMOND = "diamond"
SQUARE = "square"
TRIANGLE = "triangle-up"

SEQUENTIAL = ("#F7FBFF", "#C6DBEF", "#6BAED6", "#2171B5", "#08306B")
"""Rates from the lowest shown to the highest."""

DIVERGING = ("#2166AC", "#9ECAE1", "#F7F7F7", "#FDBE85", "#B35806")
"""Points below and above nothing; blue and orange stay apart with any common colour blindness."""

CELL = "#FFFFFF"
INK = "#101418"
"""Writing on dark cells, and on light ones; cells look the same on a white and on a dark page."""


@dataclass(frozen=True)
class Look:
    """A colour with a shape, so that neither has to be seen to tell things apart."""

    colour: str
    shape: str


PARADIGMS = {
    "single_rubric": Look("#8E6BBF", CIRCLE),
    "all_rubrics": Look("#B07D12", SQUARE),
    "direct_assessment": Look("#C2588C", TRIANGLE),
    "pairwise": Look("#5F8391", DIAMOND),
}
"""The ways of judging; none has the colour of a relation."""

LEVELS = {"rubric": Look("#8E6BBF", CIRCLE), "instance": Look("#5F8391", DIAMOND)}
"""Rubrics, and comparisons of whole responses."""

ACCURACIES = {"rubric": "mra", "instance": "mipa"}
"""The field of a judge's accuracy at each level."""

MEMBER = Look(SELF, CIRCLE)
COMMITTEE = Look(NEUTRAL, DIAMOND)
"""A judge's own number, and that of the committee in its place."""

ARCHETYPES = {
    "Incompetent Randomizer": Look(NEUTRAL, SQUARE),
    "Objective": Look("#5F8391", CIRCLE),
    "Machiavellian": Look("#B07D12", TRIANGLE),
    "Blindly Biased": Look("#8E6BBF", DIAMOND),
}
"""What a judge is by its discriminability and its preference among equals."""

SERIES = (
    Look("#8E6BBF", CIRCLE),
    Look("#B07D12", SQUARE),
    Look("#5F8391", DIAMOND),
    Look("#C2588C", TRIANGLE),
)
"""Things without a colour of their own, in the order in which they come; more than four begin again."""


# ------------------------------------------------------------------------------
# What charts share: numbers in words, intervals as lines, few cases as hollow marks, axes of ratios.


Layered = alt.LayerChart | alt.FacetChart
"""What `altair.layer` returns."""

Form = Literal["ratio", "share", "points"]

_WRITTEN: dict[Form, Written] = {"ratio": "ratio", "share": "percent", "points": "signed"}
LOWEST, HIGHEST = 0.2, 8.0
"""No axis of ratios reaches further; what lies beyond stands at its edge."""

ENDS = (LOWEST, 0.25, 0.33, 0.5, 0.67, 0.8, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, HIGHEST)
"""Where an axis of ratios may end. A few choices only: a chart keeps its axis while its numbers change a
little, so that two slices are compared by eye and a browser moves the marks instead of drawing all anew."""

TICKS = (0.2, 0.25, 0.33, 0.5, 0.7, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
CROWDED = (0.25, 0.33, 0.7, 1.25, 3.0, 6.0)
LONG_AXIS = 6
"""Ticks left out where the highest end is more than so many times the lowest."""

LONGEST_AXIS_LABEL = 170
"""Pixels after which a name on an axis is cut; it stands whole in what hovering shows."""


def number(row: Mapping[str, Any], field: str) -> tuple[float, float, float]:
    """Return a row's value with the ends of its interval, NaN where they are null."""
    names = (field, f"{field}_low", f"{field}_high")
    value, low, high = (np.nan if row.get(name) is None else float(row[name]) for name in names)
    return value, low, high


def words(numbers: tuple[float, float, float], form: Form) -> str:
    """Return `1.08 [1.03, 1.14]`, the value alone without an interval, a dash where it is not defined."""
    return with_interval(*numbers, form=_WRITTEN[form])


def tooltips(**titles: str) -> list[alt.Tooltip]:
    """Return what hovering shows: columns of texts with their titles, and of counts: `n` and `n_...`."""
    return [
        alt.Tooltip(f"{name}:Q", title=title, format=",")
        if name.partition("_")[0] == "n"
        else alt.Tooltip(f"{name}:N", title=title)
        for name, title in titles.items()
    ]


def names_axis(**more: Any) -> alt.Axis:
    """Return an axis of names: long ones are cut, and nothing else is drawn unless it is asked for."""
    plain: dict[str, Any] = {"ticks": False, "domain": False, "grid": False}
    return alt.Axis(labelLimit=LONGEST_AXIS_LABEL, **plain | more)


def values(frame: pd.DataFrame) -> alt.InlineData:
    """Return a frame's rows as a specification holds them, NaN as null.

    It is for the charts that are drawn at every click: Altair's own way takes ten times as long.
    """
    columns = [
        [None if value != value else value for value in column.tolist()] for _, column in frame.items()
    ]
    names = list(frame.columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return alt.InlineData(values=rows)


def interval(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Draw intervals, as all charts do."""
    drawn: alt.Chart = base.mark_rule(strokeWidth=2).encode(**channels)
    return drawn


def points(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Draw numbers, as all charts do: hollow where the frame's `small` is true."""
    mark = base.mark_point(filled=True, size=60, opacity=1, strokeWidth=1.6, strokeOpacity=1)
    small = alt.FieldEqualPredicate(field="small", equal=True)
    fill = alt.FillOpacityValue(1, condition={"test": small, "value": 0})
    drawn: alt.Chart = mark.encode(stroke=channels["color"], fillOpacity=fill, **channels)
    return drawn


PICK = "mark"
"""The name of the selection that a click on a mark makes."""

PALE = 0.35
"""Opacity of the marks that were not chosen where one is."""


def picked(fields: Sequence[str]) -> alt.Parameter:
    """Return the selection of one mark by what these fields of it hold; the others turn pale by `faded`."""
    return alt.selection_point(name=PICK, fields=list(fields), toggle=False)


def faded(chart: alt.Chart) -> alt.Chart:
    """Return marks that turn pale while another one is chosen."""
    chosen = {"param": PICK, "empty": True, "value": 1}
    drawn: alt.Chart = chart.encode(opacity=alt.OpacityValue(PALE, condition=chosen))
    return drawn


def by_judge(layered: Layered, frame: pd.DataFrame, columns: int, **header: Any) -> alt.FacetChart:
    """Return a panel of the chart for each judge of the frame, `header` being what its name looks like."""
    judges = list(dict.fromkeys(frame["judge"]))
    facet = alt.Facet("judge:N", title=None, sort=judges, header=alt.Header(**header))
    return layered.facet(facet, columns=columns)


def reference_line(value: float, axis: Literal["x", "y"]) -> alt.Chart:
    """Draw the line of no preference."""
    channel = alt.XDatum(value) if axis == "x" else alt.YDatum(value)
    drawn: alt.Chart = alt.Chart().mark_rule(color=NEUTRAL, strokeDash=[4, 3]).encode(channel)
    return drawn


def ends(low: float, high: float, scale: alt.Scale) -> alt.Chart:
    """Draw nothing, and hold the x axis open from `low` to `high`.

    Ends that are data and no part of the specification leave the chart the same one in every slice: see
    `engine.charts.export.written`.
    """
    data = alt.InlineData(values=[{"end": low}, {"end": high}])
    drawn: alt.Chart = alt.Chart(data).mark_point(opacity=0, aria=False).encode(x=alt.X("end:Q", scale=scale))
    return drawn


def looks(field: str, used: Mapping[str, Look], *, legend: bool = True) -> tuple[alt.Color, alt.Shape]:
    """Return colour and shape of a frame's field, whose values are the keys of `used`."""
    legend_shown = alt.Legend(orient="top", labelLimit=300, symbolOpacity=1) if legend else None
    colours = alt.Scale(domain=list(used), range=[look.colour for look in used.values()])
    shapes = alt.Scale(domain=list(used), range=[look.shape for look in used.values()])
    return (
        alt.Color(f"{field}:N", title=None, scale=colours, legend=legend_shown),
        alt.Shape(f"{field}:N", title=None, scale=shapes, legend=legend_shown),
    )


def gradient(
    field: str, title: str, low: float, high: float, colours: Sequence[str], **legend: Any
) -> alt.Color:
    """Return the colour of a frame's numbers from `low` to `high`, with its bar above the chart."""
    steps = list(np.linspace(low, high, len(colours)))
    return alt.Color(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=steps, range=list(colours), interpolate="lab"),
        legend=alt.Legend(orient="top", direction="horizontal", gradientLength=200, **legend),
    )


def in_cells(base: alt.Chart, **channels: Any) -> alt.Chart:
    """Write the frame's `label` into cells, in the colour that its `ink` says."""
    text = base.mark_text(fontSize=11, aria=False)
    drawn: alt.Chart = text.encode(text=alt.Text("label:N"), fill=alt.Fill("ink:N", scale=None), **channels)
    return drawn


def ratio_ends(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[float, float]:
    """Return the ends of an axis that holds 1 and the ratios in these columns."""
    numbers = frame[list(columns)].to_numpy(dtype=float)
    positive = numbers[np.isfinite(numbers) & (numbers > 0)]
    low, high = positive.min(initial=1.0) / 1.02, positive.max(initial=1.0) * 1.02  # room for half a mark
    below = [end for end in ENDS if end < 1 and end <= low]
    above = [end for end in ENDS if end > 1 and end >= high]
    return max(below, default=LOWEST), min(above, default=HIGHEST)


def ratio_axis(
    frame: pd.DataFrame, columns: Sequence[str] = ("value", "low", "high"), **more: Any
) -> tuple[pd.DataFrame, alt.Scale, alt.Axis]:
    """Return the frame with the ratios of these columns as far as their axis reaches; its scale and ticks."""
    low, high = ratio_ends(frame, columns)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=ratio_ticks(low, high), format="~g", gridOpacity=0.4, **more)
    return frame.assign(**{name: frame[name].clip(low, high) for name in columns}), scale, axis


def within(frame: pd.DataFrame, low: float, high: float) -> pd.DataFrame:
    """Return the frame with what an axis from `low` to `high` holds of it: `shown`, `from` and `to`.

    A value beyond it has no `shown`, but an `arrow` to be put at its `edge`.
    """
    data = frame.copy()
    for name, column in (("edge", "value"), ("from", "low"), ("to", "high")):
        data[name] = frame[column].clip(low, high)
    data["arrow"] = np.select([frame["value"] < low, frame["value"] > high], ["◀", "▶"], "")
    data["shown"] = data["edge"].where(data["arrow"] == "")
    return data


def difference_ends(frame: pd.DataFrame, columns: Sequence[str], most: float = np.inf) -> tuple[float, float]:
    """Return the ends of an axis around 0 that holds the differences in these columns, `most` away from it.

    No difference of shares is larger than 1, whatever the ends of its interval.
    """
    numbers = np.abs(frame[list(columns)].to_numpy(dtype=float))
    end = min(float(numbers[np.isfinite(numbers)].max(initial=0.01)) * 1.08, most)
    return -end, end


def ratio_ticks(low: float, high: float) -> list[float]:
    """Return the ticks between the ends of an axis of ratios."""
    inside = [tick for tick in TICKS if low <= tick <= high]
    return [tick for tick in inside if high / low <= LONG_AXIS or tick not in CROWDED]


def ratio_ticks_of(scale: str) -> alt.ExprRef:
    """Return `ratio_ticks` of a scale's own ends, worked out by Vega, which leaves out what lies beyond."""
    few = [tick for tick in TICKS if tick not in CROWDED]
    return alt.ExprRef(f"domain('{scale}')[1] / domain('{scale}')[0] <= {LONG_AXIS} ? {list(TICKS)} : {few}")


# ------------------------------------------------------------------------------
# Names beside marks where many stand close together: each is put where it hides least.


FONT = 11
CHARACTER, LINE = 6.2, 13.0
"""Pixels of a character and of a line of the font, about."""

LONGEST = 24
"""Characters after which a name is cut; the mark's tooltip has it whole."""

MARK = 6.0
"""Half of a mark's size in pixels, with a little space."""

NEAR = 26.0
"""Pixels between a mark and the middle of its name's line, up or down, from which on a line leads there."""

Box = tuple[float, float, float, float]
"""Left, right, top and bottom in pixels."""


@dataclass(frozen=True)
class Plot:
    """The plane that marks stand on: the ends of its axes, and its size in pixels."""

    left: float
    right: float
    bottom: float
    top: float
    width: float
    height: float

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point stands, in pixels from the upper left."""
        across = (x - self.left) / (self.right - self.left) * self.width
        return across, (self.top - y) / (self.top - self.bottom) * self.height

    def point(self, across: float, down: float) -> tuple[float, float]:
        """Return the point that stands at these pixels."""
        x = self.left + across / self.width * (self.right - self.left)
        return x, self.top - down / self.height * (self.top - self.bottom)


def placed(
    frame: pd.DataFrame, plot: Plot, *, label: str, corners: Iterable[tuple[str, float, float]] = ()
) -> pd.DataFrame:
    """Return the frame with `shown` (the name), `name_x` and `name_y` (its middle) and `apart`.

    The frame has `x`, `y`, and with their intervals `x_low`, `x_high`, `low` and `high`. Every name goes to
    the place around its mark that covers least of the other names, of the texts that begin at `corners`, of
    marks and of intervals, in this order of weight. `apart`: it stands so far off that a line should lead
    to its mark.
    """
    taken = [_text(name, *plot.pixels(x, y)) for name, x, y in corners]
    at = [plot.pixels(x, y) for x, y in zip(frame["x"], frame["y"], strict=True)]
    marks = [(across - MARK, across + MARK, down - MARK, down + MARK) for across, down in at]
    lines = _lines(frame, plot)
    rows = []
    for text, (across, down) in zip(frame[label], at, strict=True):
        shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        places = list(_places(across, down, len(shown) * CHARACTER))
        costs = [_cost(box, taken, marks, lines, plot) + 2 * step for step, box in enumerate(places)]
        best = places[int(np.argmin(costs))]
        taken.append(best)
        middle = (best[0] + best[1]) / 2, (best[2] + best[3]) / 2
        rows.append((shown, *plot.point(*middle), bool(abs(middle[1] - down) > NEAR)))
    columns = ["shown", "name_x", "name_y", "apart"]
    return frame.join(pd.DataFrame(rows, columns=columns, index=frame.index))


def _text(name: str, across: float, down: float) -> Box:
    return across, across + (len(name) + 2) * CHARACTER, down, down + 1.6 * LINE


def _places(across: float, down: float, wide: float) -> Iterator[Box]:
    """Yield boxes for a name around its mark, the nearest and the right first."""
    for away in (12.0, 22.0, 36.0, 50.0, 64.0):
        for up in (-1, 1):
            middle = down + up * away
            for left in (across + MARK, across - MARK - wide, across - wide / 2):
                yield left, left + wide, middle - LINE / 2, middle + LINE / 2


def _lines(frame: pd.DataFrame, plot: Plot) -> list[Box]:
    """Return the intervals as thin boxes."""
    lines = []
    for row in frame.to_dict("records"):
        ends = (
            (row["x_low"], row["y"], row["x_high"], row["y"]),
            (row["x"], row["high"], row["x"], row["low"]),
        )
        for x, y, x2, y2 in ends:
            if not np.isnan([x, y, x2, y2]).any():
                (left, up), (right, low) = plot.pixels(x, y), plot.pixels(x2, y2)
                lines.append((left - 1, right + 1, up - 1, low + 1))
    return lines


def _cost(box: Box, taken: list[Box], marks: list[Box], lines: list[Box], plot: Plot) -> float:
    """Return how much a name in this box would hide; leaving the plot is worse than anything."""
    outside = box[0] < 0 or box[1] > plot.width or box[2] < 0 or box[3] > plot.height
    weights = ((taken, 10.0), (marks, 4.0), (lines, 0.5))
    return 1e6 * outside + sum(weight * _shared(box, other) for others, weight in weights for other in others)


def _shared(one: Box, two: Box) -> float:
    """Return the area in pixels that two boxes share."""
    wide = min(one[1], two[1]) - max(one[0], two[0])
    tall = min(one[3], two[3]) - max(one[2], two[2])
    return wide * tall if wide > 0 and tall > 0 else 0.0
