"""Slices saved by name, kept with the study in its `study.json`.

A saved slice is a mapping from filters (`engine.slices`) to texts as they stand in an address. It can be
asked for by its name wherever filters can: `--slice NAME`, `study.measure("hspp", slice="NAME")`, and
`?slice=NAME` in the explorer. Filters given beside it refine it: they take the place of its own.
"""

from collections.abc import Mapping
from typing import Any

from engine.errors import UsageError, unknown
from engine.slices import Slice, parse_filters
from engine.store import StudyFiles, StudyInfo

LONGEST_NAME = 80  # characters: it stands in addresses, menus and captions

Filters = dict[str, str | list[str]]


def save_slice(files: StudyFiles, name: str, filters: Mapping[str, Any]) -> StudyFiles:
    """Save filters under a name in the study, in the place of what had that name; return the study.

    Raises UsageError for a name or a filter that is none, or where there is no filter; StoreError where
    the study cannot be written.
    """
    given = {key: _text(value) for key, value in filters.items() if value not in (None, (), [], "", False)}
    if not given:
        raise UsageError(f"slice {name!r} has no filter; choose one, or leave the slice out")
    Slice.of(**given)
    checked = _checked(name)
    return files.change_info(lambda info: _with_slices(info, {**info.slices, checked: given}))


def delete_slice(files: StudyFiles, name: str) -> StudyFiles:
    """Delete a saved slice; return the study. UsageError naming the slices there are."""

    def without(info: StudyInfo) -> StudyInfo:
        saved_filters(info, name)
        return _with_slices(info, {key: kept for key, kept in info.slices.items() if key != name})

    return files.change_info(without)


def saved_filters(info: StudyInfo, name: str) -> Filters:
    """Return the filters saved under a name; UsageError naming the slices there are."""
    if name not in info.slices:
        raise unknown("saved slice", name, info.slices)
    return dict(info.slices[name])


def refined(info: StudyInfo, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of a measure with the filters of `slice` in the place of its name.

    Those given beside it win; a switch that the slice puts on stays on. `against` may name one too.
    """
    against = asked.get("against")
    if isinstance(against, str):
        against = parse_filters(against)
    told = {"against": _beside(info, against)} if against is not None else {}
    return _beside(info, asked) | told


def _beside(info: StudyInfo, asked: Mapping[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in asked.items() if key != "slice"}
    name = asked.get("slice")
    if name is None:
        return told
    saved = saved_filters(info, str(name))
    open_to = {key: value for key, value in saved.items() if told.get(key) in (None, (), [], "", False)}
    return told | open_to


def _checked(name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UsageError(
            f"the slice name {name!r} is empty, longer than {LONGEST_NAME} characters or not printable; "
            "choose a short one such as 'hard'"
        )
    return name


def _text(value: Any) -> str | list[str]:
    """Return a filter's value as texts that `Slice.of` reads back."""
    if isinstance(value, bool):
        return "true"
    if isinstance(value, list | tuple):
        if any(part is None or isinstance(part, float) for part in value):  # a range
            return ":".join("" if end is None else f"{end:g}" for end in value)
        return [str(part) for part in value]
    return str(value)


def _with_slices(info: StudyInfo, slices: dict[str, Filters]) -> StudyInfo:
    return info.model_copy(update={"slices": slices})
