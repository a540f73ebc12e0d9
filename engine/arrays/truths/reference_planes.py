"""Verdicts compared with a reference: the planes behind every rubric-level count."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from engine.arrays.bits.bitsets import Layout, Words, any_in_both
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import Failures
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.outside.matched_rubrics import matched_terms
from engine.stats.self_preference import Relations


@dataclass(frozen=True, eq=False)
class ReferencePlanes:
    """A reference's verdicts on a cube: (judges, or 1 if alike for all, generators, words)."""

    met: Words  # unset where there is no verdict
    has: Words  # whether there is a verdict
    tie: Words  # where its members were divided


@dataclass(frozen=True, eq=False)
class OwnFailures(ParallelArrays):
    """The rubrics that a judge's own response failed in a slice, each of shape (failures,)."""

    places: Ints  # the places of their bits
    credited: Bools  # the judge passed its own
    other_failed: Ints  # responses of other families that failed the rubric too
    other_credited: Ints  # those of them that the judge passed

    def terms(self) -> Floats:
        """Return `matched_terms` of these failures."""
        return matched_terms(self.credited, self.other_credited, self.other_failed)


def own_failures_of(failed: Words, over: Words, relations: Relations, layout: Layout) -> list[OwnFailures]:
    """Return the own failures of each judge; both planes have shape (judges, generators, words)."""
    failures = []
    for judge in range(len(failed)):
        own, others = relations.self_mask[judge], np.flatnonzero(relations.unrelated_mask[judge])
        places = layout.places(np.bitwise_or.reduce(failed[judge, own], axis=0))
        credited = layout.count_at(over[judge, own], places) > 0
        of_others = (layout.count_at(plane[judge, others], places) for plane in (failed, over))
        failures.append(OwnFailures(places, credited, *of_others))
    return failures


@dataclass(frozen=True, eq=False)
class Planes:
    """A cube compared with a reference; each plane has shape (judges, generators, words).

    Verdicts are taken as favourable or not: met where a rubric's points are 0 or more, not met where
    they are negative (MEASURES section 1).
    """

    index: StudyIndex
    cube: VerdictCube
    reference: ReferencePlanes
    _own_failures: dict[bytes, list[OwnFailures]] = field(default_factory=dict, repr=False)
    _matched_terms: dict[bytes, list[tuple[Ints, Floats]]] = field(default_factory=dict, repr=False)

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

        Merged repeats count under the reference's reason if it has no verdict on them, but has some.
        """
        failures, bit = self.cube.failures, self.index.layout.bit
        place = (failures.judge, failures.generator, failures.place)
        merged = failures.code == "merged"
        divided = merged & bit(self.reference.tie, *place)
        unknown = merged & ~divided & ~bit(self.reference.has, *place) & self.reference.has.any()
        code = np.where(divided, "reference_tie", np.where(unknown, "no_reference", failures.code))
        planes = {str(name): self._layers(failures.select(code == name)) for name in np.unique(code)}
        for name, plane in (("no_reference", self.no_reference), ("reference_tie", self.reference_tie)):
            if plane.any():
                planes.setdefault(name, []).append(plane)
        return planes

    def _layers(self, failures: Failures) -> list[Words]:
        shape = (len(self.cube.judges), len(self.cube.generators))
        places = (failures.judge, failures.generator, failures.place)
        cells = np.ravel_multi_index(places, (*shape, self.index.n_rubrics))
        order = np.argsort(cells, kind="stable")  # fast, as they are nearly in order
        first = np.flatnonzero(np.diff(cells[order], prepend=-1))
        counts = np.add.reduceat(failures.count[order], first) if len(first) else first
        marked = (order[first[counts > nth]] for nth in range(int(counts.max(initial=0))))
        return [self.index.layout.plane(shape, *(place[at] for place in places)) for at in marked]

    @cached_property
    def left_out_by_rubric(self) -> dict[str, Ints]:
        """How many rows of all judges on all generators `left_out` counts, by reason, shape (rubrics,)."""
        unpack = self.index.layout.unpack
        return {
            code: np.sum([unpack(words).sum(axis=0) for plane in planes for words in plane], axis=0)
            for code, planes in self.left_out.items()
        }

    @cached_property
    def counted_anywhere(self) -> Words:
        """Where any judge's verdict on any generator is counted, shape (words,)."""
        return any_in_both(self.counted, self.counted)

    @cached_property
    def judged_words(self) -> Words:
        """Where there is a judgment row, of any status."""
        missing = [plane for planes in self.left_out.values() for plane in planes[:1]]
        return np.asarray(np.bitwise_or.reduce([self.cube.ok, *missing]))

    def _own(self, plane: Words) -> Words:
        """Return a plane at the judges' own responses: (judges, 1, words), unset for one without any."""
        place = np.searchsorted(self.cube.generators, self.cube.judges)
        place = np.minimum(place, len(self.cube.generators) - 1)
        is_own = self.cube.generators[place] == self.cube.judges
        return np.where(is_own[:, None], plane[np.arange(len(plane)), place], np.uint64(0))[:, None, :]

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

    def own_failures(self, relations: Relations) -> list[OwnFailures]:
        """Return each judge's own failures on all rubrics, from which a slice of rubrics selects its own."""
        key = relations.unrelated_mask.tobytes()
        if key not in self._own_failures:
            self._own_failures[key] = own_failures_of(self.failed, self.over, relations, self.index.layout)
        return self._own_failures[key]

    def matched_terms(self, relations: Relations) -> list[tuple[Ints, Floats]]:
        """Return the places of each judge's own failures on all rubrics, and their `matched_terms`."""
        key = relations.unrelated_mask.tobytes()
        if key not in self._matched_terms:
            self._matched_terms[key] = [(each.places, each.terms()) for each in self.own_failures(relations)]
        return self._matched_terms[key]
