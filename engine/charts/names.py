"""Names beside marks where many stand close together: each is put where it hides least."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

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
    marks, lines = _marks(frame, plot), _lines(frame, plot)
    made = []
    for text, x, y in zip(frame[label], frame["x"], frame["y"], strict=True):
        shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        across, down = plot.pixels(x, y)
        places = list(_places(across, down, len(shown) * CHARACTER))
        costs = [_cost(box, taken, marks, lines, plot) + 2 * step for step, box in enumerate(places)]
        best = places[int(np.argmin(costs))]
        taken.append(best)
        middle = (best[0] + best[1]) / 2, (best[2] + best[3]) / 2
        made.append((shown, *plot.point(*middle), bool(abs(middle[1] - down) > NEAR)))
    columns = ["shown", "name_x", "name_y", "apart"]
    return frame.join(pd.DataFrame(made, columns=columns, index=frame.index))


def _text(name: str, across: float, down: float) -> Box:
    return across, across + (len(name) + 2) * CHARACTER, down, down + 1.6 * LINE


def _places(across: float, down: float, wide: float) -> Iterator[Box]:
    """Yield boxes for a name around its mark, the nearest and the right first."""
    for away in (12.0, 22.0, 36.0, 50.0, 64.0):
        for up in (-1, 1):
            middle = down + up * away
            for left in (across + MARK, across - MARK - wide, across - wide / 2):
                yield left, left + wide, middle - LINE / 2, middle + LINE / 2


def _marks(frame: pd.DataFrame, plot: Plot) -> list[Box]:
    at = (plot.pixels(x, y) for x, y in zip(frame["x"], frame["y"], strict=True))
    return [(across - MARK, across + MARK, down - MARK, down + MARK) for across, down in at]


def _lines(frame: pd.DataFrame, plot: Plot) -> list[Box]:
    """Return the intervals as thin boxes."""
    made = []
    for row in frame.to_dict("records"):
        ends = (
            (row["x_low"], row["y"], row["x_high"], row["y"]),
            (row["x"], row["high"], row["x"], row["low"]),
        )
        for x, y, x2, y2 in ends:
            if not np.isnan([x, y, x2, y2]).any():
                (left, up), (right, low) = plot.pixels(x, y), plot.pixels(x2, y2)
                made.append((left - 1, right + 1, up - 1, low + 1))
    return made


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
