"""The verdicts that several judges gave on the same cells, out of packed bits (MEASURES section 15)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import Layout, Words, count
from engine.arrays.index import Relatives
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.stats.conditional_likelihood import Verdicts
from engine.stats.outside import Circle, Shared
from engine.stats.types import Bools, Ints

Counts = NDArray[np.integer]

TRUTHS = ("failed", "met", "any")


def circle_of(view: SliceView) -> Circle:
    """Return who stands outside whom among the judges and generators shown."""
    index, relatives = view.study.index, cast("Relatives", view.request.spec.relatives)
    relations = index.relations(view.judges, view.generators, relatives)
    return Circle(
        own=relations.self_mask,
        family=relations.family,
        other=relations.unrelated_mask,
        outside=index.relations(view.judges, view.judges, relatives).unrelated_mask,
        apart=index.relations(view.generators, view.generators, relatives).unrelated_mask,
    )


@dataclass(frozen=True, eq=False)
class JointVerdicts:
    """Verdicts that count and the favourable ones of them: planes of shape (judges, generators, words).

    `judged` says which judges have a verdict on a response of their own, whatever the reference says of it.
    `clusters` has the cluster of each instance, from 0 on; errors are then taken by deleting one cluster at a
    time. None: each instance is one.
    """

    layout: Layout
    counted: Words
    favourable: Words
    circle: Circle
    judged: Bools
    clusters: Ints | None = None

    @classmethod
    def of(cls, view: SliceView, truth: str) -> "JointVerdicts":
        """Take the verdicts on cells that the reference fails, or has met, or on any; see `TRUTHS`."""
        planes = view.rubric.planes
        if truth not in TRUTHS:
            raise UsageError(f"truth {truth!r} is unknown; choose from: {', '.join(TRUTHS)}")
        plane = {"failed": "failed", "met": "passed"}.get(truth)
        counted = view.rubric.take(planes.cube.ok if plane is None else getattr(planes, plane))
        favourable = counted & view.rubric.take(planes.favourable)
        circle = circle_of(view)
        own = view.rubric.take(planes.cube.ok if plane is None else planes.counted).any(axis=-1)
        judged = np.asarray((circle.own & own).any(axis=1))
        return cls(view.study.index.layout, counted, favourable, circle, judged)

    @cached_property
    def _lacking(self) -> Bools:
        """Where a judge has no verdict on some cell on which another has one, shape (judges, generators)."""
        return np.asarray((self.counted != np.bitwise_or.reduce(self.counted, axis=0)).any(axis=-1))

    @cached_property
    def shared(self) -> Shared:
        """How many cells two judges both judged."""
        return self._shared(count)

    def shared_in(self, cases: Callable[[Counts], NDArray[np.number]]) -> Shared:
        """Return the same for cases, the last axis, that are made of the counts of clusters."""
        return self._shared(lambda cells: cases(self.in_clusters(self.layout.count_by_instance(cells))))

    def _shared(self, counts: Callable[[Words], NDArray[np.number]]) -> Shared:
        theirs = self.counted[self._lacking]
        generator = np.nonzero(self._lacking)[1]

        def of(judge: int) -> tuple[NDArray[np.number], NDArray[np.number]]:
            planes = self.counted[judge], self.favourable[judge]
            common, credited = (
                counts(np.concatenate([plane, theirs & plane[generator]])) for plane in planes
            )
            return common, credited

        return Shared(self._lacking, of)

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return self.layout.n_instances if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    def in_clusters(self, by_instance: Counts) -> Counts:
        """Add counts of instances, the last axis, up to those of clusters."""
        if self.clusters is None:
            return by_instance
        order = np.argsort(self.clusters, kind="stable")
        starts = np.searchsorted(self.clusters[order], np.arange(self.clusters.max(initial=-1) + 1))
        return np.asarray(np.add.reduceat(by_instance[..., order], starts, axis=-1, dtype=np.int64))

    @cached_property
    def _beside(self) -> tuple[Words, Words]:
        """Cells with a judge outside the judge's family: where it is related to the generator, and elsewhere.

        Shape (generators, words) each; the judge itself has a verdict there. Elsewhere the outside judge is
        of another family than the generator too.
        """
        once, twice, thrice, related = (np.zeros_like(self.counted[0]) for _ in range(4))
        left = np.ones(len(self.counted), dtype=bool)
        while left.any():
            family = left & ~self.circle.outside[int(left.argmax())]
            judged = np.bitwise_or.reduce(self.counted[family], axis=0)
            thrice |= twice & judged
            twice |= once & judged
            once |= judged
            left &= ~family
        for g in range(len(related)):
            related[g] = np.bitwise_or.reduce(self.counted[~self.circle.other[:, g], g], axis=0, initial=0)
        return twice, thrice | (twice & ~related)

    @cached_property
    def own_cells(self) -> Ints:
        """The judge's own cells that it and an outside judge judged, shape (judges,)."""
        return np.asarray(np.where(self.circle.own, count(self.counted & self._beside[0]), 0).sum(axis=1))

    @cached_property
    def family_cells(self) -> Ints:
        """Such cells of the judge's relatives, shape (judges,)."""
        return np.asarray(np.where(self.circle.family, count(self.counted & self._beside[0]), 0).sum(axis=1))

    @cached_property
    def other_cells(self) -> Ints:
        """The cells of generators outside its family that it and an outside judge judged, shape (judges,)."""
        return np.asarray(np.where(self.circle.other, count(self.counted & self._beside[1]), 0).sum(axis=1))

    @property
    def own_instances(self) -> Ints:
        """The instances of `own_cells`."""
        return self._numbers_of_own[0]

    @property
    def own_clusters(self) -> Ints:
        """The clusters of `own_cells`."""
        return self._numbers_of_own[1]

    @property
    def family_instances(self) -> Ints:
        """The instances of such cells of the judge's relatives."""
        return self._numbers_of_family[0]

    @property
    def family_clusters(self) -> Ints:
        """The clusters of such cells of the judge's relatives."""
        return self._numbers_of_family[1]

    @cached_property
    def _numbers_of_own(self) -> tuple[Ints, Ints]:
        return self._numbers(self.circle.own)

    @cached_property
    def _numbers_of_family(self) -> tuple[Ints, Ints]:
        return self._numbers(self.circle.family)

    def _numbers(self, of: Bools) -> tuple[Ints, Ints]:
        """Return how many instances, and clusters, hold such cells of each judge's generators `of`."""
        instances, clusters = (np.zeros(len(of), dtype=np.int64) for _ in range(2))
        for j in np.flatnonzero(of.any(axis=1)):
            cells = np.bitwise_or.reduce((self.counted[j] & self._beside[0])[of[j]], axis=0)
            each = self.layout.count_by_instance(cells)
            instances[j], clusters[j] = np.count_nonzero(each), np.count_nonzero(self.in_clusters(each))
        return instances, clusters

    def clusters_beside(self, own: Bools) -> Ints:
        """Return the clusters of cells of generators in `own`, or of others, with an outside judge."""
        number = np.zeros(len(own), dtype=np.int64)
        for j in np.flatnonzero(own.any(axis=1)):
            near, far = (
                np.bitwise_or.reduce((self.counted[j] & beside)[of], axis=0)
                for beside, of in zip(self._beside, (own[j], self.circle.other[j]), strict=True)
            )
            number[j] = np.count_nonzero(self.in_clusters(self.layout.count_by_instance(near | far)))
        return number

    def with_own(self, judge: int, cells: Words, *, favourable: bool) -> "JointVerdicts":
        """Return the verdicts with those of a judge on its own `cells`, shape (words,), filled in."""
        own = np.flatnonzero(self.circle.own[judge])
        counted, credited = self.counted.copy(), self.favourable.copy()
        counted[judge, own] |= cells
        if favourable:
            credited[judge, own] |= cells
        return replace(self, counted=counted, favourable=credited)

    def in_place_of(self, judge: int, counted: Words, favourable: Words) -> "JointVerdicts":
        """Return the verdicts with other ones, shape (generators, words), in the place of a judge's."""
        given = [plane.copy() for plane in (self.counted, self.favourable)]
        given[0][judge], given[1][judge] = counted, favourable
        return replace(self, counted=given[0], favourable=given[1])

    def without_own(self, judge: int, cells: Words) -> "JointVerdicts":
        """Return the verdicts without those of all judges on a judge's own `cells`, shape (words,)."""
        own = np.flatnonzero(self.circle.own[judge])
        counted, credited = self.counted.copy(), self.favourable.copy()
        counted[:, own] &= ~cells
        credited[:, own] &= ~cells
        return replace(self, counted=counted, favourable=credited)

    def own_cells_by_doubt(self, judge: int) -> tuple[Ints, int]:
        """Return the rubrics of a judge's own cells, those it credited first, and how many it credited.

        Of these the ones that the smallest share of outside judges credited come first.
        """
        own = int(np.flatnonzero(self.circle.own[judge])[0])
        counted, favourable = (self.layout.unpack(plane[:, own]) for plane in (self.counted, self.favourable))
        outside = self.circle.outside[judge]
        present, passes = counted[outside].sum(axis=0), favourable[outside].sum(axis=0)
        share = np.divide(passes, present, out=np.ones(len(present)), where=present > 0)
        cells = np.flatnonzero(counted[judge])
        order = np.lexsort((cells, share[cells], ~favourable[judge][cells]))
        return cells[order], int(favourable[judge][cells].sum())

    @property
    def instances(self) -> int:
        """The number of instances with a verdict that counts."""
        anywhere = np.bitwise_or.reduce(self.counted, axis=(0, 1))
        return int(np.count_nonzero(self.layout.count_by_instance(anywhere)))

    def verdicts(self) -> Verdicts:
        """Return the cells on which verdicts differ, by generator and by cluster."""
        differ = np.bitwise_or.reduce(self.favourable, axis=0)
        differ &= np.bitwise_or.reduce(self.counted & ~self.favourable, axis=0)
        where = np.flatnonzero(self.layout.unpack(differ))
        judges, rubrics = len(self.counted), len(self.layout.instance_of)

        def taken(planes: Words) -> Bools:
            return np.stack([self.layout.unpack(planes[j]).reshape(-1)[where] for j in range(judges)], axis=1)

        generator, rubric = np.divmod(where, max(rubrics, 1))
        cluster = self.layout.instance_of[rubric]
        if self.clusters is not None:
            cluster = self.clusters[cluster]
            order = np.lexsort((cluster, generator))
            where, generator, cluster = where[order], generator[order], cluster[order]
        return Verdicts(taken(self.favourable), taken(self.counted), generator, cluster)


def missing_verdicts(view: SliceView, truth: str) -> Words:
    """Return the cells of that `truth` on which a judge was asked and has no verdict, as `JointVerdicts` are.

    A cell on which repeats are divided has none; what was never asked is not missing.
    """
    planes = view.rubric.planes
    missing = planes.judged_words & ~planes.cube.ok
    if truth != "any":
        favourable = (planes.reference.met ^ planes.negative) & planes.reference.has
        missing = missing & (favourable if truth == "met" else planes.reference.has & ~favourable)
    return view.rubric.take(missing)


def everybody(view: SliceView) -> SliceView:
    """Return the view with all judges of the cube: whoever is shown, all the others stand beside it."""
    return view.shown_judges(np.arange(len(view.cube.judges)))
