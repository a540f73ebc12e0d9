"""What the members of committees said of the same pairs of responses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.pair_rows import group_rows
from engine.cubes.pairs import PairCube
from engine.metrics.comparisons import PairOutcomes
from engine.views.instance import places_of
from engine.views.view import View

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ballots:
    """The pairs of a slice that some member has judged, one entry each, and what each member said.

    `generator` and `opponent` are places among the generators shown; `said` has shape (members, pairs): who
    won, +1, 0 or -1 seen from `generator`, NaN where the member has no outcome.
    """

    instance: Ints
    generator: Ints
    opponent: Ints
    said: Floats

    @classmethod
    def of(cls, view: View, cube: PairCube, members: Ints) -> "Ballots":
        """Gather what some models (their positions, ascending) said of the pairs that a view keeps."""
        pairs = places_of(cube.outcomes, members, view.generators)
        kept = view.kept_cells
        kept = (
            kept[view.columns] if len(kept) > 1 else np.broadcast_to(kept, (len(view.columns), kept.shape[1]))
        )
        pairs = pairs.select(kept[pairs.generator, pairs.instance] & kept[pairs.opponent, pairs.instance])
        groups = group_rows(pairs.instance, pairs.generator, pairs.opponent)
        said = np.full((len(members), len(groups.first)), np.nan)
        said[pairs.judge, groups.of] = pairs.outcome
        one = pairs.select(groups.first)
        return cls(one.instance, one.generator, one.opponent, said)

    def outcomes(self, outcome: NDArray[np.int8], decided: Bools) -> PairOutcomes:
        """Return what committees decide, of shape (committees, pairs), as pairs of so many judges."""
        row, pair = np.nonzero(decided)
        return PairOutcomes(
            row, self.instance[pair], self.generator[pair], self.opponent[pair], outcome[row, pair]
        )
