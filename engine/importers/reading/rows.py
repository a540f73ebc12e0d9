"""Rows of another tool's file, errors in them, and the tables of a study built from them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.importers.families import NONE, Corrections
from engine.phrases import shortened
from engine.store.arrow_types import EXCHANGE
from engine.store.batches import BATCH_ROWS, ExchangeTable, from_tables
from engine.values import parse_float

_EXAMPLES = 3  # shown of the rows left out for one reason
_LONGEST_VALUE = 80  # characters of a value that are shown


class BadRowError(Exception):
    """A row cannot be imported: `reason` groups it with others, `excerpt` shows the value.

    The reader's caller counts these errors and goes on with the next row. A file that cannot be read any
    further (not UTF-8, not JSON as a whole, too large) raises BadInputError.
    """

    def __init__(self, reason: str, value: object = None) -> None:
        super().__init__(reason, value)
        self.reason = reason
        self.excerpt = None if value is None else excerpt(value)


def excerpt(value: object) -> str:
    """Return the beginning of a value, for messages."""
    text = value[: 4 * _LONGEST_VALUE] if isinstance(value, str) else repr(value)
    return shortened(" ".join(text.split()), _LONGEST_VALUE)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: `number` counts lines without the header, or members of a list, from 1.

    A required field that is missing or null raises BadRowError, an optional one (`maybe_`) does not; one of
    another kind always does. Texts may be numbers. Objects are rows at the same place.
    """

    file: str
    number: int
    values: Mapping[str, Any]

    def get(self, name: str) -> Any:
        value = self.values.get(name)
        if value is None:
            raise BadRowError(f"no {name}")
        return value

    def text(self, name: str) -> str:
        """Return a required text that is not blank."""
        text = self.maybe_text(name)
        if text is None or not text.strip():
            raise BadRowError(f"no {name}")
        return text

    def maybe_text(self, name: str) -> str | None:
        value = self.values.get(name)
        return None if value is None else text_of(value, name)

    def words(self, name: str) -> str:
        """Return a required text that may be blank, like a response."""
        return text_of(self.get(name), name)

    def list_of(self, name: str) -> list[Any]:
        value = self.get(name)
        if not isinstance(value, list):
            raise BadRowError(f"{name} is not a list", value)
        return value

    def maybe_list(self, name: str) -> list[Any]:
        return [] if self.values.get(name) is None else self.list_of(name)

    def object_of(self, name: str) -> "Row":
        return self.within(name, self.get(name))

    def maybe_object(self, name: str) -> "Row":
        return self.within(name, {}) if self.values.get(name) is None else self.object_of(name)

    def within(self, name: str, value: object) -> "Row":
        """Return an object inside this row as a row at the same place."""
        if not isinstance(value, dict):
            raise BadRowError(f"{name} is not an object", value)
        return Row(self.file, self.number, value)


def text_of(value: object, name: str) -> str:
    """Return a text, number or boolean as text; BadRowError for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    raise BadRowError(f"{name} is not text", value)


def text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


def object_or_empty(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def json_or_none(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def first_of(values: Mapping[str, Any], *names: str) -> Any:
    """Return the first of several fields that is not null; None if there is none."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def first_text(values: Iterable[object]) -> str | None:
    """Return the first non-empty string among the values; None if there is none."""
    return next((value for value in values if isinstance(value, str) and value), None)


def number_of(value: object) -> float | None:
    """Return a finite number, possibly written as text; None for anything else."""
    if not isinstance(value, str):
        return parse_float(value)
    try:
        return parse_float(float(value))
    except ValueError:
        return None


