"""Intervals of few independent cases, one at a time and by search (MEASURES section 17)."""

from math import exp, log, sqrt

Z = 1.959963984540054


def wilson(rate: float, number: float, quantile: float = Z) -> tuple[float, float]:
    """The rates p for which |rate - p| is at most `quantile` standard errors sqrt(p (1 - p) / number)."""
    spread = quantile * quantile / number
    centre = rate + spread / 2
    half = sqrt(spread * (rate * (1 - rate) + spread / 4))
    return (centre - half) / (1 + spread), (centre + half) / (1 + spread)


def score_interval_of_ratio(own: float, n: float, other: float, m: float) -> tuple[float, float]:
    """The ratios that Miettinen and Nurminen's test does not reject, each found by halving.

    The rates under a ratio are those of highest likelihood, found by golden section.
    """
    low = 0.0 if own == 0 else _crossing(own, n, other, m, Z)
    return low, _crossing(own, n, other, m, -Z)


def _crossing(own: float, n: float, other: float, m: float, target: float) -> float:
    below, above = -12.0, 12.0
    for _ in range(70):
        middle = (below + above) / 2
        if _statistic(own, n, other, m, exp(middle)) > target:
            below = middle
        else:
            above = middle
    return exp((below + above) / 2)


def _statistic(own: float, n: float, other: float, m: float, ratio: float) -> float:
    fitted = _likeliest(own, n, other, m, ratio)
    variance = ratio * fitted * (1 - ratio * fitted) / n + ratio**2 * fitted * (1 - fitted) / m
    variance *= (n + m) / (n + m - 1)
    distance = own - ratio * other
    if variance <= 0:
        return 0.0 if distance == 0 else (1e9 if distance > 0 else -1e9)
    return distance / sqrt(variance)


def _likeliest(own: float, n: float, other: float, m: float, ratio: float) -> float:
    low, high = 1e-12, min(1.0, 1 / ratio) - 1e-12
    golden = (sqrt(5) - 1) / 2
    for _ in range(200):
        one, two = high - golden * (high - low), low + golden * (high - low)
        if _likelihood(own, n, other, m, ratio, one) < _likelihood(own, n, other, m, ratio, two):
            low = one
        else:
            high = two
    return (low + high) / 2


def _likelihood(own: float, n: float, other: float, m: float, ratio: float, rate: float) -> float:
    parts = (
        (n * own, ratio * rate),
        (n - n * own, 1 - ratio * rate),
        (m * other, rate),
        (m - m * other, 1 - rate),
    )
    return sum(count * log(max(p, 1e-300)) for count, p in parts if count > 0)
