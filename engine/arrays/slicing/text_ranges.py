"""Ranges of columns of texts whose values are all numbers, such as a column `segment` of lines changed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from engine.arrays.slicing.median_ends import MEDIAN, put_median
from engine.arrays.slicing.slice_masks import column_values
from engine.errors import UsageError, unknown
from engine.slices import COLUMNS, NULL, TEXT_COLUMNS, Slice, bounds_of
from engine.values import float_in

if TYPE_CHECKING:
    from engine.arrays.index import StudyIndex

_END = rf"[^:]*(?:\d|{MEDIAN})[^:]*"
_RANGE = re.compile(rf"{_END}:[^:]*|[^:]*:{_END}", re.IGNORECASE)


def with_stored_values(index: "StudyIndex", spec: Slice) -> Slice:
    """Return a slice in which each range, such as `segment` 82:1000, is the stored values within it."""
    given = {column: getattr(spec, column) for column in TEXT_COLUMNS}
    values: dict[str, Any] = {
        name: stored_values(index, name, texts) for name, texts in given.items() if texts
    }
    return replace(spec, **values)


def stored_values(index: "StudyIndex", column: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts of a column, with the stored values in place of a range.

    A text that is stored is no range. An end that is `median` is that of the questions, or of the criteria if
    the column is theirs too. UsageError for a range of a column that has other texts than numbers, and for
    one in which no value lies.
    """
    if not any(_RANGE.fullmatch(text) for text in texts):
        return tuple(texts)
    present = column_values(index, column)
    every = (
        _within(index, column, text, present) if text not in present and _RANGE.fullmatch(text) else [text]
        for text in texts
    )
    return tuple(dict.fromkeys(value for values in every for value in values))


def _within(index: "StudyIndex", column: str, text: str, present: Sequence[str]) -> list[str]:
    numbers = {value: float_in(value) for value in present if value != NULL}
    if not numbers:
        return [text]  # refused as a value that the study does not have
    if other := next((value for value, number in numbers.items() if number is None), None):
        hint = f"a range is of numbers, and {column} has other texts, such as {other!r}"
        raise unknown(column, text, present, hint)
    text = put_median(text, lambda: _median(index, column))
    low, high = bounds_of(column, text)
    in_order = sorted((number, value) for value, number in numbers.items() if number is not None)
    within = [
        value
        for number, value in in_order
        if (low is None or number >= low) and (high is None or number <= high)
    ]
    if not within:
        least, greatest = in_order[0][1], in_order[-1][1]
        raise UsageError(f"no {column} lies within {text!r}; they go from {least} to {greatest}")
    return within


def _median(index: "StudyIndex", column: str) -> float:
    of_criteria = COLUMNS[column].stored_in("rubrics") is not None and index.n_rubrics > 0
    values = index.rubric_fields[column] if of_criteria else index.instance_fields[column]
    return median(number for value in values if value is not None and (number := float_in(value)) is not None)
