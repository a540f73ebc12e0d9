"""Which numbers have another interval than the percentiles of plain resamples (MEASURES section 13).

docs/intervals.md says how often each interval holds the truth, and why these are not left to the percentiles.
"""

ADDED = "added cases"
"""Percentiles of resamples with a case or two added on each side: `engine.metrics.added_cases`."""

TESTED = "costs not ruled out"
"""The costs that do not make the one found too high or too low: `engine.metrics.folded`."""

METHODS: dict[str, dict[str, str]] = {
    "hspp": {"hspp_matched": ADDED},
    "equal-quality": dict.fromkeys(("pir", "null_pir", "spb", "pir_family", "spb_family"), ADDED),
    "discriminability": {"d": ADDED},
    "archetypes": dict.fromkeys(("d", "spb"), ADDED),
    "mitigation": dict.fromkeys(
        ("spb_baseline", "spb", "reduction", "eta", "d", "d_baseline", "d_change"), ADDED
    ),
    "ordering": {"cost": TESTED},
}
"""The method by measure and field; what is not here has plain percentiles."""


def method(measure: str, field: str) -> str | None:
    """Return the method of a field that has one of its own; None for the percentiles of plain resamples."""
    return METHODS.get(measure, {}).get(field)


def named(measure: str, interval: str) -> str | None:
    """Return how a measure's intervals are made, as `filters` say it; None for percentiles throughout."""
    fields = METHODS.get(measure, {})
    if not fields:
        return None if interval == "percentile" else interval
    told = [
        f"{method}: {', '.join(name for name in fields if fields[name] == method)}" for method in _of(fields)
    ]
    return "; ".join([interval, *told])


def _of(fields: dict[str, str]) -> list[str]:
    return list(dict.fromkeys(fields.values()))
