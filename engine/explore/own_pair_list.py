"""The pairs behind a judge's votes for its own answers, one by one."""

from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.pairs.judged_pairs import prefer_variant
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.resolve import NoDataError
from engine.explore.judgment_list import JudgmentCells, view_of
from engine.explore.judgment_page import Listing, rows_of
from engine.measures.outside.outside_pairs import own_sides, pair_gaps
from engine.slices import Slice
from engine.stats import Floats

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def own_pair_rows(study: "StudyArrays", spec: Slice, *, limit: int) -> Listing:
    """Return the first pairs that count in `outside` for the own answers of the judges of a slice.

    Each is seen from the judge's own answer, its opponent one of another family, and has a vote of a judge of
    another family too. Rows are those of `judgment_page`, with `vote` for the own answer, from 0 to 1.
    """
    spec = prefer_variant(study, spec, None, "default", "forced", "forced_tie")
    try:
        shown = view_of(study, spec, None, None)
    except NoDataError as error:
        return Listing([], 0, 0, None, str(error))
    view = shown.with_all_judges()
    pairs, _ = pair_gaps(view)
    sides = ((pairs.first, pairs.second, pairs.votes), (pairs.second, pairs.first, 1 - pairs.votes))
    parts, votes_of = list[JudgmentCells](), list[Floats]()
    for counted, (own, opponent, votes) in zip(
        own_sides(pairs, family_masks(view), everyone=False), sides, strict=True
    ):
        pair, judge = np.nonzero(counted & np.isin(view.judges, shown.judges))
        vote = votes[pair, judge]
        nothing = np.full(len(pair), -1)
        models = view.judges[judge], view.generators[own[pair]], view.generators[opponent[pair]]
        outcome, no_truth = np.sign(2 * vote - 1), np.full(len(pair), np.nan)
        parts.append(JudgmentCells(*models, pairs.instance[pair], nothing, outcome, no_truth))
        votes_of.append(vote)
    cells, vote = JudgmentCells.concatenate(parts), np.concatenate(votes_of)
    at = np.lexsort((cells.opponent, cells.instance, cells.judge))[:limit]
    rows = [
        row | {"vote": value}
        for row, value in zip(rows_of(view, cells.select(at)), vote[at].tolist(), strict=True)
    ]
    reason = (
        None if rows else "no pair with an own answer in this slice has votes of other families' judges too"
    )
    return Listing(rows, len(cells), 0, view.request, reason)
