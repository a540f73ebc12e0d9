"""Accuracy: how often each judge is right, on criteria and on pairs of answers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

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
    kinds = [kind for kind in KINDS if result.has_values(kind)]
    fields = ("judge", *(name for kind in kinds or KINDS for name in (kind, f"{kind}_total")))
    return shown_of(study, result, keys.slice_, fields, sentences=accuracy_sentences(result.rows))


ACCURACY = View(
    "accuracy",
    "How often is a judge right?",
    "How often does each judge agree with the reference?",
    AccuracyKeys,
    answer,
    needs_verdicts,
)
