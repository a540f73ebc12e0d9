"""The names in a filter's text, which commas separate, where names of the study have commas themselves."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from engine.arrays.slicing.slice_masks import column_values
from engine.slices import FLAGS, TEXT_COLUMNS, parts_of

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

_OF_NAMES = frozenset(flag.name for flag in FLAGS if flag.kind == "names")


def with_given_names(study: "StudyArrays", flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters with a list in place of each text of several names; so in a `slice` among them."""
    given = dict(flags)
    for name, value in flags.items():
        if name == "slice" and isinstance(value, Mapping):
            given[name] = with_given_names(study, value)
        elif name in _OF_NAMES and isinstance(value, str):
            given[name] = names_given(study, name, value)
    return given


def names_given(study: "StudyArrays", filter_name: str, value: Any) -> list[Any]:
    """Return the names that a filter is given: of a text, those between its commas.

    A name of the study that has commas is one name, and goes before those of its parts: `Sicilian, Najdorf`.
    """
    if not isinstance(value, str) or "," not in value:
        return parts_of(value)
    with_commas = {name for name in _names_of(study, filter_name) if "," in name}
    pieces, names, at = value.split(","), [], 0
    while at < len(pieces):
        ends = range(len(pieces), at, -1)
        wholes = ((",".join(pieces[at:end]).strip(), end) for end in ends)
        name, at = next(((whole, end) for whole, end in wholes if whole in with_commas or end == at + 1))
        names.append(name)
    return list(filter(None, names))


def _names_of(study: "StudyArrays", filter_name: str) -> Iterable[str]:
    if filter_name == "run":
        return study.inventory.runs
    if filter_name in ("judges", "generators"):
        return study.index.models
    return column_values(study.index, filter_name) if filter_name in TEXT_COLUMNS else ()
