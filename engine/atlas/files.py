"""The whole atlas as two files: `atlas.json`, and `atlas.parquet` with a row for each study and judge."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.atlas.declared import Declared
from engine.atlas.rows import VERSION, AtlasRow, StudyNumbers
from engine.errors import UsageError
from engine.plain_words import disk_words

OF_STUDY = ("study", "title", "source", "licence", "commit", "year", "date")
OF_MODEL = ("model", "family", "design")


def flat_rows(studies: Iterable[StudyNumbers], names: Declared) -> Iterator[dict[str, Any]]:
    """Yield a row for each study and judge, with the study's facts and the declared model."""
    by_name = names.by_name()
    for study in studies:
        facts = {name: getattr(study, name) for name in OF_STUDY}
        for row in study.rows:
            model = None if row.judge is None else by_name.get(row.judge)
            family = None if model is None else names.models[model].family
            yield {**facts, "model": model, "family": family, "design": row.design, **row.model_dump()}


def json_text(studies: Sequence[StudyNumbers], names: Declared) -> str:
    """Return `atlas.json`: the studies with why one has no rows, and the rows."""
    of_studies = [
        {name: getattr(study, name) for name in (*OF_STUDY, "spb", "nothing_because")} for study in studies
    ]
    content = {"version": VERSION, "studies": of_studies, "rows": list(flat_rows(studies, names))}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def table_of(studies: Sequence[StudyNumbers], names: Declared) -> pa.Table:
    """Return the rows as an Arrow table, with the same columns whatever is in them."""
    rows = list(flat_rows(studies, names))
    return pa.Table.from_pylist(rows, schema=_schema())


def write_atlas(studies: Sequence[StudyNumbers], names: Declared, folder: Path) -> tuple[Path, Path]:
    """Write both files into a folder."""
    text, table = folder / "atlas.json", folder / "atlas.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text.write_text(json_text(studies, names), "utf-8")
        pq.write_table(table_of(studies, names), table)
    except OSError as error:
        raise UsageError(
            f"{str(folder)!r} cannot be written: {disk_words(error, 'choose another folder')}"
        ) from error
    return text, table


def _schema() -> pa.Schema:
    kinds: Mapping[str, pa.DataType] = {"year": pa.int64()} | {
        name: pa.float64() if "float" in str(each.annotation) else pa.int64()
        for name, each in AtlasRow.model_fields.items()
        if "float" in str(each.annotation) or "int" in str(each.annotation)
    }
    columns = (*OF_STUDY, *OF_MODEL, *AtlasRow.model_fields)
    return pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
