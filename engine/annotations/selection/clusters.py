"""Hard cases: the responses of a question that are hardest to tell apart in quality."""

from itertools import combinations
from math import comb

import numpy as np

from engine.annotations.items import Hidden, Item
from engine.annotations.selection.source import Source
from engine.annotations.selection.strata import evenly
from engine.request import LackingError
from engine.views.quality import near

_MOST_TRIED = 5_000


def hard_cases(source: Source) -> list[Item]:
    """Return questions with the responses that have most close pairs; LackingError where none has two."""
    q, wanted = source.quality(), source.wanted
    cases: list[tuple[int, int, list[int]]] = []
    for i, name in enumerate(source.names):
        rated = [m for m in source.models if q[m, i] == q[m, i] and source.has(name, source.index.models[m])]
        if len(rated) >= 2:
            close = near(q[rated, i][:, None], q[rated, i][None, :], 2 * wanted.epsilon)
            chosen, pairs = densest(close, wanted.cluster)
            cases.append((i, pairs, [rated[place] for place in chosen]))
    if not cases:
        raise LackingError("no question has two rated responses with texts; import them")
    order = sorted(source.rng.permutation(len(cases)).tolist(), key=lambda place: -cases[place][1])
    themes = [source.theme(case[0]) for case in cases]
    return [_item(source, q, *cases[place]) for place in evenly(order, [themes])[: wanted.number]]


def _item(source: Source, q: np.ndarray, instance: int, pairs: int, models: list[int]) -> Item:
    name, named = source.names[instance], tuple(source.index.models[m] for m in models)
    facts = {"quality": [float(q[m, instance]) for m in models], "close_pairs": pairs}
    return Item(source.texts(name, named), Hidden(name, named, why="hard", facts=facts))


def densest(close: np.ndarray, number: int) -> tuple[list[int], int]:
    """Return the `number` things with most close pairs among them, and how many pairs that are.

    All choices are tried where they are few; else whoever has fewest close ones is left out, one by one.
    """
    left = list(range(len(close)))
    while len(left) > number and comb(len(left), number) > _MOST_TRIED:
        left.remove(min(left, key=lambda place: int(close[place, left].sum())))
    tried = combinations(left, min(number, len(left)))
    pairs, chosen = max(
        ((int(np.triu(close[np.ix_(group, group)], 1).sum()), group) for group in tried),
        key=lambda found: found[0],
    )
    return list(chosen), pairs
