"""Agreement: the mean ratio on criteria on which judges agree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.views.drawing import figure_of
from engine.views.keys import Filters, filters, needs_rubrics
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words import agreement_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = ("level", "threshold", "hspp_self_mean", "judges", "rubrics_kept")
CAPTION = (
    "Mean ratio over judges on criteria on which at least such a share of the pairs of judges agree, and the "
    "share of criteria kept."
)
MARKS = "Bands are 95% intervals; a mark without one has too few cases for it."


@dataclass(frozen=True)
class AgreementKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("level", "min_agreement")]


def answer(study: "MeasuredStudy", keys: AgreementKeys) -> Shown:
    """Show the mean ratio along the agreement that rubrics must have."""
    result = measure(study, "agreement-curve", keys.slice_)
    figure = figure_of(result, CAPTION, MARKS)
    findings = [agreement_words.agreement(result.rows)] if result.rows else []
    return shown_of(study, result, keys.slice_, FIELDS, sentences=findings, figure=figure)


AGREEMENT = View(
    "agreement",
    "Agreement",
    "Is self-preference smaller on criteria on which judges agree?",
    AgreementKeys,
    answer,
    needs_rubrics,
)
