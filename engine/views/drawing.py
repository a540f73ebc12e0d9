"""Figures of views: the chart of a measure, or of rows of their own, and how many judges it shows."""

from collections.abc import Mapping
from typing import Any

from engine.charts.chart_rows import ChartRows
from engine.charts.chart_spec import spec_of
from engine.charts.forest import NO_VALUE
from engine.charts.measure_charts import chart_rows
from engine.measures.result import Result
from engine.slices import NULL
from engine.views.shown import Figure

MARKS = (
    "Lines are 95% intervals; a mark without one has too few cases for it. "
    "Hollow marks rest on fewer than 30 cases."
)
"""What the marks of most charts mean."""

MOST_ROWS, MOST_PANELS = 40, 12
"""Most judges drawn one under another, and most with a panel each."""

Drawable = Result | ChartRows
"""A measure's result, drawn by the chart of its name (`engine.charts.measure_charts`), or another chart."""


def judgments_behind(mark: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys of the judgments behind a mark of a judge, a generator and, if any, a slice."""
    value = mark.get("slice") or ""
    values = (NULL if value == NO_VALUE else str(value),) if value else ()
    return {"judge": (str(mark["judge"]),), "generator": (str(mark["generator"]),), "value": values}


def figure_of(what: Drawable, caption: str, marks: str = MARKS) -> Figure | None:
    """Draw all rows; None where there are none."""
    chart = _chart_of(what)
    return None if chart is None else Figure(spec_of(chart.draw(chart.frame)), caption, marks)


def figure_of_judges(
    what: Drawable, caption: str, marks: str = MARKS, most: int = MOST_PANELS
) -> Figure | None:
    """Draw the first `most` judges; None where there are none."""
    chart = _chart_of(what)
    if chart is None:
        return None
    frame = chart.frame
    judges = list(dict.fromkeys(frame["judge"]))
    rows = frame[frame["judge"].isin(judges[:most])].reset_index(drop=True)
    return Figure(spec_of(chart.draw(rows)), caption, marks, min(len(judges), most), len(judges))


def figure_of_panels(what: Drawable, caption: str, marks: str = MARKS) -> Figure | None:
    """Draw the numbers of the first rows side by side, a panel for each kind; None where none is defined."""
    chart = _chart_of(what)
    if chart is None:
        return None
    every = chart.frame
    frame = every[every["label_order"] < MOST_ROWS].reset_index(drop=True)
    if not len(frame):
        return None
    spec = spec_of(chart.draw(frame))
    return Figure(spec, caption, marks, frame["label"].nunique(), every["label"].nunique())


def _chart_of(what: Drawable) -> ChartRows | None:
    """Return the chart; None where it has no rows."""
    if isinstance(what, Result):
        if not what.rows:
            return None
        what = chart_rows(what)
    return what if len(what.frame) else None
