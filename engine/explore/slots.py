"""Verdicts unpacked for the search: a slot for each rubric in each order, and ways to divide the slots."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.arrays.index import Relatives
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.slice_masks import column_groups
from engine.arrays.view import SliceView
from engine.paradigms import RUBRIC_PARADIGMS
from engine.slices import NULL, RUBRIC_COLUMNS, Slice
from engine.stats import Bools, Ints
from engine.stats.self_preference import Relations

if TYPE_CHECKING:
    from engine.arrays.slicing.resolve import ResolvedSlice
    from engine.arrays.study_arrays import StudyArrays


@dataclass(frozen=True, eq=False)
class SlotColumn:
    """A column that defines slices: its values, and for each slot the index of its value, -1 for none.

    `codes` has shape (slots,), or (judges, generators, slots) if it depends on judge and generator.
    """

    name: str
    values: tuple[str, ...]
    codes: Ints


@dataclass(frozen=True, eq=False)
class Slots:
    """The input of the search: planes of shape (judges, generators, slots), and the columns.

    `criterion_of` has the place of each slot's criterion among the ids `criteria`.
    """

    judges: tuple[str, ...]
    relations: Relations
    over: Bools
    failed: Bools
    matched: Bools
    matched_self: Bools
    matched_other: Bools
    instance_of: Ints
    n_instances: int
    criteria: tuple[str, ...]
    criterion_of: Ints
    columns: tuple[SlotColumn, ...]
    left_out: Mapping[str, int]


_PLANES = ("over", "failed", "matched", "matched_self", "matched_other")


def rubric_slots(study: "StudyArrays", spec: Slice) -> tuple[Slots, "ResolvedSlice"]:
    """Return the slots of a slice, and the slice with its defaults resolved.

    Agreement is that of judges outside each judge's family, so that no judge's own votes define its slices.
    Raises UsageError if the judgments are not rubric verdicts, NoDataError if there are none.
    """
    spec = replace(spec, level="rubric", agreement_without_family=spec.agreement_of != "verdict")
    view = single_view(study, spec, None, RUBRIC_PARADIGMS)
    views = list(_orderings(study, view, spec))
    counts, unpack = [each.rubric for _, each in views], study.index.layout.unpack
    planes = {
        name: np.concatenate([unpack(each.take(getattr(each.planes, name))) for each in counts], axis=-1)
        for name in _PLANES
    }
    criteria = study.index.rubric_ids.dictionary_encode()
    slots = Slots(
        judges=tuple(study.index.models[j] for j in view.judges),
        relations=view.relations,
        instance_of=np.tile(study.index.layout.instance_of, len(views)),
        n_instances=study.index.n_instances,
        criteria=tuple(criteria.dictionary.to_pylist()),
        criterion_of=np.tile(criteria.indices.to_numpy(), len(views)),
        columns=tuple(_informative(_columns(study, views), np.asarray(planes["failed"].any(axis=(0, 1))))),
        left_out=sum((Counter(each.left_out) for _, each in views), Counter()),
        **planes,
    )
    return slots, view.request


def _informative(columns: Iterator[SlotColumn], counts: Bools) -> Iterator[SlotColumn]:
    """Yield the columns with more than one value among the slots that count; the other slots get code -1.

    Within a slice of one axis, for example, axis is left out.
    """
    for column in columns:
        codes = np.where(counts, column.codes, -1)
        if len(np.unique(codes[codes >= 0])) > 1:
            yield replace(column, codes=codes)


def _orderings(study: "StudyArrays", view: SliceView, spec: Slice) -> Iterator[tuple[str | None, SliceView]]:
    """Yield the view in each order in which the rubrics were shown, with the same judges and generators.

    An order with another set of models is left out: it would compare models, not orders.
    """
    yield spec.ordering or "original", view
    if not view.request.traits.lists_rubrics or spec.ordering is not None:
        return
    for name in study.inventory.values("ordering", paradigm=view.request.paradigm):
        if name in (None, "original"):
            continue
        other = single_view(study, replace(spec, ordering=str(name)), None, RUBRIC_PARADIGMS)
        same = np.array_equal(other.judges, view.judges) and np.array_equal(other.generators, view.generators)
        if same:
            yield str(name), other


COLUMNS_SEARCHED = (*RUBRIC_COLUMNS, "position", "ordering")
"""The columns whose slices can be searched, as far as a study has several values of them."""


def _columns(study: "StudyArrays", views: list[tuple[str | None, SliceView]]) -> Iterator[SlotColumn]:
    """Yield the columns with at least two values; for lists also `position` and `ordering`."""
    index, request = study.index, views[0][1].request
    for name in RUBRIC_COLUMNS:
        column = _column(name, _values(study, views[0][1], name))
        if len(column.values) > 1:
            yield replace(column, codes=np.tile(column.codes, len(views)))
    if not request.traits.lists_rubrics:
        return
    places = [study.positions(view.request.selection)[np.ix_(view.rows, view.columns)] for _, view in views]
    position = _column("position", np.concatenate(places, axis=-1))
    if len(position.values) > 1:
        yield position
    if len(views) > 1:
        codes = np.repeat(np.arange(len(views)), index.n_rubrics)
        yield SlotColumn("ordering", tuple(str(name) for name, _ in views), codes)


def _values(study: "StudyArrays", view: SliceView, name: str) -> Any:
    request = view.request
    if name == "agreement":
        agreement = study.agreement(request.selection)
        if request.spec.agreement_of == "verdict":
            return agreement.of_rubrics
        return agreement.without_family(cast("Relatives", request.spec.relatives))[view.rows][:, None, :]
    if name == "length":
        return study.index.lengths[request.spec.length_unit]
    return study.index.rubric_fields[name]


def _column(name: str, values: Any) -> SlotColumn:
    """Return a column with each value's group as code; the groups are those of `--by`, the missing last."""
    codes = np.full(np.shape(values), -1, dtype=np.int64)
    names = []
    for number, group in enumerate(column_groups(name, values)):
        codes[group.marks] = number
        names.append(NULL if group.value is None else str(group.value))
    return SlotColumn(name, tuple(names), codes)


