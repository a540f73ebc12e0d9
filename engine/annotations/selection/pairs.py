"""Pairs of responses that are automatically called equal, and as many that are far apart."""

from itertools import combinations
from typing import Any

import numpy as np

from engine.annotations.items import Hidden, Item
from engine.annotations.selection.source import Source
from engine.annotations.selection.strata import spread
from engine.request import LackingError
from engine.views.quality import far, near

_EQUAL = {"equal_pair": "equal", "preference": "tie"}


def equal_pairs(source: Source) -> list[Item]:
    """Return pairs within epsilon in quality, and as many the gap or more apart; LackingError without any."""
    q, wanted = source.quality(), source.wanted
    equal = _drawn(source, q, "equal", (wanted.number + 1) // 2)
    if not equal:
        raise LackingError("no pair with texts is of equal quality; raise epsilon, or import the responses")
    return equal + _drawn(source, q, "contrast", min(len(equal), wanted.number - len(equal)))


def _drawn(source: Source, q: np.ndarray, why: str, number: int) -> list[Item]:
    """Return pairs of one kind, spread over themes, then questions, then models."""
    marked, within = (near, source.wanted.epsilon) if why == "equal" else (far, source.wanted.gap)
    pairs: list[tuple[int, int, int]] = []
    for one, two in combinations(source.models, 2):
        names = source.index.models[one], source.index.models[two]
        found = np.flatnonzero(marked(q[one], q[two], within)).tolist()
        pairs += [(i, one, two) for i in found if source.has(source.names[i], *names)]
    models, instances = [pair[1:] for pair in pairs], [pair[0] for pair in pairs]
    strata: list[list[Any]] = [models, instances, [source.theme(instance) for instance in instances]]
    places = spread(strata, number, source.rng)
    return [_item(source, q, why, *pairs[place]) for place in places]


def _item(source: Source, q: np.ndarray, why: str, instance: int, one: int, two: int) -> Item:
    name, models = source.names[instance], (source.index.models[one], source.index.models[two])
    apart = float(q[one, instance] - q[two, instance])
    automatic = _EQUAL[source.wanted.kind]
    if why == "contrast":
        automatic = "generator" if apart > 0 else "opponent"
    hidden = Hidden(name, models, why=why, automatic=automatic, facts={"apart": apart})
    return Item(source.texts(name, models), hidden)
