"""Draws that depend on the seed and on what is drawn from, and on nothing else.

Each item has a key that is as good as random (splitmix64 over the numbers that name it), and a draw takes the
lowest keys. A generator's stream would give other draws when a filter drops an item before it.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

NULL, CONTRAST, ORDER, PROXY = 1, 2, 3, 4
"""What is drawn: the first number of every key, so that no two draws share theirs."""

_STEP, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def seeded_keys(seed: int, purpose: int, *names: Ints) -> Keys:
    """Return a key of 64 bits for each item, named by numbers of shape (items,)."""
    state = np.full(len(names[0]), seed, dtype=np.uint64)
    for number in (np.full(len(names[0]), purpose), *names):
        state = state + _STEP * (number.astype(np.uint64) + np.uint64(1))  # wraps around, as it must
        state = (state ^ (state >> np.uint64(30))) * _FIRST
        state = (state ^ (state >> np.uint64(27))) * _SECOND
        state = state ^ (state >> np.uint64(31))
    return state


def lowest(group: Ints, keys: Keys, most: int) -> NDArray[np.bool_]:
    """Return which items are among the `most` with the lowest keys of their group, shape (items,)."""
    order = np.lexsort((keys, group))
    ordered = group[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else order
    sizes = np.diff(np.append(starts, len(ordered)))
    rank = np.arange(len(ordered)) - np.repeat(starts, sizes)
    chosen = np.zeros(len(group), dtype=bool)
    chosen[order[rank < most]] = True
    return chosen
