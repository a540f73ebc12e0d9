"""A declared format as one of `spb import`, and the reader of its files."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.declared.cell_sources import Fields, roots
from engine.importers.declared.declaration import ALL_OTHERS, Declaration, Kind
from engine.importers.declared.declared_cells import DeclaredCells
from engine.importers.declared.declared_rows import DeclaredRows, in_order, names_in
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import ENTRIES
from engine.importers.reading.columns import empty_cells, first_part, missing_cells, value_at
from engine.importers.reading.files import files_in
from engine.importers.reading.format import Format, ImportedField
from engine.importers.reading.rows import BadRowError, ImportStats, Row
from engine.importers.reading.study_builder import StudyBuilder, StudyRows
from engine.importers.reading.tables import SUFFIXES
from engine.importers.tables.cell_rows import CellReader

_ENDINGS = (".json", ".jsonl")
_OPTIONS: tuple[str, ...] = ("judge",)
_OWN_OPTIONS: tuple[str, ...] = ("judge", "generator", "whole_ids")


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
        licence=declaration.licence,
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
        self.declaration, self.options, self.tally = declaration, options, tally
        judged = [kind for kind in declaration.kinds if kind.is_judged]
        if judged and options.judge is None and not any("judge" in kind.names for kind in judged):
            raise UsageError(
                self.declaration.message(
                    "judge", "the file does not say who judged; give {--judge NAME}", options.spelling
                )
            )
        endings = declaration.files or (SUFFIXES if own else _ENDINGS)
        self.files = files_in(path, *endings, expected=expected)
        if path.is_dir() and (declaration.order or declaration.skip):
            self.files = in_order(self.files, path, declaration)
        self.around: dict[str, Any] = {}
        self._rows = DeclaredRows(declaration, expected, own, tally)
        self._cells = DeclaredCells(declaration, options, tally)
        names = {
            column: next(iter(cell.source.paths), column)
            for kind in declaration.kinds
            for column, cell in kind.map.items()
        }
        whole_ids = options.whole_ids or declaration.whole_ids
        read = ImportOptions(map=names, whole_ids=whole_ids, spelling=ENTRIES)
        self._cell_reader = CellReader(read, tally)

    def rows(self) -> Iterator[Row]:
        for file in self.files:
            self.around = {**names_in(file), "file": file.name}
            self._check_names(file)
            yield from self._rows.of(file)

    def finish(self, builder: StudyBuilder) -> None:
        if missing := self._rows.missing:
            self.tally.note(missing_cells(missing))
        if empty := self._rows.empty:
            self.tally.note(empty_cells(self.declaration.wide_names, empty))
        self._cell_reader.finish(builder)
        corrections = builder.corrections
        names = {corrections.new_name(model): family for model, family in self.declaration.families.items()}
        families = {
            model: family
            for model, family in names.items()
            if model in builder.models and "family" not in corrections.rows.get(model, {})
        }
        builder.corrections = corrections.edit(families, {})

    def read(self, row: Row) -> StudyRows:
        """Return what all kinds that a row is of say of it; BadRowError if it is of none."""
        kinds = [kind for kind in self.declaration.kinds if _is_of(row, kind)]
        if not kinds:
            raise BadRowError(self.declaration.otherwise or _no_kind(self.declaration.kinds))
        tables: StudyRows = {}
        all_cells = [(cells, kind) for kind in kinds for cells in self._cells.of(row, kind, self.around)]
        for cells, kind in all_cells:  # only now: a bad row is nobody's vote
            for table, rows in self._cell_reader.read(cells, kind).items():
                rows_so_far = tables.setdefault(table, [])
                rows_so_far += [each for each in rows if table == "judgments" or each not in rows_so_far]
        has_verdict = tables.keys() & {"judgments", "references", "preferences"}
        may_lack_it = any(kind.each is not None or not kind.has_verdicts for kind in kinds)
        if not tables or not (has_verdict or may_lack_it):
            raise BadRowError("no verdict")
        return tables

    def _check_names(self, file: Path) -> None:
        """Raise UsageError if the file's path alone could name the judge or the author, and does not."""
        given = {"judge": self.options.judge, "generator": self.options.generator}
        cells = [
            (column, kind.map[column].source)
            for kind in self.declaration.kinds
            for column in given
            if column in kind.map and given[column] is None
        ]
        for column, source in cells:
            by_path = bool(source.paths) and all(path.startswith("@") for path in source.paths)
            if by_path and source.value(Fields({}, self.around)) is None:
                did = "judged" if column == "judge" else "answered"
                default = f"{{file}} does not say who {did}; give {{--{column} NAME}}"
                message = self.declaration.message(column, default, self.options.spelling)
                raise UsageError(message.replace("{file}", repr(file.name)))


def _is_of(row: Row, kind: Kind) -> bool:
    """Return whether a row has all fields of a kind, null ones too, and none that rule it out."""
    return all(
        path in row.values or value_at(row.values, path) is not None for path in kind.when
    ) and not any(value_at(row.values, path) for path in kind.unless)


def _no_kind(kinds: Iterable[Kind]) -> str:
    signs = dict.fromkeys(kind.when[0] for kind in kinds if kind.when)
    return "neither " + " nor ".join(signs) if len(signs) > 1 else f"no {', '.join(signs)}"
