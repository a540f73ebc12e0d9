"""One slice of a study: its arrays, its counts, and what it leaves out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.bitsets import Words
from engine.arrays.confusion import Planes, Resampled, RubricCounts
from engine.arrays.criterion_scores import CriterionCube
from engine.arrays.index import Failures, tally
from engine.arrays.pair_outcomes import PairColumns, PairCube, PairFailures, PairRows
from engine.arrays.resolve import ResolvedSlice
from engine.arrays.score_options import ListCube, ListRanks
from engine.arrays.scores import ResponseScores, ScoreCube, score_responses
from engine.arrays.verdicts import VerdictCube
from engine.errors import UsageError
from engine.schema import STATUSES
from engine.stats import Bools, Floats, Ints, Weights
from engine.stats.pairs import Comparisons, PairOutcomes, compare_levels, compare_pairs
from engine.stats.self_preference import Relations, ScoreKind

if TYPE_CHECKING:
    from engine.arrays.study_arrays import Cube, StudyArrays


# ------------------------------------------------------------------------------
# Counts of comparisons, and sums of scores, in one slice.


@dataclass(frozen=True, eq=False)
class ScoredResponses:
    """Scores of those shown in the instances kept: (judges or 1, generators, instances), NaN for none."""

    judge: ResponseScores
    reference: ResponseScores

    @cached_property
    def both(self) -> Bools:
        """Where judge and reference both have a score, shape (judges, generators, instances)."""
        return ~np.isnan(self.judge.values) & ~np.isnan(self.reference.values)


def _summed(name: str) -> "cached_property[Resampled]":
    """Return a property of `InstanceCounts`: `Comparisons` of that name over instances, and its draws."""
    return cached_property(
        lambda counts: Resampled.over_instances(getattr(counts._comparisons, name), counts._weights)
    )


class InstanceCounts:
    """Counts of the judges' comparisons, for each judge and generator shown, seen from the generator.

    Shape (judges, generators), but (judges,) of the unordered pairs in `correct` and `counted`. Comparisons
    have shape (judges, generators, instances), as have `cells`, where a row counts.
    """

    def __init__(self, comparisons: Comparisons, cells: Bools, weights: Weights | None) -> None:
        self._comparisons, self.cells, self._weights = comparisons, cells, weights

    over = _summed("over")
    failed = _summed("lost")
    under = _summed("won_missed")
    passed = _summed("won")
    correct = _summed("correct")
    counted = _summed("total")

    @cached_property
    def to_win(self) -> Resampled:
        """Losses that the judge calls wins; never resampled, as shares of types have no interval."""
        return Resampled.over_instances(self._comparisons.to_win, None)

    @property
    def present(self) -> Bools:
        return np.asarray(self.cells.any(axis=-1))

    @property
    def instances(self) -> int:
        """The number of instances with a counted row."""
        return int(self.cells.any(axis=(0, 1)).sum())

    def by_instance(self, name: str) -> NDArray[np.integer]:
        """Return a count by its name (`over`) in each instance, shape (judges, generators, instances)."""
        of = {"over": "over", "failed": "lost", "under": "won_missed", "passed": "won"}
        return np.asarray(getattr(self._comparisons, of[name]))


def count_scored(scored: ScoredResponses, weights: Weights | None) -> InstanceCounts:
    """Compare the responses by their scores."""
    judge, reference = scored.judge.levels, scored.reference.levels
    if len(judge) == 0:
        judge = np.empty((0, *reference.shape[1:]), dtype=np.int32)
    return InstanceCounts(compare_levels(judge, reference), scored.both, weights)


def places_of(pairs: PairOutcomes, judges: Ints, generators: Ints) -> PairOutcomes:
    """Return the pairs of the models shown, with places among those instead of the models' positions."""
    shown = np.isin(pairs.generator, generators) & np.isin(pairs.opponent, generators)
    pairs = pairs.select(shown & np.isin(pairs.judge, judges))
    generator, opponent = (np.searchsorted(generators, side) for side in (pairs.generator, pairs.opponent))
    judge = np.searchsorted(judges, pairs.judge)
    return replace(pairs, judge=judge, generator=generator, opponent=opponent)


