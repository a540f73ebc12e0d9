"""What the readers of data sets share: lines of JSON with their places, and rows on their way to a study."""

import gzip
import json
import zlib
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.finite import finite
from engine.store import Store, StudyInfo
from engine.store.sources import from_tables
from engine.store.store import Mode
from engine.store.types import exchange_array, stored_schema
from engine.store.writer import WriteReport, write_sources
from engine.text_files import LARGEST, bytes_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a file, and where it stands: `number` counts lines or members of a list from 1."""

    file: str
    number: int
    values: dict[str, Any]
    remedy: str

    def get(self, name: str, kind: type[T]) -> T:
        """Return a field that must be there; BadInputError where it is missing or of another kind."""
        if name not in self.values:
            raise self.error(f"the field {name!r} is missing; it has {', '.join(map(repr, self.values))}")
        return self.fits(name, self.values[name], kind)

    def maybe(self, name: str, kind: type[T]) -> T | None:
        """Return a field that may be missing or null."""
        value = self.values.get(name)
        return None if value is None else self.fits(name, value, kind)

    def numeric(self, name: str) -> float:
        """Return a field that must be there as a finite number."""
        found = finite(self.get(name, object))
        if found is None:
            raise self.error(f"{name} is {str(self.values[name])[:80]!r}, expected {_KINDS[float]}")
        return found

    def written(self, name: str) -> str:
        """Return a field that must be there as a text: an answer such as 42 may be written as the value."""
        value = self.get(name, object)
        if not isinstance(value, str | int | float):
            raise self.error(f"{name} is {str(value)[:80]!r}, expected {_KINDS[str]}")
        return str(value)

    def among(self, name: str, value: object, choices: Collection[Hashable]) -> None:
        """Raise BadInputError where a value is none of some texts or numbers."""
        if not isinstance(value, str | int | float) or isinstance(value, bool) or value not in choices:
            wanted = ", ".join(map(str, choices))
            raise self.error(f"{name} is {str(value)[:80]!r}, expected one of {wanted}")

    def fits(self, place: str, value: object, kind: type[T]) -> T:
        """Return a value of the expected kind; BadInputError where it is of another."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            raise self.error(f"{place} is {str(value)[:80]!r}, expected {_KINDS[kind]}")
        return value

    def error(self, problem: str) -> BadInputError:
        """Return the error for this entry."""
        return bad_row(self.file, self.number, problem, self.remedy)


_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


@dataclass(slots=True)
class DataSet:
    """The rows of a study by table, what is said of it, and what its reader wants to warn of."""

    info: StudyInfo
    rows: dict[str, list[dict[str, Any]]]
    warnings: list[str] = field(default_factory=list)

    def write(self, store: Store, name: str, *, mode: Mode, dry_run: bool) -> WriteReport:
        """Write it as a study under the checks of an import; without models it has an empty table of them."""
        tables = {table: _table(schema.TABLES[table], rows) for table, rows in self.rows.items() if rows}
        tables.setdefault("models", pa.Table.from_batches([], stored_schema(schema.MODELS)))
        sources = {
            table: from_tables(schema.TABLES[table], tables[table])
            for table in schema.TABLES
            if table in tables
        }
        report = write_sources(store, name, sources, self.info, mode=mode, dry_run=dry_run)
        report.warnings += self.warnings
        return report


def json_lines(path: Path, remedy: str) -> Iterator[Entry]:
    """Yield the objects of a JSON Lines file, packed with gzip or not; blank lines are skipped.

    Raises BadInputError that names the file, the line and what was expected.
    """
    found = False
    for number, line in enumerate(_text(path, remedy).split("\n"), start=1):
        if line.strip():
            yield _entry(path.name, number, line, remedy)
            found = True
    if not found:
        raise BadInputError(f"{path.name}: the file has no line, expected one JSON object on each; {remedy}")


def json_list(path: Path, remedy: str) -> Iterator[Entry]:
    """Yield the objects of a file that is one JSON list; raises as `json_lines` does."""
    try:
        found = json.loads(_text(path, remedy))
    except (ValueError, RecursionError) as error:
        raise BadInputError(
            f"{path.name}: it is not JSON ({error}), expected a list of objects; {remedy}"
        ) from error
    if not isinstance(found, list) or not found:
        raise BadInputError(f"{path.name}: it is {str(found)[:80]!r}, expected a list of objects; {remedy}")
    for number, values in enumerate(found, start=1):
        if not isinstance(values, dict):
            raise bad_row(path.name, number, f"it is {str(values)[:80]!r}, expected an object", remedy)
        yield Entry(path.name, number, values, remedy)


def _entry(file: str, number: int, line: str, remedy: str) -> Entry:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise bad_row(file, number, f"the line is not JSON ({error}), expected an object", remedy) from error
    if not isinstance(values, dict):
        raise bad_row(file, number, f"the line is {line[:80]!r}, expected an object", remedy)
    return Entry(file, number, values, remedy)


def _text(path: Path, remedy: str) -> str:
    try:
        data = bytes_of(path)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                data = packed.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadInputError(f"{path.name}: it has more than {LARGEST:,} bytes; {remedy}")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name}: byte {error.start} is not UTF-8; {remedy}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path.name}: cannot be read: {error}; {remedy}") from error


def _table(table: schema.Table, rows: list[dict[str, Any]]) -> pa.Table:
    """Return the exchange form of the columns that the rows have."""
    given = {name for row in rows for name in row}
    return pa.table(
        {
            column.name: exchange_array(table.name, column, [row.get(column.name) for row in rows])
            for column in table.columns
            if column.name in given
        }
    )
