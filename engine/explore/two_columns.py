"""A measure split by two columns: by the values of one, and grouped by the other within each."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.explore.filter_choices import choices_of
from engine.measures.reading import ALL_JUDGES
from engine.slices import FLAGS, GROUPINGS, grouping

if TYPE_CHECKING:
    import pandas as pd

    from engine.measures.measured_study import MeasuredStudy

_SINGLE = tuple(flag.name for flag in FLAGS if flag.kind == "name")
"""Filters of one value."""


def frame_by_two(
    study: "MeasuredStudy",
    by: Sequence[str],
    arguments: Mapping[str, Any],
    frame_of: Callable[..., "pd.DataFrame"],
) -> "pd.DataFrame":
    """Return the rows of a measure for each value of one of two columns, grouped by the other.

    `frame_of` computes the measure. One of the columns must be a filter, which `arguments` may limit to some
    of its values. The columns stand first, under their own names. What `attrs` holds of all judges is by that
    filter's values; `left_out` is summed. Raises UsageError for columns that cannot be combined.
    """
    import pandas as pd

    by = [grouping(name, GROUPINGS) for name in by]
    of_groups, of_filter = _in_order(study, by)
    limits = arguments.get(of_filter) or choices_of(study).values[of_filter]
    frames: dict[str, pd.DataFrame] = {}
    for value in [limits] if isinstance(limits, str) else list(limits):
        one = value if of_filter in _SINGLE else [value]
        frames[value] = frame_of(**{**arguments, "by": of_groups, of_filter: one})
    parts = []
    for value, frame in frames.items():
        part = frame.rename(columns={"slice": of_groups})
        part.insert(0, of_filter, value)
        parts.append(part[[*by, *(name for name in part.columns if name not in by)]])
    whole = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    every = [frame.attrs for frame in frames.values()]
    filters = {**every[0]["filters"], "by": list(by), of_filter: list(frames)}
    left_out = sum((Counter(attrs["left_out"]) for attrs in every), Counter())
    whole.attrs = {**every[0], "filters": filters, "left_out": dict(left_out)}
    whole.attrs["reason"] = None if len(whole) else every[0]["reason"]
    for name in set(ALL_JUDGES.values()) & set(every[0]):
        whole.attrs[name] = {value: frame.attrs[name] for value, frame in frames.items()}
    return whole


def _in_order(study: "MeasuredStudy", by: Sequence[str]) -> tuple[str, str]:
    """Return the column to group by, and the one whose values are filtered; the last that can be."""
    if len(by) != 2 or by[0] == by[1]:
        raise UsageError(f"by {list(by)}: give one column, or two different ones")
    values = choices_of(study).values
    filters = [name for name in by if name in values]
    if not filters:
        names = ", ".join(name for name in GROUPINGS if name in values)
        raise UsageError(
            f"by {list(by)}: neither column is a filter of several values in this study; "
            f"of two columns one must be: {names or 'none here, so give one column'}"
        )
    return next(name for name in by if name != filters[-1]), filters[-1]
