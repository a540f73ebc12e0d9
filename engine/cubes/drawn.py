"""The table `pairs`: pairs that were drawn to be judged."""

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from engine.cubes.arrow import encode, text_array
from engine.cubes.index import StudyIndex
from engine.cubes.pair_rows import Bools, Ints
from engine.store import StudyFiles


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """The pairs stored for one purpose: whom they were drawn for, and which they are."""

    judges: Ints
    _keys: Ints
    _shape: tuple[int, int, int, int]

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex, purpose: str) -> "DrawnPairs":
        """Read the stored pairs of one purpose."""
        table = files.table("pairs")
        table = table.filter(
            pc.is_in(table.column("purpose").cast("string"), value_set=text_array([purpose]))
        )
        judge, one, two = (
            encode(table.column(name), index.model_names) for name in ("judge", "generator", "opponent")
        )
        instance = encode(table.column("instance_id"), index.instances)
        models = max(len(index.models), 1)
        shape = (models, max(index.n_instances, 1), models, models)
        return cls(np.unique(judge), np.unique(_key(shape, judge, instance, one, two)), shape)

    def holds(self, judge: Ints, instance: Ints, target: Ints, other: Ints) -> Bools:
        """Return which pairs are stored with this target."""
        return np.isin(_key(self._shape, judge, instance, target, other), self._keys)


def _key(shape: tuple[int, int, int, int], *places: Ints) -> Ints:
    return np.asarray(np.ravel_multi_index(places, shape), dtype=np.int64)
