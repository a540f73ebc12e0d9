"""Export of a study as a folder in exchange form."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from engine import schema
from engine.errors import UsageError, unknown
from engine.store.arrow_types import ARROW
from engine.store.checksums import ChecksummedWriter
from engine.store.location import locate
from engine.store.publish import disk_error, staging
from engine.store.study_files import INFO_FILE, StudyFiles

FORMATS = ("csv", "parquet")


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """What was written of a table: its rows, and the empty texts among their values."""

    rows: int
    empty: int


def export_study(study: StudyFiles, folder: str | Path, form: str) -> dict[str, ExportedTable]:
    """Write the study as an exchange folder in `form` (csv or parquet); return what was written by table.

    Columns without a value are left out. Texts are written verbatim; in CSV an empty text and a missing one
    look alike. The folder appears whole or not at all.
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    target = locate(folder)
    if not target.is_local:
        remedy = "export to a local folder and copy it from there"
        raise UsageError(f"{str(folder)!r} is not a local folder; {remedy}")
    final = Path(target.path)
    if final.exists() and (not final.is_dir() or any(final.iterdir())):
        raise UsageError(f"{str(folder)!r} exists and is not an empty folder; choose another --out")
    with staging(target, "--out") as staged:
        tables = [name for name in schema.TABLES if study.has(name)]
        exported = {name: _export_table(study, name, staged, form) for name in tables}
        info = study.info.model_copy(update={"parts": None, "tables": None})
        (staged / INFO_FILE).write_text(info.to_json(), "utf-8")
        with disk_error(folder, "choose another --out"):
            staged.chmod(0o755)
            if final.exists():
                final.rmdir()
            shutil.move(staged, final)
    return exported


def _export_table(study: StudyFiles, name: str, folder: Path, form: str) -> ExportedTable:
    filled = {column.name for column in schema.TABLES[name].columns if column.required}
    for batch in _batches(study, name):
        filled.update(each for each in batch.column_names if batch[each].null_count < batch.num_rows)
    columns = [column for column in schema.TABLES[name].columns if column.name in filled]
    form_schema = pa.schema([(column.name, ARROW[column.kind]) for column in columns])
    path = folder / f"{name}.{form}"
    texts = [column.name for column in columns if column.kind == "text"]
    rows = empty = 0
    with (
        pacsv.CSVWriter(path, form_schema)
        if form == "csv"
        else ChecksummedWriter(path, form_schema) as writer
    ):
        for batch in _batches(study, name):
            part = batch.select(form_schema.names).cast(form_schema)
            writer.write_table(part)
            rows += batch.num_rows
            empty += sum(pc.sum(pc.equal(part[text], "")).as_py() or 0 for text in texts)
    return ExportedTable(rows, empty)


def _batches(study: StudyFiles, name: str) -> Iterator[pa.Table]:
    return study.judgment_batches() if name == "judgments" else iter([study.table(name)])
