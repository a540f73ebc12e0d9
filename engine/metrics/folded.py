"""Intervals for bias costs: sums of distances, which chance alone makes larger (MEASURES sections 12, 13).

A judge that does not care for positions has a cost above 0 in every study, and a higher one in every
resample, so that percentiles of resampled costs never reach the truth. Here the interval is of the costs
with which the one found goes together: where the shares' distances from 1/n are the observed ones times a
factor, the factors for which the cost found is neither too high nor too low for chance.
"""

import numpy as np
from numpy.typing import NDArray

from engine.metrics.orders import position_shares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FACTORS = 40
_SPREADS = 4  # standard errors that factors go above the cost found; below it twice as many, to 0 at most


def cost_draws(selections: NDArray[np.number], drawn: Floats, orderings: Ints) -> Floats:
    """Return quantiles of what the cost of each ordering may truly be, shape (resamples, orderings).

    `selections` has shape (scores, positions), `drawn` (resamples, scores, positions). The k-th of B values
    is the cost at which one as high as was found has chance (k - 1/2) / B; 0 where chance alone makes it
    likelier. In percent points, ascending; the order of the resamples is lost.
    """
    found = np.nan_to_num(_distances(selections, orderings))
    chance = np.nan_to_num(_distances(drawn, orderings) - found)
    return np.stack([_quantiles(found[place], chance[:, place]) for place in range(len(orderings))], axis=1)


def _distances(selections: NDArray[np.number], orderings: Ints) -> Floats:
    """Return P(p | s) - 1/n of the score s at each position p of each ordering, NaN for one never chosen."""
    n = selections.shape[-1]
    return np.asarray((position_shares(selections) - 1 / n)[..., orderings, np.arange(n)])


def _quantiles(distance: Floats, chance: Floats) -> Floats:
    """Return the quantiles for one ordering, from distances (positions,) and (resamples, positions)."""
    cost = float(np.abs(distance).sum())
    if cost == 0:
        return np.zeros(len(chance))
    spread = float(np.abs(distance + chance).sum(axis=1).std())
    lowest, highest = (max(0.0, 1 + side * _SPREADS * spread / cost) for side in (-2, 1))
    factors = np.linspace(lowest, highest, _FACTORS)
    reached = np.array([(np.abs(f * distance + chance).sum(axis=1) >= cost).mean() for f in factors])
    reached = np.maximum.accumulate(reached)
    level = (np.arange(len(chance)) + 0.5) / len(chance)
    factor = np.interp(level, reached + 1e-12 * np.arange(_FACTORS), factors)
    return np.asarray(100 * cost * np.where(level <= reached[0], lowest, factor))
