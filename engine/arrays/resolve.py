"""A slice with every default filled in from the study, and the masks of its filters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.arrays.index import Objects, Relatives, Repeats, Selection, StudyIndex, TextCodes
from engine.arrays.references import Exclusion
from engine.errors import SpbError, UsageError, unknown
from engine.schema import COMPARABLE, RUBRIC_PARADIGMS, TRAITS, ParadigmTraits
from engine.slices import (
    BY_RUBRIC,
    COLUMNS,
    INSTANCE_COLUMNS,
    NULL,
    RUBRIC_COLUMNS,
    TEXT_COLUMNS,
    Bounds,
    Slice,
)
from engine.stats import Bools, Floats
from engine.stats.self_preference import TOLERANCE
from engine.values import join_names

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# From a slice as a user wrote it to one in which every default is resolved (MEASURES section 1).


BUILT_IN_VARIANTS = ("default", "cot", "forced", "forced_tie", "structured", "pointwise")
"""Variants that are valid even if a study has none of them."""


class NoDataError(SpbError):
    """The study has no data for the measure; the message is the reason."""


@dataclass(frozen=True)
class ResolvedSlice:
    """A slice with its paradigm, variant, transform, level and reference resolved."""

    spec: Slice
    selection: Selection
    level: str
    source: str | None

    @property
    def paradigm(self) -> str:
        return self.selection.paradigm

    @property
    def of_rubrics(self) -> bool:
        return self.traits.of_rubrics

    @property
    def traits(self) -> ParadigmTraits:
        return TRAITS[self.paradigm]

    @property
    def exclusion(self) -> Exclusion:
        """Which members of a committee reference do not vote."""
        relatives = cast("Relatives", self.spec.relatives)
        return Exclusion(self.spec.exclude_family, self.spec.leave_self_out, relatives)

    def filters(self) -> dict[str, Any]:
        """Return all filters that applied, defaults included, as the JSON shows them."""
        filters = self.spec.filters()
        defaults = {
            "paradigm": self.paradigm,
            "variant": self.selection.variant,
            "transform": self.selection.transform,
            "level": self.level,
            "reference": self.source,
            "scores": self.spec.scores,
            "relatives": self.spec.relatives,
            "repeats": self.spec.repeats,
        }
        if self.traits.lists_rubrics:
            defaults["ordering"] = self.selection.ordering or "original"
        return filters | defaults


def resolve(study: "StudyArrays", spec: Slice, paradigms: tuple[str, ...] = COMPARABLE) -> ResolvedSlice:
    """Resolve a slice's defaults; UsageError for an unknown name, NoDataError without such judgments."""
    for kind in ("judges", "generators"):
        for name in getattr(spec, kind):
            if name not in study.index.models:
                raise unknown(kind[:-1], name, study.index.models)
    paradigm = choose_paradigm(study, spec, paradigms)
    where = {"paradigm": paradigm}
    variant = _variant(study, spec, paradigm)
    transform = spec.transform or "none"
    _check_value(study, "transform", (transform,), "none", where)
    _check_value(study, "run", spec.run, None, {})
    level = spec.level or ("rubric" if paradigm in RUBRIC_PARADIGMS else "instance")
    if level == "rubric" and paradigm not in RUBRIC_PARADIGMS:
        raise UsageError(f"{paradigm!r} has no level 'rubric'; choose --level instance, or a rubric paradigm")
    if spec.min_agreement is not None and paradigm not in RUBRIC_PARADIGMS:
        raise UsageError(f"{paradigm!r} has no agreement on rubrics; leave out --min-agreement")
    if spec.ordering is not None:
        _check_value(study, "ordering", (spec.ordering,), "original", where)
    selection = Selection(
        paradigm=paradigm,
        variant=variant,
        transform=transform,
        ordering=None if spec.ordering == "original" else spec.ordering,
        runs=spec.run,
        repeats=cast("Repeats", spec.repeats),
    )
    if study.inventory.total(**selection.where()) == 0:
        raise NoDataError(f"the study has no {paradigm} judgments with variant {variant!r} in this slice")
    spec, source = replace(spec, paradigm=paradigm, variant=variant), study.references.choose(spec.reference)
    return ResolvedSlice(spec, selection, level, source)


