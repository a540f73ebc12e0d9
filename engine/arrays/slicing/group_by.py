"""From a slice to views: what its filters keep, and one view for each value of a grouping."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.encoding import numbers
from engine.arrays.index import Relatives
from engine.arrays.slicing.resolve import NoDataError, ResolvedSlice, choose_paradigm, resolve
from engine.arrays.slicing.slice_masks import column_groups, instance_mask, rubric_mask, within
from engine.arrays.text_names import criteria_to_group
from engine.arrays.view import SliceView, refuse_single_verdicts
from engine.errors import UsageError, unknown
from engine.slices import (
    BY_RUBRIC,
    CELL_COLUMNS,
    COLUMNS,
    GROUPINGS,
    INSTANCE_COLUMNS,
    JUDGE_COLUMNS,
    ROW_COLUMNS,
    Slice,
)
from engine.stats import Bools, Weights
from engine.stats.scores.ranks import TOLERANCE
from engine.wording import option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


SliceValue = str | int | None


@dataclass(frozen=True)
class SliceGroup:
    value: SliceValue
    view: SliceView


def single_view(
    study: "StudyArrays", spec: Slice, weights: Weights | None, paradigms: tuple[str, ...]
) -> SliceView:
    """Return the view of one slice."""
    return _view(study, resolve(study, spec, paradigms), weights)


def _view(
    study: "StudyArrays", request: ResolvedSlice, weights: Weights | None, marks: Bools | None = None
) -> SliceView:
    """Return what the filters keep; of scores by criterion only the rubrics that `marks` has too."""
    keep = filter_mask(study, request)
    if request.traits.subject != "options":
        return SliceView(study, request, keep, weights)
    rubrics = rubric_mask(study.index, request.spec)
    bare = np.asarray(rubrics.all() | (keep.any(axis=0) & (study.index.layout.rubric_counts == 0)))
    if marks is not None:
        rubrics, bare = rubrics & marks, np.zeros_like(bare)
    cube = study.criterion_scores(request.selection).cube(rubrics, bare)
    return SliceView(study, request, keep, weights, cube=cube)


def group_views(
    study: "StudyArrays",
    spec: Slice,
    by: str | None,
    weights: Weights | None,
    paradigms: tuple[str, ...],
    part: Callable[[Any], Slice] | None = None,
) -> list[SliceGroup]:
    """Return a slice's views by a column, or one of value None without it; NoDataError if there is none.

    `part` returns the slice of one run or paradigm, whose variant and reference may be its own.
    """
    if by is None:
        return [SliceGroup(None, single_view(study, spec, weights, paradigms))]
    if by not in GROUPINGS:
        raise unknown("column to group by", by, GROUPINGS)
    if by in ROW_COLUMNS:
        return list(
            _row_parts(study, spec, by, weights, paradigms, part if by in ("run", "paradigm") else None)
        )
    if by in JUDGE_COLUMNS:
        view, column = single_view(study, spec, weights, paradigms), str(COLUMNS[by].stored_in("models"))
        attribute = study.files.table("models", ("model", column)).column(column)
        of_text = COLUMNS[by].groups == "texts"
        values = np.array(attribute.to_pylist(), dtype=object) if of_text else numbers(attribute)
        groups = column_groups(by, values[view.judges])
        return [SliceGroup(group.value, view.shown_judges(view.rows[group.marks])) for group in groups]
    request = resolve(study, spec, paradigms)
    if request.traits.subject == "options" and by not in CELL_COLUMNS:
        groups = column_groups(by, _rubric_values(study, request, by))
        return [SliceGroup(group.value, _view(study, request, weights, group.marks)) for group in groups]
    keep = filter_mask(study, request)
    return [
        SliceGroup(value, SliceView(study, request, keep & marks, weights))
        for value, marks in _groups(study, request, by)
    ]


def _rubric_values(study: "StudyArrays", request: ResolvedSlice, by: str) -> Any:
    """Return the value of each rubric in a column of rubrics."""
    index = study.index
    if by == "agreement":
        raise UsageError(
            f"{request.paradigm} judgments have no agreement on verdicts; group by another column"
        )
    if by == "length":
        return index.lengths[request.spec.length_unit]
    return criteria_to_group(study) if by == BY_RUBRIC else index.rubric_fields[by]


def _row_parts(
    study: "StudyArrays",
    spec: Slice,
    by: str,
    weights: Weights | None,
    paradigms: tuple[str, ...],
    part: Callable[[Any], Slice] | None,
) -> Iterator[SliceGroup]:
    column = str(COLUMNS[by].stored_in("judgments"))
    setting = getattr(spec, by)
    where = {} if by == "paradigm" else {"paradigm": choose_paradigm(study, spec, paradigms)}
    values = [setting] if setting and isinstance(setting, str) else study.inventory.values(column, **where)
    for value in values:
        inapplicable = by == "paradigm" and value not in paradigms
        if inapplicable or (by == "run" and spec.run and value not in spec.run):
            continue
        choice: Any = (value,) if by == "run" else value
        try:
            one = part(choice) if part else replace(spec, **{by: choice})
            yield SliceGroup(value, single_view(study, one, weights, paradigms))
        except NoDataError:
            continue


def filter_mask(study: "StudyArrays", request: ResolvedSlice) -> Bools:
    """Return what the filters keep: rubrics, with two leading axes, or (generators or 1, instances)."""
    spec, index = request.spec, study.index
    rubrics = rubric_mask(index, spec)
    if not request.of_rubrics:
        if spec.position:
            what = f"{request.paradigm} judgments are on whole answers"
            raise UsageError(f"{what} and have no position; leave out ", option("position"))
        if request.traits.subject == "options":
            instances = _with_rubrics(study, spec, rubrics)[None, :]
        else:
            instances = instance_mask(index, spec, rubrics)[None, :]
        if spec.response_length is None:
            return instances
        return instances & within(study.response_lengths(request.selection), spec.response_length)
    keep = rubrics[None, None, :]
    if spec.min_agreement is not None:
        with np.errstate(invalid="ignore"):
            keep = keep & (agreement_required(study, request) >= spec.min_agreement - TOLERANCE)
    if spec.position:
        keep = keep & _at_level(request, np.isin(study.positions(request.selection), spec.position))
    if spec.response_length is not None:
        keep = keep & within(study.response_lengths(request.selection), spec.response_length)
    return keep


def _with_rubrics(study: "StudyArrays", spec: Slice, rubrics: Bools) -> Bools:
    """Return the instances with a rubric kept, and those without any where no filter is on rubrics."""
    layout = study.index.layout
    some = np.bincount(layout.instance_of[rubrics], minlength=study.index.n_instances) > 0
    if rubrics.all():
        return np.ones_like(some)
    bare = layout.rubric_counts == 0
    everything = np.ones(len(rubrics), dtype=bool)
    return np.asarray(some | (bare & instance_mask(study.index, spec, everything)))


def _at_level(request: ResolvedSlice, marks: Bools) -> Bools:
    """Return marks of places; for whole responses alike for all generators, so that rubrics are the same."""
    return marks if request.level == "rubric" else np.asarray(marks.any(axis=1, keepdims=True))


def agreement_required(study: "StudyArrays", request: ResolvedSlice) -> NDArray[np.float64]:
    """Return the agreement that the slice requires, with axes for judges and generators."""
    agreement, spec = study.agreement(request.selection), request.spec
    if spec.agreement_of == "verdict":
        if request.level != "rubric":
            raise refuse_single_verdicts()
        return agreement.of_verdicts[None, :, :]
    if spec.agreement_without_family:
        return agreement.without_family(cast("Relatives", spec.relatives))[:, None, :]
    return agreement.of_rubrics[None, None, :]


def _groups(study: "StudyArrays", request: ResolvedSlice, by: str) -> Iterator[tuple[SliceValue, Bools]]:
    """Yield each value of a column with the rubrics (or instances) that have it."""
    values: Any
    if by == "response_length":
        values = study.response_lengths(request.selection)
    elif not request.of_rubrics:
        values = _instance_values(study, request, by)
    elif by == "agreement":
        values = agreement_required(study, request)
    elif by == "position":
        values = study.positions(request.selection)
    else:
        values = _rubric_values(study, request, by)[None, None, :]
    if not request.of_rubrics:
        yield from ((group.value, np.atleast_2d(group.marks)) for group in column_groups(by, values))
        return
    for group in column_groups(by, values if by in (*CELL_COLUMNS, "agreement") else values[0, 0]):
        marks = group.marks if group.marks.ndim == 3 else group.marks[None, None, :]
        yield group.value, _at_level(request, marks) if by == "position" else marks


def _instance_values(study: "StudyArrays", request: ResolvedSlice, by: str) -> Any:
    """Return the column's value of each instance, which all rubrics of one must share."""
    index = study.index
    if by in (*CELL_COLUMNS, "agreement"):
        raise UsageError(
            f"{request.paradigm} judgments are on whole answers and have no {by}; group by another column"
        )
    values = np.empty(index.n_instances, dtype=object)
    if by in INSTANCE_COLUMNS:
        values[:] = index.instance_fields[by]
    of_rubric = _rubric_values(study, request, by)
    instance_of = index.layout.instance_of
    values[instance_of] = of_rubric
    if any(values[instance_of] != of_rubric):
        raise UsageError(
            f"{request.paradigm} judgments are on whole answers, but the criteria of one answer "
            f"differ in {by}; group by theme, category or language, or choose a paradigm of criteria"
        )
    if by != "length":
        return values
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def cells_in_all(pieces: list[SliceGroup]) -> Bools:
    """Return the (generator, instance) counted in every set compared, over all models: (models, instances).

    The sets are the slices and, in each, the judges with any counted row.
    """
    study = pieces[0].view.study
    common = np.ones((len(study.index.models), study.index.n_instances), dtype=bool)
    for piece in pieces:
        cells = piece.view.counted_cells
        for cells_of_judge in cells[cells.any(axis=(1, 2))]:
            counted = np.zeros_like(common)
            counted[piece.view.generators] = cells_of_judge
            common &= counted
    return common