def count_of(value: object) -> int | None:
    """Return a number from 0, possibly written as text, without its fraction; None for anything else."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 else None


def met_of_number(value: object) -> bool | None:
    """Return the truth value of a boolean, 0 or 1; None for anything else."""
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None


def message_text(content: object) -> str:
    """Return the text of a chat message, whose content is a string or a list of parts."""
    if isinstance(content, list):
        parts = map(object_or_empty, content)
        texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


@dataclass(slots=True)
class LeftOut:
    """Rows left out for one reason: their number, and the places and values of the first."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportStats:
    """Counts of an import: rows read, fields seen, and rows left out by reason.

    With `strict` the first bad row raises BadInputError. `stored` are fields that a reader stores although
    its format does not name them, such as metrics. `left_out_names` are metrics that the user left out.
    `out_of_range` counts values that a scale, named by the key, cannot have: they are no verdicts.
    """

    strict: bool = False
    rows_read: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    stored: set[str] = field(default_factory=set)
    left_out_names: set[str] = field(default_factory=set)
    out_of_range: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a sentence to the report, unless it is there already."""
        if text not in self.notes:
            self.notes.append(text)

    def count(self, row: Row) -> None:
        self.rows_read += 1
        self.fields.update(name for name, value in row.values.items() if value is not None)

    def skip(self, file: str, number: int, bad: BadRowError) -> None:
        """Count something that is not a row as read and left out."""
        self.rows_read += 1
        self.leave_out(file, number, bad)

    def leave_out(self, file: str, number: int, bad: BadRowError) -> None:
        """Count a bad row; BadInputError if `strict`."""
        if self.strict:
            problem = bad.reason if bad.excerpt is None else f"{bad.reason}: {bad.excerpt}"
            raise bad_row(
                file, number, problem, "correct the row, or leave out --strict to import the others"
            )
        out = self.left_out.setdefault(bad.reason, LeftOut())
        out.count += 1
        if len(out.examples) < _EXAMPLES:
            value = "" if bad.excerpt is None else f" ({bad.excerpt})"
            out.examples.append(f"{file}, row {number}{value}")

    @property
    def rows_lost(self) -> int:
        return sum(out.count for out in self.left_out.values())


def objects(file: str, members: Iterable[object], tally: ImportStats) -> Iterator[Row]:
    """Yield the objects of a list as rows, counted from 1; other members are skipped and counted."""
    for number, member in enumerate(members, start=1):
        if isinstance(member, dict):
            yield Row(file, number, member)
        else:
            tally.skip(file, number, BadRowError("it is not an object", member))


def refuse(path: str, problem: str, expected: str) -> BadInputError:
    """Return the error for a file that is not of the format."""
    return BadInputError(f"{path!r}: {problem}; expected {expected}")


Choice = Literal["generator", "opponent", "tie"]

_FIRST = ("A>>B", "A>B", "B<A", "B<<A", "A++", "A+", "A", "MODEL_A", "MODEL A", "MODEL_1")
_SECOND = ("B>>A", "B>A", "A<B", "A<<B", "B++", "B+", "B", "MODEL_B", "MODEL B", "MODEL_2")
_EQUAL = ("A=B", "B=A", "A~=B", "TIE", "TIE (BOTHBAD)", "BOTH_BAD", "BOTHBAD", "TIE_BOTHBAD", "C")
_SIDES: dict[str, Choice] = {
    **dict.fromkeys(_FIRST, "generator"),
    **dict.fromkeys(_SECOND, "opponent"),
    **dict.fromkeys(_EQUAL, "tie"),
}


def verdict(column: str, value: object) -> dict[str, Any]:
    """Return the columns of a verdict: `ok` with the value of `column`, or `unparsed` without a value."""
    return {"status": "unparsed"} if value is None else {"status": "ok", column: value}


def tenth_of(score: object) -> float | None:
    """Return a score from 1 to 10 as a share of 10; None for anything else."""
    number = number_of(score)
    return number / 10 if number is not None and 1 <= number <= 10 else None


def side_of(label: object) -> Choice | None:
    """Return the side that a label names as the better, A being the generator; None if it names none."""
    if not isinstance(label, str):
        return None
    return _SIDES.get(label.replace("[", "").replace("]", "").strip().upper())


# ------------------------------------------------------------------------------
# Building the tables of a study from rows of another tool's file.


StudyRows = dict[str, list[dict[str, Any]]]
"""The content of one row of a file: rows of a study's tables, by table."""


class InstanceRows:
    """What a row of a file says about one instance, added table by table to `tables`.

    A column that is None has no value.
    """

    def __init__(self, instance: str, **columns: object) -> None:
        self.key: dict[str, Any] = {"instance_id": instance}
        self.tables: StudyRows = {"instances": [self.key | columns]}

    def rubric(self, rubric_id: str, **columns: object) -> None:
        """Add a rubric, unless it is there already."""
        row = self.key | {"rubric_id": rubric_id} | columns
        if row not in self.tables.setdefault("rubrics", []):
            self.tables["rubrics"].append(row)

    def response(self, generator: str, text: str | None) -> None:
        """Add a response, unless the file lacks its text."""
        if text is not None:
            self._add("responses", generator=generator, text=text)

    def judgment(self, judge: str | None, paradigm: str, generator: str, **columns: object) -> None:
        self._add("judgments", judge=judge, paradigm=paradigm, generator=generator, **columns)

    def reference(self, source: str, generator: str, rubric_id: str, **columns: object) -> None:
        """Add a verdict or score on a rubric that is taken as true."""
        self._add("references", generator=generator, rubric_id=rubric_id, source=source, **columns)

    def preference(self, source: str, choice: "Choice", generator: str, opponent: str) -> None:
        """Add which of two responses is better according to a person."""
        outcome = schema.OUTCOMES[choice]
        self._add("preferences", generator=generator, opponent=opponent, source=source, outcome=outcome)

    def _add(self, table: str, /, **columns: object) -> None:
        self.tables.setdefault(table, []).append(columns | self.key)


_KEYS = {
    name: tuple((key, table.column(key).default) for key in table.key)
    for name, table in schema.TABLES.items()
}
_MODELS = ("judge", "generator", "opponent", "transformed_by")
_BUFFER_ROWS = 1 << 15


