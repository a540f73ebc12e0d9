"""An even draw: as many of each stratum as can be."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def spread(strata: Sequence[Sequence[Any]], number: int, rng: np.random.Generator) -> list[int]:
    """Return the places of `number` things, spread evenly over each stratum, finest first, else at random."""
    order = rng.permutation(len(strata[0])).tolist() if strata else []
    return evenly(order, strata)[:number]


def evenly(order: list[int], strata: Sequence[Sequence[Any]]) -> list[int]:
    """Return the places of `order` with the values of each stratum taking turns, the last one's first."""
    for stratum in strata:
        seen: dict[Any, int] = {}
        ranks = {}
        for place in order:
            ranks[place] = seen[stratum[place]] = seen.get(stratum[place], -1) + 1
        order = sorted(order, key=ranks.__getitem__)  # stable: the order before decides among equals
    return order
