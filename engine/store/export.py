"""A study's tables as an exchange folder."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from engine import schema
from engine.errors import StoreError, UsageError, unknown
from engine.store.files import INFO_FILE, StudyFiles
from engine.store.locations import locate
from engine.store.staging import staging
from engine.store.types import ARROW

FORMATS = ("csv", "parquet")


def export_study(study: StudyFiles, folder: str | Path, form: str) -> dict[str, int]:
    """Write the study as an exchange folder in `form` (csv or parquet); return the rows of each table.

    Columns without a value are left out. Texts are written as they are; in CSV an empty text and an absent
    one look alike. Raises UsageError for an unknown format or a folder that is not empty; the folder
    appears whole or not at all.
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    target = locate(folder)
    if not target.is_local:
        raise UsageError(f"{str(folder)!r} is not a local folder; export to one and copy it from there")
    final = Path(target.path)
    if final.exists() and (not final.is_dir() or any(final.iterdir())):
        raise UsageError(f"{str(folder)!r} exists and is not an empty folder; give another --to")
    with staging(target) as staged:
        rows = {name: _export_table(study, name, staged, form) for name in schema.TABLES if study.has(name)}
        info = study.info.model_copy(update={"parts": None})
        (staged / INFO_FILE).write_text(info.to_json(), "utf-8")
        try:
            staged.chmod(0o755)
            if final.exists():
                final.rmdir()
            shutil.move(staged, final)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be written: {error.strerror}; give another --to") from error
    return rows


def _export_table(study: StudyFiles, name: str, folder: Path, form: str) -> int:
    """Write one table and return its rows."""
    columns = _filled_columns(study, name)
    table = schema.TABLES[name]
    fields = [pa.field(c.name, ARROW[c.kind]) for c in table.columns if c.name in columns]
    wanted = pa.schema(fields)
    path = folder / f"{name}.{form}"
    rows = 0
    with (
        pacsv.CSVWriter(path, wanted)
        if form == "csv"
        else pq.ParquetWriter(path, wanted, compression="zstd") as writer
    ):
        for batch in _batches(study, name):
            writer.write_table(batch.select(wanted.names).cast(wanted))
            rows += batch.num_rows
    return rows


def _filled_columns(study: StudyFiles, name: str) -> set[str]:
    """Return the columns that are required or hold a value somewhere."""
    found = {column.name for column in schema.TABLES[name].columns if column.required}
    for batch in _batches(study, name):
        found.update(c for c in batch.column_names if c not in found and batch[c].null_count < batch.num_rows)
    return found


def _batches(study: StudyFiles, name: str) -> Iterator[pa.Table]:
    if name == "judgments":
        yield from study.judgment_batches()
    else:
        yield study.table(name)
