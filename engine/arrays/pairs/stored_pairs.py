"""The table `pairs`: pairs that were drawn to be judged."""

from dataclasses import dataclass

import numpy as np

from engine.arrays.encoding import encode
from engine.arrays.index import StudyIndex
from engine.stats import Bools, Ints
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, eq=False)
class StoredPairs:
    """The pairs stored for one purpose: the judges they were drawn for, and their keys."""

    judges: Ints
    _keys: Ints
    _shape: tuple[int, int, int, int]

    @classmethod
    def read(cls, files: StudyFiles, index: StudyIndex, purpose: str) -> "StoredPairs":
        table = files.table("pairs", where={"purpose": (purpose,)})
        columns = (table.column(name) for name in ("judge", "generator", "opponent"))
        judge, one, two = (encode(column, index.model_names) for column in columns)
        instance = encode(table.column("instance_id"), index.instances)
        models = max(len(index.models), 1)
        shape = (models, max(index.n_instances, 1), models, models)
        return cls(np.unique(judge), np.unique(_key(shape, judge, instance, one, two)), shape)

    def holds(self, judge: Ints, instance: Ints, target: Ints, other: Ints) -> Bools:
        """Return which pairs are stored with this target."""
        return np.isin(_key(self._shape, judge, instance, target, other), self._keys)


def _key(shape: tuple[int, int, int, int], *places: Ints) -> Ints:
    return np.asarray(np.ravel_multi_index(places, shape), dtype=np.int64)
