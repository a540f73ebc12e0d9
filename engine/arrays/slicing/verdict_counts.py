"""How many judgments of each judge a slice has, and how many of them have a verdict."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.encoding import encode, integers
from engine.arrays.judgment_rows import OK, SelectedRows, rows_where
from engine.arrays.slicing.group_by import filter_mask
from engine.arrays.slicing.resolve import NoDataError, ResolvedSlice, resolve
from engine.arrays.slicing.slice_masks import rubric_mask
from engine.errors import UsageError
from engine.paradigms import PARADIGMS
from engine.slices import OF_CASES, Slice
from engine.stats import Bools, Ints

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


_Where = dict[str, tuple[str | None, ...]]


@dataclass(frozen=True)
class VerdictCounts:
    """A judge's judgments, and those of them with a verdict."""

    judgments: int
    verdicts: int


def verdict_counts(study: "StudyArrays", spec: Slice) -> dict[str, VerdictCounts]:
    """Return the counts of each judge, of all paradigms, variants, transforms and orderings not filtered.

    Repeats count each. Judgments to which a filter does not apply, such as pairs where the sign of points is
    filtered, are not in the slice.
    """
    where, inventory = _columns_filtered(spec), study.inventory
    judges = [str(judge) for judge in inventory.values("judge", **where)]
    if not spec.filters().keys() & {*OF_CASES, "generators"}:
        numbers = {judge: _total(study, where | {"judge": (judge,)}) for judge in judges}
        return {judge: VerdictCounts(*number) for judge, number in numbers.items()}
    judgments, verdicts = Counter[int](), Counter[int]()
    for paradigm in inventory.values("paradigm", **where):
        of_paradigm = {**where, "paradigm": (paradigm,)}
        for variant in inventory.values("variant", **of_paradigm):
            of_variant = {**of_paradigm, "variant": (variant,)}
            for transform in inventory.values("transform", **of_variant):
                one = replace(spec, paradigm=paradigm, variant=variant, transform=transform)
                rows, keep = _rows_kept(study, one, {**of_variant, "transform": (transform,)})
                judgments.update(rows.judge[keep].tolist())
                verdicts.update(rows.judge[keep & (rows.status == OK)].tolist())
    places = {study.index.models.index(judge): judge for judge in judges}
    return {places[at]: VerdictCounts(number, verdicts[at]) for at, number in judgments.items()}


def _total(study: "StudyArrays", where: _Where) -> tuple[int, int]:
    return study.inventory.total(**where), study.inventory.total(**where, status="ok")


def _columns_filtered(spec: Slice) -> _Where:
    """Return the filters on columns of the judgments."""
    where: _Where = {"run_id": spec.run} if spec.run else {}
    for name in ("paradigm", "variant", "transform", "ordering"):
        if (value := getattr(spec, name)) is not None:
            where[name] = (value,)
    return where | ({"ordering": (None, "original")} if spec.ordering == "original" else {})


def _rows_kept(study: "StudyArrays", spec: Slice, where: _Where) -> tuple[SelectedRows, Bools]:
    """Return the rows of one paradigm, variant and transform, and which of them the other filters keep."""
    rows = rows_where(study.files, study.index, where, ("opponent", "rubric_id", "position"))
    keep = np.ones(len(rows.judge), dtype=bool)
    opponent = encode(rows.table.column("opponent"), study.index.model_names)
    if spec.generators:
        shown = [study.index.models.index(name) for name in spec.generators]
        keep &= np.isin(rows.generator, shown) & np.isin(opponent, [-1, *shown])
    try:
        request = resolve(study, replace(spec, position=(), level=None), PARADIGMS)
        for generator in (rows.generator, np.where(opponent < 0, rows.generator, opponent)):
            keep &= _in_mask(study, request, rows, generator)
        if spec.position:
            keep &= request.of_rubrics & np.isin(integers(rows.table.column("position"), 0), spec.position)
    except (NoDataError, UsageError):  # a filter that these judgments cannot have
        keep[:] = False
    return rows, keep


def _in_mask(study: "StudyArrays", request: ResolvedSlice, rows: SelectedRows, generator: Ints) -> Bools:
    """Return which rows are of a criterion, or of an answer by these generators, that the filters keep."""
    mask, index, row, column = filter_mask(study, request), study.index, rows.judge, generator
    rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
    if mask.shape[-2] > 1:
        column = np.searchsorted(study.cube(request.selection).generators, generator)
    if len(mask) > 1 and request.of_rubrics:
        row = np.searchsorted(study.cube(request.selection).judges, rows.judge)
    if request.of_rubrics:
        return np.asarray(mask[row % len(mask), column % mask.shape[1], rubric])
    of_rubric = np.append(rubric_mask(index, request.spec), True)  # the last, -1, of whole answers
    return np.asarray(mask[column % len(mask), rows.instance] & of_rubric[rubric])