def count_pairs(
    places: PairOutcomes, rows: int, reference: ResponseScores, weights: Weights | None
) -> InstanceCounts:
    """Compare the responses by pairs, which hold places among `rows` judges and among generators.

    `reference` has shape (1 or rows, generators, instances). Pairs in which a response has no reference score
    are left out.
    """
    row = np.minimum(places.judge, len(reference.levels) - 1)
    one = reference.levels[row, places.generator, places.instance]
    two = reference.levels[row, places.opponent, places.instance]
    scored = (one >= 0) & (two >= 0)
    places, truth = places.select(scored), np.sign(one - two)[scored].astype(np.int8)
    shape = (rows, *reference.values.shape[1:])
    cells = np.zeros(shape, dtype=bool)
    cells[places.judge, places.generator, places.instance] = True
    cells[places.judge, places.opponent, places.instance] = True
    return InstanceCounts(compare_pairs(places, truth, shape), cells, weights)


# ------------------------------------------------------------------------------
# A slice of a study with its counts, at both levels.


class SliceView:
    """One slice: who is shown, what is kept, and the counts that measures are computed from.

    `row_mask` marks the rubrics kept of rubric paradigms, shape (judges or 1, generators or 1, rubrics) over
    the whole cube, or the responses of the others, shape (generators or 1, instances). `cells`, if given,
    keeps only those (generator, instance) of the whole cube.
    """

    def __init__(
        self,
        study: "StudyArrays",
        request: ResolvedSlice,
        row_mask: Bools,
        weights: Weights | None = None,
        cells: Bools | None = None,
        cube: "Cube | None" = None,
    ) -> None:
        self.study, self.request, self.weights = study, request, weights
        self._row_mask, self._cells = row_mask, cells
        self.cube = cube if cube is not None else study.cube(request.selection)
        self.rows = _places(self.cube.judges, study, request.spec.judges)
        self.columns = _places(self.cube.generators, study, request.spec.generators)

    def only(self, cells: Bools) -> "SliceView":
        """Return this view restricted to some (generator, instance) of the whole cube."""
        return self._copy(cells=cells)

    def with_mask(self, row_mask: Bools, request: ResolvedSlice) -> "SliceView":
        """Return this view with the rubrics that another request keeps."""
        return self._copy(request=request, row_mask=row_mask)

    def shown_judges(self, rows: Ints) -> "SliceView":
        """Return this view with only some of the cube's judges shown, given by their places."""
        names = tuple(self.study.index.models[j] for j in self.cube.judges[rows])
        view = self._copy()
        view.rows = rows
        view.request = replace(self.request, spec=replace(self.request.spec, judges=names))
        return view

    def at(self, level: str) -> "SliceView":
        """Return this view at another level."""
        if level == self.request.level:
            return self
        return self._copy(request=replace(self.request, level=level))

    def _copy(self, **changed: Any) -> "SliceView":
        """Return a view of the same judges and generators with some other arguments."""
        as_is: dict[str, Any] = {"request": self.request, "row_mask": self._row_mask, "cells": self._cells}
        copy = SliceView(self.study, **(as_is | changed), weights=self.weights, cube=self.cube)
        copy.rows, copy.columns = self.rows, self.columns
        return copy

    @property
    def pair_cube(self) -> PairCube:
        """The cube, for measures that apply to judgments of pairs only."""
        assert isinstance(self.cube, PairCube)  # noqa: S101 - for the type checker
        return self.cube

    @property
    def judges(self) -> Ints:
        return self.cube.judges[self.rows]

    @property
    def generators(self) -> Ints:
        return self.cube.generators[self.columns]

    @cached_property
    def relations(self) -> Relations:
        relatives = self.request.exclusion.relatives
        return self.study.index.relations(self.judges, self.generators, relatives)

    @property
    def at_rubrics(self) -> bool:
        return self.request.level == "rubric"

    @property
    def counts(self) -> RubricCounts | InstanceCounts:
        return self.rubric if self.at_rubrics else self.instance

    @cached_property
    def _planes(self) -> Planes:
        if not isinstance(self.cube, VerdictCube):
            raise UsageError(f"{self.request.paradigm} has no rubric verdicts; choose --level instance")
        return self.study.planes(self.cube, self.request)

    @cached_property
    def rubric(self) -> RubricCounts:
        """The counts of rubric verdicts; UsageError if the judgments are not on rubrics."""
        planes, layout = self._planes, self.study.index.layout
        mask = layout.pack(self._row_mask)
        if self._cells is not None:
            mask = mask & layout.pack(self._cells[None, :, layout.instance_of])
        return RubricCounts(planes, self.rows, self.columns, mask, self.weights, self.relations)

    @cached_property
    def scored(self) -> ScoredResponses:
        """Scores of those shown, by judge and reference; UsageError for pairwise judgments."""
        self._refuse_single_verdicts()
        if isinstance(self.cube, PairCube | ListCube):
            raise UsageError(
                f"{self.request.paradigm} judgments give no scores of responses; choose another paradigm"
            )
        kind = cast("ScoreKind", self.request.spec.scores)
        if isinstance(self.cube, VerdictCube):
            index, truth, mask = self.study.index, self._planes.reference, self.rubric.shown_mask
            at = np.ix_(self.rows, self.columns)
            judge = score_responses(index, self.cube.met[at], self.cube.ok[at], mask, kind)
            planes = self.reference_rows(truth.met), self.reference_rows(truth.has)
            return ScoredResponses(judge, score_responses(index, *planes, mask, kind))
        scores = np.where(self.kept_cells, self.cube.scores, np.nan)[np.ix_(self.rows, self.columns)]
        return ScoredResponses(ResponseScores(scores), self.reference_scores)

    @property
    def of_single_verdicts(self) -> bool:
        """Whether the slice keeps a rubric for some responses and drops it for others."""
        spec = self.request.spec
        return spec.agreement_of == "verdict" and spec.min_agreement is not None

    def _refuse_single_verdicts(self) -> None:
        if self.of_single_verdicts:
            raise UsageError("agreement_of 'verdict' compares single verdicts; choose --level rubric")

    @cached_property
    def instance(self) -> InstanceCounts:
        """The counts of comparisons of whole responses; UsageError if single verdicts are chosen."""
        self._refuse_single_verdicts()
        if isinstance(self.cube, PairCube):
            places = places_of(self.cube.outcomes, self.judges, self.generators)
            return count_pairs(places, len(self.judges), self.reference_scores, self.weights)
        return count_scored(self.scored, self.weights)

    @cached_property
    def ranks(self) -> ListRanks:
        """The ranks of the responses kept and shown, by all judges; UsageError if there are no lists."""
        if not isinstance(self.cube, ListCube):
            raise UsageError(f"{self.request.paradigm} judgments are not on lists; choose another paradigm")
        return self.cube.ranks.select(self.keeps(self.cube.ranks))

    def keeps(self, ranks: ListRanks) -> Bools:
        """Return which ranks are of responses kept and shown."""
        column = np.searchsorted(self.cube.generators, ranks.generator)
        cells = self.cells_of_all[column, ranks.instance]
        return np.asarray(cells & np.isin(ranks.generator, self.generators))

    @property
    def kept_cells(self) -> Bools:
        """The (generator, instance) kept, shape (generators or 1, instances), for whole responses."""
        return self._row_mask if self._cells is None else self._row_mask & self._cells

    @property
    def cells_of_all(self) -> Bools:
        """The same for each generator of the cube, shape (generators, instances)."""
        return np.broadcast_to(self.kept_cells, (len(self.cube.generators), self.study.index.n_instances))

    @cached_property
    def reference_scores(self) -> ResponseScores:
        """The reference's scores of responses, (judges or 1, generators, instances), NaN where not kept."""
        index, request = self.study.index, self.request
        of_criteria = self.criterion_reference(request.source)
        if of_criteria is not None:
            return ResponseScores(of_criteria)
        truth = self.study.reference_planes(self.cube, request)
        everything = index.layout.pack(np.ones((1, 1, index.n_rubrics), dtype=bool))
        planes = self.reference_rows(truth.met), self.reference_rows(truth.has)
        scores = score_responses(index, *planes, everything, cast("ScoreKind", request.spec.scores))
        return ResponseScores(np.where(self.cells_of_all[self.columns], scores.values, np.nan))

    def criterion_reference(self, source: str | None) -> Floats | None:
        """Return a source's scores by criterion, (1, generators, instances); None: no such scores."""
        if not isinstance(self.cube, CriterionCube):
            return None
        values = self.cube.reference(self.study, source)
        if values is None:
            return None
        return np.where(self.cells_of_all[self.columns], values[:, self.columns], np.nan)

    def reference_rows(self, plane: Words) -> Words:
        """Return the part of a reference's plane that is shown: (judges or 1, generators, words)."""
        return (plane[self.rows] if len(plane) > 1 else plane)[:, self.columns]

    @property
    def counted_cells(self) -> Bools:
        """Which (judge, generator, instance) of those shown have a counted judgment row.

        If pairs have no reference to compare with, every pair with an outcome counts.
        """
        if isinstance(self.cube, PairCube) and self.request.source is None:
            pairs = self.cube.outcomes.select(in_slice(self, self.cube.outcomes))
            return self._cells_of(pairs.judge, pairs.instance, pairs.generator, pairs.opponent)
        if isinstance(self.cube, ListCube):
            ranks = self.ranks.select(np.isin(self.ranks.judge, self.judges))
            return self._cells_of(ranks.judge, ranks.instance, ranks.generator)
        return self.rubric.cells if self.request.of_rubrics else self.instance.cells

    def _cells_of(self, judge: Ints, instance: Ints, *generators: Ints) -> Bools:
        """Mark the (judge, generator, instance) among those shown that are named, by position."""
        cells = np.zeros((len(self.judges), len(self.generators), self.study.index.n_instances), dtype=bool)
        row = np.searchsorted(self.judges, judge)
        for generator in generators:
            cells[row, np.searchsorted(self.generators, generator), instance] = True
        return cells

    @property
    def left_out(self) -> Mapping[str, int]:
        """What was left out of this slice, by reason; counts of judgment rows, `incomplete` of responses.

        Responses dropped by a restriction to common ones are not included: the caller counts them.
        """
        return left_out(self if self._cells is None else self._copy(cells=None))


