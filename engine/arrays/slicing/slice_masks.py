"""From a slice to masks over rubrics and instances, and the groups that a column makes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays.encoding import Objects
from engine.arrays.index import StudyIndex, TextCodes
from engine.errors import UsageError, unknown
from engine.slices import (
    BY_RUBRIC,
    COLUMNS,
    INSTANCE_COLUMNS,
    NULL,
    RUBRIC_COLUMNS,
    TEXT_COLUMNS,
    Bounds,
    Slice,
    how_stored,
)
from engine.stats import Bools, Floats
from engine.stats.scores.ranks import TOLERANCE
from engine.values import float_in
from engine.wording import comma_list, option

AGREEMENT_EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 1.0)
LENGTH_BINS = 5
_MOST_CHOICES = 12
"""An error lists so many numbers; of more it proposes a range."""


@dataclass(frozen=True)
class GroupSlice:
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
        keep &= np.isin(index.rubric_ids.to_pylist(), spec.rubric_id)
    return keep


def check_texts(index: StudyIndex, spec: Slice) -> None:
    """Raise UsageError if a filter names a value of a column that the study does not have."""
    for column in dict.fromkeys((*TEXT_COLUMNS, *INSTANCE_COLUMNS)):
        _check_texts(column, getattr(spec, column), index)


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
            "these judgments are on whole answers, but the filter keeps only some criteria of "
            f"question {index.instances[int(mixed[0])].as_py()!r} (and {len(mixed) - 1} more); "
            "filter by theme, category or language, or choose a paradigm of criteria"
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
    _check_texts(column, texts, index)
    return codes.among([None if name == NULL else name for name in texts])


def _check_texts(column: str, texts: tuple[str, ...], index: StudyIndex) -> None:
    choices = column_values(index, column) if texts else []
    for name in texts:
        if name not in choices:
            if others := columns_with(index, name):
                hint = comma_list(option(other, name) for other in others)
                raise UsageError(f"unknown {column} {name!r}; it is in another column of the study: ", hint)
            if choices in ([], [NULL]):
                raise UsageError(
                    f"unknown {column} {name!r}; the study has no values of {column}, {how_stored(column)}"
                )
            raise unknown_value(column, name, choices)


def unknown_value(column: str, value: str, choices: Sequence[str]) -> UsageError:
    """Return the error for a value that a column of texts lacks; of many numbers it proposes a range."""
    numbers = {name: float_in(name) for name in choices if name != NULL}
    in_order = sorted((number, name) for name, number in numbers.items() if number is not None)
    if not len(in_order) == len(numbers) > _MOST_CHOICES:
        return unknown(column, value, choices, likeness=0.6)
    least, middle, greatest = (in_order[place][1] for place in (0, len(in_order) // 2, -1))
    return UsageError(
        f"unknown {column} {value!r}; its {len(in_order)} values are numbers from {least} to {greatest}; "
        "give those you want, or a range, such as ",
        option(column, f"{middle}:"),
        " or ",
        option(column, "median:"),
    )


def columns_with(index: StudyIndex, value: str) -> list[str]:
    """Return the columns of texts in which the study has a value."""
    return [column for column in TEXT_COLUMNS if value != NULL and value in column_values(index, column)]


def values_to_group(index: StudyIndex) -> dict[str, list[str]]:
    """Return the columns of texts of which the study has values, and these."""
    values = {column: [v for v in column_values(index, column) if v != NULL] for column in TEXT_COLUMNS}
    return {column: names for column, names in values.items() if names}


def _of_texts(values: Objects) -> Iterator[GroupSlice]:
    for value in sorted({value for value in values if value is not None}):
        yield GroupSlice(value, values == value)
    yield GroupSlice(None, np.array([value is None for value in values], dtype=bool))


def _of_signs(values: Objects) -> Iterator[GroupSlice]:
    yield from (GroupSlice(value, values == value) for value in ("positive", "negative"))


def _of_quantiles(values: Floats) -> Iterator[GroupSlice]:
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
                yield GroupSlice(f"{values[marks].min():g}-{values[marks].max():g}", marks)
    yield GroupSlice(None, np.isnan(values))


def _of_agreement(values: Floats) -> Iterator[GroupSlice]:
    """Group agreement by fixed edges; the last bin holds only unanimous rubrics."""
    for low, high in zip(AGREEMENT_EDGES, (*AGREEMENT_EDGES[1:], np.inf), strict=True):
        with np.errstate(invalid="ignore"):
            marks = (values >= low - TOLERANCE) & (values < high - TOLERANCE)
        yield GroupSlice(f"{low:g}-{high:g}" if high <= 1 else f"{low:g}", marks)
    yield GroupSlice(None, np.isnan(values))


def _of_integers(values: NDArray[np.integer]) -> Iterator[GroupSlice]:
    """Group by a whole number from 1 on; 0 stands for no value."""
    for value in sorted({int(value) for value in np.unique(values) if value > 0}):
        yield GroupSlice(value, values == value)
    yield GroupSlice(None, values <= 0)


GROUPERS: dict[str, Callable[[Any], Iterator[GroupSlice]]] = {
    "texts": _of_texts,
    "sign": _of_signs,
    "quantiles": _of_quantiles,
    "agreement": _of_agreement,
    "integers": _of_integers,
}
"""How values are grouped, by the name for it in `engine.slices.COLUMNS`."""


def column_groups(column: str, values: Any) -> Iterator[GroupSlice]:
    """Yield a column's values in order, null last, each with where it is; none that is nowhere."""
    kind = "texts" if column == BY_RUBRIC else COLUMNS[column].groups
    yield from (group for group in GROUPERS[kind](values) if group.marks.any())
