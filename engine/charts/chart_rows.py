"""A chart in two steps: its rows, and their drawing. A page draws the first rows only, a command all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from engine.charts.lazy_altair import alt


@dataclass(frozen=True)
class ChartRows:
    """The rows of a chart, and what draws them, or some of them."""

    frame: pd.DataFrame
    draw: Callable[[pd.DataFrame], alt.TopLevelMixin]
