"""From a slice to masks over rubrics and instances, and the groups that a column makes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import Coded, Objects, StudyIndex
from engine.errors import UsageError, unknown
from engine.slices import INSTANCE_COLUMNS, NULL, Bounds, Slice

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

AGREEMENT_EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 1.0)
LENGTH_BINS = 5
TOLERANCE = 1e-9


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
        keep &= within(lengths(index, spec.length_unit), spec.length)
    for column in ("axis", "theme", "category", "language", "checker"):
        wanted = getattr(spec, column)
        if wanted:
            keep &= _among(index.coded(column), wanted, column, known_values(index, column))
    return keep


def instance_mask(index: StudyIndex, spec: Slice, rubrics: Bools) -> Bools:
    """Return which instances the filters keep where whole responses are compared.

    `rubrics` marks the rubrics kept. Raises UsageError where a filter keeps some rubrics of an instance
    and drops others: a whole response's score cannot be taken apart.
    """
    layout = index.layout
    kept = np.bincount(layout.instance_of[rubrics], minlength=index.n_instances)
    mixed = np.flatnonzero((kept > 0) & (kept < layout.rubric_counts))
    if len(mixed):
        raise UsageError(
            f"these judgments are of whole responses, but the filter keeps only some rubrics of instance "
            f"{index.instances[int(mixed[0])].as_py()!r} (and {len(mixed) - 1} more); filter on theme, "
            "category or language, or choose a rubric paradigm"
        )
    keep: Bools = kept == layout.rubric_counts
    bare = layout.rubric_counts == 0
    if spec.polarity or spec.length or spec.axis or spec.checker:
        keep &= ~bare
    for column in INSTANCE_COLUMNS:
        if getattr(spec, column):
            coded = Coded.of(index.instance_fields[column])
            keep &= _among(coded, getattr(spec, column), column, known_values(index, column)) | ~bare
    return keep


def known_values(index: StudyIndex, column: str) -> list[str]:
    """Return the values of a column of rubrics or instances, sorted; `null` last where some have none."""
    coded = index.coded(column)
    values: set[str | None] = {*coded.names, *([None] if (coded.codes < 0).any() else [])}
    if column in INSTANCE_COLUMNS:
        values |= set(index.instance_fields[column][index.layout.rubric_counts == 0])
    named = sorted(str(value) for value in values if value is not None)
    return [*named, NULL] if None in values else named


def lengths(index: StudyIndex, unit: str) -> Floats:
    """Return the length of each rubric in characters or words, NaN where it has none."""
    return index.lengths[unit]


def within(values: Floats, bounds: Bounds) -> Bools:
    """Return where values lie within the bounds, ends included; NaN lie nowhere."""
    low, high = bounds
    with np.errstate(invalid="ignore"):
        return (values >= (-np.inf if low is None else low)) & (values <= (np.inf if high is None else high))


def _among(coded: Coded, wanted: tuple[str, ...], column: str, choices: list[str]) -> Bools:
    for name in wanted:
        if name not in choices:
            raise unknown(column, name, choices)
    return coded.among([None if name == NULL else name for name in wanted])


def text_groups(values: Objects) -> Iterator[Group]:
    """Group by a text: its values in order, what has none last."""
    for value in sorted({value for value in values if value is not None}):
        yield Group(value, values == value)
    yield from _rest(np.array([value is None for value in values]))


def polarity_groups(values: Objects) -> Iterator[Group]:
    """Group by the sign of the points: positive first."""
    for value in ("positive", "negative"):
        if (values == value).any():
            yield Group(value, values == value)


def quantile_groups(values: Floats) -> Iterator[Group]:
    """Group numbers into five bins of about equal size, over all values there are; shown as `LOW-HIGH`.

    The ends shown are the least and greatest value in the bin. Equal values never part, so that there
    may be fewer bins.
    """
    known = values[~np.isnan(values)]
    if len(known):
        edges = np.unique(np.quantile(known, np.linspace(0, 1, LENGTH_BINS + 1)[1:-1]))
        bins = np.searchsorted(edges, values, side="left")
        for number in range(len(edges) + 1):
            marks = (bins == number) & ~np.isnan(values)
            if marks.any():
                yield Group(f"{_short(values[marks].min())}-{_short(values[marks].max())}", marks)
    yield from _rest(np.isnan(values))


def agreement_groups(values: Floats) -> Iterator[Group]:
    """Group agreement by fixed edges; the last bin holds unanimous rubrics alone."""
    for low, high in zip(AGREEMENT_EDGES, (*AGREEMENT_EDGES[1:], np.inf), strict=True):
        with np.errstate(invalid="ignore"):
            marks = (values >= low - TOLERANCE) & (values < high - TOLERANCE)
        if marks.any():
            yield Group(f"{low:g}-{high:g}" if high <= 1 else f"{low:g}", marks)
    yield from _rest(np.isnan(values))


def integer_groups(values: NDArray[np.integer]) -> Iterator[Group]:
    """Group by a whole number from 1 on; 0 stands for no value and comes last."""
    for value in sorted({int(value) for value in np.unique(values) if value > 0}):
        yield Group(value, values == value)
    yield from _rest(values <= 0)


def _rest(marks: Bools) -> Iterator[Group]:
    if marks.any():
        yield Group(None, marks)


def _short(value: float) -> str:
    return f"{value:g}"


GROUPERS: dict[str, Callable[[Any], Iterator[Group]]] = {
    "polarity": polarity_groups,
    "length": quantile_groups,
    "agreement": agreement_groups,
    "position": integer_groups,
    "response_length": quantile_groups,
}
"""How a column makes groups; a column not named here is grouped by its texts."""
