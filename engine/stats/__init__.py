"""Statistics on arrays: NumPy and SciPy only, no tables, no files.

Every function accepts any leading axes, so that one definition gives the value (from counts of shape
(judges, generators)) and its bootstrap draws (from counts of shape (resamples, judges, generators)).
Undefined values are NaN here; the measures turn them into null with a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.number]
Counts = NDArray[np.integer]
Weights = NDArray[np.float32]  # how often each resample drew each cluster: shape (resamples, clusters)


@dataclass(frozen=True, eq=False)
class ParallelArrays:
    """A table whose fields are its columns: arrays of equal length, or None for one that it does not have."""

    def select(self, keep: Bools | Ints | slice) -> Self:
        """Return some of the entries."""
        columns = vars(self).items()
        return replace(self, **{name: part if part is None else part[keep] for name, part in columns})

    @classmethod
    def concatenate(cls, tables: Sequence[Self]) -> Self:
        """Return the pieces one after another."""
        columns = {name: [getattr(piece, name) for piece in tables] for name in vars(tables[0])}
        empty = {name for name, parts in columns.items() if parts[0] is None}
        return cls(**{name: None if name in empty else np.concatenate(columns[name]) for name in columns})
