"""Accuracy: how often each judge is right, on criteria and on pairs of answers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.measures.result import Result
from engine.views.keys import Filters, filters, needs_verdicts
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.accuracy import accuracy_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

KINDS = ("mra", "mipa")
"""The accuracy on criteria and on pairs."""


@dataclass(frozen=True)
class AccuracyKeys:
    """The slice."""

    slice_: Annotated[Filters, filters()]


def answer(study: "MeasuredStudy", keys: AccuracyKeys) -> Shown:
    """Show how often each judge agrees with the reference: on rubrics, pairs, or both, as the study has."""
    result = measure(study, "accuracy", keys.slice_)
    return shown_of(study, result, keys.slice_, fields_of(result), sentences=accuracy_sentences(result.rows))


def fields_of(result: Result) -> tuple[str, ...]:
    """Return the fields shown: each accuracy that the study has, with the number that it is of."""
    kinds = [kind for kind in KINDS if result.has_values(kind)]
    return ("judge", *(name for kind in kinds or KINDS for name in (kind, f"{kind}_total")))


ACCURACY = View(
    "accuracy",
    "How often is a judge right?",
    "How often does each judge agree with the reference?",
    AccuracyKeys,
    answer,
    needs_verdicts,
)
