"""Figures of views: a frame of a chart's rows, drawn, with how many judges it shows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from engine.charts import panels
from engine.charts.chart_spec import spec_of
from engine.charts.forest import NO_VALUE
from engine.charts.lazy_altair import alt
from engine.charts.panels import Panel
from engine.slices import NULL
from engine.views.shown import Figure

MARKS = (
    "Lines are 95% intervals; a mark without one has too few cases for it. "
    "Hollow marks rest on fewer than 30 cases."
)
"""What the marks of most charts mean."""

MOST_ROWS, MOST_PANELS = 40, 12
"""Most judges drawn one under another, and most with a panel each."""

Draw = Callable[[pd.DataFrame], "alt.TopLevelMixin"]


def judgments_behind(mark: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys of the judgments behind a mark of a judge, a generator and, if any, a slice."""
    value = mark.get("slice") or ""
    values = (NULL if value == NO_VALUE else str(value),) if value else ()
    return {"judge": (str(mark["judge"]),), "generator": (str(mark["generator"]),), "value": values}


def figure_of(frame: pd.DataFrame, draw: Draw, caption: str, marks: str = MARKS) -> Figure | None:
    """Draw all of a frame; None where it is empty."""
    return Figure(spec_of(draw(frame)), caption, marks) if len(frame) else None


def figure_of_judges(
    frame: pd.DataFrame, draw: Draw, caption: str, marks: str = MARKS, most: int = MOST_PANELS
) -> Figure | None:
    """Draw the first `most` judges of a frame; None where it is empty."""
    judges = list(dict.fromkeys(frame["judge"]))
    rows = frame[frame["judge"].isin(judges[:most])].reset_index(drop=True)
    if not len(rows):
        return None
    return Figure(spec_of(draw(rows)), caption, marks, min(len(judges), most), len(judges))


def figure_of_panels(
    rows: Sequence[Mapping[str, Any]],
    parts: Sequence[Panel],
    caption: str,
    marks: str = MARKS,
    label: str = "judge",
) -> Figure | None:
    """Draw the numbers of the first rows side by side, a panel for each kind; None where none is defined."""
    every = panels.panel_rows(rows, parts, label)
    frame = every[every["label_order"] < MOST_ROWS].reset_index(drop=True)
    if not len(frame):
        return None
    spec = spec_of(panels.panels(frame, parts))
    return Figure(spec, caption, marks, frame["label"].nunique(), every["label"].nunique())
