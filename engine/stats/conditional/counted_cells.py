"""Cells counted by what the likelihood of section 19's model needs to know of them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from engine.stats import Bools, Floats, Ints

_BEGIN = 0.1, 3.0
"""The bounds of sigma within which a fit begins."""


@dataclass(frozen=True, eq=False)
class CellPatterns:
    """Cells with the same generator, judges present and number of passes: `count` of them in each row.

    `generator`, `credited` and `count` have shape (rows,), `present` (rows, judges); `favourable`,
    (generators, judges), are the passes of each judge. Rows are ordered by generator.
    """

    generator: Ints
    present: Bools
    credited: Ints
    count: Floats
    favourable: Floats

    @cached_property
    def ends(self) -> Ints:
        """Where the rows of each generator begin, and the end."""
        return np.searchsorted(self.generator, np.arange(len(self.favourable) + 1))

    @cached_property
    def judged(self) -> Floats:
        """The cells that each judge judged, (generators, judges)."""
        rows = (slice(*ends) for ends in pairwise(self.ends))
        return np.array([self.count[of] @ self.present[of] for of in rows]).reshape(self.favourable.shape)

    @cached_property
    def spread(self) -> float:
        """Roughly sigma: the root of how much passes vary from cell to cell beyond chance.

        With the judges' rates r the passes of a cell vary by V = sum r (1 - r) plus about sigma^2 V^2.
        """
        beyond = scale = 0.0
        rate = (self.favourable + 0.5) / (self.judged + 1)
        for g, (first, last) in enumerate(pairwise(self.ends)):
            present, count = self.present[first:last], self.count[first:last]
            variance = present @ (rate[g] * (1 - rate[g]))
            apart = self.credited[first:last] - present @ rate[g]
            beyond += float(count @ (apart**2 - variance))
            scale += float(count @ variance**2)
        return float(np.clip(np.sqrt(max(beyond, 0.0) / max(scale, 1e-9)), *_BEGIN))


@dataclass(frozen=True, eq=False)
class OwnCells:
    """The own cells of one judge that an outside judge judged too, by what outside judges said of them.

    Each row counts the cells of a generator with these outside judges present and this many passes. `given`
    is the share of the cells that the judge itself passed, NaN without a cell.
    """

    generator: Ints
    present: Bools
    credited: Ints
    count: Floats
    given: float
