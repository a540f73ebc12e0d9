"""A study written for others: a folder in exchange form, or JSON for LLM Comparator."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from engine import schema
from engine.errors import StoreError, UsageError, unknown
from engine.store.parquet import ARROW, locate
from engine.store.publish import staging
from engine.store.study_files import INFO_FILE, StudyFiles
from engine.values import conversation

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
        raise UsageError(
            f"{str(folder)!r} is not a local folder; export to a local folder and copy it from there"
        )
    final = Path(target.path)
    if final.exists() and (not final.is_dir() or any(final.iterdir())):
        raise UsageError(f"{str(folder)!r} exists and is not an empty folder; choose another --to")
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
            raise StoreError(f"{folder}: cannot be written: {error.strerror}; choose another --to") from error
    return rows


def _export_table(study: StudyFiles, name: str, folder: Path, form: str) -> int:
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
    names = {column.name for column in schema.TABLES[name].columns if column.required}
    for batch in _batches(study, name):
        names.update(c for c in batch.column_names if c not in names and batch[c].null_count < batch.num_rows)
    return names


def _batches(study: StudyFiles, name: str) -> Iterator[pa.Table]:
    if name == "judgments":
        yield from study.judgment_batches()
    else:
        yield study.table(name)


# ------------------------------------------------------------------------------
# A judge's pairs of two models as the JSON that LLM Comparator shows.


_COLUMNS = (
    *("judge", "paradigm", "instance_id", "generator", "opponent", "first"),
    *("choice", "p_generator", "status", "explanation", "raw"),
)
_WON = {"generator": 1.0, "tie": 0.0, "opponent": -1.0}
_WIDEST = 3.0


def side_by_side(study: StudyFiles, judge: str, a: str, b: str) -> dict[str, Any]:
    """Return LLM Comparator's object of what a judge said of the pairs of two models.

    Raises UsageError for an unknown name, and where the judge compared the two nowhere.
    """
    models = study.table("models", ["model"])["model"].to_pylist()
    for kind, name in (("judge", judge), ("model", a), ("model", b)):
        if name not in models:
            raise unknown(kind, name, models)
    ratings: dict[str, list[dict[str, Any]]] = {}
    for row in study.judgments(_COLUMNS, {"judge": [judge], "paradigm": ["pairwise"]}).to_pylist():
        if {row["generator"], row["opponent"]} != {a, b}:
            continue
        rated = ratings.setdefault(row["instance_id"], [])
        if row["status"] == "ok":
            rated.append(_rating(row, a))
    if not ratings:
        raise UsageError(f"{judge!r} never compared {a!r} with {b!r} in {study.name!r}; choose other models")
    texts = _responses(study, {a, b})
    examples = []
    for row in study.table("instances", ["instance_id", "prompt", "category"]).to_pylist():
        instance = row["instance_id"]
        if instance in ratings:
            one, other = texts.get((instance, a)), texts.get((instance, b))
            examples.append(_example(row, ratings[instance], one, other))
    return {
        "metadata": {
            "source_path": f"{study.name}, judge {judge}",
            "custom_fields_schema": [{"name": "instance_id", "type": "string"}],
        },
        "models": [{"name": a}, {"name": b}],
        "examples": examples,
    }


def _rating(row: dict[str, Any], a: str) -> dict[str, Any]:
    turn = 1.0 if row["generator"] == a else -1.0
    share = row["p_generator"]
    score = turn * (_WON[row["choice"]] if share is None else _WIDEST * (share - 0.5))
    shown = {"generator": row["generator"], "opponent": row["opponent"]}.get(row["first"])
    return {
        "score": score + 0.0,  # no -0.0
        "is_flipped": None if shown is None else shown != a,
        "rating_label": row["raw"],
        "rationale": row["explanation"],
        "custom_fields": {},
    }


def _example(
    row: dict[str, Any], ratings: list[dict[str, Any]], text_a: str | None, text_b: str | None
) -> dict[str, Any]:
    scores = [rating["score"] for rating in ratings]
    return {
        "input_text": "\n\n".join(message.text for message in conversation(row["prompt"])),
        "tags": [row["category"]] if row["category"] else [],
        "output_text_a": text_a or "",
        "output_text_b": text_b or "",
        "score": sum(scores) / len(scores) if scores else None,
        "individual_rater_scores": [{"index": i, **rating} for i, rating in enumerate(ratings)],
        "custom_fields": {"instance_id": row["instance_id"]},
    }


def _responses(study: StudyFiles, models: set[str]) -> dict[tuple[str, str], str]:
    where = {"generator": models, "transform": ["none"]}
    rows = study.table("responses", ["instance_id", "generator", "text"], where).to_pylist()
    return {(row["instance_id"], row["generator"]): row["text"] for row in rows}
