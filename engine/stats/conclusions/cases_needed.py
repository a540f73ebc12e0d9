"""How many own cases would answer whether a judge overrates itself, if its number is right."""

import numpy as np

from engine.stats import Floats, Ints
from engine.stats.conclusions.conclusion_rules import (
    FEWEST_EXPECTED,
    MATERIAL,
    MOST_DETECTABLE,
    Conclusion,
    Evidence,
    Scale,
)

_MORE_CASES_DECIDE = (
    *("undecided", "not_detectable", "few_instances", "few_pairs", "few_credited", "few_uncredited"),
)
"""The reasons for which more cases may decide."""
_CLOSE_ENOUGH: dict[Scale, float] = {
    "odds": float(np.log(MATERIAL["odds"])),
    "ratio": float(np.log(MATERIAL["ratio"])),
    "votes": 0.05,
    "points": MATERIAL["points"],
}
"""Roughly the distance from the null that is not material."""


def cases_needed(
    evidence: Evidence, conclusions: list[Conclusion], n_own: Ints, expected: Floats
) -> list[int | None]:
    """Return how many own cases in all would answer question 1, for judges that lack them; else None.

    The largest of: n times `times_needed`; where some rule finds cases too few, the number that satisfies
    them all; and by reason 5 / e for passes, 5 / (1 - e) for failures, e being the share `expected` of own
    cases, or n (d / D)^2, d being the smallest detectable effect and D the largest allowed. As errors fall
    with the root of n, d is then D.
    """
    reasons = np.array([one.reason or "" for one in conclusions])
    decided = n_own * np.maximum(evidence.own.times_needed(0.0, _CLOSE_ENOUGH[evidence.scale]), 1.0)
    too_few = np.array([code is not None for code in evidence.lacking], dtype=bool)
    with np.errstate(divide="ignore"):
        by_reason = {
            "few_credited": FEWEST_EXPECTED / expected,
            "few_uncredited": FEWEST_EXPECTED / (1 - expected),
            "not_detectable": n_own * (evidence.own.detectable(0.0) / MOST_DETECTABLE[evidence.scale]) ** 2,
        }
    of_reason = np.select([reasons == code for code in by_reason], list(by_reason.values()), 0.0)
    most = np.maximum(decided, np.fmax(of_reason, np.where(too_few, evidence.enough, 0.0)))
    may_decide = np.isin(reasons, _MORE_CASES_DECIDE) & np.isfinite(most)
    return [int(np.ceil(cases)) if may else None for cases, may in zip(most, may_decide, strict=True)]