def choose_paradigm(study: "StudyArrays", spec: Slice, paradigms: tuple[str, ...] = COMPARABLE) -> str:
    """Return the paradigm requested, or the first of `paradigms` that the study has.

    UsageError for one that is not among them, NoDataError if the study has none.
    """
    present = study.inventory.values("paradigm")
    if spec.paradigm is None:
        first = next((name for name in paradigms if name in present), None)
        if first is None:
            raise NoDataError(f"the study has no {join_names(paradigms, last='or')} judgments")
        return first
    if spec.paradigm not in paradigms:
        choices = ", ".join(paradigms)
        raise UsageError(f"this measure does not apply to {spec.paradigm!r}; choose from: {choices}")
    if spec.paradigm not in present:
        raise NoDataError(f"the study has no {spec.paradigm} judgments")
    return spec.paradigm


def _variant(study: "StudyArrays", spec: Slice, paradigm: str) -> str:
    present = [str(name) for name in study.inventory.values("variant", paradigm=paradigm)]
    variant = spec.variant or "default"
    if spec.variant is None and variant not in present and present:
        return present[0]
    if variant in present:
        return variant
    if variant not in (*BUILT_IN_VARIANTS, *study.inventory.values("variant")):
        raise unknown("variant", variant, present)
    problem = f"the study has no {paradigm} judgments with variant {variant!r}"
    raise NoDataError(f"{problem}; it has {', '.join(present)}")


def _check_value(
    study: "StudyArrays", column: str, names: tuple[str, ...], always: str | None, where: dict[str, Any]
) -> None:
    if all(name == always for name in names):
        return
    stored_column = "run_id" if column == "run" else column
    present = [str(name) for name in study.inventory.values(stored_column, **where) if name is not None]
    for name in names:
        if name not in present and name != always:
            raise unknown(column, name, present)


# ------------------------------------------------------------------------------
# From a slice to masks over rubrics and instances, and the groups that a column makes.


AGREEMENT_EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 1.0)
LENGTH_BINS = 5
MOST_NAMED = 50
"""How many rubrics an error lists."""


@dataclass(frozen=True)
class Group:
    """One slice of a grouping: the value shown, and the filter that selects it."""

    value: str | int | None
    marks: Bools


def rubric_mask(index: StudyIndex, spec: Slice) -> Bools:
    """Return which rubrics the slice's filters keep, shape (rubrics,); agreement is not among them."""
    keep = np.ones(index.n_rubrics, dtype=bool)
    if spec.polarity is not None:
        keep &= (index.points < 0) == (spec.polarity == "negative")
    if spec.length is not None:
        keep &= within(index.lengths[spec.length_unit], spec.length)
    for column in TEXT_COLUMNS:
        texts = getattr(spec, column)
        if texts:
            keep &= _text_mask(index, column, index.text_codes(column), texts)
    if spec.rubric_id:
        keep &= _named_rubrics(index, spec.rubric_id)
    return keep


def _named_rubrics(index: StudyIndex, names: tuple[str, ...]) -> Bools:
    ids = index.rubric_ids.to_pylist()
    for name in names:
        if name not in ids:
            choices = sorted(set(ids))
            raise unknown("rubric id", name, choices[:MOST_NAMED] + ["..."] * (len(choices) > MOST_NAMED))
    return np.array([one in names for one in ids], dtype=bool)


def instance_mask(index: StudyIndex, spec: Slice, rubrics: Bools) -> Bools:
    """Return which instances the filters keep when whole responses are compared.

    `rubrics` marks the rubrics kept. Raises UsageError if a filter keeps some rubrics of an instance and
    drops others: a whole response's score cannot be split.
    """
    layout = index.layout
    remaining = np.bincount(layout.instance_of[rubrics], minlength=index.n_instances)
    mixed = np.flatnonzero((remaining > 0) & (remaining < layout.rubric_counts))
    if len(mixed):
        raise UsageError(
            "these judgments are on whole responses, but the filter keeps only some rubrics of "
            f"instance {index.instances[int(mixed[0])].as_py()!r} (and {len(mixed) - 1} more); "
            "filter by theme, category or language, or choose a rubric paradigm"
        )
    keep: Bools = remaining == layout.rubric_counts
    bare = layout.rubric_counts == 0
    for column in INSTANCE_COLUMNS:
        if getattr(spec, column):
            codes = TextCodes.of(index.instance_fields[column])
            keep &= _text_mask(index, column, codes, getattr(spec, column)) | ~bare
    of_rubrics = {BY_RUBRIC, *RUBRIC_COLUMNS} - set(
        INSTANCE_COLUMNS
    )  # an instance without a rubric has no value
    return keep & ~bare if any(getattr(spec, column, None) for column in of_rubrics) else keep


