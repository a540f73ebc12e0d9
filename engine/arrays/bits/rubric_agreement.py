"""How far judges agree on a rubric (MEASURES section 6)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.index import Relatives, StudyIndex
from engine.stats import Floats, Ints
from engine.stats.judges.combined_verdicts import pair_agreement
from engine.stats.ratios import rate


@dataclass(frozen=True, eq=False)
class RubricAgreement:
    """Agreement of all judges of a cube, whatever judges are shown; NaN with fewer than two verdicts."""

    index: StudyIndex
    cube: VerdictCube

    @cached_property
    def of_verdicts(self) -> Floats:
        """Share of judge pairs with the same verdict on a response, shape (generators, rubrics)."""
        return self._among(np.ones(len(self.cube.judges), dtype=bool))

    @cached_property
    def of_rubrics(self) -> Floats:
        """Its mean over the generators that have one, shape (rubrics,)."""
        return _mean_over_generators(self.of_verdicts)

    def without_family(self, relatives: Relatives) -> Floats:
        """Agreement on each rubric of the judges outside each judge's family, shape (judges, rubrics)."""
        judges: Ints = self.cube.judges
        relations = self.index.relations(judges, judges, relatives).family_with_self
        return np.stack([_mean_over_generators(self._among(~relative)) for relative in relations])

    def _among(self, judges: NDArray[np.bool_]) -> Floats:
        unpack = self.index.layout.unpack
        shape = (len(self.cube.generators), self.index.n_rubrics)
        ayes, voters = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        for met, ok in zip(self.cube.met[judges], self.cube.ok[judges], strict=True):
            ayes += unpack(met)
            voters += unpack(ok)
        return pair_agreement(ayes, voters)


def _mean_over_generators(values: Floats) -> Floats:
    defined = ~np.isnan(values)
    return rate(np.where(defined, values, 0).sum(axis=0), defined.sum(axis=0))
