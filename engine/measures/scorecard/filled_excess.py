"""The excess of judges whose missing verdicts may hide a preference (MEASURES section 16)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.one_thread import one_thread
from engine.arrays.slicing.resolve import NoDataError
from engine.measures.catalogue import find
from engine.measures.scorecard.deciding_source import deciding_source
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


@one_thread()
def filled_excess_high(study: "StudyArrays", judges: Iterable[str], spec: Slice) -> dict[str, float]:
    """Return the upper end of each judge's excess, at 95 % and not adjusted, with missing verdicts filled in.

    Where its own are missing more often than others', they count as favourable, in the share given too;
    where others' are, those count as not. What is expected follows the rates of the verdicts that are there.
    A judge whose verdicts are missing equally, or who has no number, is left out.
    """
    try:
        source = deciding_source(study, spec, find("scorecard").defaults)
    except NoDataError:
        return {}
    names = [study.index.models[judge] for judge in source.view.judges]
    expectations = source.expectations()
    lacking = source.missing.shares("own").together
    with_filled = expectations.with_given(expectations.given * (1 - lacking) + lacking)
    ends = {}
    for judge in judges:
        place = names.index(judge)
        own_missing = source.unequal["own"][place]
        if not own_missing:
            continue
        only = np.arange(len(names)) == place
        case = source.filled(only, "own" if own_missing > 0 else "other", favourable=bool(own_missing > 0))
        high = case.evidence.own.interval()[1]
        based_on = with_filled if own_missing > 0 else expectations
        end = float((based_on.given - based_on.expected(high))[place])
        if np.isfinite(end):
            ends[judge] = end
    return ends
