"""The pairs that a judge compares, and their orders."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

First = Literal["generator", "opponent"]
BOTH: tuple[First, ...] = ("generator", "opponent")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one instance; `orders` says which is shown first in each call."""

    generator: str
    opponent: str
    orders: tuple[First, ...] = BOTH


PairSource = Callable[[str, str], Iterable[Pair]]
"""Returns a judge's pairs of an instance, each pair of responses once."""


def all_pairs(generators: Sequence[str], judge: str, _: str) -> Iterator[Pair]:
    """Yield all pairs of generators; the judge, if in the pair, is the generator."""
    for model, other in combinations(generators, 2):
        yield Pair(other, model) if other == judge else Pair(model, other)


def drawn_pairs(
    pairs: Mapping[tuple[str, str], Sequence[Pair]], judge: str, instance_id: str
) -> Iterable[Pair]:
    """Return the pairs drawn for a judge; a pair drawn for two purposes is judged once."""
    merged: dict[frozenset[str], Pair] = {}
    for pair in pairs.get((judge, instance_id), ()):
        sides = frozenset((pair.generator, pair.opponent))
        if sides not in merged or len(merged[sides].orders) < len(pair.orders):
            merged[sides] = pair
    return merged.values()
