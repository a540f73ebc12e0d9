"""Every measure for each judge: for or against self-preference."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.charts import heatmap
from engine.views.drawing import figure_of_judges
from engine.views.keys import Filters, filters
from engine.views.matrix import MOST, limited
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View

if TYPE_CHECKING:
    from engine.study import Study

FIELDS = ("judge", "measure", "value", "low", "high", "rank", "agree", "n", "needs")
CAPTION = "Judges in rows, measures in columns; colours show for or against self-preference."
MARKS = (
    "Orange: self-preference; blue: the opposite; grey: neither. Pale: the 95% interval includes no "
    "preference, or is missing. Hover for the interval and n."
)


@dataclass(frozen=True)
class Keys:
    """The slice."""

    slice_: Annotated[Filters, filters()]


def answer(study: "Study", keys: Keys) -> Shown:
    """Show every measure for each judge, each with its default options."""
    options = limited(study, keys.slice_, "judges")
    result = measure(study, "together", options)
    frame = heatmap.direction_rows(result.rows)
    figure = figure_of_judges(frame, heatmap.direction_grid, CAPTION, MARKS, MOST)
    return shown_of(study, result, options, FIELDS, figure=figure)


TOGETHER = View(
    "together",
    "All measures",
    "What does every measure say of each judge?",
    Keys,
    answer,
)