def keep_common(pieces: list[SliceGroup]) -> tuple[list[SliceGroup], int]:
    """Restrict every view to the cells counted in all of them; return how many others there were."""
    if not pieces:
        return pieces, 0
    common = cells_in_all(pieces)
    anywhere = np.zeros_like(common)
    for piece in pieces:
        anywhere[piece.view.generators] |= piece.view.counted_cells.any(axis=0)
    only = [piece.view.only(common[piece.view.cube.generators]) for piece in pieces]
    restricted = [SliceGroup(piece.value, view) for piece, view in zip(pieces, only, strict=True)]
    return restricted, int((anywhere & ~common).sum())


def keep_scored_in_all(pieces: list[SliceGroup]) -> list[SliceGroup]:
    """Restrict every view to the answers that the same judge scored in all of them."""
    if not pieces:
        return pieces
    index = pieces[0].view.study.index
    size = len(index.models)
    in_all = np.ones((size, size, index.n_instances), dtype=bool)
    for piece in pieces:
        scored, view = np.zeros_like(in_all), piece.view
        scored[np.ix_(view.judges, view.generators)] = ~np.isnan(view.scored.judge.values)
        in_all &= scored
    at = [np.ix_(piece.view.cube.judges, piece.view.cube.generators) for piece in pieces]
    return [
        SliceGroup(piece.value, piece.view.only_scored(in_all[cells]))
        for piece, cells in zip(pieces, at, strict=True)
    ]


def slices_to_compare(pieces: list[SliceGroup], *, common: bool) -> tuple[list[SliceGroup], Counter[str]]:
    """Return the slices, if `common` with the responses counted in all of them, and what is left out."""
    left_out: Counter[str] = Counter()
    if common:
        pieces, left_out["not_common"] = keep_common(pieces)
    return pieces, left_out
