"""The measures themselves as a frame."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from engine.measures.catalogue import PRESENT
from engine.measures.methods import method_name

if TYPE_CHECKING:
    import pandas as pd


def frame_of_measures(paradigms: Collection[str | None], *, full: bool = False) -> "pd.DataFrame":
    """Return a row for each measure; `paradigms` are those of the study's judgments."""
    import pandas as pd

    rows = [
        {
            "measure": measure.name,
            "method": method_name(measure),
            "title": measure.title,
            "question": measure.question,
            "headline": measure.headline,
            "chart": measure.has_chart,
            "applies": measure.reads_any_of(paradigms),
            "formula": measure.formula,
            "paper": measure.paper,
            "left_out": measure.left_out,
        }
        for measure in PRESENT.values()
    ]
    frame = pd.DataFrame(rows)
    return frame if full else frame.drop(columns=["formula", "paper", "left_out"])
