"""The verdicts that several judges gave on the same cells, from packed bits (MEASURES section 15)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import Layout, Words, count
from engine.arrays.index import Relatives
from engine.arrays.view import SliceView
from engine.errors import UsageError
from engine.stats import Bools, Counts, Floats, Ints
from engine.stats.conditional_likelihood import Verdicts
from engine.stats.conditional_logit import FittedOdds, Odds, fit_odds, fit_with_model
from engine.stats.conditional_model import Refitted
from engine.stats.discernment import FEWEST_COPIED
from engine.stats.outside import CommonCells, FamilyMasks
from engine.stats.outside_scores import Placebos, near_copies

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


TRUTHS = ("failed", "met", "any")
MOST_TOGETHER = 20
"""Judges up to which all enter a fit that is made for each judge; with 200 it would take minutes."""
_MOST_KEPT = 20


def family_masks(view: SliceView) -> FamilyMasks:
    """Return which of the judges and generators shown are of different families."""
    index, relatives = view.study.index, cast("Relatives", view.request.spec.relatives)
    relations = index.relations(view.judges, view.generators, relatives)
    return FamilyMasks(
        own=relations.self_mask,
        family=relations.family,
        other=relations.unrelated_mask,
        outside=index.relations(view.judges, view.judges, relatives).unrelated_mask,
        unrelated=index.relations(view.generators, view.generators, relatives).unrelated_mask,
    )


@contextmanager
def one_thread() -> Iterator[None]:
    """Multiply matrices in one thread: on small ones two wait for each other and take three times as long.

    A context, or a decorator.
    """
    libraries = _loaded_libraries()
    with nullcontext() if libraries is None else libraries.limit(limits=1, user_api="blas"):
        yield


@cache
def _loaded_libraries() -> "ThreadpoolController | None":
    """Return what sets the threads of libraries, searched once as that takes a millisecond; None without."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:  # not needed by the Python interface alone
        return None
    return ThreadpoolController()


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
    it. `clusters` has the cluster of each instance, from 0 on; errors then come from deleting one cluster at
    a time. None: each instance is one. `start` is a fit of nearly the same verdicts, where others begin.
    """

    layout: Layout
    counted: Words
    favourable: Words
    masks: FamilyMasks
    judged: Bools
    clusters: Ints | None = None
    start: FittedOdds | None = None

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
        own = view.rubric.take(planes.cube.ok if plane is None else planes.counted).any(axis=-1)
        judged = np.asarray((masks.own & own).any(axis=1))
        return cls(view.study.index.layout, counted, favourable, masks, judged)

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

    def odds_on_same_items(
        self, judge: int, *, family: bool = False, balanced: bool = False, errors: bool = True
    ) -> tuple[float, float]:
        """Return a judge's log-odds and their p on the rubrics on which its verdict on its own counts.

        With `family`, those of its relatives' responses. If `balanced`, all responses of other families to a
        rubric together weigh as much as those, so that leniency on some rubrics, whoever answers, cancels.
        Beyond MOST_TOGETHER judges, it is held against the outside judges with the most verdicts there.
        Without `errors` p is NaN, which saves most of the time.
        """
        same = self._on_same_items(judge, family)
        cells = same.cells
        if balanced:
            weight = same.balanced(cells)
            cells = replace(cells, weight=weight).select(weight > 0)
        with one_thread():
            odds = fit_odds(
                cells,
                same.masks.own,
                same.masks.family,
                errors=errors,
                pooled=False,
                placebos=False,
            )
        number = odds.family if family else odds.own
        return float(number.value[same.place]), float(number.p()[same.place])

    def _on_same_items(self, judge: int, family: bool) -> "_SameItems":
        """Return the verdicts on the rubrics on which a judge's verdict on its own (relatives') counts."""
        near, far = (self.masks.family if family else self.masks.own)[judge], self.masks.other[judge]
        items = np.bitwise_or.reduce(self.counted[judge, near], axis=0)
        rows = np.arange(len(self.counted))
        if len(rows) > MOST_TOGETHER:
            cells = np.where(self.masks.outside[judge], count(self.counted & items).sum(axis=1), -1)
            rows = np.union1d(np.argsort(-cells, kind="stable")[: MOST_TOGETHER - 1], [judge])
        of = self.masks
        outside = of.outside[np.ix_(rows, rows)]
        masks = FamilyMasks(of.own[rows], of.family[rows], of.other[rows], outside, of.unrelated)
        counted, favourable = self.counted[rows] & items, self.favourable[rows] & items
        same = replace(self, counted=counted, favourable=favourable, masks=masks).verdicts
        strangers = np.asarray(masks.other.all(axis=0))
        # The model, which conditions quality out, tells none of these apart: as one they take fewer rows.
        generator = np.where(strangers[same.generator], strangers.argmax(), same.generator)
        return _SameItems(
            replace(same, generator=generator), masks, rows, int(np.flatnonzero(rows == judge)[0]), near, far
        )

    def odds_left_on_same_items(self, judge: int, *, family: bool, balanced: bool) -> Refitted:
        """Return the log-odds of `odds_on_same_items` from the fit of all cells, weighing these anew.

        Beyond MOST_TOGETHER judges, or where a fit must begin anew, without an error.
        """
        if len(self.counted) > MOST_TOGETHER:
            refitted = self._left_of_some(judge, family=family, balanced=balanced)
        else:
            near, far = (self.masks.family if family else self.masks.own)[judge], self.masks.other[judge]
            cells = self.fitted.model.point.strata.cells
            rubric = cells.rubric
            assert rubric is not None  # noqa: S101 - `verdicts` sets it
            items = self.layout.unpack(np.bitwise_or.reduce(self.counted[judge, near], axis=0))
            weight = items[rubric].astype(np.float64)
            if balanced:
                of = cells.generator
                weight *= _balanced(rubric, near[of] & items[rubric], far[of], cells.present[:, judge])
            with one_thread():
                refitted = self.fitted.weighted(weight, judge + len(self.counted) * family)
        if refitted is None:
            value, _ = self.odds_on_same_items(judge, family=family, balanced=balanced, errors=False)
            return Refitted(value, np.nan)
        return refitted

    def _left_of_some(self, judge: int, *, family: bool, balanced: bool) -> Refitted | None:
        """Return the log-odds beside some judges, from a fit to their verdicts alone."""
        if (judge, family) not in self._fitted_on_same_items:
            if len(self._fitted_on_same_items) >= _MOST_KEPT:
                self._fitted_on_same_items.clear()
            same = self._on_same_items(judge, family)
            with one_thread():
                fitted = fit_with_model(
                    same.cells,
                    same.masks.own,
                    same.masks.family,
                    errors=False,
                    pooled=False,
                    placebos=False,
                    rough=True,
                )
            self._fitted_on_same_items[judge, family] = same, fitted
        same, fitted = self._fitted_on_same_items[judge, family]
        if not balanced:
            odds = fitted.odds.family if family else fitted.odds.own
            return Refitted(float(odds.value[same.place]), np.nan)
        weight = same.balanced(fitted.model.point.strata.cells)
        with one_thread():
            refitted = fitted.weighted(weight, same.place + len(same.rows) * family)
        return None if refitted is None else replace(refitted, naive_se=np.nan)

    @cached_property
    def _fitted_on_same_items(self) -> "dict[tuple[int, bool], tuple[_SameItems, FittedOdds]]":
        """The fits beside some judges, of a few judges at a time: weighing their cells anew begins there."""
        return {}

    def cells_together(self, judge: int, *, family: bool) -> float:
        """Return how many own (relatives') cells of a judge share an instance, the mean over cells."""
        of = (self.masks.family if family else self.masks.own)[judge]
        counts = self.in_clusters(self.layout.count_by_instance(self.counted[judge, of]).sum(axis=0))
        return float((counts.astype(np.float64) ** 2).sum() / max(counts.sum(), 1))

    def own_cells_by_doubt(self, judge: int) -> tuple[Ints, int]:
        """Return the rubrics of a judge's own cells, those it credited first, and how many it credited.

        Among each, those that the smallest share of outside judges credited come first.
        """
        own = int(np.flatnonzero(self.masks.own[judge])[0])
        counted, favourable = (self.layout.unpack(plane[:, own]) for plane in (self.counted, self.favourable))
        outside = self.masks.outside[judge]
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


@dataclass(frozen=True, eq=False)
class _SameItems:
    """The verdicts of some judges, the `rows`, on rubrics on which the one at `place` judged its own.

    `near` and `far` (generators,) are its own (or its relatives') responses and those of other families. In
    `cells` all generators to which none of these judges is related stand for one.
    """

    cells: Verdicts
    masks: FamilyMasks
    rows: Ints
    place: int
    near: Bools
    far: Bools

    def balanced(self, cells: Verdicts) -> Floats:
        """Return the weights of `_balanced` of some of these cells."""
        rubric, of = cells.rubric, cells.generator
        assert rubric is not None  # noqa: S101 - `JointVerdicts.verdicts` sets it
        return _balanced(rubric, self.near[of], self.far[of], cells.present[:, self.place])


def _balanced(rubric: Ints, near: Bools, far: Bools, judged: Bools) -> Floats:
    """Return weights with which on each rubric the `judged` cells that are `far` count like those `near`.

    All arguments have an entry for each cell. Cells of neither kind, and rubrics without both, have none.
    """
    near_cells, far_cells = (np.bincount(rubric, judged & of) for of in (near, far))
    share = np.divide(near_cells, far_cells, out=np.zeros_like(near_cells), where=far_cells > 0)[rubric]
    return np.asarray(np.where(near, share > 0, share * far), dtype=np.float64)


def missing_verdicts(view: SliceView, truth: str) -> Words:
    """Return the cells of that `truth` on which a judge was asked but has no verdict, as a plane.

    Divided repeats give no verdict; a cell that was never asked about is absent (`absent_verdicts`).
    """
    planes = view.rubric.planes
    return view.rubric.take(planes.judged_words & ~planes.cube.ok & _of_truth(view, truth))


def absent_verdicts(view: SliceView, joint: JointVerdicts, truth: str) -> Words:
    """Return the cells of that `truth` that another judge judged and that a judge has no row for, as a plane.

    Only where the judge has a row for some other answer to the same criterion. For its own and its relatives'
    cells, the other judge is of another family.
    """
    planes, masks = view.rubric.planes, joint.masks
    judged = view.rubric.take(planes.judged_words)
    anyone = np.bitwise_or.reduce(joint.counted, axis=0)
    absent: Words = ~judged & np.bitwise_or.reduce(judged, axis=1)[:, None] & anyone
    if not absent.any():
        return absent
    for j, g in zip(*np.nonzero(~masks.other), strict=True):
        absent[j, g] &= np.bitwise_or.reduce(joint.counted[masks.outside[j], g], axis=0, initial=0)
    of_truth = np.broadcast_to(_of_truth(view, truth), planes.cube.ok.shape)
    return np.asarray(absent & view.rubric.take(of_truth))


def _of_truth(view: SliceView, truth: str) -> Words:
    """Return the cells that the reference fails, or has met, or all: to be combined with planes."""
    planes = view.rubric.planes
    if truth == "any":
        return np.full((1, 1, 1), ~np.uint64(0))
    favourable = (planes.reference.met ^ planes.negative) & planes.reference.has
    return np.asarray(favourable if truth == "met" else planes.reference.has & ~favourable)


def with_all_judges(view: SliceView) -> SliceView:
    return view.shown_judges(np.arange(len(view.cube.judges)))
