"""What to know of a study before the conclusions on its judges are read."""

from typing import TYPE_CHECKING

from engine.words.against_truth import inverted_verdicts
from engine.words.based_on import runs_together
from engine.words.without_effect import without_effect

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.wording import Sentence


def remarks_on_conclusions(study: "MeasuredStudy", result: "Result") -> "list[Sentence]":
    """Return what to know of a result: that verdicts are probably read inverted, and the like.

    Which runs or repeats are taken together, and which filters and options change nothing.
    """
    return [*inverted_verdicts(study, result), *runs_together(study, result), *without_effect(result)]
