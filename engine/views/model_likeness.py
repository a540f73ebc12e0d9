"""Likeness to models: whether places of options attract a rater as they attract models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine import paradigms
from engine.measures.row_kinds import scale_rows
from engine.views.drawing import MARKS, figure_of_panels
from engine.views.keys import names, needs_paradigm
from engine.views.of_measure import measure, shown_of
from engine.views.orders import ScaleKeys
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.model_likeness import WHAT_IT_SAYS, likeness_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

FIELDS = (
    *("judge", "known_as", "log_ratio", "log_ratio_se", "per_100", "nearest", "n", "n_questions"),
    "n_models",
)
CAPTION = "How much likelier each rater's scores are if places attract it as they attract models."


def _raters(study: "MeasuredStudy") -> Mapping[str, str]:
    return {row["judge"]: row["judge"] for row in measure(study, "position", {}).rows}


@dataclass(frozen=True)
class LikenessKeys(ScaleKeys):
    """The slice, the scale, and who is known to be what."""

    models: Annotated[
        tuple[str, ...],
        names("Known models", "Raters known to be models; all that are no people, unless chosen", _raters),
    ]
    people: Annotated[
        tuple[str, ...],
        names("Known people", "Raters known to be people, against whom the others are then held", _raters),
    ]


def answer(study: "MeasuredStudy", keys: LikenessKeys) -> Shown:
    """Show each rater's likelihood ratio on one scale."""
    people = tuple(name for name in keys.people if name not in keys.models)
    options = {**keys.slice_, "models": keys.models, "people": people}
    result = measure(study, "model-likeness", options)
    rows = scale_rows(result, keys.scale) if keys.scale is not None else []
    if not rows:
        return shown_of(study, result, options, FIELDS)
    part = result.with_rows(rows)
    figure = figure_of_panels(part, CAPTION, MARKS)
    sentences = (likeness_words(rows),)
    return shown_of(
        study,
        part,
        options,
        FIELDS,
        sentences=sentences,
        figure=figure,
        notes=(WHAT_IT_SAYS,),
    )


MODEL_LIKENESS = View(
    "model_likeness",
    "Likeness to models",
    "Was this form filled in by a model?",
    LikenessKeys,
    answer,
    needs_paradigm(*paradigms.OPTION_PARADIGMS),
)
