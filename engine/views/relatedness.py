"""Relatedness: how alike two judges err, as a matrix with its tree, and whether overrating grows with it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.views.drawing import MOST_ROWS, figure_of
from engine.views.keys import Filters, filters, needs_rubrics, without
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.relatedness import WHAT_IT_SAYS, relatedness_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = ("judge", "other_judge", "relatedness", "kappa", "same_family", "n")
CAPTION = "How alike each two judges err, beyond what both have with all judges, in the order of their tree."
MARKS = (
    "A dot marks two judges of one family. The sooner two judges join in the tree, the more alike they err."
)


@dataclass(frozen=True)
class RelatednessKeys:
    """The slice."""

    slice_: Annotated[Filters, filters("level")]


def answer(study: "MeasuredStudy", keys: RelatednessKeys) -> Shown:
    """Show how alike judges err, and whether they overrate the models they are like."""
    options = without(keys.slice_, "level")
    result = measure(study, "relatedness", options)
    n_judges = len({row["judge"] for row in result.rows} | {row["other_judge"] for row in result.rows})
    return shown_of(
        study,
        result,
        options,
        FIELDS,
        sentences=relatedness_sentences(result.rows) if result.rows else (),
        figure=figure_of(result, CAPTION, MARKS) if n_judges <= MOST_ROWS else None,
        notes=(WHAT_IT_SAYS,),
    )


RELATEDNESS = View(
    "relatedness",
    "Relatedness",
    "How alike do two judges err, and do judges overrate the models they are like?",
    RelatednessKeys,
    answer,
    needs_rubrics,
)
