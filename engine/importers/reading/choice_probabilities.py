"""Probabilities of choosing an answer that contradict the choices beside them: most likely another's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import BadInputError
from engine.importers.option_spelling import OptionSpelling
from engine.phrases import quantity

_FEWEST = 20
"""Of fewer pairs that were shown in one order nothing is said apart from the others."""

_EVEN = 0.5


@dataclass(slots=True)
class ChoiceProbabilities:
    """How many pairs have a choice and a probability, and in how many these disagree, by who was first."""

    _n: dict[str | None, int] = field(default_factory=dict)
    _against: dict[str | None, int] = field(default_factory=dict)

    def count(self, row: Mapping[str, Any]) -> None:
        share, choice, first = row.get("p_generator"), row.get("choice"), row.get("first")
        if share is None or choice not in ("generator", "opponent"):
            return
        self._n[first] = self._n.get(first, 0) + 1
        is_against = share != _EVEN and (share > _EVEN) != (choice == "generator")
        self._against[first] = self._against.get(first, 0) + is_against

    def caution(self, column: str, spelling: OptionSpelling) -> str:
        """Return in how many rows both disagree, if in some; BadInputError if in most, or most of one order.

        `column` is the one with the probabilities. That of the answer shown first disagrees in most pairs
        whose opponent was first, and in no others.
        """
        n, against = sum(self._n.values()), sum(self._against.values())
        of_orders = [first for first in self._n if self._n[first] >= _FEWEST]
        of_most = [first for first in of_orders if 2 * self._against[first] > self._n[first]]
        without = spelling.without([column])
        problem = (
            f"{column!r}, read as the probability that {spelling.name('generator')} is chosen, disagrees "
            f"with the choice in {against:,} of {quantity(n, 'row')}"
        )
        if 2 * against <= n and not of_most:
            return f"{problem}; where both are there, some measures read one and some the other ({without})"
        whose = "of the answer shown first" if of_most == ["opponent"] else "of the other answer"
        raise BadInputError(
            f"{problem}; it may be that {whose}. Nothing was imported, as conclusions would be turned "
            f"around: leave it out ({without}), or put 1 minus it where it is of the other answer"
        )

    def __bool__(self) -> bool:
        return any(self._against.values())
