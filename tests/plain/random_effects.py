"""A random-effects mean in plain Python: the spread by halving, then the interval."""

import math


def mean_and_weights(values, errors, tau2):
    weights = [1 / (error**2 + tau2) for error in errors]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights), weights


def excess_of_squares(values, errors, tau2):
    mean, weights = mean_and_weights(values, errors, tau2)
    return sum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True)) - (len(values) - 1)


def spread(values, errors):
    if excess_of_squares(values, errors, 0) <= 0:
        return 0.0
    low, high = 0.0, 1.0
    while excess_of_squares(values, errors, high) > 0:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if excess_of_squares(values, errors, middle) > 0:
            low = middle
        else:
            high = middle
    return low


def pooled(values, errors, quantile):
    """Return mean, low, high and tau; `quantile` is Student's t at .975 with n - 1 degrees of freedom."""
    tau2 = spread(values, errors)
    mean, weights = mean_and_weights(values, errors, tau2)
    squares = sum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True)) / (len(values) - 1)
    half = quantile * math.sqrt(max(squares, 1) / sum(weights))
    return mean, mean - half, mean + half, math.sqrt(tau2)
