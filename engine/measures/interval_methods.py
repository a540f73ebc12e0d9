"""Which numbers have another interval than the percentiles of plain resamples (MEASURES section 13)."""

ADDED = "added cases"
"""Percentiles of resamples with a case or two added on each side: `engine.stats.bootstrap`."""

TESTED = "costs not ruled out"
"""The costs that do not make the one found too high or too low: `engine.stats.bootstrap`."""

DELETED = "instances deleted one at a time"
"""Student's t with the error that deleting each instance in turn gives: `engine.stats.outside`."""

STUDENT = "Student's t"
"""Of the errors of labels and predictions together: `engine.stats.corrected`."""

OF_FEW_CASES = "effective cases where few"
"""Wilson's and the score test's intervals, in the place of the expanded one: `engine.stats.few_events`."""

METHODS: dict[str, dict[str, str]] = {
    "hspp": {"hspp_matched": DELETED, "hspp_mantel_haenszel": DELETED},
    "equal-quality": dict.fromkeys(("pir", "null_pir", "spb", "pir_family", "spb_family"), ADDED),
    "discriminability": {"d": ADDED},
    "archetypes": dict.fromkeys(("d", "spb"), ADDED),
    "mitigation": dict.fromkeys(
        ("spb_baseline", "spb", "reduction", "eta", "d", "d_baseline", "d_change"), ADDED
    ),
    "ordering": {"cost": TESTED},
    "outside": dict.fromkeys(
        (
            *("ratio_outside", "difference_outside", "ratio_outside_family"),
            *("odds_self", "odds_family", "odds_common", "bonus_outside", "vote_outside"),
        ),
        DELETED,
    ),
    "scorecard": {"ratio_outside": DELETED},
    "corrected": {"score": STUDENT},
    "recognition-score": {"recognition": DELETED},
    "familiarity-score": dict.fromkeys(
        (
            *("familiarity_gap", "familiarity_own", "familiarity_other", "own_effect", "own_effect_held"),
            *("explained", "familiarity_effect"),
        ),
        DELETED,
    ),
    "list-ranks": dict.fromkeys(("pick_gap", "rank_gap"), DELETED),
    "robustness": {
        **dict.fromkeys(("difference", "lift_difference", "lift_own"), DELETED),
        **dict.fromkeys(("robustness_own", "robustness_other"), ADDED),
    },
}
"""The method by measure and field; what is not here has plain percentiles."""


WHERE_FEW: dict[str, tuple[str, ...]] = {
    "hspp": (
        *("o_self", "o_family", "o_other", "hspp_self", "hspp_family", "hspp_family_with_self"),
        "difference_self",
    ),
    "overestimation": ("rate", "under_rate"),
}
"""The fields with other intervals where cases are few, by measure, unless percentiles are asked for."""


def method(measure: str, field: str) -> str | None:
    """Return the method of a field that has one of its own; None for the percentiles of plain resamples."""
    return METHODS.get(measure, {}).get(field)


def named(measure: str, interval: str) -> str | None:
    """Return how a measure's intervals are made, as `filters` say it; None for percentiles throughout."""
    by_method: dict[str, list[str]] = {}
    for field, own in METHODS.get(measure, {}).items():
        by_method.setdefault(own, []).append(field)
    if interval == "expanded" and measure in WHERE_FEW:
        by_method[OF_FEW_CASES] = list(WHERE_FEW[measure])
    if not by_method:
        return None if interval == "percentile" else interval
    return "; ".join([interval, *(f"{own}: {', '.join(fields)}" for own, fields in by_method.items())])