def column_values(index: StudyIndex, column: str) -> list[str]:
    """Return the values of a column of rubrics or instances, sorted; `null` last where some have none."""
    text_codes = index.text_codes(column)
    values: set[str | None] = {*text_codes.names, *([None] if (text_codes.codes < 0).any() else [])}
    if column in INSTANCE_COLUMNS:
        values |= set(index.instance_fields[column][index.layout.rubric_counts == 0])
    texts = sorted(str(value) for value in values if value is not None)
    return [*texts, NULL] if None in values else texts


def within(values: Floats, bounds: Bounds) -> Bools:
    """Return where values lie within the bounds, ends included; False for NaN."""
    low, high = bounds
    with np.errstate(invalid="ignore"):
        return (values >= (-np.inf if low is None else low)) & (values <= (np.inf if high is None else high))


def _text_mask(index: StudyIndex, column: str, codes: TextCodes, texts: tuple[str, ...]) -> Bools:
    choices = column_values(index, column)
    for name in texts:
        if name not in choices:
            raise unknown(column, name, choices)
    return codes.among([None if name == NULL else name for name in texts])


def _of_texts(values: Objects) -> Iterator[Group]:
    for value in sorted({value for value in values if value is not None}):
        yield Group(value, values == value)
    yield Group(None, np.array([value is None for value in values], dtype=bool))


def _of_signs(values: Objects) -> Iterator[Group]:
    yield from (Group(value, values == value) for value in ("positive", "negative"))


def _of_quantiles(values: Floats) -> Iterator[Group]:
    """Group numbers into five bins of about equal size over all values; shown as `LOW-HIGH`.

    The ends shown are the least and greatest value in the bin. Equal values are never separated, so there may
    be fewer bins.
    """
    defined = values[~np.isnan(values)]
    if len(defined):
        edges = np.unique(np.quantile(defined, np.linspace(0, 1, LENGTH_BINS + 1)[1:-1]))
        bins = np.searchsorted(edges, values, side="left")
        for number in range(len(edges) + 1):
            marks = (bins == number) & ~np.isnan(values)
            if marks.any():
                yield Group(f"{values[marks].min():g}-{values[marks].max():g}", marks)
    yield Group(None, np.isnan(values))


def _of_agreement(values: Floats) -> Iterator[Group]:
    """Group agreement by fixed edges; the last bin holds only unanimous rubrics."""
    for low, high in zip(AGREEMENT_EDGES, (*AGREEMENT_EDGES[1:], np.inf), strict=True):
        with np.errstate(invalid="ignore"):
            marks = (values >= low - TOLERANCE) & (values < high - TOLERANCE)
        yield Group(f"{low:g}-{high:g}" if high <= 1 else f"{low:g}", marks)
    yield Group(None, np.isnan(values))


def _of_integers(values: NDArray[np.integer]) -> Iterator[Group]:
    """Group by a whole number from 1 on; 0 stands for no value."""
    for value in sorted({int(value) for value in np.unique(values) if value > 0}):
        yield Group(value, values == value)
    yield Group(None, values <= 0)


GROUPERS: dict[str, Callable[[Any], Iterator[Group]]] = {
    "texts": _of_texts,
    "sign": _of_signs,
    "quantiles": _of_quantiles,
    "agreement": _of_agreement,
    "integers": _of_integers,
}
"""How values are grouped, by the name for it in `engine.slices.COLUMNS`."""


def column_groups(column: str, values: Any) -> Iterator[Group]:
    """Yield a column's values in order, null last, each with where it is; none that is nowhere."""
    kind = "texts" if column == BY_RUBRIC else COLUMNS[column].groups
    yield from (group for group in GROUPERS[kind](values) if group.marks.any())
