"""Intervals to compare with the product's: BCa, the reflected one, and one by a t on the log scale.

All take `value` (values,), `draws` (resamples, values) and `left_out` (instances, values), the number without
each of the instances, and return the two ends, shape (2, values), NaN if undefined.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

Floats = NDArray[np.float64]

Z = float(ndtri(0.975))


def bca(value: Floats, draws: Floats, left_out: Floats) -> Floats:
    """Return the bias-corrected and accelerated interval (Efron 1987), the acceleration from a jackknife."""
    defined = (~np.isnan(draws)).sum(axis=0)
    with np.errstate(all="ignore"):
        below = (draws < value).sum(axis=0) + (draws == value).sum(axis=0) / 2
        bias = ndtri(np.clip(below / defined, 1 / (defined + 1), defined / (defined + 1)))
        mean = np.nansum(left_out, axis=0) / (~np.isnan(left_out)).sum(axis=0)
        pull = mean - left_out
        skew = np.nansum(pull**3, axis=0) / (6 * np.nansum(pull**2, axis=0) ** 1.5)
        ends = [ndtr(bias + (bias + z) / (1 - skew * (bias + z))) for z in (-Z, Z)]
    return np.array([quantile(draws, end) for end in ends])


def reflected(value: Floats, draws: Floats, left_out: Floats) -> Floats:  # noqa: ARG001 - one signature for all
    """Return the basic interval on the log scale: value^2 / percentile."""
    low, high = (quantile(draws, np.full(len(value), tail)) for tail in (0.025, 0.975))
    with np.errstate(all="ignore"):
        return np.where(low > 0, np.array([value**2 / high, value**2 / low]), np.nan)


def log_t(value: Floats, draws: Floats, left_out: Floats) -> Floats:  # noqa: ARG001 - one signature for all
    """Return log value +/- t x standard error, the error of the log by a jackknife."""
    instances = len(left_out)
    with np.errstate(all="ignore"):
        logs = np.log(left_out)
        error = np.sqrt((instances - 1) / instances * ((logs - logs.mean(axis=0)) ** 2).sum(axis=0))
        step = stdtrit(instances - 1, 0.975) * error
        ends = np.array([value * np.exp(-step), value * np.exp(step)])
    return np.where(np.isfinite(ends), ends, np.nan)


RIVALS = {"BCa": bca, "reflected log": reflected, "t on the log": log_t}


def quantile(draws: Floats, share: Floats) -> Floats:
    """Return a quantile of the defined draws of each column, with a share for each."""
    ordered = np.sort(draws, axis=0)
    last = np.maximum((~np.isnan(draws)).sum(axis=0) - 1, 0)
    place = np.nan_to_num(share, nan=0.5) * last
    below = np.floor(place).astype(np.int64)
    columns = np.arange(draws.shape[1])
    lower, upper = ordered[below, columns], ordered[np.minimum(below + 1, last), columns]
    return np.where(np.isnan(share), np.nan, lower + (place - below) * (upper - lower))
