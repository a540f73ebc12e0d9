"""Which pairs a judge compares, and in which orders."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Protocol

First = Literal["generator", "opponent"]
BOTH: tuple[First, ...] = ("generator", "opponent")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one instance; `orders` says which of the two is shown first, in each call."""

    generator: str
    opponent: str
    orders: tuple[First, ...] = BOTH


class PairSource(Protocol):
    """Says which pairs a judge compares."""

    def of(self, judge: str, instance_id: str) -> Iterator[Pair]:
        """Yield the judge's pairs of an instance, each pair of responses once."""
        ...


@dataclass(frozen=True, slots=True)
class AllPairs:
    """Every two generators; a judge's own response is the target."""

    generators: Sequence[str]

    def of(self, judge: str, instance_id: str) -> Iterator[Pair]:
        """Yield every pair of generators."""
        del instance_id
        for one, two in combinations(self.generators, 2):
            yield Pair(two, one) if two == judge else Pair(one, two)


@dataclass(frozen=True, slots=True)
class DrawnPairs:
    """Pairs that were drawn, by judge and instance."""

    pairs: Mapping[tuple[str, str], Sequence[Pair]]

    def of(self, judge: str, instance_id: str) -> Iterator[Pair]:
        """Yield the pairs drawn for a judge; a pair drawn for two purposes is asked for once."""
        merged: dict[frozenset[str], Pair] = {}
        for pair in self.pairs.get((judge, instance_id), ()):
            sides = frozenset((pair.generator, pair.opponent))
            known = merged.get(sides)
            if known is None or len(known.orders) < len(pair.orders):
                merged[sides] = pair
        yield from merged.values()
