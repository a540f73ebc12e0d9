"""The object in the published study's `dashboard.html`, checked as it is read."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.text_files import text_of

EXPECTED = (
    "expected one JSON object after `const DATA =` with the fields of the published page "
    "(generators, modelToFamily, rubricCounts, refRubricFlat, srRubricFlat, ...); "
    "use the file of the commit that `spb datasets list` names"
)


class Page:
    """The page's object; every field is asked for with what it must look like."""

    def __init__(self, data: dict[str, Any]) -> None:
        """Hold the object."""
        self.data = data

    @classmethod
    def read(cls, path: Path) -> "Page":
        """Read the page; BadInputError that says what was expected where it is another."""
        return cls(_page_data(path))

    def get(self, name: str) -> Any:
        """Return a field; BadInputError where it is missing."""
        if name not in self.data:
            raise BadInputError(f"dashboard.html: the field {name!r} is missing; {EXPECTED}")
        return self.data[name]

    def object_of(self, name: str) -> dict[str, Any]:
        """Return a field that is an object."""
        value = self.get(name)
        require(isinstance(value, dict), name, value, "an object")
        return dict(value)

    def names(self, name: str) -> list[str]:
        """Return a field that is a list of names."""
        value = self.get(name)
        require(isinstance(value, list) and all(map(is_text, value)), name, value, "a list of names")
        return list(value)

    def flat(self, name: str, size: int, wanted: str, fits: Callable[[Any], bool]) -> list[Any]:
        """Return a list of `size` values that all fit."""
        value = self.get(name)
        require(isinstance(value, list) and len(value) == size, name, value, f"{size} values")
        for item in value:
            require(fits(item), name, item, wanted)
        return list(value)


def _page_data(path: Path) -> dict[str, Any]:
    """Return the object that the page holds."""
    try:
        text = text_of(path)
    except OSError as error:
        raise BadInputError(f"{str(path)!r} cannot be read: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name}: byte {error.start} is not UTF-8; {EXPECTED}") from error
    start = re.search(r"\bconst\s+DATA\s*=\s*", text)
    if start is None:
        raise BadInputError(f"{path.name}: there is no `const DATA =`; {EXPECTED}")
    try:
        data, _ = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError) as error:
        raise BadInputError(
            f"{path.name}: what follows `const DATA =` is not JSON ({error}); {EXPECTED}"
        ) from error
    if not isinstance(data, dict):
        raise BadInputError(f"{path.name}: `const DATA =` is {str(data)[:80]!r}, not an object; {EXPECTED}")
    return data


def require(fits: bool, place: str, value: object, wanted: str) -> None:
    """Raise BadInputError that shows the value and what was wanted, unless it fits."""
    if not fits:
        raise BadInputError(
            f"dashboard.html, {place}: found {str(value)[:80]!r}, expected {wanted}; {EXPECTED}"
        )


def is_text(value: object) -> bool:
    """Return whether a value is a text of whole characters, as a file can hold it."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