def _places(models: Ints, study: "StudyArrays", names: tuple[str, ...]) -> Ints:
    """Return the places of the named models, or all."""
    positions = [study.index.models.index(name) for name in names]
    return np.flatnonzero(np.isin(models, positions)) if names else np.arange(len(models))


# ------------------------------------------------------------------------------
# What a slice leaves out, reported with every table (MEASURES section 1).


PairRowsOf = TypeVar("PairRowsOf", PairRows, PairFailures)

CODES = {
    "unparsed": "judgments without a readable verdict",
    "refused": "judgments that the provider refused",
    "error": "judgments whose call failed",
    "no_reference": "judgments without a reference verdict",
    "reference_tie": "judgments that the reference leaves undecided",
    "order_missing": "pair judgments in one order only",
    "merged": "repeats merged into one judgment, and judgments whose repeats are split",
    "no_quality": "pair judgments in which a response has no quality score",
    "incomplete": "responses (per judge, instance and generator) without a verdict from judge or reference",
    "other_ordering": "scores given in an ordering that is unknown or not one of the balanced ones",
    "off_scale": "scores outside the options shown",
    "no_scale": "scores by criterion beyond 0 to 1 without a known scale",
    "other_trial": "repeats that the measure does not use",
    "skipped": "items that a person skipped",
    "cannot_tell": "items on which a person could not decide",
    "no_majority": "items on which people are evenly split",
    "not_common": "responses (per instance and generator) not counted in all the sets compared",
    "too_small": "slices with too few own failures to test, inside or outside the slice",
}
"""What each code of `left_out` counts."""


