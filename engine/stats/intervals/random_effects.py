"""The mean of one number over studies that differ: a random-effects mean, with the spread of the studies."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from engine.stats import Floats

LEVEL = 0.95


@dataclass(frozen=True)
class RandomEffects:
    """A mean over `n` studies, with its interval, and the spread `tau` of the studies' true values.

    With one study the mean is that study's value, and spread and interval are None: nothing is known of
    others.
    """

    mean: float
    low: float | None
    high: float | None
    tau: float | None
    n: int


def random_effects(values: Floats, errors: Floats) -> RandomEffects:
    """Return the mean of studies' values with standard errors, each weighted by 1 / (error^2 + tau^2).

    tau^2 solves sum (value - mean)^2 / (error^2 + tau^2) = n - 1, or is 0 where the studies differ less than
    chance makes them (Paule and Mandel 1982). The interval is Student's t with n - 1 degrees of freedom, its
    variance the weighted squared deviations over (n - 1) sum(weights), at least 1 / sum(weights) (Hartung and
    Knapp 2001; the floor: Roever, Knapp and Friede 2015). ValueError for no studies, or an error that is not
    above 0.
    """
    if not len(values) or not (errors > 0).all() or not np.isfinite([*values, *errors]).all():
        raise ValueError("a mean over studies needs values with standard errors above 0")
    if len(values) == 1:
        return RandomEffects(float(values[0]), None, None, None, 1)
    freedom = len(values) - 1
    tau2 = _spread(values, errors)
    weights = 1 / (errors**2 + tau2)
    mean = float(np.average(values, weights=weights))
    inflation = max(float(weights @ (values - mean) ** 2) / freedom, 1.0)
    half = float(stdtrit(freedom, (1 + LEVEL) / 2) * np.sqrt(inflation / weights.sum()))
    return RandomEffects(mean, mean - half, mean + half, float(np.sqrt(tau2)), len(values))


def _spread(values: Floats, errors: Floats) -> float:
    """Return tau^2 by Paule and Mandel's equation, whose left side falls as tau^2 rises."""
    from scipy.optimize import brentq  # takes as long to load as everything else an atlas needs

    def beyond_chance(tau2: float) -> float:
        weights = 1 / (errors**2 + tau2)
        mean = np.average(values, weights=weights)
        return float(weights @ (values - mean) ** 2) - (len(values) - 1)

    if beyond_chance(0.0) <= 0:
        return 0.0
    highest = float(np.sum((values - values.mean()) ** 2))
    return float(brentq(beyond_chance, 0.0, highest, xtol=1e-14))
