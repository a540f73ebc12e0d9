"""The rows of a declared format's files: where they are, in what order, and with which fields."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.declared.cell_sources import roots
from engine.importers.declared.declaration import ALL_OTHERS, Declaration
from engine.importers.reading.columns import column_in, first_part, melt, value_at
from engine.importers.reading.json_rows import json_object, json_rows
from engine.importers.reading.rows import ImportStats, Row, objects, refuse
from engine.importers.reading.shapes import file_rows, rows_within
from engine.importers.reading.tables import SUFFIXES

SAMPLE = 2000  # rows in which the fields of a user's format are looked for

VERDICT = "verdict"
"""The field with the cell of a judge's or a criterion's column."""

_MOST_SHOWN = 30


class DeclaredRows:
    """Reads a declared format's files as rows; of a user's `own` one, each field must be in some row."""

    def __init__(self, declaration: Declaration, expected: str, own: bool, tally: ImportStats) -> None:
        self.declaration, self.expected, self.own, self.tally = declaration, expected, own, tally
        self.empty = 0
        """The empty cells of judges' or criteria's columns, which give no judgment."""
        self.missing = 0
        """Those of judges who have verdicts in other rows, which are missing verdicts."""

    def of(self, file: Path) -> Iterator[Row]:
        rows = self._file_rows(file)
        if self.own:
            rows = self._with_fields(file, rows)
        return self._melted(rows) if self.declaration.wide else rows

    def _file_rows(self, file: Path) -> Iterator[Row]:
        path = self.declaration.rows
        if path == ALL_OTHERS:
            content = json_object(file, self.expected)
            members = [
                {"id": key, **each} if isinstance(each, dict) else each for key, each in content.items()
            ]
            return objects(file.name, members, self.tally)
        if path == "columns":
            return self._column_rows(file)
        has_known_ending = file.name.lower().removesuffix(".gz").endswith(SUFFIXES)
        rows = (file_rows if has_known_ending else json_rows)(file, self.tally, self.expected)
        return rows if path is None else rows_within(rows, path, self.tally)

    def _column_rows(self, file: Path) -> Iterator[Row]:
        """Yield the rows of an object of columns, with its other fields in each."""
        cells = [cell for kind in self.declaration.kinds for cell in kind.map.values()]
        fields = {root for cell in cells for root in roots(cell.source)}
        content = {n: value for n, value in json_object(file, self.expected).items() if n in fields}
        columns = {name: value for name, value in content.items() if isinstance(value, list)}
        if not columns:
            raise refuse(file.name, "it has no columns", self.expected)
        longest = max(columns, key=lambda name: len(columns[name]))
        if short := [name for name, values in columns.items() if len(values) != len(columns[longest])]:
            raise refuse(file.name, f"{', '.join(short)} are not as long as {longest}", self.expected)
        others = {name: value for name, value in content.items() if name not in columns}
        for number, values in enumerate(zip(*columns.values(), strict=True), start=1):
            yield Row(file.name, number, {**others, **dict(zip(columns, values, strict=True))})

    def _melted(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield a row for each judge or criterion; of a judge with a cell in some row for empty ones too."""
        first, judging = list(islice(rows, SAMPLE)), set[str]()
        for row in first if self.declaration.wide_names == "judge" else ():
            judging |= {column for column in self._columns(row) if value_at(row.values, column) is not None}
        for row in chain(first, rows):
            columns = self._columns(row)
            melted = list(melt(row, columns, self.declaration.wide_names, VERDICT, judging))
            self.empty += len(columns) - len(melted)
            self.missing += sum(VERDICT not in each.values for each in melted)
            yield from melted

    def _columns(self, row: Row) -> dict[str, str]:
        """Return the columns of judges or criteria as a row spells them, with their names."""
        return {column_in(path, row.values) or path: name for path, name in self.declaration.wide.items()}

    def _with_fields(self, file: Path, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows; UsageError if a field of the user's format is in none of the first."""
        first = list(islice(rows, SAMPLE))
        names = dict.fromkeys(name for row in first for name in row.values)
        melted = (self.declaration.wide_names, VERDICT) if self.declaration.wide else ()
        fields = ", ".join(map(repr, list(names)[:_MOST_SHOWN])) or "none"
        place, remedy = self.declaration.place, "correct it, or end it with ? if files may lack it"
        entry = "judges" if self.declaration.judges else "criteria"
        for column in self.declaration.wide if first else ():
            if column_in(column, names) is None and not _in_some(column, names):
                raise UsageError(
                    f"{place}: {entry} names {column!r}, which no row of {file.name!r} has; the fields are "
                    f"{fields}; correct it"
                )
        for kind in self.declaration.kinds if first and len(self.declaration.kinds) == 1 else ():
            for column, cell in kind.map.items():
                wanted = [
                    path for path in cell.source.paths if not path.startswith("@") and path not in melted
                ]
                if cell.needed is not False and wanted and not any(_in_some(path, names) for path in wanted):
                    raise UsageError(
                        f"{place}: map.{column} names {wanted[0]!r}, which no row of {file.name!r} has; the "
                        f"fields are {fields}; {remedy}"
                    )
        yield from chain(first, rows)


def in_order(files: list[Path], folder: Path, declaration: Declaration) -> list[Path]:
    """Return a folder's files without those to skip, in the order of the names in their paths."""
    names = {file: (*file.relative_to(folder).parent.parts, file.name.partition(".")[0]) for file in files}
    places = {name: place for place, name in enumerate(declaration.order)}
    last = len(places)
    return sorted(
        (file for file in files if not set(names[file]) & set(declaration.skip)),
        key=lambda file: (min((places.get(name, last) for name in names[file]), default=last), str(file)),
    )


def names_in(file: Path) -> dict[str, Any]:
    """Return what a file's path says as `name=value`, its folders or parts of its name between commas."""
    name = file.name.removesuffix(".gz")
    parts = (*file.parts[:-1], *name.removesuffix(Path(name).suffix).split(","))
    pairs = (part.partition("=") for part in parts)
    return {key: value for key, _, value in pairs if value}


def _in_some(path: str, names: Iterable[str]) -> bool:
    return path in names or first_part(path) in names or any(path.startswith(f"{name}.") for name in names)
