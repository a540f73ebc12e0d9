"""A share with Wilson's interval, for cases counted one by one without resampling."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from engine.stats import Floats


@dataclass(frozen=True, eq=False)
class SharesWithEnds:
    """Shares between 0 and 1 with the ends of their intervals; NaN where there is no case."""

    value: Floats
    low: Floats
    high: Floats


def wilson(hits: ArrayLike, trials: ArrayLike) -> SharesWithEnds:
    """Return hits / trials with Wilson's 95 % interval, elementwise.

    The ends are the shares p for which (hits / trials - p)^2 = z^2 p (1 - p) / trials (Wilson, Journal of the
    American Statistical Association 22, 1927). Too narrow for clustered cases, such as those of one instance.
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    z = ndtri(0.975)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = k / n
        middle = (k + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
    defined = n > 0
    low, high = (np.where(defined, end, np.nan).clip(0, 1) for end in (middle - half, middle + half))
    return SharesWithEnds(np.where(defined, share, np.nan), low, high)
