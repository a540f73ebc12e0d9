"""What the readers of data sets share: objects of a file with their places, and rows for a study."""

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from engine.bounded_files import LARGEST, bytes_of
from engine.errors import BadInputError, bad_row
from engine.importers.reading.study_builder import InstanceRows
from engine.plain_words import system_words
from engine.store import Mode, Store
from engine.store.study_files import StudyInfo
from engine.store.writer import WriteReport, exchange_table, write_study
from engine.values import parse_float

T = TypeVar("T")
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One object of a file and its place: `number` counts lines, or entries of a list, from 1."""

    file: str
    number: int
    values: dict[str, Any]
    remedy: str

    def get(self, name: str, kind: type[T]) -> T:
        """Return a required field; BadInputError if it is missing or of another kind."""
        if name not in self.values:
            others = ", ".join(map(repr, self.values)) or "no field"
            raise self.error(f"the field {name!r} is missing; it has {others}")
        return self.fits(name, self.values[name], kind)

    def maybe(self, name: str, kind: type[T]) -> T | None:
        value = self.values.get(name)
        return None if value is None else self.fits(name, value, kind)

    def numeric(self, name: str) -> float:
        """Return a required field as a finite number."""
        number = parse_float(self.get(name, object))
        if number is None:
            raise self.error(f"{name} is {str(self.values[name])[:80]!r}, expected {_KINDS[float]}")
        return number

    def text(self, name: str) -> str:
        """Return a required field as text; numbers are converted, since an answer may be 42."""
        value = self.get(name, object)
        if not isinstance(value, str | int | float):
            raise self.error(f"{name} is {str(value)[:80]!r}, expected {_KINDS[str]}")
        return str(value)

    def check_choice(self, name: str, value: object, choices: Collection[Hashable]) -> None:
        if not isinstance(value, str | int | float) or isinstance(value, bool) or value not in choices:
            names = ", ".join(map(str, choices))
            raise self.error(f"{name} is {str(value)[:80]!r}, expected one of {names}")

    def fits(self, place: str, value: object, kind: type[T]) -> T:
        """Return a value of the expected kind; BadInputError if it is of another."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            raise self.error(f"{place} is {str(value)[:80]!r}, expected {_KINDS[kind]}")
        return value

    def within(self, place: str, value: object) -> "FileRecord":
        return replace(self, values=self.fits(place, value, dict))

    def error(self, problem: str) -> BadInputError:
        return bad_row(self.file, self.number, problem, self.remedy)


_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, slots=True)
class DataSet:
    """The rows of a study by table, its description, and its reader's warnings.

    `families` are those of the models that the rows name; others are a family of their own.
    """

    info: StudyInfo
    rows: Mapping[str, Rows]
    warnings: Sequence[str] = ()
    families: Mapping[str, str] = field(default_factory=dict)


def rows_of(items: Iterable[InstanceRows]) -> dict[str, Rows]:
    rows: dict[str, Rows] = defaultdict(list)
    for item in items:
        for table, table_rows in item.tables.items():
            rows[table] += table_rows
    return rows


@dataclass(frozen=True, slots=True)
class DataSetImporter:
    """Reads a file with `read` and writes it as a study, by default under the data set's name."""

    read: Callable[[Path], DataSet]

    def __call__(
        self,
        path: str | Path,
        store: Store,
        name: str | None = None,
        *,
        mode: Mode = "new",
        dry_run: bool = False,
    ) -> WriteReport:
        """Read, check and write; the models table is written even if it is empty."""
        data = self.read(Path(path))
        all_rows = [row for rows in data.rows.values() for row in rows]
        generators = [row[name] for row in all_rows for name in ("generator", "opponent") if row.get(name)]
        names = dict.fromkeys([*generators, *(row["judge"] for row in all_rows if "judge" in row)])
        models = [{"model": name, "family": data.families.get(name, name)} for name in names]
        tables = {}
        for table, rows in {"models": models, **data.rows}.items():
            if rows or table == "models":
                full, present = exchange_table(table, rows), {column for row in rows for column in row}
                tables[table] = full.select([c for c in full.column_names if not rows or c in present])
        study = data.info.name or str(data.info.dataset) if name is None else name
        report = write_study(store, study, tables, data.info, mode=mode, dry_run=dry_run)
        report.warnings += data.warnings
        return report


def json_lines(path: Path, remedy: str) -> Iterator[FileRecord]:
    """Yield the objects of JSON Lines, gzipped or not, blank lines skipped; BadInputError names the line."""
    lines = _text(path, remedy).split("\n")
    if not any(map(str.strip, lines)):
        raise BadInputError(f"{path.name}: the file has no line, expected one JSON object on each; {remedy}")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = f"the line is not JSON ({error}), expected an object"
            raise bad_row(path.name, number, problem, remedy) from error
        if not isinstance(values, dict):
            raise bad_row(path.name, number, f"the line is {line[:80]!r}, expected an object", remedy)
        yield FileRecord(path.name, number, values, remedy)


def json_list(path: Path, remedy: str) -> Iterator[FileRecord]:
    """Yield the objects of a file that is one JSON list; raises the same errors as `json_lines`."""
    try:
        rows = json.loads(_text(path, remedy))
    except (ValueError, RecursionError) as error:
        problem = f"it is not valid JSON ({error}), expected a list of objects"
        raise BadInputError(f"{path.name}: {problem}; {remedy}") from error
    if not isinstance(rows, list) or not rows:
        raise BadInputError(f"{path.name}: it is {str(rows)[:80]!r}, expected a list of objects; {remedy}")
    for number, values in enumerate(rows, start=1):
        if not isinstance(values, dict):
            raise bad_row(path.name, number, f"it is {str(values)[:80]!r}, expected an object", remedy)
        yield FileRecord(path.name, number, values, remedy)


def _text(path: Path, remedy: str) -> str:
    try:
        data = bytes_of(path)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(path) as stream:
                data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadInputError(f"{path.name}: it has more than {LARGEST:,} bytes; {remedy}")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name}: byte {error.start} is not UTF-8; {remedy}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path.name}: cannot be read: {system_words(error)}; {remedy}") from error