@dataclass(frozen=True, eq=False)
class Partition:
    """The slices by combinations of columns' values; they do not overlap.

    `codes` is the slice of each slot, -1 for none: shape (judges or 1, generators or 1, slots). `sizes`
    counts the slots of each slice. `fresh` marks slices that are not empty and not equal to one by a single
    column (if all accuracy rubrics are negative, accuracy and negative together are not fresh).
    """

    columns: tuple[SlotColumn, ...]
    codes: Ints
    sizes: Ints
    fresh: Bools

    @classmethod
    def of(cls, columns: tuple[SlotColumn, ...]) -> "Partition":
        """Return the slices by one or more columns."""
        broadcast = [
            column.codes.reshape((1, 1, -1)) if column.codes.ndim == 1 else column.codes for column in columns
        ]
        size = int(np.prod([len(column.values) for column in columns]))
        codes = np.zeros((1, 1, 1), dtype=np.int64)
        for column, own in zip(columns, broadcast, strict=True):
            codes = np.where((codes < 0) | (own < 0), -1, codes * len(column.values) + own)
        sizes = slot_counts(codes, size)
        fresh = sizes > 0
        if len(columns) > 1:
            places = np.unravel_index(np.arange(size), [len(column.values) for column in columns])
            for column, own, place in zip(columns, broadcast, places, strict=True):
                totals = slot_counts(np.broadcast_to(own, codes.shape), len(column.values))
                fresh &= sizes < totals[place]
        return cls(columns, codes, sizes, fresh)

    def of_judge(self, judge: int) -> Ints:
        """Return the codes of one judge, shape (generators or 1, slots)."""
        return np.asarray(self.codes[judge % len(self.codes)])

    def only_criteria(self, criterion_of: Ints) -> Ints:
        """Return of each slice the one criterion that it holds, -1 if it holds several or all slices one.

        One that depends on judge and generator holds a single criterion where its other column does.
        """
        size = len(self.sizes)
        if self.codes.shape[:2] == (1, 1):
            return _only_criteria(self.codes[0, 0], size, criterion_of)
        places = np.unravel_index(np.arange(size), [len(column.values) for column in self.columns])
        only = np.full(size, -1)
        for column, place in zip(self.columns, places, strict=True):
            if column.codes.ndim == 1:
                only = np.maximum(only, _only_criteria(column.codes, len(column.values), criterion_of)[place])
        return only

    def where(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return the columns' values that define a slice."""
        places = np.unravel_index(number, [len(column.values) for column in self.columns])
        return tuple(
            (column.name, column.values[int(place)])
            for column, place in zip(self.columns, places, strict=True)
        )


def _only_criteria(codes: Ints, size: int, criterion_of: Ints) -> Ints:
    counted = codes >= 0
    slices, criteria = codes[counted], criterion_of[counted]
    first, last = np.full(size, len(criterion_of)), np.full(size, -1)
    np.minimum.at(first, slices, criteria)
    np.maximum.at(last, slices, criteria)
    differ = len(criteria) > 0 and criteria.min() < criteria.max()
    return np.asarray(np.where((first == last) & differ, first, -1))


def slot_counts(codes: Ints, size: int) -> Ints:
    return np.bincount(codes.ravel() + 1, minlength=size + 1)[1:]