def left_out(view: "SliceView") -> dict[str, int]:
    """Return the counts by code, with zeros for all codes that this kind of judgment can have."""
    counts = dict.fromkeys(("unparsed", "refused", "error", "no_reference", "reference_tie", "merged"), 0)
    if isinstance(view.cube, VerdictCube):
        counts |= view.rubric.left_out
        return counts if view.at_rubrics else counts | {"incomplete": _incomplete(view, view.cube)}
    if isinstance(view.cube, PairCube):
        return counts | {"order_missing": 0} | _of_pairs(view, view.cube)
    if isinstance(view.cube, ListCube):
        failures = _shown_failures(view, view.cube.failures)
        return counts | tally(failures.code, failures.count)
    return counts | _of_scores(view, view.cube)


def _incomplete(view: "SliceView", cube: VerdictCube) -> int:
    """Count the responses judged in the slice that lack a kept verdict by the judge or the reference."""
    layout, at = view.study.index.layout, np.ix_(view.rows, view.columns)
    mask, planes = view.rubric.shown_mask, view.rubric.planes
    n_rubrics = layout.count_by_instance(mask)
    judged = layout.count_by_instance(cube.ok[at] & mask) == n_rubrics
    has_truth = layout.count_by_instance(view.reference_rows(planes.reference.has) & mask) == n_rubrics
    started = layout.count_by_instance(view.rubric.take(planes.judged_words)) > 0
    return int((started & ~(judged & has_truth)).sum())


