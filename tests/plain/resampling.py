"""Intervals, p-values and their adjustment (MEASURES section 13)."""

from collections.abc import Sequence

MOST_UNDEFINED = 0.05


def bootstrap_interval(values: Sequence[float | None]) -> tuple[float, float] | None:
    """The 2.5 and 97.5 percentiles of the resampled values, or None where more than 5 % are undefined.

    Reading: percentiles interpolate linearly between the order statistics (rank = share * (count - 1)).
    """
    defined = sorted(value for value in values if value is not None)
    if not defined or len(values) - len(defined) > MOST_UNDEFINED * len(values):
        return None
    return percentile(defined, 0.025), percentile(defined, 0.975)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value at a share of the way through an ordered sequence."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def p_value(draws: Sequence[float | None], null: float) -> float | None:
    """min(1, 2 (min(k, l) + 1) / (B + 1)) over the defined draws; None where there are none."""
    defined = [draw for draw in draws if draw is not None]
    if not defined:
        return None
    at_or_below = sum(draw <= null for draw in defined)
    at_or_above = sum(draw >= null for draw in defined)
    return min(1.0, 2 * (min(at_or_below, at_or_above) + 1) / (len(defined) + 1))


def benjamini_hochberg(ps: Sequence[float | None]) -> list[float | None]:
    """The adjusted p-values in the order given; a None is no test and stays None."""
    tests = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    smallest = 1.0
    for rank in range(len(tests), 0, -1):
        p, place = tests[rank - 1]
        smallest = min(smallest, p * len(tests) / rank)
        adjusted[place] = smallest
    return adjusted
