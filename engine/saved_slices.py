"""Slices saved under a name, in a study's `study.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.errors import UsageError, unknown
from engine.slices import Slice, is_set, parse_filters
from engine.store.publish import change_info
from engine.store.study_files import StudyFiles, StudyInfo

LONGEST_NAME = 80  # characters: it appears in addresses, menus and captions

Filters = dict[str, str | list[str]]


def save_slice(files: StudyFiles, name: str, filters: Mapping[str, Any]) -> StudyFiles:
    """Save filters in the study under a name, replacing any saved under it; return the study."""
    texts = {key: _text(value) for key, value in filters.items() if is_set(value)}
    if not texts:
        raise UsageError(f"slice {name!r} has no filters to save; choose at least one")
    Slice.of(**texts)  # refuses an invalid filter
    name = name.strip()
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        problem = f"is empty, unprintable or longer than {LONGEST_NAME} characters"
        raise UsageError(f"slice name {name!r} {problem}; choose a short one such as 'hard'")
    return change_info(files, lambda info: info.model_copy(update={"slices": {**info.slices, name: texts}}))


def delete_slice(files: StudyFiles, name: str) -> StudyFiles:
    """Delete a saved slice; return the study. For an unknown name, UsageError lists the names."""

    def without(info: StudyInfo) -> StudyInfo:
        saved_filters(info, name)
        slices = {key: filters for key, filters in info.slices.items() if key != name}
        return info.model_copy(update={"slices": slices})

    return change_info(files, without)


def saved_filters(info: StudyInfo, name: str) -> Filters:
    """Return the filters saved under a name; for an unknown one, UsageError lists the names."""
    if name not in info.slices:
        raise unknown("saved slice", name, info.slices)
    return dict(info.slices[name])


def apply_saved_slices(info: StudyInfo, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of a measure, with `slice` replaced by its filters.

    Filters given beside it win, but a switch that the slice turns on stays on. `against` may name a slice
    too. A `Slice` object, or filters by name, can take the place of a name.
    """
    against = arguments.get("against")
    if isinstance(against, str):
        against = parse_filters(against)
    elif isinstance(against, Slice):
        against = against.filters()
    elif against is not None and not isinstance(against, Mapping):
        remedy = "give one such as against={'polarity': 'negative'}"
        raise UsageError(f"against {against!r} is not a slice; {remedy}")
    other = {"against": _apply_saved_slice(info, against)} if against is not None else {}
    return _apply_saved_slice(info, arguments) | other


def with_plain_names(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with `judge` and `generator`, where given, as `judges` and `generators`.

    So in the filters of a slice too; what can be read once alone becomes a list.
    """
    plain: dict[str, Any] = {
        name: list(value) if isinstance(value, Iterator) else value for name, value in arguments.items()
    }
    for name in ("slice", "against"):
        if isinstance(filters := plain.get(name), Mapping):
            plain[name] = with_plain_names(filters)
    for one, many in (("judge", "judges"), ("generator", "generators")):
        if one in plain and many in plain:
            raise UsageError(f"both {one}= and {many}= are given; give one of them")
        if one in plain:
            plain[many] = plain.pop(one)
    return plain


def _apply_saved_slice(info: StudyInfo, arguments: Mapping[str, Any]) -> dict[str, Any]:
    filters = {key: value for key, value in arguments.items() if key != "slice"}
    name = arguments.get("slice")
    if name is None:
        return filters
    if isinstance(name, Mapping):
        saved = dict(name)
    else:
        saved = name.filters() if isinstance(name, Slice) else saved_filters(info, str(name))
    explicit = {key: value for key, value in filters.items() if is_set(value)}
    return filters | saved | explicit


def _text(value: Any) -> str | list[str]:
    """Return a filter's value as texts that `Slice.of` reads back."""
    if isinstance(value, bool):
        return "true"
    if isinstance(value, list | tuple):
        if any(part is None or isinstance(part, float) for part in value):  # a range
            return ":".join("" if end is None else f"{end:g}" for end in value)
        return [str(part) for part in value]
    return str(value)
