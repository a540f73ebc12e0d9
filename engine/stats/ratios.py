"""Rates, ratios and means that are NaN where they are undefined."""

import numpy as np

from engine.stats import Bools, Floats, Numbers


def rate(hits: Numbers, trials: Numbers) -> Floats:
    """Return hits / trials, NaN where there are no trials."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(trials > 0, np.divide(hits, trials, dtype=np.float64), np.nan)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator / denominator, NaN where the denominator is 0 or either is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator != 0, numerator / denominator, np.nan)


def mean_of_defined(values: Floats, who: Bools | bool = True) -> Floats:
    """Return the mean over the last axis of what is defined and in `who`; NaN where nothing is.

    For rates (..., judges, generators), `who` marks the generators that count for each judge, each once.
    """
    defined = who & ~np.isnan(values)
    return rate(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))
