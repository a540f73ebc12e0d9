"""The verdicts that several judges gave on the same cells, from packed bits (MEASURES section 15)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bits.bitsets import Layout, Words, count
from engine.arrays.one_thread import one_thread
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.stats import Bools, Counts, Ints
from engine.stats.conditional.conditional_logit import FittedOdds, Odds, fit_odds, fit_with_model
from engine.stats.conditional.discernment import FEWEST_COPIED
from engine.stats.conditional.strata import Verdicts
from engine.stats.outside.outside import CommonCells, FamilyMasks
from engine.stats.outside.outside_scores import Placebos, near_copies

TRUTHS = ("failed", "met", "any")


@dataclass(frozen=True, eq=False)
class ComparedCells:
    """How many cells of each judge an outside judge judged too, in how many instances and clusters."""

    cells: Ints
    instances: Ints
    clusters: Ints


@dataclass(frozen=True, eq=False)
class JointVerdicts:
    """Counted verdicts and the favourable ones among them: planes of shape (judges, generators, words).

    `judged` says which judges have a verdict on a response of their own, whatever the reference says about
    it; `truth` which cells count, of `TRUTHS`. `clusters` has the cluster of each instance, from 0 on; errors
    then come from deleting one cluster at a time. None: each instance is one. `start` is a fit of nearly the
    same verdicts, where others begin. `unreferenced`, (2, judges), says which judges have verdicts on their
    own responses (relatives'), and the reference says nothing about any of these.
    """

    layout: Layout
    counted: Words
    favourable: Words
    masks: FamilyMasks
    judged: Bools
    truth: str = "any"
    clusters: Ints | None = None
    start: FittedOdds | None = None
    unreferenced: Bools | None = None

    @classmethod
    def of(cls, view: SliceView, truth: str) -> "JointVerdicts":
        """Take the verdicts on cells that the reference fails, or has met, or on any; see `TRUTHS`."""
        planes = view.rubric.planes
        if truth not in TRUTHS:
            raise UsageError(f"truth {truth!r} is unknown; choose from: {', '.join(TRUTHS)}")
        plane = {"failed": "failed", "met": "passed"}.get(truth)
        counted = view.rubric.take(planes.cube.ok if plane is None else getattr(planes, plane))
        favourable = counted & view.rubric.take(planes.favourable)
        masks = family_masks(view)
        read = view.rubric.take(planes.cube.ok).any(axis=-1)
        referenced = read if plane is None else view.rubric.take(planes.counted).any(axis=-1)
        own, family = masks.own, masks.family
        judged = np.asarray((own & referenced).any(axis=1))
        unreferenced = np.array(
            [(of & read).any(axis=1) & ~(of & referenced).any(axis=1) for of in (own, family)]
        )
        return cls(
            *(view.study.index.layout, counted, favourable, masks, judged, truth), unreferenced=unreferenced
        )

    @cached_property
    def _places(self) -> tuple[Ints, Ints, Words]:
        """`CommonCells.place` and `.generator`, and the cells of each place, shape (places, words)."""
        anyone = np.bitwise_or.reduce(self.counted, axis=0)
        generators = np.arange(len(anyone))
        judge, generator = np.nonzero((self.counted != anyone).any(axis=-1))
        cells = self.counted[judge, generator]
        row = np.concatenate([generator[:, None].astype(np.uint64), cells], axis=1)
        whole = row.view(f"V{8 * row.shape[1]}").reshape(-1)
        _, first, which = np.unique(whole, return_index=True, return_inverse=True)
        place = np.tile(generators, (len(self.counted), 1))
        place[judge, generator] = len(generators) + which
        of_place = np.concatenate([generators, generator[first]])
        return place, of_place, np.concatenate([anyone, cells[first]])

    @cached_property
    def _near_copies(self) -> Bools:
        """Which generators' responses have the same verdicts as a judge's own: (judges, generators)."""
        judged, credited = count(self.counted).sum(axis=0), count(self.favourable).sum(axis=0)
        informative = (judged >= FEWEST_COPIED) & (credited > 0) & (credited < judged)
        return near_copies(np.stack([self.counted, self.favourable], axis=-1), informative, self.masks)

    @cached_property
    def common(self) -> CommonCells:
        """How many cells two judges both judged."""
        return self._common(count)

    def common_in(self, cases: Callable[[Counts], NDArray[np.number]]) -> CommonCells:
        """Return the same for cases, the last axis, which `cases` makes from counts of clusters."""
        return self._common(lambda cells: cases(self.in_clusters(self.layout.count_by_instance(cells))))

    def _common(self, counts: Callable[[Words], NDArray[np.number]]) -> CommonCells:
        place, generator, cells = self._places
        all_judged = counts(cells)

        def of(judge: int) -> tuple[NDArray[np.number], NDArray[np.number]]:
            common = all_judged.copy()
            lacking = np.flatnonzero((place[judge] != np.arange(place.shape[1]))[generator])
            common[lacking] = counts(cells[lacking] & self.counted[judge, generator[lacking]])
            return common, counts(cells & self.favourable[judge, generator])

        return CommonCells(place, generator, of)

    def odds(self, *, errors: bool = True, pooled: bool = True, placebos: bool = True) -> Odds:
        """Fit the conditional model to the verdicts; see `fit_odds`."""
        if errors and placebos and not pooled:
            return self._without_copies(self.fitted.odds)
        own, family = self.masks.own, self.masks.family
        with one_thread():
            odds = fit_odds(
                self.verdicts,
                own,
                family,
                errors=errors,
                pooled=pooled,
                placebos=placebos,
                start=self._begin,
            )
        return self._without_copies(odds)

    def _without_copies(self, odds: Odds) -> Odds:
        placebos = Placebos(odds.placebo, odds.placebo_se).without(self._near_copies)
        return replace(odds, placebo=placebos.value, placebo_se=placebos.se)

    @cached_property
    def fitted(self) -> FittedOdds:
        """The fit with errors and placebos, not pooled."""
        own, family = self.masks.own, self.masks.family
        with one_thread():
            return fit_with_model(self.verdicts, own, family, pooled=False, start=self.start)

    @property
    def _begin(self) -> FittedOdds | None:
        """The fit from which others begin: that of these verdicts once it is made."""
        return self.__dict__.get("fitted", self.start)

    @property
    def n_clusters(self) -> int:
        return self.layout.n_instances if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    def in_clusters(self, by_instance: Counts) -> Counts:
        if self.clusters is None:
            return by_instance
        order = np.argsort(self.clusters, kind="stable")
        starts = np.searchsorted(self.clusters[order], np.arange(self.clusters.max(initial=-1) + 1))
        return np.asarray(np.add.reduceat(by_instance[..., order], starts, axis=-1, dtype=np.int64))

    @cached_property
    def _comparable(self) -> tuple[Words, Words]:
        """Cells that an outside judge judged too: for judges related to the generator, and for all others.

        Shape (generators, words) each, to be combined with a judge's own verdicts. For the others, the
        outside judge is not related to the generator either.
        """
        once, twice, thrice, related = (np.zeros_like(self.counted[0]) for _ in range(4))
        remaining = np.ones(len(self.counted), dtype=bool)
        while remaining.any():
            family = remaining & ~self.masks.outside[int(remaining.argmax())]
            judged = np.bitwise_or.reduce(self.counted[family], axis=0)
            thrice |= twice & judged
            twice |= once & judged
            once |= judged
            remaining &= ~family
        for g in range(len(related)):
            related[g] = np.bitwise_or.reduce(self.counted[~self.masks.other[:, g], g], axis=0, initial=0)
        return twice, thrice | (twice & ~related)

    @cached_property
    def own(self) -> "ComparedCells":
        """The judge's own cells that it and an outside judge judged."""
        return self._compared_cells(self.masks.own)

    @cached_property
    def no_own(self) -> Bools:
        """Which judges judged responses of their own, on none of which anybody's verdict counts."""
        anybody = self.counted.any(axis=(0, -1))
        return np.asarray(self.judged & ~(self.masks.own & anybody).any(axis=1))

    @cached_property
    def own_alone(self) -> int:
        """How many own cells of all judges no outside judge judged."""
        return int(count(self.counted)[self.masks.own].sum() - self.own.cells.sum())

    @cached_property
    def family(self) -> "ComparedCells":
        """Such cells of the judge's relatives."""
        return self._compared_cells(self.masks.family)

    def _compared_cells(self, of: Bools) -> "ComparedCells":
        """Count the cells of the generators `of` each judge that an outside judge judged too."""
        cells, instances, clusters = (np.zeros(len(of), dtype=np.int64) for _ in range(3))
        for j in np.flatnonzero(of.any(axis=1)):
            judged = self.counted[j, of[j]] & self._comparable[0][of[j]]
            each = self.layout.count_by_instance(np.bitwise_or.reduce(judged, axis=0))
            cells[j], instances[j] = count(judged).sum(), np.count_nonzero(each)
            clusters[j] = np.count_nonzero(self.in_clusters(each))
        return ComparedCells(cells, instances, clusters)

    @cached_property
    def other_cells(self) -> Ints:
        """The cells of generators outside its family that it and an outside judge judged, shape (judges,)."""
        cells = count(self.counted & self._comparable[1])
        return np.asarray(np.where(self.masks.other, cells, 0).sum(axis=1))

    def compared_clusters(self, own: Bools) -> Ints:
        """Return how many clusters have a cell with an outside judge, of generators in `own` or of others."""
        number = np.zeros(len(own), dtype=np.int64)
        for j in np.flatnonzero(own.any(axis=1)):
            near, far = (
                np.bitwise_or.reduce((self.counted[j] & cells)[of], axis=0)
                for cells, of in zip(self._comparable, (own[j], self.masks.other[j]), strict=True)
            )
            number[j] = np.count_nonzero(self.in_clusters(self.layout.count_by_instance(near | far)))
        return number

    def impute(self, of: Bools, cells: Words, *, favourable: bool) -> "JointVerdicts":
        """Return the verdicts with those on `cells` filled in, for (judges, generators) marked in `of`."""
        filled = np.where(of[..., None], cells, np.uint64(0))
        credited = self.favourable | filled if favourable else self.favourable
        return replace(self, counted=self.counted | filled, favourable=credited, start=self._begin)

    def in_place_of(self, judge: int, counted: Words, favourable: Words) -> "JointVerdicts":
        """Return the verdicts with a judge's replaced by others, shape (generators, words)."""
        all_counted, credited = self.counted.copy(), self.favourable.copy()
        all_counted[judge], credited[judge] = counted, favourable
        return replace(self, counted=all_counted, favourable=credited)

    def without_own(self, judge: int, cells: Words) -> "JointVerdicts":
        """Return the verdicts without those of all judges on a judge's own `cells`, shape (words,)."""
        keep = np.where(self.masks.own[judge][:, None], ~cells, ~np.uint64(0))
        counted, favourable = self.counted & keep, self.favourable & keep
        return replace(self, counted=counted, favourable=favourable, start=self._begin)

    def own_cells_by_doubt(self, judge: int, places: Ints) -> tuple[Ints, int]:
        """Return the rubrics of a judge's own cells, those it credited first, and how many it credited.

        Among each, those that the smallest share of outside judges credited come first, and of equal ones
        those with the lowest of the rubrics' `places`.
        """
        own = int(np.flatnonzero(self.masks.own[judge])[0])
        counted, favourable = (self.layout.unpack(plane[:, own]) for plane in (self.counted, self.favourable))
        outside = self.masks.outside[judge]
        present, passes = counted[outside].sum(axis=0), favourable[outside].sum(axis=0)
        share = np.divide(passes, present, out=np.ones(len(present)), where=present > 0)
        cells = np.flatnonzero(counted[judge])
        order = np.lexsort((places[cells], share[cells], ~favourable[judge][cells]))
        return cells[order], int(favourable[judge][cells].sum())

    @property
    def has_verdict(self) -> Bools:
        """Which instances have a verdict that counts, shape (instances,)."""
        anywhere = np.bitwise_or.reduce(self.counted, axis=(0, 1))
        return np.asarray(self.layout.count_by_instance(anywhere) > 0)

    @property
    def instances(self) -> int:
        """The number of instances with a verdict that counts."""
        return int(np.count_nonzero(self.has_verdict))

    @cached_property
    def _differing(self) -> tuple[Ints, Ints]:
        """The generator and the rubric of cells on which verdicts differ, by generator and by cluster."""
        differ = np.bitwise_or.reduce(self.favourable, axis=0)
        differ &= np.bitwise_or.reduce(self.counted & ~self.favourable, axis=0)
        generator, rubric = np.nonzero(self.layout.unpack(differ))
        if self.clusters is None:
            return generator, rubric
        order = np.lexsort((self._cluster_of(rubric), generator))
        return generator[order], rubric[order]

    def _cluster_of(self, rubric: Ints) -> Ints:
        instance = self.layout.instance_of[rubric]
        return instance if self.clusters is None else self.clusters[instance]

    @cached_property
    def verdicts(self) -> Verdicts:
        """The cells on which verdicts differ, by generator and by cluster."""
        generator, rubric = self._differing

        def cells(planes: Words) -> Bools:
            return np.stack([self.layout.unpack(plane)[generator, rubric] for plane in planes], axis=1)

        verdicts = cells(self.favourable), cells(self.counted)
        return Verdicts(*verdicts, generator, self._cluster_of(rubric), rubric=rubric)
