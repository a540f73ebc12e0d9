"""Which of the judges and generators of a slice are of different families."""

from typing import cast

from engine.arrays.index import Relatives
from engine.arrays.view import SliceView
from engine.stats.outside.outside import FamilyMasks


def family_masks(view: SliceView) -> FamilyMasks:
    """Return which of the judges and generators shown are of different families."""
    index, relatives = view.study.index, cast("Relatives", view.request.spec.relatives)
    relations = index.relations(view.judges, view.generators, relatives)
    return FamilyMasks(
        own=relations.self_mask,
        family=relations.family,
        other=relations.unrelated_mask,
        outside=index.relations(view.judges, view.judges, relatives).unrelated_mask,
        unrelated=index.relations(view.generators, view.generators, relatives).unrelated_mask,
    )
