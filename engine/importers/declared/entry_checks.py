"""The checks of entries of a TOML file: an error names the place, the value and the remedy."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import BadInputError
from engine.importers.declared.declaration import MORE_COLUMNS
from engine.importers.declared.source_entries import check_path
from engine.importers.reading.rows import excerpt
from engine.importers.tables.table_columns import COLUMNS


class EntryChecks:
    """Checks entries; `place` is the file's name."""

    def __init__(self, place: str) -> None:
        self.place = place

    def bad(self, entry: str, value: object, remedy: str) -> BadInputError:
        return BadInputError(f"{self.place}: {entry} is {excerpt(value)}; {remedy}")

    def refuse_others(self, at: str, content: Mapping[str, Any], names: Sequence[str]) -> None:
        for name in content:
            if name not in names:
                raise BadInputError(f"{self.place}: unknown entry {at}{name}; choose from {', '.join(names)}")

    def check_columns(self, at: str, columns: Mapping[str, Any]) -> None:
        for name in columns:
            if name not in COLUMNS and name not in MORE_COLUMNS:
                names = ", ".join((*COLUMNS, *MORE_COLUMNS))
                raise BadInputError(
                    f"{self.place}: {at} names the unknown column {name!r}; choose from {names}"
                )

    def table(self, at: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.bad(at, value, f"give a table, such as [{at}]")
        return value

    def texts(self, at: str, value: object) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise self.bad(at, value, "give a list of texts")
        return value

    def lists_of_texts(self, at: str, value: object) -> list[list[str]]:
        if not isinstance(value, list) or not all(isinstance(each, list) for each in value):
            raise self.bad(at, value, "give a list of lists of texts")
        return [self.texts(f"{at}[{n}]", each) for n, each in enumerate(value)]

    def text(self, at: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.bad(at, value, "give a text")
        return value

    def scalar(self, at: str, value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str | int | float):
            raise self.bad(at, value, "give a text or a number; put a value with a dot in quotes")
        return str(value)

    def path(self, at: str, value: object) -> str:
        return check_path(at, value, self.bad)
