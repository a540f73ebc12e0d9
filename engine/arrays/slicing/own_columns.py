"""Columns of a user's own file that are called as a filter is: which of the two a value is of."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.arrays.slicing.slice_masks import column_values
from engine.arrays.slicing.text_ranges import stored_values
from engine.errors import UsageError
from engine.slices import FLAGS, TEXT_COLUMNS, parts_of, stored_as
from engine.wording import option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

_FLAGS = {flag.name: flag for flag in FLAGS}


def filter_meant(study: "StudyArrays", name: str, value: Any) -> str:
    """Return the filter that a name and its value mean: the filter of that name, if it has the value.

    Else that under which the user's own column of the name is stored, if that has it: `level` is a filter,
    and where a file's column `level` was imported as `category`, `level=expert` is `category=expert`.
    """
    flag = _FLAGS.get(name)
    if flag is None or flag.kind not in ("name", "names"):
        return name
    parts = [str(part) for part in parts_of(value)]
    values = flag.choices or (column_values(study.index, name) if name in TEXT_COLUMNS else ())
    if not parts or set(parts) & {*values}:
        return name
    own = stored_as(name, study.files)
    if own is None or own == name or own not in TEXT_COLUMNS:
        return name
    try:
        values = stored_values(study.index, own, parts)
    except UsageError:
        return name
    return own if {*values} <= {*column_values(study.index, own)} else name


def filters_meant(study: "StudyArrays", filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters under the names that are meant; UsageError where two of them mean the same."""
    meant: dict[str, Any] = {}
    for name, value in filters.items():
        column = filter_meant(study, name, value)
        if column in meant:
            raise UsageError(f"two filters mean {column}; give its values in one, separated by commas")
        meant[column] = value
    return meant


def refuse_own_values(study: "StudyArrays", flags: Mapping[str, Any]) -> None:
    """Raise UsageError for a value that is not of a filter, but of the user's own column of its name."""
    for name, value in flags.items():
        column = filter_meant(study, name, value)
        if column != name:
            texts = ",".join(str(part) for part in parts_of(value))
            choices = _FLAGS[name].choices
            rest = f"; choose from: {', '.join(choices)}" if choices else ""
            stored = f"unknown {name} {texts!r}; your {name!r} is stored as {column}: "
            raise UsageError(stored, option(column, texts), rest)
