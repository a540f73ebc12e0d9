"""One way to cut the verdicts into slices: by one column, or by two at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.finder.slots import Column

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Crossed:
    """The slices that columns make together; no verdict is in two of them.

    `codes` says for each slot in which slice it is, -1 for none: shape (judges or 1, generators or 1, slots).
    `sizes` counts the slots of each slice; `fresh` marks those that hold some and are no slice of one column
    alone (axis accuracy and polarity negative is none where all accuracy is negative).
    """

    columns: tuple[Column, ...]
    codes: Ints
    sizes: Ints
    fresh: Bools

    @classmethod
    def of(cls, columns: tuple[Column, ...]) -> "Crossed":
        """Cross one column or more."""
        shaped = [
            column.codes.reshape((1, 1, -1)) if column.codes.ndim == 1 else column.codes for column in columns
        ]
        size = int(np.prod([len(column.values) for column in columns]))
        codes = np.zeros((1, 1, 1), dtype=np.int64)
        for column, own in zip(columns, shaped, strict=True):
            codes = np.where((codes < 0) | (own < 0), -1, codes * len(column.values) + own)
        sizes = _counts(codes, size)
        fresh = sizes > 0
        if len(columns) > 1:
            places = np.unravel_index(np.arange(size), [len(column.values) for column in columns])
            for column, own, place in zip(columns, shaped, places, strict=True):
                everywhere = _counts(np.broadcast_to(own, codes.shape), len(column.values))
                fresh &= sizes < everywhere[place]
        return cls(columns, codes, sizes, fresh)

    def of_judge(self, judge: int) -> Ints:
        """Return the codes of one judge, shape (generators or 1, slots)."""
        return np.asarray(self.codes[judge % len(self.codes)])

    def where(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return the columns' values that make one slice."""
        places = np.unravel_index(number, [len(column.values) for column in self.columns])
        return tuple(
            (column.name, column.values[int(place)])
            for column, place in zip(self.columns, places, strict=True)
        )


def _counts(codes: Ints, size: int) -> Ints:
    return np.bincount(codes.ravel() + 1, minlength=size + 1)[1:]
