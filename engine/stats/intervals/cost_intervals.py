"""Intervals for bias costs (MEASURES sections 12 and 13).

They are sums of distances, which chance alone makes larger.
"""

import numpy as np

from engine.stats import Floats, Ints, Numbers
from engine.stats.orders.option_orders import position_shares

_FACTORS = 40
_SPREADS = 4  # standard errors that factors reach above the observed cost; twice as many below, down to 0


def cost_draws(selections: Numbers, draws: Floats, orderings: Ints) -> Floats:
    """Return quantiles of the plausible true cost of each ordering, shape (resamples, orderings).

    `selections` has shape (scores, positions), `draws` (resamples, scores, positions). The k-th of B values
    is the true cost under which one as high as observed has chance (k - 1/2) / B; 0 where it is likelier by
    chance alone. In percent points, ascending; the order of the resamples is lost.
    """
    distances = np.nan_to_num(_distances(selections, orderings))
    chance = np.nan_to_num(_distances(draws, orderings) - distances)
    of_each = [_quantiles(distances[place], chance[:, place]) for place in range(len(orderings))]
    return np.stack(of_each, axis=1)


def _distances(selections: Numbers, orderings: Ints) -> Floats:
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
    tail = np.array([(np.abs(f * distance + chance).sum(axis=1) >= cost).mean() for f in factors])
    tail = np.maximum.accumulate(tail)
    level = (np.arange(len(chance)) + 0.5) / len(chance)
    factor = np.interp(level, tail + 1e-12 * np.arange(_FACTORS), factors)
    return np.asarray(100 * cost * np.where(level <= tail[0], lowest, factor))
