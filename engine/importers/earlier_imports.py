"""What a study records of the files imported into it, and how further ones are read by it.

A table with the columns of an earlier one of the study is read as that one was, guesses included, so that the
rows of several files mean the same. What the user gives for this file wins.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import column_in
from engine.importers.reading.option_file import arguments, merge_options, option_entries, options_of
from engine.importers.tables.table_columns import COLUMNS
from engine.phrases import join_names
from engine.store.study_files import ImportRecord, StudyFiles
from engine.store.writer import model_runs
from engine.wording import Sentence, command_line, command_words

_TABLE = "table"
_CRITERION = {"rubric_id", "criterion"}
_WORD = re.compile(r"[^\W\d_]{3}")


def record_of(
    file: str,
    form: str,
    options: ImportOptions,
    columns: Collection[str],
    *,
    names: Mapping[str, str],
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
        names=dict(names),
        source=source,
        licence=licence,
    )


def as_before(options: ImportOptions, columns: Collection[str]) -> tuple[ImportOptions, str]:
    """Return the options of a table of these columns, and a note if it is read as an earlier one was."""
    for record in reversed(options.earlier):
        if record.format == _TABLE and set(record.columns) == set(columns):
            before = _without_contradictions(options_read_by(record), options)
            if words := " ".join(arguments(before)):
                note = Sentence(f"read as {record.file!r} was in this study", command_words(f": {words}"))
                return merge_options(before, options), note
    return options, ""


def import_again(files: StudyFiles, column: str, field: str = "COLUMN") -> str:
    """Return the line that imports a study's files again with `column` too, as a sentence has it.

    `field` is the files' column. Where the study has more than its files, or no record of them, the line is
    one for a study of its own, so that nothing is lost.
    """
    records = files.info.imports or ()
    more = beyond_imports(files)
    study = f"{files.name}-with-{column}" if more or not records else files.name
    commands: list[tuple[str, ...]] = []
    if not records:
        commands.append(("import", "FILE", "--map", f"{column}={field}", "--study", study))
    for number, record in enumerate(records):
        words = import_words(record, field, column if record.format == _TABLE else None)
        words += ["--study", study, *(["--run", record.run] if record.run else [])]
        how = "--append" if number else "" if more else "--replace"
        commands.append((*words, *([how] if how else [])))
    line = f"`{' && '.join(command_line(*words) for words in commands)}`"
    unplaced = [record.file for record in records if record.path is None and not Path(record.file).exists()]
    remarks = [f"where {join_names(unplaced, 4)} lay is not recorded: write the path"] if unplaced else []
    remarks += (
        [f"a study of its own: {join_names(more, 4)} would be lost with {files.name!r}"] if more else []
    )
    return f"{line} ({'; '.join(remarks)})" if remarks else line


def import_with_texts_of_criteria(files: StudyFiles, ids: Collection[str]) -> str:
    """Return the line that imports a study's files again with the texts of criteria, as a sentence has it.

    The column of the `ids` is named for the texts too, where they are words and not numbers such as R1.
    """
    tables = [record for record in files.info.imports or () if record.format == _TABLE]
    fields = {
        options_read_by(each).map.get("rubric_id") or column_in("rubric_id", each.columns) for each in tables
    }
    field = fields.pop() if len(fields) == 1 else None
    if field is None or not all(map(_WORD.search, ids)):
        field = "COLUMN"
    return import_again(files, "criterion", field)


def beyond_imports(files: StudyFiles) -> list[str]:
    """Return what a study has that its files have not, and that would be lost with it."""
    info, runs = files.info, model_runs(files)
    labels = files.has("annotations") and bool(files.table("annotations", ["annotator"]).num_rows)
    more = {"people's labels": labels, "committees": info.committees, "saved slices": info.slices}
    names = [f"the {'run' if len(runs) == 1 else 'runs'} {join_names(runs, 4)}"] if runs else []
    return [*names, *(name for name, stored in {**more, "pins": info.stories}.items() if stored)]


def without_spare_columns(records: Sequence[ImportRecord]) -> bool:
    """Return whether the imported files are tables of which every column is read as something."""
    return bool(records) and all(
        record.format == _TABLE and record.columns and not _spare_columns(record) for record in records
    )


def _spare_columns(record: ImportRecord) -> set[str]:
    options = options_read_by(record)
    read = {
        *options.map.values(),
        *options.judges,
        *options.criteria,
        *(column_in(name, record.columns) for name in COLUMNS),
    }
    return {column for column in record.columns if column not in read}


def column_stored_as(records: Sequence[ImportRecord], name: str) -> str | None:
    """Return our column that the imported files' column of this name was read as, if it is one in all."""
    stored = set[str | None]()
    for record in records:
        if (field := column_in(name, record.columns)) is not None:
            columns = [column for column, place in options_read_by(record).map.items() if place == field]
            stored.update(columns or (None,))
    return stored.pop() if len(stored) == 1 else None


def import_words(record: ImportRecord, stored: str | None = None, column: str | None = None) -> list[str]:
    """Return the words of the command that reads a file again as it was read, but for the study.

    A field to be `stored` is not left out, and fills our `column` in place of another field.
    """
    of_format = ["--as", record.format] if record.format not in (None, _TABLE) else []
    options = options_read_by(record)
    options = replace(options, leave_out=tuple(name for name in options.leave_out if name != stored))
    if column is not None and stored is not None:
        others = {name: text for name, text in options.set.items() if name != column}
        mapped = {name: place for name, place in options.map.items() if name != column}
        options = replace(options, map=mapped | {column: stored}, set=others)
    return ["import", record.path or record.file, *of_format, *arguments(options)]


def options_read_by(record: ImportRecord) -> ImportOptions:
    """Return the options by which a file was read, guesses included."""
    return options_of(record.options, Path(f"import of {record.file}"))


def _without_contradictions(before: ImportOptions, now: ImportOptions) -> ImportOptions:
    """Return earlier options without what the present ones say otherwise of a column or a field."""
    fields = {*now.map.values(), *now.judges, *now.criteria, *now.leave_out}
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
        criteria=() if fields & {*before.criteria} or columns & _CRITERION else before.criteria,
        leave_out=tuple(name for name in before.leave_out if name not in fields),
    )
