"""At which level intervals agree with adjusted p-values, by plain loops (MEASURES section 16)."""

from collections.abc import Sequence

from plain.resampling import benjamini_hochberg

ALPHA = 0.05


def level_of_intervals(ps: Sequence[float | None]) -> float:
    """1 - .05 max(R, 1) / m, R of the m tests having an adjusted p below .05; 1 - .05 without a test."""
    adjusted = [p for p in benjamini_hochberg(ps) if p is not None]
    if not adjusted:
        return 1 - ALPHA
    return 1 - ALPHA * max(sum(p < ALPHA for p in adjusted), 1) / len(adjusted)