def _of_scores(view: "SliceView", cube: ScoreCube) -> Counter[str]:
    failures, why = _shown_failures(view, cube.failures), _unscored(view)
    row = np.minimum(np.searchsorted(view.rows, failures.judge), len(why) - 1)
    cause = why[row, np.searchsorted(view.columns, failures.generator), failures.place]
    code = np.where((failures.code == "merged") & (cause != ""), cause, failures.code)
    totals = tally(code, failures.count)
    judged = ~np.isnan(view.scored.judge.values)
    for reason in ("no_reference", "reference_tie"):
        totals[reason] += int((judged & (why == reason)).sum())
    return totals


def _shown_failures(view: "SliceView", failures: Failures) -> Failures:
    """Return the failures on responses that are shown and kept."""
    visible = np.isin(failures.judge, view.rows) & np.isin(failures.generator, view.columns)
    return failures.select(visible & view.cells_of_all[failures.generator, failures.place])


def _unscored(view: "SliceView") -> NDArray[np.str_]:
    """Return why the reference has no score, "" if it has one: (judges or 1, generators, instances)."""
    layout, truth = view.study.index.layout, view.study.reference_planes(view.cube, view.request)
    has, tie = (view.reference_rows(plane) for plane in (truth.has, truth.tie))
    verdicts, ties = layout.count_by_instance(has), layout.count_by_instance(tie & ~has)
    only_ties = (ties > 0) & (verdicts + ties == layout.rubric_counts)
    missing = np.isnan(view.reference_scores.values)
    return np.where(missing, np.where(only_ties, "reference_tie", "no_reference"), "")


def _of_pairs(view: "SliceView", cube: PairCube) -> Counter[str]:
    """Count the rows of pairs shown; those that the reference does not order count as such, and only once."""
    why = _unscored(view)

    def blame(pairs: PairColumns) -> list[tuple[str, Bools]]:
        judge = np.minimum(np.searchsorted(view.judges, pairs.judge), len(why) - 1)
        places = (np.searchsorted(view.generators, side) for side in (pairs.generator, pairs.opponent))
        one, two = (why[judge, place, pairs.instance] for place in places)
        return [(code, (one == code) | (two == code)) for code in ("no_reference", "reference_tie")]

    return pairs_left_out(view, cube, blame=blame)


def in_slice(view: "SliceView", pairs: Any) -> Bools:
    """Return which pairs (or rows of them) are shown and kept."""
    generators, cells, keep = view.cube.generators, view.cells_of_all, np.isin(pairs.judge, view.judges)
    for side in (pairs.generator, pairs.opponent):
        place = np.minimum(np.searchsorted(generators, side), len(generators) - 1)
        keep &= np.isin(side, view.generators) & cells[place, pairs.instance]
    return keep


def pairs_left_out(
    view: "SliceView",
    cube: PairCube,
    *,
    concerned: Callable[[Any], Bools] | None = None,
    blame: Callable[[Any], Sequence[tuple[str, Bools]]] | None = None,
) -> Counter[str]:
    """Count the judgment rows left out of the pairs that a measure is `concerned` with (None: all), by code.

    `blame` gives for rows the codes that take precedence over `merged` and `order_missing`, with the rows
    that each applies to; rows behind an outcome are left out if one applies.
    """
    totals = Counter(dict.fromkeys(("unparsed", "refused", "error", "merged", "order_missing"), 0))

    def restrict(rows: PairRowsOf) -> PairRowsOf:
        part = rows.select(in_slice(view, rows))
        return part if concerned is None else part.select(concerned(part))

    failures, deciding = restrict(cube.failures), restrict(cube.rows.select(cube.deciding))
    code = failures.code.copy()
    verdicts = ~np.isin(code, STATUSES)
    for name, marks in reversed(blame(failures) if blame else ()):
        code[verdicts & marks] = name
    totals.update(tally(code, failures.count))
    blamed = np.zeros(len(deciding.judge), dtype=bool)
    for name, marks in blame(deciding) if blame else ():
        totals[name] += cube.width * int((marks & ~blamed).sum())
        blamed |= marks
    return totals
