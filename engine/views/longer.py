"""Longer answers: how often each judge prefers the longer of two answers to one question."""

from typing import TYPE_CHECKING

from engine.measures.causes.length import PARADIGMS
from engine.views.drawing import figure_of_panels
from engine.views.keys import NoKeys, needs_paradigm
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.longer import WHAT_IT_SAYS, length_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = ("judge", "longer", "n", "longer_of_others", "n_others")
CAPTION = (
    "How often each judge prefers the longer of two answers, over all pairs and without its own answers."
)


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show how often each judge prefers the longer answer."""
    result = measure(study, "length", {})
    figure = figure_of_panels(result, CAPTION)
    sentences = length_sentences(result)
    return shown_of(study, result, {}, FIELDS, sentences=sentences, figure=figure, notes=(WHAT_IT_SAYS,))


LONGER = View(
    "longer",
    "Longer answers",
    "How often does a judge prefer the longer of two answers?",
    NoKeys,
    answer,
    needs_paradigm(*PARADIGMS),
)
