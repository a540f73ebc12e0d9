"""A study written into a store as another, for `Study.save`: that of a frame, or some runs of any."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import BadInputError, UsageError, quoted
from engine.importers.frame_words import FILE_ARGUMENTS, warn
from engine.importers.import_options import ImportOptions
from engine.importers.repeated_criteria import added_criteria
from engine.importers.repeated_runs import repeated_run
from engine.store import Mode, Store, check_mode
from engine.store.batches import ExchangeTable, from_tables
from engine.store.location import check_name
from engine.store.study_files import StudyFiles
from engine.store.writer import existing_study, write_sources

IMPORTED = "import"
"""The run of judgments that name none."""


def save_copy(
    files: StudyFiles,
    name: str,
    *,
    runs: Sequence[str] = (),
    store: str | Path | None = None,
    mode: Mode = "new",
    run: str | None = None,
) -> StudyFiles:
    """Write a study, or these runs of it, as the study `name`, and return that; see `Study.save`."""
    if not isinstance(name, str):
        raise UsageError(f"the name is {quoted(name)}; give that of the study, such as save('mine')")
    check_mode(mode)
    where = {"run_id": runs} if runs else {}
    stored_runs = files.judgments(("run_id",), where)["run_id"]
    own = [str(each) for each in pc.unique(stored_runs).to_pylist()]
    if run is not None:
        check_name(run, "name of the run")
        others = [each for each in own if each not in (IMPORTED, run)]
        if others:
            problem = f"run={run!r} names one run for all judgments, and these name their own"
            raise UsageError(f"{problem}, such as {others[0]!r}; leave run= out")
    target = Store(store)
    base = existing_study(target, name, mode) if mode == "append" else None

    def judgments() -> ExchangeTable:
        batches = files.judgment_batches(where=where)
        return from_tables(schema.JUDGMENTS, (_of_run(batch, run) for batch in batches))

    tables = {each: files.table(each) for each in schema.TABLES if each != "judgments" and files.has(each)}
    notes: list[str] = []
    if base is not None:
        tables["models"] = _like_those_of(base, tables["models"])
        added = added_criteria(base, tables["rubrics"].to_pylist() if "rubrics" in tables else [])
        if added.alike:
            raise BadInputError(added.question(files.name, ImportOptions(), FILE_ARGUMENTS).text)
        names = [None if each == IMPORTED else each for each in own] if run is None else [run]
        again = repeated_run(base, judgments(), len(stored_runs), names, FILE_ARGUMENTS, whose="these")
        notes = [added.unshared(), f"{again}, and count once more" if again else ""]
    sources = {each: from_tables(schema.TABLES[each], _filled(each, rows)) for each, rows in tables.items()}
    if files.has("judgments"):
        sources["judgments"] = judgments()
    title = None if files.location.in_memory else files.info.title
    info = files.info.model_copy(update={"title": title, "parts": None, "tables": None})
    report = write_sources(target, name, sources, info, mode=mode)
    warn("save", [note for note in (*notes, *report.warnings) if note])
    return target.open(name)


def _of_run(judgments: pa.Table, run: str | None) -> pa.Table:
    """Return judgments with the name of their run, if they are given one."""
    if run is None:
        return judgments
    place = judgments.column_names.index("run_id")
    return judgments.set_column(place, "run_id", pa.array([run] * judgments.num_rows, pa.string()))


def _like_those_of(base: StudyFiles, models: pa.Table) -> pa.Table:
    """Return models with what a study says of those that it has, but for the family, which must agree."""
    stored = {row["model"]: row for row in base.table("models").to_pylist()}
    rows = [{**row, **stored.get(row["model"], {}), "family": row["family"]} for row in models.to_pylist()]
    return pa.Table.from_pylist(rows, models.schema)


def _filled(name: str, table: pa.Table) -> pa.Table:
    """Return a table without the columns that say nothing: a study that has it may say something there."""
    columns = schema.TABLES[name].columns
    return table.select([each.name for each in columns if each.required or _says_something(each, table)])


def _says_something(column: schema.ColumnSchema, table: pa.Table) -> bool:
    values = pc.unique(table[column.name]).to_pylist()
    return any(value not in (None, column.default) for value in values)
