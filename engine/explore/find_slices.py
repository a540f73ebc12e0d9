"""Searches all slices by one and by two columns for those that differ from the rest; results as rows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.arrays.group_by import single_view
from engine.arrays.index import Relatives
from engine.arrays.resolve import NoDataError, column_groups
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.entry import SMALL, Field, Measure, count, key
from engine.measures.result import Result, columns_of
from engine.measures.rows import FEW, SURE, plain
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import FLAG_NAMES, NULL, RUBRIC_COLUMNS, TEXT_COLUMNS, Slice, whole_number
from engine.stats import Bools, Ints
from engine.stats.bootstrap import AgainstRest, Cells, against_rest, benjamini_hochberg
from engine.stats.self_preference import Relations

if TYPE_CHECKING:
    from engine.arrays.resolve import ResolvedSlice
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# Verdicts unpacked for the search: a slot for each rubric in each order in which it was shown.


@dataclass(frozen=True, eq=False)
class Column:
    """A column that defines slices: its values, and for each slot the index of its value, -1 for none.

    `codes` has shape (slots,), or (judges, generators, slots) if it depends on judge and generator.
    """

    name: str
    values: tuple[str, ...]
    codes: Ints


@dataclass(frozen=True, eq=False)
class Slots:
    """The input of the search: planes of shape (judges, generators, slots), and the columns."""

    judges: tuple[str, ...]
    relations: Relations
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
    slots = Slots(
        judges=tuple(study.index.models[j] for j in view.judges),
        relations=view.relations,
        instance_of=np.tile(study.index.layout.instance_of, len(views)),
        n_instances=study.index.n_instances,
        columns=tuple(_informative(_columns(study, views), np.asarray(planes["failed"].any(axis=(0, 1))))),
        left_out=sum((Counter(each.left_out) for _, each in views), Counter()),
        **planes,
    )
    return slots, view.request


def _informative(columns: Iterator[Column], counts: Bools) -> Iterator[Column]:
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


def _columns(study: "StudyArrays", views: list[tuple[str | None, SliceView]]) -> Iterator[Column]:
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
        yield Column("ordering", tuple(str(name) for name, _ in views), codes)


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


def _column(name: str, values: Any) -> Column:
    """Return a column with each value's group as code; the groups are those of `--by`, the missing last."""
    codes = np.full(np.shape(values), -1, dtype=np.int64)
    names = []
    for number, group in enumerate(column_groups(name, values)):
        codes[group.marks] = number
        names.append(NULL if group.value is None else str(group.value))
    return Column(name, tuple(names), codes)


# ------------------------------------------------------------------------------
# One way to divide the verdicts into slices: by one column, or by two at once.


