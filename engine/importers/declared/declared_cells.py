"""The cells of a declared format's rows: each column's value, in our words, or why a row is left out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.importers.declared.cell_sources import FieldAt, Fields, Filled, FirstOf, NamedColumn
from engine.importers.declared.conversation_sources import Chat
from engine.importers.declared.declaration import NONE, Cell, Declaration, Each, Kind
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import with_options
from engine.importers.reading.columns import is_index, value_at
from engine.importers.reading.format import prompt_of
from engine.importers.reading.rows import BadRowError, ImportStats, Row, count_of, number_of, text_of
from engine.importers.tables.verdict_words import is_no_verdict, lookup_key

_NEEDED = ("judge", "generator", "opponent", "response", "opponent_response", "criterion")
_WRITTEN = ("prompt", "response", "opponent_response")
_MAY_BE_BLANK = ("response", "opponent_response")
_VERDICTS = ("met", "choice", "first", "preference", "reference_met")
_NUMBERS = ("score", "reference_score", "p_generator", "points", "scale")
_TOKENS = ("prompt_tokens", "completion_tokens")
_AMOUNTS = ("latency_s", "cost_usd")
_OF_FIRST = ("explanation", "raw", *_TOKENS, *_AMOUNTS)
"""What a row says of all members of its list together: it is stored with the first."""


class DeclaredCells:
    """Reads rows as rows of cells; the user's options prevail over what the file says."""

    def __init__(self, declaration: Declaration, options: ImportOptions, tally: ImportStats) -> None:
        self.declaration, self.options, self.tally = declaration, options, tally
        self.columns: set[str] = set()

    def of(self, row: Row, kind: Kind, path_names: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the cells of a row of this kind: one row of them, or one for each member of its list."""
        given = self._given(kind)
        of_members = {name: kind.map[name] for name in kind.of_members}
        of_rows = {name: cell for name, cell in kind.map.items() if name not in of_members}
        cells = self._filled(of_rows, Fields(row.values, path_names), given)
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
            around = {**path_names, "place": place, "column": column}
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
            raise BadRowError(self.declaration.message("instance_id", f"no {path}", self.options.spelling))

    def _filled(self, cells: Mapping[str, Cell], fields: Fields, given: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of cells that have one; the user's names need no field."""
        values = {name: given.get(name) or self._cell(name, cell, fields) for name, cell in cells.items()}
        for note in fields.notes:
            self.tally.note(with_options(note, self.options.spelling))
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
            unnamed = "who judged is not named: give {--judge}"
            raise BadRowError(self.declaration.message("judge", unnamed, self.options.spelling))
        by_one = self.declaration.by_one_model
        if by_one and "generator" in cells and cells["generator"] == cells.get("opponent"):
            cells |= {name: text.value(Fields(cells, {})) for name, text in by_one.items()}
            self.tally.note("if both answers are by one model, each is stored as a model of its own")
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
            cells = self._of_person(kind, cells, written)
        return Row(row.file, row.number, cells)

    def _of_person(self, kind: Kind, cells: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
        """Return a judge's cells as a person's, whose verdict is true; `written` is as in the file."""
        verdicts = {"choice": "preference", "met": "reference_met", "score": "reference_score"}
        name = next((name for names in (cells, kind.names) for name in verdicts if name in names), "choice")
        if is_no_verdict(cells.get(name)):
            raise BadRowError(
                self.declaration.message(verdicts[name], "no verdict", self.options.spelling),
                written.get(name),
            )
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
            raise BadRowError(
                self.declaration.message(
                    column, f"no {next(iter(cell.source.paths), column)}", self.options.spelling
                )
            )
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
