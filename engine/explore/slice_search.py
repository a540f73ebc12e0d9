"""The search: count every slice of every pair of columns once, compare, adjust, rank."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.explore.slots import Partition, Slots, rubric_slots, slot_counts
from engine.slices import Slice
from engine.stats import Bools, Ints
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.outside.against_rest import AgainstRest, SliceCells, against_rest

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


FEWEST_FAILURES = 10
"""Fewest own unfavourable references, in a slice and in its rest, for a test.

With so few the p-values are slightly too small (docs/finding.md); the adjustment over all slices absorbs it.
"""

FEWEST_INSTANCES = 10  # fewest instances with own failures, in a slice and in its rest, for a test
FEWEST_CREDITED = 5
"""Fewest own failures credited, and not credited, on both sides: with fewer the log ratio is too discrete."""

_MATCHED = ("matched", "matched_self", "matched_other")

METHOD = "linearised over questions, Student's t"  # the method of the intervals and p-values


@dataclass(frozen=True)
class FoundSlice:
    """One slice of one judge, compared with all other rubrics of that judge.

    `difference` is the slice's ratio over the rest's; `hspp_matched` the matched ratio in the slice. NaN if
    undefined. `p_adjusted` is adjusted over all slices tested, of all judges. `criterion` is the id of the
    only criterion that it holds, None where it holds several or there is no other.
    """

    judge: str
    where: tuple[tuple[str, str], ...]
    difference: float
    difference_low: float
    difference_high: float
    p: float
    p_adjusted: float
    hspp_self: float
    hspp_rest: float
    hspp_matched: float
    n_self: int
    n_rest: int
    n_matched: int
    instances: int
    criterion: str | None


@dataclass(frozen=True)
class SliceSearch:
    """The slices tested, by ascending p; their number, and the number of those too small to test."""

    slices: tuple[FoundSlice, ...]
    n_tried: int
    too_small: int
    columns: tuple[str, ...]
    filters: dict[str, Any]
    left_out: dict[str, int]


def find_slices(study: "StudyArrays", spec: Slice, by: Collection[str] = ()) -> SliceSearch:
    """Test every slice of one column and of two columns against the rest of its judge's verdicts.

    Columns are all of `COLUMNS_SEARCHED` with several values, or those of them in `by`.

    A slice is tested if it and its rest both have at least 10 own failures in 10 instances, 5 of them
    credited and 5 not. A slice with the same verdicts as an earlier one is not counted again. Raises the same
    errors as `rubric_slots`.
    """
    slots, request = rubric_slots(study, spec)
    searched = [column for column in slots.columns if not by or column.name in by]
    slices: list[FoundSlice] = []
    too_small = 0
    for columns in (*combinations(searched, 1), *combinations(searched, 2)):
        partition = Partition.of(columns)
        for judge in range(len(slots.judges)):
            fresh, small = _of_judge(slots, judge, partition)
            slices += fresh
            too_small += small
    p = np.array([each.p for each in slices], dtype=np.float64)
    adjusted = benjamini_hochberg(p)
    order = np.argsort(p, kind="stable")
    return SliceSearch(
        tuple(replace(slices[k], p_adjusted=float(adjusted[k])) for k in order),
        n_tried=len(slices),
        too_small=too_small,
        columns=tuple(column.name for column in searched),
        filters=request.filters(),
        left_out=dict(slots.left_out),
    )


def _of_judge(slots: Slots, judge: int, partition: Partition) -> tuple[list[FoundSlice], int]:
    """Return one judge's tested slices by these columns, and the number of those too small to test."""
    own, other = slots.relations.self_mask[judge], slots.relations.unrelated_mask[judge]
    if not own.any() or not other.any():
        return [], 0
    cells = _cells(slots, judge, partition)
    contrast = against_rest(cells)
    large = _large(cells, contrast)
    too_small = int(((contrast.n_self > 0) & ~large & partition.fresh).sum())
    failures = int(contrast.n_self.sum())
    only = partition.only_criteria(slots.criterion_of)
    matched = [_sums(getattr(slots, name)[judge] & other[:, None], partition, judge) for name in _MATCHED]
    slices = []
    for k in np.flatnonzero(large & partition.fresh):
        n_matched, of_self, of_other = (int(counts[k]) for counts in matched)
        slices.append(
            FoundSlice(
                judge=slots.judges[judge],
                where=partition.where(int(k)),
                difference=float(contrast.difference[k]),
                difference_low=float(contrast.low[k]),
                difference_high=float(contrast.high[k]),
                p=float(contrast.p[k]),
                p_adjusted=np.nan,
                hspp_self=float(contrast.ratio[k]),
                hspp_rest=float(contrast.rest[k]),
                hspp_matched=of_self / of_other if of_other else np.nan,
                n_self=int(contrast.n_self[k]),
                n_rest=failures - int(contrast.n_self[k]),
                n_matched=n_matched,
                instances=int(contrast.instances[k]),
                criterion=slots.criteria[only[k]] if only[k] >= 0 else None,
            )
        )
    return slices, too_small


def _cells(slots: Slots, judge: int, partition: Partition) -> SliceCells:
    """Count one judge's overestimations and failures in each slice of each instance."""
    codes = partition.of_judge(judge)
    size = len(partition.sizes)
    keys = np.where(codes < 0, -1, slots.instance_of * size + codes)
    cell_keys, cell = np.unique(keys, return_inverse=True)
    cell = cell.reshape(keys.shape)
    first = int(cell_keys[0] < 0)  # the key of what is in no slice
    counts = []
    for plane in (slots.over[judge], slots.failed[judge]):
        rows = [
            np.bincount(cell[g % len(cell)][marks], minlength=len(cell_keys)) for g, marks in enumerate(plane)
        ]
        counts.append(np.stack(rows)[:, first:])
    return SliceCells(
        over=counts[0],
        failed=counts[1],
        slice_of=cell_keys[first:] % size,
        instance_of=cell_keys[first:] // size,
        n_slices=size,
        n_instances=slots.n_instances,
        own=slots.relations.self_mask[judge],
        other=slots.relations.unrelated_mask[judge],
    )


def _large(cells: SliceCells, contrast: AgainstRest) -> Bools:
    """Return which slices have enough cases to test, inside and in the rest."""
    large = ~np.isnan(contrast.p) & (contrast.instances >= FEWEST_INSTANCES)
    credited = cells.over[cells.own].sum(axis=0)
    missed = cells.failed[cells.own].sum(axis=0) - credited
    of_others = cells.over[cells.other].sum(axis=0)
    for counts in (credited, missed, of_others):
        inside = np.bincount(cells.slice_of, counts, cells.n_slices)
        large &= np.minimum(inside, inside.sum() - inside) >= FEWEST_CREDITED
    inside = contrast.n_self
    large &= np.minimum(inside, inside.sum() - inside) >= FEWEST_FAILURES
    return np.asarray(large)


def _sums(plane: Bools, partition: Partition, judge: int) -> Ints:
    """Count the marks of a plane, shape (generators, slots), in each slice."""
    codes = partition.of_judge(judge)
    size = len(partition.sizes)
    rows = [slot_counts(codes[g % len(codes)][marks], size) for g, marks in enumerate(plane)]
    return np.asarray(np.sum(rows, axis=0))