class StudyBuilder:
    """Collects rows by table; `corrections` renames models and sets their families.

    Judgments are those of `run`, by default of the run that every import has.

    The content of a file's row is added whole or not at all. Repeated rows are merged; one that contradicts
    an earlier one is a bad row. Judgments go to a temporary Parquet file in `folder`, so that memory does not
    grow with their texts.
    """

    def __init__(self, folder: Path, corrections: Corrections = NONE, run: str | None = None) -> None:
        self.corrections = corrections
        self._run = {} if run is None else {"run_id": run}
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

    def close(self) -> None:
        self._spill.close()

    def add(self, tables: StudyRows) -> None:
        """Add the content of a row; BadRowError, and nothing is added, if it contradicts an earlier row."""
        tables = {table: [self._rename_models(row) for row in rows] for table, rows in tables.items()}
        for table, rows in tables.items():
            for row in rows:
                self._check(table, row)
        judgments = tables.pop("judgments", [])
        for table, rows in tables.items():
            for row in rows:
                self.rows.setdefault(table, {}).setdefault(_key(table, row), {}).update(row)
                self.models.update((row[column], None) for column in _MODELS if column in row)
                if table in ("responses", "references", "preferences"):
                    self.generators[row["generator"]] = None
        for row in judgments:
            self._add_judgment(row)

    def _rename_models(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the row without nulls, with the models' names in the study."""
        values = {name: value for name, value in row.items() if value is not None}
        for column in _MODELS:
            if column in values:
                values[column] = self.corrections.new_name(values[column])
        if "generator" in values and values["generator"] == values.get("opponent"):
            raise BadRowError("a model is compared with itself", values["generator"])
        return values

    def _check(self, table: str, row: dict[str, Any]) -> None:
        earlier = {} if table == "judgments" else self.rows.get(table, {}).get(_key(table, row), {})
        for name, value in row.items():
            if isinstance(value, str):
                try:
                    value.encode()
                except UnicodeEncodeError:
                    raise BadRowError(f"{name} is not text", ascii(value)) from None
            if earlier.get(name, value) != value:
                raise BadRowError(f"another {name} of {_THING[table]} is in an earlier row", value)

    def _add_judgment(self, row: dict[str, Any]) -> None:
        """Add a judgment; another one of the same thing is a further trial, even with the same verdict.

        Trials count once, by their majority, which dropping equal ones would distort.
        """
        row = row | self._run
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

    def rename_source(self, table: str, old: str, new: str) -> None:
        """Give the references or preferences of one source another name."""
        rows = self.rows.get(table, {}).values()
        renamed = [row | {"source": new} if row["source"] == old else row for row in rows]
        self.rows[table] = {_key(table, row): row for row in renamed}

    def sources(self, model_rows: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, ExchangeTable]:
        """Return the tables of a study; `model_rows`, of models already in it, prevail over their names."""
        models = []
        for model in self.models:
            row = self.corrections.row(model, self.models)
            if model_rows and model in model_rows:
                values = {name: text_of(v, name) for name, v in model_rows[model].items() if v is not None}
                row = values | {name: row[name] for name in self.corrections.rows.get(model, {})}
            models.append(row)
        tables: dict[str, ExchangeTable] = {}
        for name, table in schema.TABLES.items():
            rows = models if name == "models" else list(self.rows.get(name, {}).values())
            if name == "judgments":
                if self._spill.rows:
                    tables[name] = from_tables(table, self._spill.tables())
            elif rows or table.compulsory:
                tables[name] = from_tables(table, pa.Table.from_pylist(rows, _columns(table, rows)))
        return tables


class _Spill:
    """Judgments on disk, read back in batches."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0
        self._buffer: list[dict[str, Any]] = []
        columns = pa.schema([(c.name, EXCHANGE[c.kind]) for c in schema.JUDGMENTS.columns])
        self._writer = pq.ParquetWriter(path, columns, compression="zstd")

    def add(self, row: dict[str, Any]) -> None:
        self._buffer.append(row)
        self.rows += 1
        if len(self._buffer) >= _BUFFER_ROWS:
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
                droppable = [n for n in empty if n not in ("judge", "paradigm", "instance_id", "generator")]
                yield table.drop_columns(droppable)


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
    """Return the key of a judgment without its trial, with the models of a pair in sorted order."""
    generator, opponent, first = row["generator"], row.get("opponent"), row.get("first")
    if opponent is not None:
        writer = {"generator": generator, "opponent": opponent}.get(str(first), str(first))
        generator, opponent, first = *sorted((generator, opponent)), writer
    keys = (row.get(name) for name in ("judge", "paradigm", "variant", "transform", "instance_id", "run_id"))
    return (*keys, generator, opponent, first, row.get("rubric_id"), row.get("ordering"))


def _columns(table: schema.TableSchema, rows: list[dict[str, Any]]) -> pa.Schema:
    if table.name == "models":  # values from a models file stay text: the store parses and checks them
        return pa.schema([(c.name, pa.string()) for c in table.columns if any(c.name in row for row in rows)])
    present = {name for row in rows for name in row} | {c.name for c in table.columns if c.required}
    return pa.schema([(c.name, EXCHANGE[c.kind]) for c in table.columns if c.name in present])
