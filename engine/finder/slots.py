"""Verdicts spread out for the search: one slot for each rubric, in each order that it was shown in."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.grouping import whole
from engine.masks import GROUPERS, lengths, text_groups
from engine.metrics.overestimation import Kinship
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import NULL, Slice
from engine.views import View

if TYPE_CHECKING:
    from engine.arrays import StudyArrays
    from engine.request import Request

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

COLUMNS = ("polarity", "length", "axis", "theme", "category", "language", "checker", "agreement")
"""What every rubric has or lacks; where a list of rubrics was shown, `position` and `ordering` come too."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column that slices are made of: the values, and for each slot the place of its own, -1 for none.

    `codes` has shape (slots,), or (judges, generators, slots) where it depends on who was judged by whom.
    """

    name: str
    values: tuple[str, ...]
    codes: Ints


@dataclass(frozen=True, eq=False)
class Slots:
    """What the search counts: planes of shape (judges, generators, slots), and the columns."""

    judges: tuple[str, ...]
    kin: Kinship
    over: Bools
    failed: Bools
    matched: Bools
    matched_self: Bools
    matched_other: Bools
    instance_of: Ints
    n_instances: int
    columns: tuple[Column, ...]
    left_out: Mapping[str, int]


_PLANES = ("over", "failed", "matched", "matched_self", "matched_other")


def spread(study: "StudyArrays", spec: Slice) -> tuple[Slots, "Request"]:
    """Return the slots of a slice, and the slice with its defaults settled.

    Raises UsageError where the judgments are no rubric verdicts, LackingError where there are none.
    """
    view = whole(study, replace(spec, level="rubric"), None, RUBRIC_PARADIGMS)
    views = list(_orderings(study, view, spec))
    joined = {name: np.concatenate([_plane(each, name) for _, each in views], axis=-1) for name in _PLANES}
    slots = Slots(
        judges=tuple(study.index.models[j] for j in view.judges),
        kin=view.kin,
        instance_of=np.tile(study.index.layout.instance_of, len(views)),
        n_instances=study.index.n_instances,
        columns=tuple(_counted(_columns(study, views), np.asarray(joined["failed"].any(axis=(0, 1))))),
        left_out=sum((Counter(each.left_out) for _, each in views), Counter()),
        **joined,
    )
    return slots, view.request


def _counted(columns: Iterator[Column], counts: Bools) -> Iterator[Column]:
    """Yield the columns that tell the slots that count apart, the others taken out of their slices.

    Within a slice of one axis, axis is no column, and nothing is told apart by it and another.
    """
    for column in columns:
        codes = np.where(counts, column.codes, -1)
        if len(np.unique(codes[codes >= 0])) > 1:
            yield replace(column, codes=codes)


def _plane(view: View, name: str) -> Bools:
    """Return one plane of those shown, spread out: shape (judges, generators, rubrics)."""
    return view.study.index.layout.unpack(view.rubric.take(getattr(view.rubric.planes, name)))


def _orderings(study: "StudyArrays", view: View, spec: Slice) -> Iterator[tuple[str | None, View]]:
    """Yield the view in each order that the rubrics were shown in, of the same judges and generators.

    An order that another set of models was judged in is left out: it would compare models, not orders.
    """
    yield spec.ordering or "original", view
    if view.request.paradigm != "all_rubrics" or spec.ordering is not None:
        return
    for name in study.inventory.values("ordering", paradigm="all_rubrics"):
        if name in (None, "original"):
            continue
        other = whole(study, replace(spec, level="rubric", ordering=str(name)), None, RUBRIC_PARADIGMS)
        same = np.array_equal(other.judges, view.judges) and np.array_equal(other.generators, view.generators)
        if same:
            yield str(name), other


def _columns(study: "StudyArrays", views: list[tuple[str | None, View]]) -> Iterator[Column]:
    """Yield the columns that tell at least two slices apart."""
    index, request = study.index, views[0][1].request
    for name in COLUMNS:
        column = _coded(name, _values(study, request, name))
        if len(column.values) > 1:
            yield replace(column, codes=np.tile(column.codes, len(views)))
    if request.paradigm != "all_rubrics":
        return
    places = [study.positions(view.request.selection)[np.ix_(view.rows, view.columns)] for _, view in views]
    position = _coded("position", np.concatenate(places, axis=-1))
    if len(position.values) > 1:
        yield position
    if len(views) > 1:
        codes = np.repeat(np.arange(len(views)), index.n_rubrics)
        yield Column("ordering", tuple(str(name) for name, _ in views), codes)


def _values(study: "StudyArrays", request: "Request", name: str) -> Any:
    if name == "agreement":
        return study.agreement(request.selection).of_rubrics
    if name == "length":
        return lengths(study.index, request.spec.length_unit)
    return study.index.rubric_fields[name]


def _coded(name: str, values: Any) -> Column:
    """Give each value the place of its group; the groups are those of `--by`, what has no value last."""
    codes = np.full(np.shape(values), -1, dtype=np.int64)
    names = []
    for number, group in enumerate(GROUPERS.get(name, text_groups)(values)):
        codes[group.marks] = number
        names.append(NULL if group.value is None else str(group.value))
    return Column(name, tuple(names), codes)
