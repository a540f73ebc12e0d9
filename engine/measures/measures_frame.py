"""The measures themselves as a frame."""

from functools import partial
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.measures.catalogue import PRESENT
from engine.measures.methods import method_name

if TYPE_CHECKING:
    import pandas as pd

    from engine.measures.entry import Measure
    from engine.measures.measured_study import MeasuredStudy


def frame_of_measures(study: "MeasuredStudy", *, full: bool = False) -> "pd.DataFrame":
    """Return a row for each measure; `applies` is whether it has rows for the study by its defaults."""
    import pandas as pd

    rows = [
        {
            "measure": measure.name,
            "method": method_name(measure),
            "title": measure.title,
            "question": measure.question,
            "headline": measure.headline,
            "chart": measure.has_chart,
            "applies": study.remember(("applies", measure.name), partial(_has_rows, study, measure)),
            "formula": measure.formula,
            "paper": measure.paper,
            "left_out": measure.left_out,
        }
        for measure in PRESENT.values()
    ]
    frame = pd.DataFrame(rows)
    return frame if full else frame.drop(columns=["formula", "paper", "left_out"])


def _has_rows(study: "MeasuredStudy", measure: "Measure") -> bool:
    try:
        return bool(study.result(measure, resamples=0).rows)
    except UsageError:  # it needs to be given more, such as one of several references
        return False
