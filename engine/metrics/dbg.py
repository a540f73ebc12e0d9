"""The DBG score (MEASURES section 11): how a judge's wins differ from those that gold judges give."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.metrics.overestimation import rate
from engine.metrics.scores import TOLERANCE

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MOST_SOURCES = 8
"""Gold judges above which their subsets are too many to go through."""


def panels(sources: int) -> list[tuple[int, ...]]:
    """Return every subset of so many gold judges, none left out but the empty one; small ones first."""
    return [subset for n in range(1, sources + 1) for subset in combinations(range(sources), n)]


def bias_of_subsets(win: Floats, votes: Floats, rows: tuple[NDArray[np.int64], ...], size: int) -> Floats:
    """Return DBG under every panel of the gold judges: shape (panels, rows), NaN where it says nothing.

    `win` (items,) is 1, 0.5 or 0 for the judge's own response, `votes` (items, sources) those of the gold
    judges for it, NaN for none. `rows` name the rows that each item belongs to, each of shape (items,).
    """
    present, said = ~np.isnan(votes), np.nan_to_num(votes)
    found = []
    for panel in panels(votes.shape[1]):
        chosen = list(panel)
        mean = rate(said[:, chosen].sum(axis=1), present[:, chosen].sum(axis=1)) - 0.5
        known = ~np.isnan(mean)
        gold = np.where(np.abs(mean) < TOLERANCE, 0.5, (1 + np.sign(mean)) / 2)
        bias, count = np.zeros(size), np.zeros(size)
        for row in rows:
            bias += np.bincount(row[known], weights=(win - gold)[known], minlength=size)
            count += np.bincount(row[known], minlength=size)
        found.append(rate(bias, count))
    return np.array(found).reshape(-1, size)


def like_length(one: Floats, two: Floats, most: float) -> Bools:
    """Return where two numbers of words are alike: |ln of their ratio| at most `most`; NaN is never."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(np.log(one / two)) <= most + TOLERANCE)
