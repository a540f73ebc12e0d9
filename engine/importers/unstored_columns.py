"""Columns of imported files that a study does not have, and the imports that store them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from engine.errors import SpbError
from engine.importers.earlier_imports import import_again, options_read_by
from engine.importers.reading.columns import column_in
from engine.importers.reading.rows import ImportStats
from engine.importers.tables.own_columns import THINGS
from engine.importers.tables.table import ImportedTable
from engine.importers.tables.table_columns import COLUMNS
from engine.importers.tables.table_sample import FirstRows
from engine.phrases import join_names
from engine.store.study_files import ImportRecord, StudyFiles

_TABLE = "table"
_MOST_ROWS = 20_000
"""Rows of a file that are looked at."""

_Things = Literal["questions", "criteria", "nothing"]


@dataclass(frozen=True, slots=True)
class _NamingFields:
    """The fields of a file: the one that is not stored, and those that name questions and criteria."""

    own: str
    question: str | None
    criterion: str | None

    @classmethod
    def of(cls, record: ImportRecord, own: str) -> "_NamingFields":
        mapped = options_read_by(record).map
        places = {name: mapped.get(name) or column_in(name, record.columns) for name in _NAMING}
        question, prompt, criterion, rubric = (places[name] for name in _NAMING)
        return cls(own, question or prompt, criterion or rubric)


_NAMING = ("instance_id", "prompt", "criterion", "rubric_id")


def column_not_stored(files: StudyFiles, name: str) -> str:
    """Return that the imported files have a column that was not stored, and how it would be; else empty.

    The files say whether it is of questions or of criteria. Where they are no longer there, it is taken for
    one of criteria, in a table without criteria for one of questions.
    """
    records = files.info.imports or ()
    of_tables = [record for record in records if record.format == _TABLE]
    own = [column_in(name, record.columns) for record in of_tables]
    if not records or len(of_tables) < len(records) or None in own or column_in(name, COLUMNS):
        return ""
    options = [options_read_by(record) for record in records]
    if any(own[0] in (*each.map.values(), *each.judges, *each.criteria) for each in options):
        return ""
    fields = [_NamingFields.of(record, str(field)) for record, field in zip(records, own, strict=True)]
    every = [_grouped_in(record, each) for record, each in zip(records, fields, strict=True)]
    has_criteria = any(each.criterion for each in fields)
    field, first = fields[0].own, f"the column {fields[0].own!r} of the file was not stored"
    if "nothing" in every:
        thing = "criterion of a question" if has_criteria else "question"
        return f"{first}, and groups nothing: one {thing} has several values of it"
    things: _Things = "criteria" if "criteria" in every else "questions"
    otherwise = ""
    if None in every:
        things = "criteria" if has_criteria else "questions"
        otherwise = "if it is of questions"
        if has_criteria:
            of_questions = _column_for("questions", records)
            otherwise = f"if it is of criteria; --map {of_questions}={field} if of questions"
    column = _column_for(things, records)
    before = [each.map[column] for each in options if column in each.map]
    instead = f"in place of {join_names(list(dict.fromkeys(before)))}" if before else ""
    about = "; ".join(filter(None, (otherwise, instead)))
    again = import_again(files, column, field)
    return f"{first}: import it again{f' ({about})' if about else ''} with {again}"


def _column_for(things: _Things, records: Sequence[ImportRecord]) -> str:
    """Return our first column of such things that no file fills, or else the first of all."""
    ours = [name for name, of in THINGS.items() if of == things]
    filled = {name for record in records for name in (*options_read_by(record).map, *record.columns)}
    return next((name for name in ours if name not in filled), ours[0])


def _grouped_in(record: ImportRecord, fields: _NamingFields) -> _Things | None:
    """Return what a file's column groups, as its rows show; None where they cannot be read."""
    path = Path(record.path or record.file)
    is_outside = path.is_absolute() or ".." in path.parts  # a study from elsewhere may name any file
    if is_outside or not path.exists() or fields.question is None:
        return None
    try:
        table = ImportedTable(path, options_read_by(record), ImportStats(False))
        sample = FirstRows.of([row.values for row in islice(table.rows(), _MOST_ROWS)])
    except (SpbError, OSError, ValueError):
        return None
    if sample.has_one_for_each(fields.own, fields.question):
        return "questions"
    by_criterion = fields.criterion is not None
    if by_criterion and sample.has_one_for_each(fields.own, fields.question, str(fields.criterion)):
        return "criteria"
    return "nothing"
