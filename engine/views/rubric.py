"""Counts of rubric verdicts in one slice."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from engine.cubes.planes import Planes
from engine.metrics.overestimation import Kinship
from engine.packing import Words, any_in_both, count, count_in_both
from engine.views.counted import Counted, Weights

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RubricCounts:
    """What the judges' verdicts amount to, for each judge and generator shown.

    `rows` and `columns` are the places in the cube of those shown; `mask` has shape (judges or 1,
    generators or 1, words) over the whole cube. Every count has shape (judges, generators).
    """

    planes: Planes
    rows: Ints
    columns: Ints
    mask: Words
    weights: Weights | None
    kin: Kinship

    @cached_property
    def over(self) -> Counted:
        """Overestimations: favourable verdicts on unfavourable references."""
        return self._counted(self.planes.over)

    @cached_property
    def failed(self) -> Counted:
        """Unfavourable references."""
        return self._counted(self.planes.failed)

    @cached_property
    def under(self) -> Counted:
        """Unfavourable verdicts on favourable references."""
        return self._counted(self.planes.under)

    @cached_property
    def passed(self) -> Counted:
        """Favourable references."""
        return self._counted(self.planes.passed)

    @cached_property
    def correct(self) -> Counted:
        """Verdicts equal to the reference."""
        return self._counted(self.planes.correct)

    @cached_property
    def counted(self) -> Counted:
        """Verdicts that have a reference."""
        return self._counted(self.planes.counted)

    @cached_property
    def matched(self) -> tuple[Counted, Counted, Counted]:
        """Over out-of-family generators: matched failures, those credited to oneself, and to them.

        Each of shape (judges,), the first without draws; see MEASURES section 2, matched ratio.
        """
        planes = (self.planes.matched, self.planes.matched_self, self.planes.matched_other)
        kept = [_pick(plane, self.rows, self.columns) & self._matching for plane in planes]
        size, own, others = (Counted(count(part).sum(axis=-1)) for part in kept)
        if self.weights is None:
            return size, own, others
        per_byte = [np.bitwise_count(part.view(np.uint8)).sum(axis=1, dtype=np.uint16) for part in kept[1:]]
        by_instance = self.planes.index.layout.sum_bytes(np.stack(per_byte))
        both = Counted.over_instances(by_instance, self.weights)  # one product: the weights are read but once
        own, others = (both.apply(partial(np.take, indices=nth, axis=-2)) for nth in (0, 1))
        return size, own, others

    @property
    def instances(self) -> int:
        """The number of instances with a counted verdict."""
        anyone = any_in_both(_pick(self.planes.counted, self.rows, self.columns), self.shown_mask)
        return int(np.count_nonzero(self.planes.index.layout.count_by_instance(anyone)))

    @cached_property
    def present(self) -> Bools:
        """Which (judge, generator) have a counted verdict."""
        return self.count(self.planes.counted) > 0

    @cached_property
    def cells(self) -> Bools:
        """Which (judge, generator, instance) have a counted verdict; dearer than `present`."""
        return self.planes.index.layout.count_by_instance(self.take(self.planes.counted)) > 0

    @property
    def shown_mask(self) -> Words:
        """The mask of those shown, shape (judges or 1, generators or 1, words)."""
        return _pick(self.mask, self.rows, self.columns)

    def take(self, plane: Words) -> Words:
        """Return the part of a plane that is shown and kept."""
        return _pick(plane, self.rows, self.columns) & self.shown_mask

    def count(self, plane: Words) -> Ints:
        """Return how many places of a plane are shown and kept, shape (judges, generators)."""
        return count_in_both(_pick(plane, self.rows, self.columns), self.shown_mask)

    def _counted(self, plane: Words) -> Counted:
        if self.weights is None:
            return Counted(self.count(plane))
        kept = self.take(plane)
        layout, shape = self.planes.index.layout, kept.shape[:-1]
        if np.array_equal(kept, np.broadcast_to(kept[:1], kept.shape)):  # failures, if nothing is unparsed
            kept = kept[:1]
        by_instance = layout.count_by_instance(kept)
        counted = Counted.over_instances(by_instance, self.weights)
        return counted.apply(lambda counts: np.broadcast_to(counts, (*counts.shape[:-2], *shape)))

    @cached_property
    def _matching(self) -> Words:
        """The mask where the judge's own response is shown and kept too, and the generator is no kin."""
        mask, own = self.shown_mask, self.kin.own
        if mask.shape[1] > 1:
            mask = mask[np.arange(len(own)) if len(mask) > 1 else 0, own.argmax(axis=1)][:, None, :]
        others = self.kin.other & np.asarray(own.any(axis=1))[:, None]
        return self.shown_mask & mask & np.where(others, ~np.uint64(0), np.uint64(0))[..., None]


def _pick(plane: Words, rows: Ints, columns: Ints) -> Words:
    """Return the rows and columns shown; an axis of size 1 stands for all."""
    if plane.shape[0] > 1 and len(rows) < plane.shape[0]:
        plane = plane[rows]
    if plane.shape[1] > 1 and len(columns) < plane.shape[1]:
        plane = plane[:, columns]
    return plane
