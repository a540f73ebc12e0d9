"""Reads the files of a declared format: rows, the cells of each by its declaration, and what they become."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.cell_rows import CellReader
from engine.importers.cell_sources import FieldAt, Fields, Filled, FirstOf, NamedColumn, roots
from engine.importers.conversation_sources import Chat
from engine.importers.declaration import ALL_OTHERS, NONE, Cell, Declaration, Each, Kind
from engine.importers.reading.columns import column_in, first_part, is_index, melt, value_at
from engine.importers.reading.files import files_in
from engine.importers.reading.format import Format, ImportedField, ImportOptions, OptionName, prompt_of
from engine.importers.reading.json_rows import json_object, json_rows
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    Row,
    count_of,
    number_of,
    objects,
    refuse,
    text_of,
)
from engine.importers.reading.shapes import file_rows, rows_within
from engine.importers.reading.study_builder import StudyBuilder, StudyRows
from engine.importers.reading.tables import SUFFIXES
from engine.importers.verdict_words import is_no_verdict, lookup_key

SAMPLE = 2000  # rows in which the fields of a user's format are looked for

VERDICT = "verdict"
"""The field with the cell of a judge's column."""

_ENDINGS = (".json", ".jsonl")
_OPTIONS: tuple[OptionName, ...] = ("judge",)
_OWN_OPTIONS: tuple[OptionName, ...] = ("judge", "generator", "whole_ids")
_NEEDED = ("judge", "generator", "opponent", "response", "opponent_response", "criterion")
_WRITTEN = ("prompt", "response", "opponent_response")
_MAY_BE_BLANK = ("response", "opponent_response")
_VERDICTS = ("met", "choice", "first", "preference", "reference_met")
_NUMBERS = ("score", "reference_score", "p_generator", "points", "scale")
_TOKENS = ("prompt_tokens", "completion_tokens")
_AMOUNTS = ("latency_s", "cost_usd")
_OF_FIRST = ("explanation", "raw", *_TOKENS, *_AMOUNTS)
"""What a row says of all members of its list together: it is stored with the first."""

_MOST_SHOWN = 30
_ADVICE = (
    (re.compile(r"--value (\w+):VALUE=(\S+) (says which|or =first)"), r"[value.\1] \3"),
    (re.compile(r"--set (\w+)=(\w+)"), r"[set] \1 = \2"),
)
"""What errors on cells advise for a table, and what a declaration has instead."""


def as_format(declaration: Declaration, *, own: bool = False) -> Format:
    """Return the format that is declared; of a user's `own` one, each field must be in some row."""
    expected = declaration.expected or f"a file as {declaration.place} describes it"
    rows, signs = declaration.rows, declaration.signs
    return Format(
        declaration.name,
        declaration.title,
        declaration.source,
        expected,
        declaration.fields or _fields(declaration),
        partial(DeclaredReader, declaration, expected, own),
        (_OWN_OPTIONS if own else _OPTIONS) if declaration.options is None else declaration.options,
        declaration.notes,
        signs if rows is None else (),
        signs if rows not in (None, ALL_OTHERS) else (),
        member_signs=signs if rows == ALL_OTHERS else (),
        is_other=declaration.is_other if declaration.unlike else None,
    )


def _fields(declaration: Declaration) -> tuple[ImportedField, ...]:
    """Return the fields of the report for a declaration that does not list them."""
    columns: dict[str, list[str]] = {}
    for kind in declaration.kinds:
        for column, cell in kind.map.items():
            for root in roots(cell.source):
                columns.setdefault(root, []).append(column)
        if kind.each is not None and kind.each.list is not None:
            columns.setdefault(first_part(kind.each.list), []).extend((*kind.each.map, *kind.each.place))
    return tuple(ImportedField(root, ", ".join(dict.fromkeys(names))) for root, names in columns.items())


