"""Small studies in exchange format, as rows and as folders."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Rows = dict[str, list[dict[str, Any]]]


def study() -> Rows:
    """Two models of two families, two instances with three rubrics, verdicts of all paradigms."""
    verdict = {"paradigm": "single_rubric", "instance_id": "i1", "rubric_id": "r1"}
    pair = {"paradigm": "pairwise", "instance_id": "i1", "judge": "a", "generator": "a", "opponent": "b"}
    return {
        "models": [{"model": "a", "family": "x"}, {"model": "b", "family": "y"}],
        "instances": [{"instance_id": "i1"}, {"instance_id": "i2"}],
        "rubrics": [
            {"instance_id": "i1", "rubric_id": "r1", "criterion": "Names a fruit."},
            {"instance_id": "i1", "rubric_id": "r2", "criterion": "Is short."},
            {"instance_id": "i2", "rubric_id": "r1", "criterion": "Ends."},
        ],
        "references": [
            {"instance_id": "i1", "generator": "a", "rubric_id": "r1", "source": "program", "met": True},
            {"instance_id": "i1", "generator": "b", "rubric_id": "r1", "source": "program", "met": False},
        ],
        "preferences": [
            {"instance_id": "i1", "generator": "a", "opponent": "b", "source": "human:1", "outcome": 1},
        ],
        "judgments": [
            {**verdict, "judge": "a", "generator": "a", "met": True},
            {**verdict, "judge": "a", "generator": "b", "met": False},
            {**pair, "first": "generator", "choice": "generator"},
            {**pair, "first": "opponent", "choice": "tie"},
        ],
    }


def write_folder(folder: Path, rows: Rows, form: str = "jsonl") -> Path:
    """Write each table as one file in the format, with the columns that its rows have."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in rows.items():
        write_table(folder / f"{name}.{form}", table)
    return folder


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as Parquet, CSV or JSON Lines, by the path's suffix."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".parquet":
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in columns}), path)
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, columns, quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(rows)
    else:
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("".join(line + "\n" for line in lines), "utf-8")
