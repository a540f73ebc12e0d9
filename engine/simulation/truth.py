"""Which response does well on which rubric: the reference of a simulated study."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.simulation.design import Design, Model
from engine.simulation.items import Items, Mask

DIFFICULTY_SD = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The reference verdicts, `favourable` of shape (G generators, K rubrics).

    Favourable means met where the rubric's points are 0 or more, and not met where they are below 0.
    """

    items: Items
    generators: tuple[Model, ...]
    favourable: Mask

    @property
    def met(self) -> Mask:
        """Whether each response meets each criterion as it is written, shape (G, K)."""
        return self.favourable ^ self.items.negative

    def favourable_counts(self) -> npt.NDArray[np.int64]:
        """How many rubrics of each instance each response does well on, shape (G, N)."""
        return np.add.reduceat(self.favourable, self.items.start, axis=1, dtype=np.int64)

    def references_table(self) -> pa.Table:
        """Return the table `references`, source `program`: one row for each response and rubric."""
        generators, rubrics = self.favourable.shape
        names = pa.array([model.name for model in self.generators])
        rubric = pa.array(self.items.rubric_ids).dictionary_encode()
        return pa.table(
            {
                "instance_id": _coded(np.tile(self.items.instance, generators), self.items.instance_ids),
                "generator": pa.DictionaryArray.from_arrays(
                    np.repeat(np.arange(generators, dtype=np.int32), rubrics), names
                ),
                "rubric_id": _coded(np.tile(rubric.indices.to_numpy(), generators), rubric.dictionary),
                "source": pa.DictionaryArray.from_arrays(
                    np.zeros(generators * rubrics, dtype=np.int32), pa.array(["program"])
                ),
                "met": pa.array(self.met.ravel()),
            }
        )


def _coded(indices: npt.NDArray[np.int32], values: object) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(indices, pa.array(values))


def draw_truth(design: Design, items: Items, rng: np.random.Generator) -> Truth:
    """Draw the reference.

    A response does well on a rubric with chance logistic(logit(skill) - difficulty); all generators share
    the rubrics' difficulty, which is normal with standard deviation `DIFFICULTY_SD`. How readily judges
    err has no part in it (hard items aside), so that a planted ratio is the one measured.
    """
    difficulty = rng.normal(0.0, DIFFICULTY_SD, size=len(items.instance))
    favourable = np.empty((len(design.generators), difficulty.size), dtype=bool)
    for row, model in enumerate(design.generators):
        chance = 1 / (1 + np.exp(difficulty - np.log(model.skill / (1 - model.skill))))
        favourable[row] = rng.random(difficulty.size) < chance
    return Truth(items, design.generators, favourable)
