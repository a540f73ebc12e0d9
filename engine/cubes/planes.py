"""Verdicts held against a reference: the planes that every rubric-level count is taken from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.cubes.rows import Failures
from engine.cubes.verdicts import VerdictCube
from engine.packing import Words

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ReferencePlanes:
    """A reference's verdicts on the responses of a cube: shape (judges or 1, generators, words).

    The first axis is 1 where the reference is the same for all judges. `met` is unset where the
    reference has no verdict (`has` unset); `tie` marks where its members were divided.
    """

    met: Words
    has: Words
    tie: Words


@dataclass(frozen=True, eq=False)
class Planes:
    """One cube against one reference; each plane has shape (judges, generators, words).

    Verdicts are taken as favourable or not: met where a rubric's points are 0 or more, not met where
    they are negative (MEASURES section 1).
    """

    index: StudyIndex
    cube: VerdictCube
    reference: ReferencePlanes

    @cached_property
    def negative(self) -> Words:
        """The rubrics with negative points, shape (words,)."""
        return self.index.layout.pack(self.index.points < 0)

    @cached_property
    def favourable(self) -> Words:
        """The judge's verdict is favourable."""
        return (self.cube.met ^ self.negative) & self.cube.ok

    @cached_property
    def counted(self) -> Words:
        """Judge and reference both have a verdict."""
        return self.cube.ok & self.reference.has

    @cached_property
    def _truth(self) -> Words:
        return (self.reference.met ^ self.negative) & self.reference.has

    @cached_property
    def failed(self) -> Words:
        """Counted, and the reference is unfavourable."""
        return self.counted & ~self._truth

    @cached_property
    def passed(self) -> Words:
        """Counted, and the reference is favourable."""
        return self.counted & self._truth

    @cached_property
    def over(self) -> Words:
        """Overestimations: failed, and the judge's verdict is favourable."""
        return self.failed & self.favourable

    @cached_property
    def under(self) -> Words:
        """Underestimations: passed, and the judge's verdict is unfavourable."""
        return self.passed & ~self.favourable

    @cached_property
    def correct(self) -> Words:
        """Counted, and the judge's verdict equals the reference's."""
        return self.counted & ~(self.over | self.under)

    @cached_property
    def no_reference(self) -> Words:
        """Judged, but the reference has no verdict and was not divided."""
        return self.cube.ok & ~self.reference.has & ~self.reference.tie

    @cached_property
    def reference_tie(self) -> Words:
        """Judged, but the reference's members were divided."""
        return self.cube.ok & ~self.reference.has & self.reference.tie

    @cached_property
    def left_out(self) -> dict[str, list[Words]]:
        """Judgment rows that never count, by reason: the nth plane marks the places that lose n rows or more.

        Repeats that were merged are the reference's loss where it has no verdict on them.
        """
        failures, bit = self.cube.failures, self.index.layout.bit
        place = (failures.judge, failures.generator, failures.place)
        merged = failures.code == "merged"
        divided = merged & bit(self.reference.tie, *place)
        unknown = merged & ~divided & ~bit(self.reference.has, *place)
        code = np.where(divided, "reference_tie", np.where(unknown, "no_reference", failures.code))
        planes = {str(name): self._layers(failures, code == name) for name in set(code)}
        for name, plane in (("no_reference", self.no_reference), ("reference_tie", self.reference_tie)):
            if plane.any():
                planes.setdefault(name, []).append(plane)
        return planes

    def _layers(self, failures: Failures, chosen: NDArray[np.bool_]) -> list[Words]:
        shape = (len(self.cube.judges), len(self.cube.generators))
        places = (failures.judge[chosen], failures.generator[chosen], failures.place[chosen])
        cells = np.ravel_multi_index(places, (*shape, self.index.n_rubrics))
        order = np.argsort(cells, kind="stable")  # fast, as they are nearly in order
        first = np.flatnonzero(np.diff(cells[order], prepend=-1))
        lost = np.add.reduceat(failures.count[chosen][order], first) if len(first) else first
        layers = []
        for nth in range(int(lost.max(initial=0))):
            marked = order[first[lost > nth]]
            layers.append(self.index.layout.plane(shape, *(place[marked] for place in places)))
        return layers

    @cached_property
    def asked(self) -> Words:
        """Where a judgment row stands, of any status."""
        lost = [plane for planes in self.left_out.values() for plane in planes[:1]]
        asked: Words = np.bitwise_or.reduce([self.cube.ok, *lost])
        return asked

    @cached_property
    def own_position(self) -> Ints:
        """The generator's place that is the judge itself, -1 where it is none, shape (judges,)."""
        place = np.searchsorted(self.cube.generators, self.cube.judges)
        place = np.minimum(place, len(self.cube.generators) - 1)
        return np.where(self.cube.generators[place] == self.cube.judges, place, -1)

    def _own(self, plane: Words) -> Words:
        own = plane[np.arange(len(plane)), self.own_position]
        return np.where((self.own_position >= 0)[:, None], own, np.uint64(0))[:, None, :]

    @cached_property
    def matched(self) -> Words:
        """The generator's response and the judge's own one both failed, and the judge judged both."""
        return self.failed & self._own(self.failed)

    @cached_property
    def matched_self(self) -> Words:
        """Matched, and the judge's verdict on its own response is favourable."""
        return self.matched & self._own(self.favourable)

    @cached_property
    def matched_other(self) -> Words:
        """Matched, and the judge's verdict on the generator's response is favourable."""
        return self.matched & self.favourable
