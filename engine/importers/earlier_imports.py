"""What a study records of the files imported into it, and how further ones are read by it.

A table with the columns of an earlier one of the study is read as that one was, guesses included, so that the
rows of several files mean the same. What the user gives for this file wins.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.importers.import_options import ImportOptions
from engine.importers.reading.option_file import arguments, merge_options, option_entries, options_of
from engine.store.study_files import ImportRecord

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
                return merge_options(before, options), f"read as {record.file!r} was in this study: {words}"
    return options, ""


def commands_with(records: Sequence[ImportRecord], study: str, column: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of the commands that import a study's files again with `column` too, runs and all.

    Of a study without records it is one for a study of its own, so that nothing is lost.
    """
    added = ("--map", f"{column}=COLUMN")
    if not records:
        yield ("import", "FILE", *added, "--study", f"{study}-with-texts")
    for number, record in enumerate(records):
        words = import_words(record)
        words += added if record.format == _TABLE else ()
        words += ["--study", study, *(["--run", record.run] if record.run else [])]
        yield (*words, "--append" if number else "--replace")


def import_words(record: ImportRecord) -> list[str]:
    """Return the words of the command that reads a file again as it was read, but for the study."""
    of_format = ["--as", record.format] if record.format not in (None, _TABLE) else []
    return ["import", record.file, *of_format, *arguments(_options_of(record))]


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
