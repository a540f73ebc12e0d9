"""The search itself: count every slice of every pair of columns once, compare, adjust, rank."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.finder.crossed import Crossed
from engine.finder.slots import Column, Slots, spread
from engine.metrics.linearised import AgainstRest, Cells, against_rest
from engine.metrics.resampling import benjamini_hochberg
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

FEWEST_FAILURES = 10
"""Own unfavourable references that a slice and its rest must both have to be tested.

With so few the p-values are a little too small (docs/finding.md); the adjustment over all slices bears it.
"""

FEWEST_INSTANCES = 10
"""Instances with own failures that a slice and its rest must both have to be tested."""

FEWEST_CREDITED = 5
"""Own overestimations, and missed ones, on both sides: below it the ratio's logarithm is no smooth number."""

_MATCHED = ("matched", "matched_self", "matched_other")

METHOD = "linearised over instances, Student's t"
"""How the intervals and p-values are made."""


@dataclass(frozen=True)
class FoundSlice:
    """One slice of one judge, held against all other rubrics of that judge.

    `difference` is the slice's ratio over the rest's; `matched` the matched ratio in the slice. NaN where
    undefined. `p_adjusted` counts all slices tried, of all judges.
    """

    judge: str
    where: tuple[tuple[str, str], ...]
    hspp_self: float
    rest: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    hspp_matched: float
    n_self: int
    n_rest: int
    n_matched: int
    instances: int


@dataclass(frozen=True)
class Found:
    """The slices tested, the surest first; how many there are, and how many were too small to be tested."""

    slices: tuple[FoundSlice, ...]
    tried: int
    too_small: int
    columns: tuple[str, ...]
    filters: dict[str, Any]
    left_out: dict[str, int]


def find_slices(study: "StudyArrays", spec: Slice) -> Found:
    """Test every slice of one column and of two columns against the rest of its judge's verdicts.

    A slice is tested where it and its rest have at least 10 own failures in 10 instances, 5 of them credited
    and 5 not; a slice that marks the same verdicts as one before it is not counted twice. Raises as
    `engine.finder.slots.spread` does.
    """
    slots, request = spread(study, spec)
    tested: list[FoundSlice] = []
    too_small = 0
    for columns in _ways(slots.columns):
        crossed = Crossed.of(columns)
        for judge in range(len(slots.judges)):
            fresh, small = _of_judge(slots, judge, crossed)
            tested += fresh
            too_small += small
    p = np.array([found.p for found in tested], dtype=np.float64)
    adjusted = benjamini_hochberg(p)
    order = np.argsort(p, kind="stable")
    return Found(
        tuple(replace(tested[k], p_adjusted=float(adjusted[k])) for k in order),
        tried=len(tested),
        too_small=too_small,
        columns=tuple(column.name for column in slots.columns),
        filters=request.filters(),
        left_out=dict(slots.left_out),
    )


def _ways(columns: tuple[Column, ...]) -> Iterator[tuple[Column, ...]]:
    yield from ((column,) for column in columns)
    yield from combinations(columns, 2)


def _of_judge(slots: Slots, judge: int, crossed: Crossed) -> tuple[list[FoundSlice], int]:
    """Return one judge's slices of one way to cut, and how many of them are too small to be tested."""
    own, other = slots.kin.own[judge], slots.kin.other[judge]
    if not own.any() or not other.any():
        return [], 0
    cells = _cells(slots, judge, crossed)
    compared = against_rest(cells)
    large = _large(cells, compared)
    too_small = int(((compared.n_self > 0) & ~large & crossed.fresh).sum())
    failures = int(compared.n_self.sum())
    matched = [_sums(getattr(slots, name)[judge] & other[:, None], crossed, judge) for name in _MATCHED]
    found = []
    for k in np.flatnonzero(large & crossed.fresh):
        n_matched, of_self, of_other = (int(counts[k]) for counts in matched)
        found.append(
            FoundSlice(
                judge=slots.judges[judge],
                where=crossed.where(int(k)),
                hspp_self=float(compared.ratio[k]),
                rest=float(compared.rest[k]),
                difference=float(compared.difference[k]),
                low=float(compared.low[k]),
                high=float(compared.high[k]),
                p=float(compared.p[k]),
                p_adjusted=np.nan,
                hspp_matched=of_self / of_other if of_other else np.nan,
                n_self=int(compared.n_self[k]),
                n_rest=failures - int(compared.n_self[k]),
                n_matched=n_matched,
                instances=int(compared.instances[k]),
            )
        )
    return found, too_small


def _cells(slots: Slots, judge: int, crossed: Crossed) -> Cells:
    """Count one judge's overestimations and failures in each slice of each instance."""
    codes = crossed.of_judge(judge)
    size = len(crossed.sizes)
    keys = np.where(codes < 0, -1, slots.instance_of * size + codes)
    there, cell = np.unique(keys, return_inverse=True)
    cell = cell.reshape(keys.shape)
    first = int(there[0] < 0)  # the key of what is in no slice
    counts = []
    for plane in (slots.over[judge], slots.failed[judge]):
        rows = [
            np.bincount(cell[g % len(cell)][marks], minlength=len(there)) for g, marks in enumerate(plane)
        ]
        counts.append(np.stack(rows)[:, first:])
    return Cells(
        over=counts[0],
        failed=counts[1],
        slice_of=there[first:] % size,
        instance_of=there[first:] // size,
        n_slices=size,
        n_instances=slots.n_instances,
        own=slots.kin.own[judge],
        other=slots.kin.other[judge],
    )


def _large(cells: Cells, compared: AgainstRest) -> Bools:
    """Return which slices, and the rest of each, hold enough cases to be tested."""
    large = ~np.isnan(compared.p) & (compared.instances >= FEWEST_INSTANCES)
    credited = cells.over[cells.own].sum(axis=0)
    missed = cells.failed[cells.own].sum(axis=0) - credited
    of_others = cells.over[cells.other].sum(axis=0)
    for counts, fewest in (
        (credited, FEWEST_CREDITED),
        (missed, FEWEST_CREDITED),
        (of_others, FEWEST_CREDITED),
    ):
        inside = np.bincount(cells.slice_of, counts, cells.n_slices)
        large &= np.minimum(inside, inside.sum() - inside) >= fewest
    inside = compared.n_self
    large &= np.minimum(inside, inside.sum() - inside) >= FEWEST_FAILURES
    return np.asarray(large)


def _sums(plane: Bools, crossed: Crossed, judge: int) -> Ints:
    """Count the marks of a plane, shape (generators, slots), in each slice."""
    codes = crossed.of_judge(judge)
    size = len(crossed.sizes)
    rows = [
        np.bincount(codes[g % len(codes)][marks] + 1, minlength=size + 1) for g, marks in enumerate(plane)
    ]
    return np.asarray(np.sum(rows, axis=0)[1:])
