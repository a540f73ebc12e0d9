"""Models of which the study does not know what is to make them relatives."""

from typing import TYPE_CHECKING

from engine.phrases import part_of
from engine.wording import Sentence, option

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result


_UNKNOWN = {
    "provider": "the provider of {models} is unknown",
    "base_model": "no model's base model is known",
    "tuned_from": "no model is known to be tuned from another",
    "distilled_from": "no model is known to be distilled from another",
}
"""What is not known, by what is to make models relatives."""


def unknown_relatives(study: "MeasuredStudy", result: "Result") -> list[Sentence]:
    """Return that models without a known provider, or all without a known ancestor, have no relatives.

    Empty where relatives are families, as by default.
    """
    column = str(result.filters.get("relatives"))
    if column not in _UNKNOWN or not result.rows:
        return []
    families = study.families(column)
    unknown = sum(family is None for family in families.values())
    if not unknown or (column != "provider" and unknown < len(families)):
        return []
    what = _UNKNOWN[column].format(models=part_of(unknown, len(families), "model"))
    return [Sentence(option("relatives", column), f": {what}, so that each is a family of its own.")]
