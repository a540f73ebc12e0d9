"""Draws that depend only on the seed and on what is drawn from."""

import numpy as np
from numpy.typing import NDArray

from engine.stats import Bools, Counts, Ints

Keys = NDArray[np.uint64]

NULL, CONTRAST, ORDER, PROXY = 1, 2, 3, 4
"""What is drawn: the first number of every key, so that no two kinds of draws share keys."""

_STEP, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def seeded_keys(seed: int, purpose: int, *names: Ints) -> Keys:
    """Return a key of 64 bits for each item, named by numbers of shape (items,)."""
    state = np.full(len(names[0]), seed, dtype=np.uint64)
    for number in (np.full(len(names[0]), purpose), *names):
        state = state + _STEP * (number.astype(np.uint64) + np.uint64(1))  # meant to wrap around
        state = (state ^ (state >> np.uint64(30))) * _FIRST
        state = (state ^ (state >> np.uint64(27))) * _SECOND
        state = state ^ (state >> np.uint64(31))
    return state


def ranked(group: Ints, keys: Counts) -> tuple[Ints, Ints]:
    """Return the items in the order of group and key, and the rank of each in its group, from 0."""
    order = np.lexsort((keys, group))
    _, starts, sizes = np.unique(group[order], return_index=True, return_counts=True)
    return order, np.arange(len(order)) - np.repeat(starts, sizes)


def lowest(group: Ints, keys: Counts, most: int) -> Bools:
    """Return which items are among the `most` with the lowest keys of their group, shape (items,)."""
    order, rank = ranked(group, keys)
    marks = np.zeros(len(group), dtype=bool)
    marks[order[rank < most]] = True
    return marks
