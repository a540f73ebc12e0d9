"""The tables of a study as they are gathered from rows of another tool's file.

A row's findings are taken whole or not at all. What stands there already is not taken twice; what contradicts
it is a bad row. Judgments go to a temporary Parquet file, so that memory does not grow with their texts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine import schema
from engine.importers.families import NONE, Corrections
from engine.importers.reading.rows import BadRowError, text_of
from engine.store.conversion import BATCH_ROWS, Source, from_tables
from engine.store.parquet import EXCHANGE

StudyRows = dict[str, list[dict[str, Any]]]
"""What one row of a file holds: rows of a study's tables, by table."""

_KEYS = {
    name: tuple((key, table.column(key).default) for key in table.key)
    for name, table in schema.TABLES.items()
}
_MODELS = ("judge", "generator", "opponent", "transformed_by")
_BUFFERED = 1 << 15


class StudyBuilder:
    """The rows found so far, by table; `corrections` names models anew and tells their families."""

    def __init__(self, folder: Path, corrections: Corrections = NONE) -> None:
        """Keep judgments in a file in `folder` until they are written."""
        self.corrections = corrections
        self.rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {}
        self.models: dict[str, None] = {}
        self.judges: dict[str, None] = {}
        self.generators: dict[str, None] = {}
        self.statuses: Counter[str] = Counter()
        self.paradigms: Counter[str] = Counter()
        self.ties = 0
        self.repeats = 0
        self._spill = _Spill(folder / "judgments.parquet")
        self._trials: dict[int, int] = {}

    def __enter__(self) -> "StudyBuilder":
        return self

    def __exit__(self, *_: object) -> None:
        self._spill.close()

    def add(self, tables: StudyRows) -> None:
        """Take what a row holds; BadRowError, and nothing is taken, where it contradicts an earlier row."""
        named = {table: [self._named(row) for row in rows] for table, rows in tables.items()}
        for table, rows in named.items():
            for row in rows:
                _check_texts(row)
                if table != "judgments":
                    self._check(table, row)
        judgments = named.pop("judgments", [])
        for table, rows in named.items():
            for row in rows:
                self._keep(table, row)
        for row in judgments:
            self._judged(row)

    def _named(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the row without nulls, its models by their names in the study."""
        named = {name: value for name, value in row.items() if value is not None}
        for column in _MODELS:
            if column in named:
                named[column] = self.corrections.named(named[column])
        if "generator" in named and named["generator"] == named.get("opponent"):
            raise BadRowError("a model is compared with itself", named["generator"])
        return named

    def _check(self, table: str, row: dict[str, Any]) -> None:
        before = self.rows.get(table, {}).get(_key(table, row), {})
        for name, value in row.items():
            if before.get(name, value) != value:
                raise BadRowError(f"another {name} of {_THING[table]} stands further up", value)

    def _keep(self, table: str, row: dict[str, Any]) -> None:
        self.rows.setdefault(table, {}).setdefault(_key(table, row), {}).update(row)
        for column in _MODELS:
            if column in row:
                self.models[row[column]] = None
        if table in ("responses", "references", "preferences"):
            self.generators[row["generator"]] = None

    def _judged(self, row: dict[str, Any]) -> None:
        """Keep a judgment; another of the same thing is a further trial, also one that says the same.

        Taken together they count once, by their majority, which leaving out equal ones would distort.
        """
        identity = hash(_identity(row))
        trial = self._trials.get(identity, 0)
        self._trials[identity] = trial + 1
        if trial:
            self.repeats += 1
            row = row | {"trial": trial}
        self.statuses[row.get("status", "ok")] += 1
        self.paradigms[row["paradigm"]] += 1
        self.ties += row.get("choice") == "tie"
        self.judges[row["judge"]] = None
        for column in ("generator", "opponent"):
            if column in row:
                self.generators[row[column]] = self.models[row[column]] = None
        self.models[row["judge"]] = None
        self._spill.add(row)

    def sources(self, held: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Source]:
        """Return the tables as a study is written from them.

        `held` are the rows of models that the study has already: what their names say gives way to it.
        """
        models = [self._model_row(model, (held or {}).get(model)) for model in self.models]
        tables: dict[str, Source] = {}
        for name, table in schema.TABLES.items():
            rows = models if name == "models" else list(self.rows.get(name, {}).values())
            if name == "judgments":
                if self._spill.rows:
                    tables[name] = from_tables(table, self._spill.tables())
            elif rows or table.compulsory:
                tables[name] = from_tables(table, pa.Table.from_pylist(rows, _columns(table, rows)))
        return tables

    def _model_row(self, model: str, held: Mapping[str, Any] | None) -> dict[str, Any]:
        row = self.corrections.row(model, self.models)
        if held is None:
            return row
        given = self.corrections.rows.get(model, {})
        known = {name: text_of(value, name) for name, value in held.items() if value is not None}
        return known | {name: row[name] for name in given}


class _Spill:
    """Judgments on the disk, until they are read again in batches."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0
        self._buffer: list[dict[str, Any]] = []
        columns = pa.schema([(c.name, EXCHANGE[c.kind]) for c in schema.JUDGMENTS.columns])
        self._writer = pq.ParquetWriter(path, columns, compression="zstd")

    def add(self, row: dict[str, Any]) -> None:
        self._buffer.append(row)
        self.rows += 1
        if len(self._buffer) >= _BUFFERED:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._buffer, self._writer.schema))
        self._buffer = []

    def close(self) -> None:
        self._writer.close()

    def tables(self) -> Iterator[pa.Table]:
        if self._buffer:
            self._flush()
        self.close()
        texts = [c.name for c in schema.JUDGMENTS.columns if c.kind == "text"]
        with pq.ParquetFile(self.path, read_dictionary=texts) as parquet:
            for batch in parquet.iter_batches(BATCH_ROWS):
                table = pa.Table.from_batches([batch])
                empty = [n for n in table.column_names if table[n].null_count == len(table)]
                defaulted = [n for n in empty if n not in ("judge", "paradigm", "instance_id", "generator")]
                yield table.drop_columns(defaulted)


_THING = {
    "instances": "this question",
    "rubrics": "this rubric",
    "responses": "this model's response",
    "references": "this reference",
    "preferences": "this preference",
    "annotations": "this label",
}


def _key(table: str, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name, default) for name, default in _KEYS[table])


def _identity(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what is judged, by whom and how, in one orientation of a pair; trials are told apart later."""
    one, two, first = row["generator"], row.get("opponent"), row.get("first")
    if two is not None:
        shown = {"generator": one, "opponent": two}.get(str(first), str(first))
        one, two, first = *sorted((one, two)), shown
    rest = (row.get(name) for name in ("judge", "paradigm", "variant", "transform", "instance_id", "run_id"))
    return (*rest, one, two, first, row.get("rubric_id"), row.get("ordering"))


def _check_texts(row: dict[str, Any]) -> None:
    for name, value in row.items():
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise BadRowError(f"{name} is not text", ascii(value)) from None


def _columns(table: schema.Table, rows: list[dict[str, Any]]) -> pa.Schema:
    if table.name == "models":  # what people wrote in a models file: the store reads and checks it
        return pa.schema([(c.name, pa.string()) for c in table.columns if any(c.name in row for row in rows)])
    given = {name for row in rows for name in row} | {c.name for c in table.columns if c.required}
    return pa.schema([(c.name, EXCHANGE[c.kind]) for c in table.columns if c.name in given])
