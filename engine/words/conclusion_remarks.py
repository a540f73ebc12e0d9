"""What to know of a study before the conclusions on its judges are read."""

from typing import TYPE_CHECKING

from engine.words.against_truth import inverted_verdicts
from engine.words.based_on import runs_together

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.wording import Sentence


def remarks_on_conclusions(study: "MeasuredStudy", result: "Result") -> "list[Sentence]":
    """Return that verdicts are probably read inverted, and which runs or repeats are taken together."""
    return [*inverted_verdicts(study, result), *runs_together(study, result)]