@dataclass(frozen=True, eq=False)
class Partition:
    """The slices by combinations of columns' values; they do not overlap.

    `codes` is the slice of each slot, -1 for none: shape (judges or 1, generators or 1, slots). `sizes`
    counts the slots of each slice. `fresh` marks slices that are not empty and not equal to one by a single
    column (if all accuracy rubrics are negative, accuracy and negative together are not fresh).
    """

    columns: tuple[Column, ...]
    codes: Ints
    sizes: Ints
    fresh: Bools

    @classmethod
    def of(cls, columns: tuple[Column, ...]) -> "Partition":
        """Return the slices by one or more columns."""
        broadcast = [
            column.codes.reshape((1, 1, -1)) if column.codes.ndim == 1 else column.codes for column in columns
        ]
        size = int(np.prod([len(column.values) for column in columns]))
        codes = np.zeros((1, 1, 1), dtype=np.int64)
        for column, own in zip(columns, broadcast, strict=True):
            codes = np.where((codes < 0) | (own < 0), -1, codes * len(column.values) + own)
        sizes = _counts(codes, size)
        fresh = sizes > 0
        if len(columns) > 1:
            places = np.unravel_index(np.arange(size), [len(column.values) for column in columns])
            for column, own, place in zip(columns, broadcast, places, strict=True):
                totals = _counts(np.broadcast_to(own, codes.shape), len(column.values))
                fresh &= sizes < totals[place]
        return cls(columns, codes, sizes, fresh)

    def of_judge(self, judge: int) -> Ints:
        """Return the codes of one judge, shape (generators or 1, slots)."""
        return np.asarray(self.codes[judge % len(self.codes)])

    def where(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return the columns' values that define a slice."""
        places = np.unravel_index(number, [len(column.values) for column in self.columns])
        return tuple(
            (column.name, column.values[int(place)])
            for column, place in zip(self.columns, places, strict=True)
        )


def _counts(codes: Ints, size: int) -> Ints:
    return np.bincount(codes.ravel() + 1, minlength=size + 1)[1:]


# ------------------------------------------------------------------------------
# The search: count every slice of every pair of columns once, compare, adjust, rank.


FEWEST_FAILURES = 10
"""Fewest own unfavourable references, in a slice and in its rest, for a test.

With so few the p-values are slightly too small (docs/finding.md); the adjustment over all slices absorbs it.
"""

FEWEST_INSTANCES = 10  # fewest instances with own failures, in a slice and in its rest, for a test
FEWEST_CREDITED = 5
"""Fewest own failures credited, and not credited, on both sides: with fewer the log ratio is too discrete."""

_MATCHED = ("matched", "matched_self", "matched_other")

METHOD = "linearised over instances, Student's t"  # the method of the intervals and p-values


@dataclass(frozen=True)
class FoundSlice:
    """One slice of one judge, compared with all other rubrics of that judge.

    `difference` is the slice's ratio over the rest's; `hspp_matched` the matched ratio in the slice. NaN if
    undefined. `p_adjusted` is adjusted over all slices tested, of all judges.
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


@dataclass(frozen=True)
class SliceSearch:
    """The slices tested, by ascending p; their number, and the number of those too small to test."""

    slices: tuple[FoundSlice, ...]
    n_tried: int
    too_small: int
    columns: tuple[str, ...]
    filters: dict[str, Any]
    left_out: dict[str, int]


def find_slices(study: "StudyArrays", spec: Slice) -> SliceSearch:
    """Test every slice of one column and of two columns against the rest of its judge's verdicts.

    A slice is tested if it and its rest both have at least 10 own failures in 10 instances, 5 of them
    credited and 5 not. A slice with the same verdicts as an earlier one is not counted again. Raises the same
    errors as `rubric_slots`.
    """
    slots, request = rubric_slots(study, spec)
    slices: list[FoundSlice] = []
    too_small = 0
    for columns in (*combinations(slots.columns, 1), *combinations(slots.columns, 2)):
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
        columns=tuple(column.name for column in slots.columns),
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
            )
        )
    return slices, too_small


def _cells(slots: Slots, judge: int, partition: Partition) -> Cells:
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
    return Cells(
        over=counts[0],
        failed=counts[1],
        slice_of=cell_keys[first:] % size,
        instance_of=cell_keys[first:] // size,
        n_slices=size,
        n_instances=slots.n_instances,
        own=slots.relations.self_mask[judge],
        other=slots.relations.unrelated_mask[judge],
    )


def _large(cells: Cells, contrast: AgainstRest) -> Bools:
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
    rows = [_counts(codes[g % len(codes)][marks], size) for g, marks in enumerate(plane)]
    return np.asarray(np.sum(rows, axis=0))


# ------------------------------------------------------------------------------
# The filters that open a slice: not every group of a column can be filtered for.


Where = tuple[tuple[str, str], ...]

UNANIMOUS = "1"  # the only group of agreement that a filter can select exactly


def filters_for(where: Where, spec: Slice) -> tuple[dict[str, Any], str | None]:
    """Return the filters that open the slice within `spec`, and the column to group by if no filter can.

    A filter is a text, or a list for a value with a comma. If neither of two columns can be filtered for, the
    first is grouped by.
    """
    filters: dict[str, Any] = {}
    by = None
    for column, value in where:
        selection = _filter(column, value, spec)
        if selection is not None:
            filters |= selection
        elif by is None:
            by = column
    if spec.agreement_of != "verdict" and any(column == "agreement" for column, _ in where):
        filters["agreement_without_family"] = True
    return filters, by


def _filter(column: str, value: str, spec: Slice) -> dict[str, Any] | None:
    if column in TEXT_COLUMNS:  # their missing value can be filtered for, too
        return {column: [value] if "," in value else value}
    if value == NULL:
        return None
    if column == "agreement":
        return {"min_agreement": value} if value == UNANIMOUS else None
    if column == "length":
        return {"length": _bounds(value, spec)}
    return {column: value}


def _bounds(value: str, spec: Slice) -> str:
    """Return the ends of a group of lengths, within the slice's own."""
    low, high = (float(end) for end in value.split("-"))
    least, most = spec.length or (None, None)
    low, high = low if least is None else max(low, least), high if most is None else min(high, most)
    return f"{low:g}:{high:g}"


# ------------------------------------------------------------------------------
# The fields of the finder's rows, declared like a measure, for the command, the page and the docs.


FIND = Measure(
    name="find",
    title="Slices that stand out",
    question="In which slices does a judge's ratio differ from its ratio on all other rubrics?",
    formula="difference = HSPP ratio of the slice / HSPP ratio of the rest; over slices by one column and "
    "by two",
    paper="rubric-self-preference, section 3",
    left_out="slices too small to test (too_small), and what the ratio leaves out",
    function=find_slices,
    keys=("judge", "where"),
    headline="difference",
    compared_as="ratio",
    paradigms=RUBRIC_PARADIGMS,
    level="rubric",
    sliced=False,
    fields=(
        key("judge", "the judge"),
        key("where", "the column values that define the slice"),
        Field("difference", "ratio", "the slice's ratio / the ratio of the rest", interval=True),
        Field("p", "number", "two-sided p-value of no difference"),
        Field(
            "p_adjusted",
            "number",
            "p-value adjusted over all slices tested, of all judges (Benjamini-Hochberg)",
        ),
        Field("hspp_self", "ratio", "HSPP ratio in the slice"),
        Field("hspp_rest", "ratio", "HSPP ratio on all other rubrics"),
        Field("hspp_matched", "ratio", "matched ratio in the slice"),
        count("n_self", "own failures in the slice"),
        count("n_rest", "own failures outside the slice"),
        count("n_matched", "matched rubrics in the slice"),
        count("instances", "instances with own failures, in the slice or outside it, whichever is fewer"),
        SMALL,
        Field("filters", "list", "filters that open the slice"),
        key("by", "column to group by, for a slice that no filter can select"),
    ),
    empty="no slice has enough own failures to be tested",
)


# ------------------------------------------------------------------------------
# The slices as rows, in the form of a measure's result.


Row = dict[str, Any]


def search_study(study: "StudyArrays", *, top: int | None = None, **arguments: Any) -> Result:
    """Search a slice of a study and return at most `top` of the slices tested, by ascending p.

    The result's `filters` also hold the columns crossed, the number of slices tested and the method;
    `left_out` the number of those too small. Raises UsageError for an unknown filter or value.
    """
    if top is not None:
        top = whole_number("top", top, least=1, example="10, or leave it out")
    for name in arguments:
        if name not in FLAG_NAMES:
            raise unknown("filter or option", name, (*FLAG_NAMES, "slice", "top"))
    if arguments.get("level") not in (None, "rubric"):
        raise UsageError("`find` works at level 'rubric' only; leave out --level")
    spec = Slice.of(**arguments)
    try:
        search = find_slices(study, spec)
    except NoDataError as error:
        return Result(FIND, study.name, spec.filters() | {"top": top}, {}, {}, str(error))
    filters = {
        **spec.filters(),
        **search.filters,
        "top": top,
        "columns": search.columns,
        "slices_tried": search.n_tried,
        "fewest_failures": FEWEST_FAILURES,
        "interval": METHOD,
    }
    rows = [_row(each, spec) for each in search.slices[:top]]
    left_out = search.left_out | {"too_small": search.too_small}
    return Result(FIND, study.name, filters, columns_of(rows), left_out, None if rows else _why(search))


def _why(search: SliceSearch) -> str:
    if search.filters.get("reference") is None:
        return "the study has no reference; import one, or let a committee of judges vote"
    if not search.columns:
        return "rubrics failed in this selection do not differ in any column, so there are no slices"
    return FIND.empty


def _row(each: FoundSlice, spec: Slice) -> Row:
    filters, by = filters_for(each.where, spec)
    row: Row = {
        **vars(each),
        "where": "; ".join(f"{column}={value}" for column, value in each.where),
        "small": min(each.n_self, each.n_rest) < FEW,
    }
    row = {name: plain(value) for name, value in row.items()} | {"filters": filters, "by": by}
    reasons = {}
    if row["hspp_matched"] is None:
        reasons["hspp_matched"] = "no_overestimation_of_others" if each.n_matched else "no_matched_rubrics"
    if not by:
        reasons["by"] = "filters_suffice"
    return row | {"reasons": reasons}


# ------------------------------------------------------------------------------
# Which slices differ significantly, and which one is reported first.


def significant_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that differ significantly, in the same order."""
    return [row for row in rows if row["p_adjusted"] < SURE]


def clearest(rows: Sequence[Row]) -> Row | None:
    """Return the row to report first among those that differ significantly; None if there is none.

    It is the one with the smallest p in which a judge credits itself more than elsewhere (else with the
    smallest p), or a simpler slice that contains it and differs in the same direction.
    """
    significant = significant_rows(rows)
    higher = [row for row in significant if row["difference"] > 1] or significant
    if not higher:
        return None
    first = higher[0]
    simpler = [
        row
        for row in higher
        if row["judge"] == first["judge"]
        and _parts(row) < _parts(first)
        and (row["difference"] > 1) == (first["difference"] > 1)
    ]
    return simpler[0] if simpler else first


def _parts(row: Row) -> frozenset[str]:
    return frozenset(row["where"].split("; "))