class DeclaredReader:
    """Reads rows by a declaration. The user's options prevail over what the file says."""

    def __init__(
        self,
        declaration: Declaration,
        expected: str,
        own: bool,
        path: Path,
        options: ImportOptions,
        tally: ImportStats,
    ) -> None:
        self.declaration, self.expected, self.own = declaration, expected, own
        self.options, self.tally = options, tally
        judged = [kind for kind in declaration.kinds if kind.is_judged]
        if judged and options.judge is None and not any("judge" in kind.names for kind in judged):
            raise UsageError(self._missing("judge", "the file does not say who judged; give --judge NAME"))
        endings = declaration.files or (SUFFIXES if own else _ENDINGS)
        self.files = files_in(path, *endings, expected=expected)
        if path.is_dir() and (declaration.order or declaration.skip):
            self.files = _in_order(self.files, path, declaration)
        self.around: dict[str, Any] = {}
        self.empty = 0
        self.columns: set[str] = set()
        names = {
            column: next(iter(cell.source.paths), column)
            for kind in declaration.kinds
            for column, cell in kind.map.items()
        }
        whole_ids = options.whole_ids or declaration.whole_ids
        self._cell_reader = CellReader(ImportOptions(map=names, whole_ids=whole_ids), tally)

    def rows(self) -> Iterator[Row]:
        for file in self.files:
            self.around = _names_in(file)
            self._check_judge(file)
            rows = self._file_rows(file)
            if self.own:
                rows = self._with_fields(file, rows)
            yield from self._melted(rows) if self.declaration.judges else rows

    def finish(self, builder: StudyBuilder) -> None:
        if self.empty:
            self.tally.note(f"empty cells of the judges' columns, which give no judgment: {self.empty:,}")
        self._cell_reader.finish(builder)

    def read(self, row: Row) -> StudyRows:
        """Return what all kinds that a row is of say of it; BadRowError if it is of none."""
        kinds = [kind for kind in self.declaration.kinds if _is_of(row, kind)]
        if not kinds:
            raise BadRowError(self.declaration.otherwise or _no_kind(self.declaration.kinds))
        tables: StudyRows = {}
        try:
            all_cells = [(cells, kind) for kind in kinds for cells in self._cells(row, kind)]
            for cells, kind in all_cells:  # only now: a bad row is nobody's vote
                for table, rows in self._cell_reader.read(cells, kind).items():
                    rows_so_far = tables.setdefault(table, [])
                    rows_so_far += [each for each in rows if table == "judgments" or each not in rows_so_far]
        except BadRowError as bad:
            for pattern, words in _ADVICE:
                bad.reason = pattern.sub(words, bad.reason)
            raise
        has_verdict = tables.keys() & {"judgments", "references", "preferences"}
        may_lack_it = any(kind.each is not None or not kind.has_verdicts for kind in kinds)
        if not tables or not (has_verdict or may_lack_it):
            raise BadRowError("no verdict")
        return tables

    # ---- rows

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

    def _melted(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            judges = [column_in(name, row.values) or name for name in self.declaration.judges]
            melted = list(melt(row, judges, VERDICT))
            self.empty += len(judges) - len(melted)
            yield from melted

    def _with_fields(self, file: Path, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows; UsageError if a field of the user's format is in none of the first."""
        first = list(islice(rows, SAMPLE))
        names = dict.fromkeys(name for row in first for name in row.values)
        melted = ("judge", VERDICT) if self.declaration.judges else ()
        fields = ", ".join(map(repr, list(names)[:_MOST_SHOWN])) or "none"
        place, remedy = self.declaration.place, "correct it, or end it with ? if files may lack it"
        for judge in self.declaration.judges if first else ():
            if column_in(judge, names) is None:
                raise UsageError(
                    f"{place}: judges names {judge!r}, which no row of {file.name!r} has; the fields are "
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

    def _check_judge(self, file: Path) -> None:
        """Raise UsageError if the file's path alone could name the judge, and does not."""
        for kind in self.declaration.kinds:
            paths = kind.map["judge"].source.paths if "judge" in kind.map else ()
            by_path = bool(paths) and all(path.startswith("@") for path in paths)
            if self.options.judge is None and by_path and not any(path[1:] in self.around for path in paths):
                default = "{file} does not say who judged; give --judge NAME"
                raise UsageError(self._missing("judge", default).replace("{file}", repr(file.name)))

    def _missing(self, column: str, default: str) -> str:
        return self.declaration.missing.get(column, default)

    # ---- cells

    def _cells(self, row: Row, kind: Kind) -> Iterator[Row]:
        """Yield the cells of a row of this kind: one row of them, or one for each member of its list."""
        given = self._given(kind)
        of_members = {name: kind.map[name] for name in kind.of_members}
        of_rows = {name: cell for name, cell in kind.map.items() if name not in of_members}
        cells = self._filled(of_rows, Fields(row.values, self.around), given)
        if "instance_id" not in of_members:
            self._check_named(kind, cells)
        if kind.each is None:
            yield self._finished(row, kind, cells, given)
            return
        members = self._members(row, kind.each)
        if not members and not of_members:  # the question and the answer are there nonetheless
            unjudged = {name: value for name, value in cells.items() if name != "judge"}
            yield Row(row.file, row.number, {**unjudged, **kind.constants})
        for place, (column, member) in enumerate(members, start=1):
            is_failed = member is None and kind.each.null is not None
            values = member if isinstance(member, Mapping) else {} if is_failed else {"value": member}
            around = {**self.around, "place": place, "column": column}
            own = self._filled(of_members, Fields(row.values, around), given)
            if "instance_id" in of_members:
                self._check_named(kind, own)
            own |= self._filled(kind.each.map, Fields(values, around), given)
            if is_failed:
                own["status"] = kind.each.null
            own |= {n: words[place - 1] for n, words in kind.each.place.items() if place <= len(words)}
            of_row = cells if place == 1 else {n: v for n, v in cells.items() if n not in _OF_FIRST}
            yield self._finished(row, kind, {**of_row, **own}, given)

    def _check_named(self, kind: Kind, cells: Mapping[str, Any]) -> None:
        """Raise BadRowError if the kind has ids or texts of questions, and the cells have neither."""
        names = [name for name in ("prompt", "instance_id") if name in kind.map]
        is_blank = not str(cells.get("instance_id", "")).strip()
        if names and is_blank and "prompt" not in cells:
            path = next(iter(kind.map[names[0]].source.paths), names[0])
            raise BadRowError(self._missing("instance_id", f"no {path}"))

    def _filled(self, cells: Mapping[str, Cell], fields: Fields, given: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of cells that have one; the user's names need no field."""
        values = {name: given.get(name) or self._cell(name, cell, fields) for name, cell in cells.items()}
        for note in fields.notes:
            self.tally.note(note)
        return {name: value for name, value in values.items() if value is not None}

    def _members(self, row: Row, each: Each) -> list[tuple[str | None, Any]]:
        """Return the members that are judgments of their own, each with the name of its column, if any."""
        if each.list is not None:
            return [(None, member) for member in _members_of_list(row, each, each.list)]
        own = [name for name in row.values if name not in each.others and not is_index(name)]
        if len(own) < each.fewest:
            raise BadRowError(each.otherwise or "too few columns have a value")
        self.tally.stored.update(own)
        self.columns.update(own)  # so that an empty cell of a later row counts as no verdict
        return [(name, row.values.get(name)) for name in dict.fromkeys((*own, *sorted(self.columns)))]

    def _given(self, kind: Kind) -> dict[str, str]:
        """Return the names that the user gave, for columns that this kind of row has."""
        options = {
            "judge": self.options.judge if kind.is_judged else None,
            "generator": self.options.generator,
            "opponent": self.options.baseline,
        }
        return {column: name for column, name in options.items() if name is not None}

    def _finished(self, row: Row, kind: Kind, cells: dict[str, Any], given: Mapping[str, str]) -> Row:
        """Return the cells with constants, by our words, and without those that mean nothing."""
        cells = {**cells, **kind.constants, **given}
        if kind.is_judged and "judge" not in cells:
            raise BadRowError(self._missing("judge", "who judged is not named: give --judge"))
        by_one = self.declaration.by_one_model
        if by_one and "generator" in cells and cells["generator"] == cells.get("opponent"):
            cells |= {name: text.value(Fields(cells, {})) for name, text in by_one.items()}
            self.tally.note("if both responses are by one model, each is stored as a model of its own")
        written = dict(cells)
        models = {lookup_key(cells[name]) for name in ("generator", "opponent") if name in cells}
        for column, values in kind.values.items():
            value = cells.get(column)
            is_model = column in ("choice", "first", "preference") and lookup_key(value) in models
            if value is not None and not is_model:
                cells[column] = values.meaning(value)
        if "status" in cells and lookup_key(cells["status"]) == NONE:
            del cells["status"]
        is_person = "judge" not in given and str(cells.get("judge")).startswith(self.declaration.people)
        if self.declaration.people and is_person:
            cells = self._of_person(cells, written)
        return Row(row.file, row.number, cells)

    def _of_person(self, cells: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
        """Return a judge's cells as a person's, whose verdict is true; `written` is as in the file."""
        verdicts = {"choice": "preference", "met": "reference_met", "score": "reference_score"}
        name = next((name for name in verdicts if name in cells), "choice")
        if is_no_verdict(cells.get(name)):
            raise BadRowError(self._missing(verdicts[name], "no verdict"), written.get(name))
        others = {name: value for name, value in cells.items() if name != "judge" and name not in verdicts}
        return others | {"annotator": cells["judge"], verdicts[name]: cells[name]}

    def _cell(self, column: str, cell: Cell, fields: Fields) -> Any:
        """Return the value of a column, None if there is none; BadRowError if a row needs it."""
        value = cell.source.value(fields)
        if value is None:
            if isinstance(cell.source, Chat):
                raise BadRowError(f"no {cell.source.paths[-1]}")
        elif column in _VERDICTS or column in _NUMBERS:
            if column in _VERDICTS and len(cell.source.paths) > 1:
                for path in cell.source.paths:
                    if isinstance(other := fields.at(path), list | dict):
                        raise BadRowError(f"{path} is not text", other)
            value = str(value) if isinstance(value, list | dict) else value
        elif column in _TOKENS:
            value = count_of(value)
        elif column in _AMOUNTS:
            value = number if (number := number_of(value)) is not None and number >= 0 else None
        elif not isinstance(value, str):
            value = _text(column, value, next(iter(cell.source.paths), column))
        is_blank = isinstance(value, str) and column not in _MAY_BE_BLANK and not value.strip()
        if (value is None or is_blank) and _is_needed(column, cell):
            raise BadRowError(self._missing(column, f"no {next(iter(cell.source.paths), column)}"))
        return value


def _is_needed(column: str, cell: Cell) -> bool:
    """Return whether a row without this cell is left out."""
    if cell.needed is not None:
        return cell.needed
    return column in _NEEDED and isinstance(cell.source, FieldAt | FirstOf | Filled | NamedColumn)


def _text(column: str, value: Any, path: str) -> str:
    """Return the text of a field: of a conversation or parts of a message too, and of a judge's any words."""
    if column in _WRITTEN and isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
        if all("type" in part for part in value):
            parts = (part.get("data", part.get("text")) for part in value if part["type"] == "text")
            return "\n".join(part for part in parts if isinstance(part, str))
        return prompt_of(value) if column == "prompt" else text_of(value, path)
    if column in ("raw", "explanation") and isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return text_of(value, path)


def _in_order(files: list[Path], folder: Path, declaration: Declaration) -> list[Path]:
    """Return a folder's files without those to skip, in the order of the names in their paths."""
    names = {file: (*file.relative_to(folder).parent.parts, file.name.partition(".")[0]) for file in files}
    places = {name: place for place, name in enumerate(declaration.order)}
    last = len(places)
    return sorted(
        (file for file in files if not set(names[file]) & set(declaration.skip)),
        key=lambda file: (min((places.get(name, last) for name in names[file]), default=last), str(file)),
    )


def _members_of_list(row: Row, each: Each, path: str) -> list[Any]:
    members = value_at(row.values, path)
    takes_values = not each.map or any("value" in cell.source.paths for cell in each.map.values())
    if takes_values and not each.fewest and not isinstance(members, list):
        return [members]
    if members is None:
        if each.fewest:
            raise BadRowError(f"no {path}")
        return []
    if not isinstance(members, list):
        raise BadRowError(f"{path} is not a list", members)
    if len(members) < each.fewest or (each.most is not None and len(members) > each.most):
        raise BadRowError(each.otherwise or f"{path} has too few or too many members", len(members))
    for number, member in enumerate(members):
        if not isinstance(member, dict) and not takes_values and not (member is None and each.null):
            raise BadRowError(f"{path}[{number}] is not an object", member)
    return members


def _is_of(row: Row, kind: Kind) -> bool:
    """Return whether a row has all fields of a kind, null ones too, and none that rule it out."""
    return all(
        path in row.values or value_at(row.values, path) is not None for path in kind.when
    ) and not any(value_at(row.values, path) for path in kind.unless)


def _no_kind(kinds: Iterable[Kind]) -> str:
    signs = dict.fromkeys(kind.when[0] for kind in kinds if kind.when)
    return "neither " + " nor ".join(signs) if len(signs) > 1 else f"no {', '.join(signs)}"


def _in_some(path: str, names: Iterable[str]) -> bool:
    return path in names or first_part(path) in names or any(path.startswith(f"{name}.") for name in names)


def _names_in(file: Path) -> dict[str, Any]:
    """Return what a file's path says as `name=value`, its folders or parts of its name between commas."""
    name = file.name.removesuffix(".gz")
    parts = (*file.parts[:-1], *name.removesuffix(Path(name).suffix).split(","))
    pairs = (part.partition("=") for part in parts)
    return {key: value for key, _, value in pairs if value}
