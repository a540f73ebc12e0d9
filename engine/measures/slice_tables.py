"""The tables of the slices that are compared or grouped, and the resamples that they share."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.arrays.scores.unscored_answers import why_no_score
from engine.arrays.slicing.group_by import SliceGroup, keep_scored_in_all, slices_to_compare
from engine.measures.entry import Measure
from engine.measures.rows import Table
from engine.stats import Weights

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def weights_of(study: "StudyArrays", resamples: int, seed: int) -> Weights | None:
    return study.weights(resamples, seed) if resamples else None


def tables_of_slices(
    measure: Measure, pieces: list[SliceGroup], options: dict[str, Any], *, common: bool
) -> Iterator[Table]:
    """Yield the table of each slice with all filters that applied; the first has what `common` leaves out.

    Of a measure that is `compared_in_common`, each judge's scores are then of the same answers throughout.
    """
    pieces, left_out = slices_to_compare(pieces, common=common)
    if common and measure.compared_in_common:
        pieces = keep_scored_in_all(pieces)
    for piece in pieces:
        table = measure.function(piece.view, options)
        left_out.update(table.left_out)
        filters = {**piece.view.request.filters(), **table.filters}
        why_empty = table.why_empty
        if not (why_empty or table.keep.any()):
            why_empty = why_no_score(piece.view) or ""
        yield replace(table, slice=piece.value, filters=filters, left_out=left_out, why_empty=why_empty)
        left_out = Counter()
