"""A study as plain lists of dict rows."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.schema import TABLES, ColumnSchema

Row = dict[str, Any]
NAMES = (
    "models",
    "instances",
    "rubrics",
    "responses",
    "references",
    "preferences",
    "pairs",
    "judgments",
    "annotations",
)
ARROW = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
}


@dataclass
class PlainStudy:
    """The tables that the measures need; every row has every column that the schema declares.

    `committees` is that of study.json: name -> {"members": [...], "paradigm": ..., "variant": ...}.
    """

    models: list[Row] = field(default_factory=list)
    instances: list[Row] = field(default_factory=list)
    rubrics: list[Row] = field(default_factory=list)
    responses: list[Row] = field(default_factory=list)
    references: list[Row] = field(default_factory=list)
    preferences: list[Row] = field(default_factory=list)
    pairs: list[Row] = field(default_factory=list)
    judgments: list[Row] = field(default_factory=list)
    annotations: list[Row] = field(default_factory=list)
    committees: dict[str, Row] = field(default_factory=dict)

    def add(self, table: str, **values: Any) -> Row:
        """Append a row to a table, with defaults for missing columns, and return it."""
        row = complete(table, values)
        getattr(self, table).append(row)
        return row

    @classmethod
    def from_folder(cls, path: str | Path) -> "PlainStudy":
        """Read an exchange folder in Parquet, or a stored study."""
        study = cls()
        for name in NAMES:
            for file in _files(Path(path), name):
                for values in pq.read_table(file).to_pylist():
                    study.add(name, **values)
        info = Path(path) / "study.json"
        if info.exists():
            study.committees = json.loads(info.read_text(encoding="utf-8")).get("committees") or {}
        return study

    def write(self, folder: str | Path) -> None:
        """Write the tables that have rows as an exchange folder; empty columns are left out."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            rows = getattr(self, name)
            columns = [c for c in TABLES[name].columns if any(row[c.name] is not None for row in rows)]
            if columns:
                arrays = [pa.array([row[c.name] for row in rows], ARROW[c.kind]) for c in columns]
                table = pa.Table.from_arrays(arrays, names=[c.name for c in columns])
                pq.write_table(table, folder / f"{name}.parquet")
        if self.committees:
            text = json.dumps({"committees": self.committees}, ensure_ascii=False)
            (folder / "study.json").write_text(text, encoding="utf-8")


def complete(table: str, values: Row) -> Row:
    """Return the row with every declared column; absent or null values take the column's default."""
    row = {c.name: _value(c, values.get(c.name)) for c in TABLES[table].columns}
    unknown = values.keys() - row.keys()
    if unknown:
        raise KeyError(f"{table} has no column {sorted(unknown)}")
    return row


def _value(column: ColumnSchema, value: Any) -> Any:
    if value is None:
        return column.default
    if column.kind == "text":
        return str(value)
    if column.kind == "integer":
        return int(value)
    if column.kind == "number":
        return float(value)
    return value


def _files(folder: Path, name: str) -> list[Path]:
    single = folder / f"{name}.parquet"
    return [single] if single.exists() else sorted((folder / name).glob("*.parquet"))
