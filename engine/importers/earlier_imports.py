"""What a study records of the files imported into it, and how further ones are read by it.

A table with the columns of an earlier one of the study is read as that one was, guesses included, so that the
rows of several files mean the same. What the user gives for this file wins.
"""

import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import column_in
from engine.importers.reading.option_file import arguments, merge_options, option_entries, options_of
from engine.importers.table_columns import COLUMNS
from engine.store.study_files import ImportRecord
from engine.wording import Sentence, command_words

_TABLE = "table"


def record_of(
    file: str,
    form: str,
    options: ImportOptions,
    columns: Collection[str],
    *,
    run: str | None,
    source: str | None,
    licence: str | None,
) -> ImportRecord:
    """Return what a study records of a file: what to cite, and by which options it was read."""
    return ImportRecord(
        file=file,
        run=run,
        format=form,
        columns=sorted(columns),
        options=option_entries(options),
        source=source,
        licence=licence,
    )


def as_before(options: ImportOptions, columns: Collection[str]) -> tuple[ImportOptions, str]:
    """Return the options of a table of these columns, and a note if it is read as an earlier one was."""
    for record in reversed(options.earlier):
        if record.format == _TABLE and set(record.columns) == set(columns):
            before = _without_contradictions(_options_of(record), options)
            if words := " ".join(arguments(before)):
                note = Sentence(f"read as {record.file!r} was in this study", command_words(f": {words}"))
                return merge_options(before, options), note
    return options, ""


def written_with(records: Sequence[ImportRecord], study: str, column: str, field: str = "COLUMN") -> str:
    """Return the commands of `commands_with` as a sentence has them."""
    lines = (shlex.join(["spb", *words]) for words in commands_with(records, study, column, field))
    return ", then ".join(f"`{line}`" for line in lines)


def commands_with(
    records: Sequence[ImportRecord], study: str, column: str, field: str = "COLUMN"
) -> Iterator[tuple[str, ...]]:
    """Yield the words of the commands that import a study's files again with `column` too, runs and all.

    `field` is the files' column. Of a study without records it is one for a study of its own, so that nothing
    is lost.
    """
    added = ("--map", f"{column}={field}")
    if not records:
        yield ("import", "FILE", *added, "--study", f"{study}-with-texts")
    for number, record in enumerate(records):
        words = import_words(record, field)
        words += added if record.format == _TABLE else ()
        words += ["--study", study, *(["--run", record.run] if record.run else [])]
        yield (*words, "--append" if number else "--replace")


def without_spare_columns(records: Sequence[ImportRecord]) -> bool:
    """Return whether the imported files are tables of which every column is read as something."""
    return bool(records) and all(
        record.format == _TABLE and record.columns and not _spare_columns(record) for record in records
    )


def _spare_columns(record: ImportRecord) -> set[str]:
    options = _options_of(record)
    read = {*options.map.values(), *options.judges, *(column_in(name, record.columns) for name in COLUMNS)}
    return {column for column in record.columns if column not in read}


def column_stored_as(records: Sequence[ImportRecord], name: str) -> str | None:
    """Return our column that the imported files' column of this name was read as, if it is one in all."""
    stored = set[str | None]()
    for record in records:
        if (field := column_in(name, record.columns)) is not None:
            columns = [column for column, place in _options_of(record).map.items() if place == field]
            stored.update(columns or (None,))
    return stored.pop() if len(stored) == 1 else None


def column_not_stored(records: Sequence[ImportRecord], study: str, name: str) -> str:
    """Return that the imported files have a column that was not stored, and how it would be; else empty.

    It is taken for what criteria are about, in a table without criteria for the questions' kind of task.
    """
    of_tables = [record for record in records if record.format == _TABLE]
    fields = [column_in(name, record.columns) for record in of_tables]
    if not records or len(of_tables) < len(records) or None in fields or column_in(name, COLUMNS):
        return ""
    field = str(fields[0])
    options = [_options_of(record) for record in records]
    if any(field in (*each.map.values(), *each.judges) for each in options):
        return ""
    has_criteria = any(
        {"criterion", "rubric_id"} & {*each.map, *record.columns}
        for each, record in zip(options, records, strict=True)
    )
    column, other = "category", "if it is of questions"
    if has_criteria:
        column, other = "axis", f"if it is of criteria; --map category={field} if of questions"
    commands = written_with(records, study, column, field)
    return f"the column {field!r} of the file was not stored: import it again ({other}) with {commands}"


def import_words(record: ImportRecord, stored: str | None = None) -> list[str]:
    """Return the words of the command that reads a file again as it was read, but for the study.

    A field to be `stored` is not left out.
    """
    of_format = ["--as", record.format] if record.format not in (None, _TABLE) else []
    options = _options_of(record)
    options = replace(options, leave_out=tuple(name for name in options.leave_out if name != stored))
    return ["import", record.file, *of_format, *arguments(options)]


def _options_of(record: ImportRecord) -> ImportOptions:
    return options_of(record.options, Path(f"import of {record.file}"))


def _without_contradictions(before: ImportOptions, now: ImportOptions) -> ImportOptions:
    """Return earlier options without what the present ones say otherwise of a column or a field."""
    fields = {*now.map.values(), *now.judges, *now.leave_out}
    columns = {*now.map, *now.set, *(name for name in ("judge", "generator") if getattr(now, name))}
    of_rows = {
        name: place for name, place in before.map.items() if name not in columns and place not in fields
    }
    changed = {name for name in before.map if name not in of_rows}
    return replace(
        before,
        judge=None if "judge" in columns else before.judge,
        generator=None if "generator" in columns else before.generator,
        map=of_rows,
        set={name: text for name, text in before.set.items() if name not in columns},
        value={name: words for name, words in before.value.items() if name not in changed},
        judges=() if fields & {*before.judges} or "judge" in columns else before.judges,
        leave_out=tuple(name for name in before.leave_out if name not in fields),
    )
