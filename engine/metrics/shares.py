"""A share with its interval where cases are counted one by one and nothing is resampled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Share:
    """Shares between 0 and 1 with the ends of their intervals; NaN where there is no case."""

    value: Floats
    low: Floats
    high: Floats


def wilson(hits: ArrayLike, trials: ArrayLike, *, level: float = 0.95) -> Share:
    """Return hits / trials with Wilson's interval, elementwise.

    The ends are the shares p for which (hits / trials - p)^2 = z^2 p (1 - p) / trials. It takes each case
    for itself: where cases come in clusters, such as judgments of one instance, it is too narrow.
    Wilson, Journal of the American Statistical Association 22 (1927).
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    z = ndtri((1 + level) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = k / n
        middle = (k + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
    known = n > 0
    low, high = (np.where(known, end, np.nan).clip(0, 1) for end in (middle - half, middle + half))
    return Share(np.where(known, share, np.nan), low, high)
