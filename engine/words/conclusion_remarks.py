"""What to know of a study before the conclusions on its judges, or other results, are read."""

from typing import TYPE_CHECKING

from engine.words.against_truth import inverted_verdicts
from engine.words.based_on import runs_together
from engine.words.labelled_cases import beyond_the_reference, selected_labels
from engine.words.reference_ranking import without_reference_row
from engine.words.unknown_relatives import unknown_relatives
from engine.words.without_effect import without_effect

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.wording import Sentence


def remarks_on_conclusions(study: "MeasuredStudy", result: "Result") -> "list[Sentence]":
    """Return what to know of a result: that verdicts are probably read inverted, and `remarks_on_result`."""
    return [*inverted_verdicts(study, result), *remarks_on_result(study, result)]


def remarks_on_result(study: "MeasuredStudy", result: "Result") -> "list[Sentence]":
    """Return what to know of any result.

    Which runs or repeats are taken together, what changes nothing, unknown relatives, that a ranking lacks
    the reference's, and which verdicts people labelled.
    """
    return [
        *runs_together(study, result),
        *without_effect(result),
        *unknown_relatives(study, result),
        *without_reference_row(study, result),
        *selected_labels(study, result),
        *beyond_the_reference(study, result),
    ]
