"""Own failures against others' on the same rubrics: ratios with their intervals (MEASURES section 2)."""

import numpy as np

from engine.arrays.bits.confusion import RubricCounts
from engine.measures.rows import FewCases
from engine.stats.outside import matched_rubrics


def matched_ratios(counts: RubricCounts) -> dict[str, matched_rubrics.MatchedRatio]:
    """Return `hspp_matched` and `hspp_mantel_haenszel` of each judge with their intervals."""
    layout, instances = counts.planes.index.layout, counts.counted_or_all
    parts = [
        matched_rubrics.matched_parts(
            failures.credited,
            np.ones(len(failures.places), dtype=bool),
            failures.other_credited,
            failures.other_failed,
            layout.instance_at(failures.places),
            layout.n_instances,
            mantel_haenszel=mantel_haenszel,
        )
        for mantel_haenszel in (False, True)
        for failures in counts.own_failures
    ]
    columns = {field: np.array([getattr(part, field) for part in parts]) for field in vars(parts[0])}
    counted = {field: part[:, instances] if part.ndim > 1 else part for field, part in columns.items()}
    ratios = matched_rubrics.matched_ratio(
        matched_rubrics.MatchedSums(**counted)
    )  # together, as bisections take as long for one
    of_kind = {field: np.split(column, 2) for field, column in vars(ratios).items()}
    return {
        name: matched_rubrics.MatchedRatio(**{field: halves[place] for field, halves in of_kind.items()})
        for place, name in enumerate(("hspp_matched", "hspp_mantel_haenszel"))
    }


def matched_intervals(estimate: matched_rubrics.MatchedRatio) -> FewCases:
    """Return the interval and p of a matched ratio, which is never that of its resamples."""
    everywhere = np.ones(len(estimate.value), dtype=bool)
    small = np.asarray(estimate.method != matched_rubrics.T_ON_THE_LOG)
    return FewCases(everywhere, small, estimate.low, estimate.high, estimate.p, estimate.reason, always=True)
