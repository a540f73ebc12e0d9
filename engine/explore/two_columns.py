"""A measure split by two columns: by the values of one, and grouped by the other within each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.arrays.text_names import names_of_groups
from engine.errors import UsageError
from engine.explore.filter_choices import choices_of
from engine.measures.compute import check_grouping
from engine.measures.measured_study import measure_of
from engine.measures.result import Result, Values, plain_values
from engine.phrases import join_names
from engine.slices import FLAGS, GROUPINGS, grouping, grouping_words

if TYPE_CHECKING:
    from engine.measures.entry import Measure
    from engine.measures.measured_study import MeasuredStudy

_MOST = 2
"""Most columns by which a measure is split."""

_SINGLE = tuple(flag.name for flag in FLAGS if flag.kind == "name")
"""Filters of one value."""


def result_by_two(
    study: "MeasuredStudy", measure: "str | Measure", by: Sequence[str], arguments: Mapping[str, Any]
) -> Result:
    """Return the rows of a measure for each value of one of two columns, grouped by the other.

    One of the columns must be a filter, which `arguments` may limit to some of its values. The columns stand
    first in the rows, under their own names, and `left_out` is summed. Raises UsageError for columns that
    cannot be combined.
    """
    entry = measure_of(measure)
    comparing, common = arguments.get("against") is not None, bool(arguments.get("common"))
    if entry.sliced and len(by) > _MOST:
        raise UsageError(f"{_words(by)}: at most two columns can be; leave out the others")
    if entry.sliced:  # else their number is wrong, whatever their names
        by = [grouping(name, GROUPINGS, study.files) for name in by]
    check_grouping(study.name, entry, by, comparing=comparing, common=common)
    of_groups, of_filter = _in_order(study, by)
    limits = arguments.get(of_filter) or choices_of(study).values[of_filter]
    results: dict[str, Result] = {}
    for value in [limits] if isinstance(limits, str) else list(limits):
        one = value if of_filter in _SINGLE else [value]
        results[value] = study.result(entry, **{**arguments, "by": of_groups, of_filter: one})
    first = next(iter(results.values()))
    filters = {**first.filters, "by": by, of_filter: list(results)}
    left_out = sum((Counter(result.left_out) for result in results.values()), Counter())
    values: dict[str, list[Any]] = {name: [] for name in by}
    for value, result in results.items():
        columns = {name: plain_values(column) for name, column in result.values.items()}
        groups = columns.pop("slice", [])
        values[of_groups] += groups
        values[of_filter] += [value] * len(groups)
        for name, column in columns.items():
            values.setdefault(name, []).extend(column)
    rows: Values = {**values} if values[of_groups] else {}
    return replace(
        first,
        by=tuple(by),
        names=names_of_groups(study, by),
        filters=filters,
        values=rows,
        left_out=dict(left_out),
        reason=None if rows else first.reason,
    )


def _in_order(study: "MeasuredStudy", by: Sequence[str]) -> tuple[str, str]:
    """Return the column to group by, and the one whose values are filtered; the last that can be."""
    if len(by) != _MOST or by[0] == by[1]:
        raise UsageError(f"{_words(by)}: give one column, or two different ones")
    values = choices_of(study).values
    filters = [name for name in by if name in values]
    if not filters:
        names = ", ".join(grouping_words(name for name in GROUPINGS if name in values))
        raise UsageError(
            f"{_words(by)}: neither column is a filter of several values in this study; "
            f"of two columns one must be: {names or 'none here, so give one column'}"
        )
    return next(name for name in by if name != filters[-1]), filters[-1]


def _words(by: Sequence[str]) -> str:
    return f"{join_names([*map(repr, grouping_words(by))])} to group by"
