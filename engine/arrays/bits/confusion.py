"""Counts of rubric verdicts in one slice, with bootstrap draws."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.bitsets import Words, any_in_both, count
from engine.arrays.instance_counts import CountsByInstance
from engine.arrays.truths.reference_planes import OwnFailures, Planes, own_failures_of
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.intervals.bootstrap import resample
from engine.stats.self_preference import Relations


@dataclass(frozen=True, eq=False)
class Resampled:
    """Counts or sums of shape (...,), and of shape (resamples, ...) where resamples are drawn."""

    total: NDArray[Any]
    draws: Floats | None = None

    @classmethod
    def over_instances(cls, by_instance: NDArray[Any], weights: Weights | None) -> "Resampled":
        """Sum the last axis, instances, once as it is and once for each resample."""
        kind = np.int64 if np.issubdtype(by_instance.dtype, np.integer) else np.float64
        total = by_instance.sum(axis=-1, dtype=kind)
        return cls(total, None if weights is None else resample(by_instance, weights))

    def apply(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> "Resampled":
        """Return the function of the value and of the draws; it must leave leading axes alone."""
        return Resampled(function(self.total), None if self.draws is None else function(self.draws))


def combine(function: Callable[..., Any], *parts: Resampled) -> tuple[Any, Any]:
    """Apply a statistic to the counts and to their draws; the second is None without draws."""
    value = function(*(part.total for part in parts))
    draws = [part.draws for part in parts]
    if any(draw is None for draw in draws):
        return value, None
    return value, function(*draws)


_MUCH_SHARED = 10
"""Judges share a plane if they lack less than one in so many places of it."""


def _counted(name: str) -> "cached_property[Resampled]":
    """Return a property of `RubricCounts`: the places of a plane of that name, in the slice and its draws."""
    return cached_property(lambda counts: counts._resampled(name))


@dataclass(frozen=True, eq=False)
class RubricCounts(CountsByInstance):
    """Counts of the judges' verdicts, for each judge and generator shown.

    `rows` and `columns` are their places in the cube; `mask` has shape (judges or 1, generators or 1, words)
    over the whole cube. Every count has shape (judges, generators); `Planes` says what is counted.
    """

    planes: Planes
    rows: Ints
    columns: Ints
    mask: Words
    weights: Weights | None
    relations: Relations

    over = _counted("over")
    failed = _counted("failed")
    under = _counted("under")
    correct = _counted("correct")
    counted = _counted("counted")

    @cached_property
    def passed(self) -> Resampled:
        if self.weights is None:  # counted verdicts are on failed responses or on passed ones
            return Resampled(self._sizes - self.failed.total)
        return self._resampled("passed")

    @cached_property
    def own_failures(self) -> list[OwnFailures]:
        """The rubrics that each judge's own response failed; none if it has no response."""
        if not self._of_rubrics_alone:
            planes = (self.take(self.planes.failed), self.take(self.planes.over))
            return own_failures_of(*planes, self.relations, self.planes.index.layout)
        rubrics = self.planes.index.layout.is_set(self.mask[0, 0])
        everywhere = self.planes.own_failures(self.relations)
        return [each.select(np.flatnonzero(rubrics.take(each.places))) for each in everywhere]

    @cached_property
    def matched_sums(self) -> Floats:
        """The sums of `matched_terms` over each judge's own failures in the slice, shape (5, judges)."""
        if not self._of_rubrics_alone:
            return np.stack([own.terms().sum(axis=1) for own in self.own_failures], axis=1)
        rubrics = self.planes.index.layout.is_set(self.mask[0, 0]).astype(np.float64)
        everywhere = self.planes.matched_terms(self.relations)
        each = [terms @ rubrics.take(places) for places, terms in everywhere]
        return np.stack(each, axis=1)

    @cached_property
    def matched(self) -> tuple[Resampled, Resampled, Resampled]:
        """Over out-of-family generators: matched failures, those credited to the judge, and to them.

        Each of shape (judges,), the first without draws; see MEASURES section 2, matched ratio.
        """
        size, own, others = (Resampled(sums.astype(np.int64)) for sums in self.matched_sums[:3])
        if self.weights is None:
            return size, own, others
        layout = self.planes.index.layout
        by_instance = np.zeros((2, len(self.own_failures), layout.n_instances), dtype=np.int64)
        for judge, failures in enumerate(self.own_failures):
            _, *credited = failures.terms()[:3]
            instance = layout.instance_at(failures.places)
            by_instance[:, judge] = [np.bincount(instance, term, layout.n_instances) for term in credited]
        own, others = (
            Resampled.over_instances(part[:, self.counted_or_all], self._weights_counted)
            for part in by_instance
        )
        return size, own, others

    def by_instance(self, name: str) -> NDArray[np.integer]:
        """Return a count by its name (`over`) in each instance, in bytes if they fit."""
        return self.planes.index.layout.small_counts(self.take(getattr(self.planes, name)))

    @cached_property
    def counted_instances(self) -> Bools:
        """Which instances have a counted verdict."""
        if self._of_rubrics_alone:
            anyone = self.planes.counted_anywhere & self.mask[0, 0]
        else:
            anyone = any_in_both(_pick(self.planes.counted, self.rows, self.columns), self.shown_mask)
        return self.planes.index.layout.count_by_instance(anyone) > 0

    @property
    def left_out(self) -> dict[str, int]:
        """How many judgment rows of the slice never count, by reason."""
        if self._of_rubrics_alone:
            rubrics = self.planes.index.layout.unpack(self.mask[0, 0])
            return {code: int(counts @ rubrics) for code, counts in self.planes.left_out_by_rubric.items()}
        return {
            code: sum(int(self.count(plane).sum()) for plane in planes)
            for code, planes in self.planes.left_out.items()
        }

    @property
    def _of_rubrics_alone(self) -> bool:
        """Whether the slice has all judges and generators, and the same rubrics of each."""
        everyone = (len(self.planes.cube.judges), len(self.planes.cube.generators))
        return self.mask.shape[:2] == (1, 1) and (len(self.rows), len(self.columns)) == everyone

    @cached_property
    def _sizes(self) -> Ints:
        return self.count(self.planes.counted)

    @cached_property
    def present(self) -> Bools:
        return self._sizes > 0

    @cached_property
    def cells(self) -> Bools:
        """Which (judge, generator, instance) have a counted verdict; slower than `present`."""
        return self.planes.index.layout.count_by_instance(self.take(self.planes.counted)) > 0

    @property
    def shown_mask(self) -> Words:
        return _pick(self.mask, self.rows, self.columns)

    def take(self, plane: Words) -> Words:
        """Return the part of a plane that is shown and kept."""
        return _pick(plane, self.rows, self.columns) & self.shown_mask

    def count(self, plane: Words) -> Ints:
        """Return how many places of a plane are shown and kept, shape (judges, generators)."""
        return count(self.take(plane))

    def _resampled(self, name: str) -> Resampled:
        if self.weights is None:
            return Resampled(self.count(getattr(self.planes, name)))
        counts = self.instances_first(name)
        most = counts.max(axis=1, keepdims=True, initial=0)
        lacking = most - counts
        if _MUCH_SHARED * np.count_nonzero(lacking) > np.count_nonzero(most) * counts.shape[1]:
            return self._over_instances(counts)
        # Failures, say, of which each judge has all but what it did not judge.
        return Resampled(*combine(np.subtract, self._over_instances(most), self._over_instances(lacking)))

    def _over_instances(self, counts: NDArray[np.integer]) -> Resampled:
        return Resampled.over_instances(np.moveaxis(counts, 0, -1), self._weights_counted)

    @cached_property
    def _weights_counted(self) -> Weights | None:
        return None if self.weights is None else self.weights.T[self.counted_or_all].T


def _pick(plane: Words, rows: Ints, columns: Ints) -> Words:
    """Return the rows and columns shown; an axis of size 1 stands for all."""
    if plane.shape[0] > 1 and len(rows) < plane.shape[0]:
        plane = plane[rows]
    if plane.shape[1] > 1 and len(columns) < plane.shape[1]:
        plane = plane[:, columns]
    return plane
