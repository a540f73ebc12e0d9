"""Names beside crowded marks: each is placed where it hides least."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.phrases import shortened

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
    frame: pd.DataFrame, plot: Plot, corners: Iterable[tuple[str, float, float]] = ()
) -> pd.DataFrame:
    """Return the frame with `shown` (the name), `name_x` and `name_y` (its middle) and `apart`.

    The frame has `judge`, `x`, `y` and their intervals `x_low`, `x_high`, `low` and `high`. Each name is
    placed around its mark where it covers least: other names and the texts that start at `corners` weigh
    most, then marks, then intervals. `apart` says that the name is so far off that a line should connect it
    to its mark.
    """
    boxes: list[Box] = []
    for corner, x, y in corners:
        across, down = plot.pixels(x, y)
        boxes.append((across, across + (len(corner) + 2) * CHARACTER, down, down + 1.6 * LINE))
    centres = [plot.pixels(x, y) for x, y in zip(frame["x"], frame["y"], strict=True)]
    marks = [(across - MARK, across + MARK, down - MARK, down + MARK) for across, down in centres]
    lines = _lines(frame, plot)
    rows = []
    for text, (across, down) in zip(frame["judge"], centres, strict=True):
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
