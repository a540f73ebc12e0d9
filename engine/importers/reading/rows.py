"""Rows of another tool's file, what is wrong with one, and the tables of a study gathered from them."""

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
from engine.store.conversion import BATCH_ROWS, Source, from_tables
from engine.store.parquet import EXCHANGE
from engine.values import parse_float

# ------------------------------------------------------------------------------
# Rows of other tools' files: each with its place, its fields asked for by kind, bad ones counted.


EXAMPLES = 3
"""Rows that are shown of those left out for one reason."""

SHOWN = 80
"""Characters that are shown of a value."""


class BadRowError(Exception):
    """A row cannot be taken: `reason` groups it with others, `shown` is the value.

    A bad row does not stop the good ones: it raises BadRowError, which the reader's caller counts. A file
    that cannot be gone on with (not UTF-8, not JSON as a whole, too large) raises BadInputError.
    """

    def __init__(self, reason: str, shown: object = None) -> None:
        super().__init__(reason, shown)
        self.reason = reason
        self.shown = None if shown is None else clipped(shown)


def clipped(value: object) -> str:
    """Return the beginning of a value as it is shown in messages."""
    text = value[: 4 * SHOWN] if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: `number` counts lines, or members of a list, from 1 without a header."""

    file: str
    number: int
    values: Mapping[str, Any]

    def get(self, name: str) -> Any:
        """Return a field that must be there and not null; BadRowError where it is not."""
        value = self.values.get(name)
        if value is None:
            raise BadRowError(f"no {name}")
        return value

    def text(self, name: str) -> str:
        """Return a field that must be a text or a number, as text, and not blank."""
        text = self.maybe_text(name)
        if text is None or not text.strip():
            raise BadRowError(f"no {name}")
        return text

    def maybe_text(self, name: str) -> str | None:
        """Return a field that may be missing; BadRowError where it is a list or an object."""
        value = self.values.get(name)
        return None if value is None else text_of(value, name)

    def words(self, name: str) -> str:
        """Return a text that must be there, and may be blank, as a response may."""
        return text_of(self.get(name), name)

    def listed(self, name: str) -> list[Any]:
        """Return a field that must be a list."""
        value = self.get(name)
        if not isinstance(value, list):
            raise BadRowError(f"{name} is not a list", value)
        return value

    def maybe_listed(self, name: str) -> list[Any]:
        """Return a field that must be a list where it is there; an empty one where it is not."""
        return [] if self.values.get(name) is None else self.listed(name)

    def object_of(self, name: str) -> "Row":
        """Return a field that must be an object, as a row at the same place."""
        return self.within(name, self.get(name))

    def maybe_object(self, name: str) -> "Row":
        """Return a field that must be an object where it is there; an empty one where it is not."""
        return self.within(name, {}) if self.values.get(name) is None else self.object_of(name)

    def within(self, name: str, value: object) -> "Row":
        """Return an object found in this row as a row at the same place."""
        if not isinstance(value, dict):
            raise BadRowError(f"{name} is not an object", value)
        return Row(self.file, self.number, value)


def text_of(value: object, name: str) -> str:
    """Return a text or number as text; BadRowError where it is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    raise BadRowError(f"{name} is not text", value)


def text_or_none(value: object) -> str | None:
    """Return a text as it is, None for anything else."""
    return value if isinstance(value, str) else None


def object_or_empty(value: object) -> dict[str, Any]:
    """Return an object as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_or_empty(value: object) -> list[Any]:
    """Return a list as it is, an empty one for anything else."""
    return value if isinstance(value, list) else []


def json_or_none(text: str | bytes) -> Any:
    """Return what a JSON text holds; None where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def first_of(values: Mapping[str, Any], *names: str) -> Any:
    """Return the first of several fields that is there; None where none is."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def first_text(values: Iterable[object]) -> str | None:
    """Return the first of several values that is a text and not empty; None where none is."""
    return next((value for value in values if isinstance(value, str) and value), None)


def number_of(value: object) -> float | None:
    """Return a finite number, also one written as text; None for anything else."""
    if not isinstance(value, str):
        return parse_float(value)
    try:
        return parse_float(float(value))
    except ValueError:
        return None


def count_of(value: object) -> int | None:
    """Return a number of 0 or more without its fraction, also one written as text; None for anything else."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 else None


@dataclass(slots=True)
class LeftOut:
    """Rows left out for one reason: how many, and the places and values of the first."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportStats:
    """What was read: rows, the fields that they had, and those left out by reason.

    With `strict` the first bad row raises BadInputError. `stored` are fields that a reader took though its
    format does not name them, such as metrics.
    """

    strict: bool = False
    read: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    stored: set[str] = field(default_factory=set)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep a sentence for the report, once."""
        if text not in self.notes:
            self.notes.append(text)

    def saw(self, row: Row) -> None:
        """Count a row and its fields."""
        self.read += 1
        self.fields.update(name for name, value in row.values.items() if value is not None)

    def skip(self, file: str, number: int, bad: BadRowError) -> None:
        """Count something in the place of a row that is none, as `leave_out` does."""
        self.read += 1
        self.leave_out(file, number, bad)

    def leave_out(self, file: str, number: int, bad: BadRowError) -> None:
        """Count a row that cannot be taken; BadInputError where that is not to be suffered."""
        if self.strict:
            problem = bad.reason if bad.shown is None else f"{bad.reason}: {bad.shown}"
            raise bad_row(
                file, number, problem, "correct the row, or leave out --strict to import the others"
            )
        out = self.left_out.setdefault(bad.reason, LeftOut())
        out.count += 1
        if len(out.examples) < EXAMPLES:
            shown = "" if bad.shown is None else f" ({bad.shown})"
            out.examples.append(f"{file}, row {number}{shown}")

    @property
    def lost(self) -> int:
        """How many rows were left out."""
        return sum(out.count for out in self.left_out.values())


def objects(file: str, members: Iterable[object], tally: ImportStats) -> Iterator[Row]:
    """Yield the objects of a list as rows, counted from 1; what is none is left to the tally."""
    for number, member in enumerate(members, start=1):
        if isinstance(member, dict):
            yield Row(file, number, member)
        else:
            tally.skip(file, number, BadRowError("it is not an object", member))


def refuse(path: str, problem: str, expected: str) -> BadInputError:
    """Return the error for a file that is not of the format."""
    return BadInputError(f"{path!r}: {problem}; expected {expected}")


# ------------------------------------------------------------------------------
# A verdict's columns; who won a pair, as tools write it by the letters of the places: `A>>B`, `[[B]]`.


Choice = Literal["generator", "opponent", "tie"]

_FIRST = ("A>>B", "A>B", "B<A", "B<<A", "A++", "A+", "A", "MODEL_A", "MODEL A", "MODEL_1")
_SECOND = ("B>>A", "B>A", "A<B", "A<<B", "B++", "B+", "B", "MODEL_B", "MODEL B", "MODEL_2")
_EQUAL = ("A=B", "B=A", "A~=B", "TIE", "TIE (BOTHBAD)", "BOTH_BAD", "BOTHBAD", "TIE_BOTHBAD", "C")
_SIDES: dict[str, Choice] = {
    **dict.fromkeys(_FIRST, "generator"),
    **dict.fromkeys(_SECOND, "opponent"),
    **dict.fromkeys(_EQUAL, "tie"),
}
OUTCOMES: dict[str, int] = {"generator": 1, "opponent": -1, "tie": 0}
"""What a preference for each side is stored as."""


def verdict(column: str, value: object) -> dict[str, Any]:
    """Return the columns of a verdict: `ok` with the value of `column`, `unparsed` where there is none."""
    return {"status": "unparsed"} if value is None else {"status": "ok", column: value}


def tenth_of(score: object) -> float | None:
    """Return a score from 1 to 10 as a share of 10; None for anything else."""
    number = number_of(score)
    return number / 10 if number is not None and 1 <= number <= 10 else None


def side_of(label: object) -> Choice | None:
    """Return whom a label names as the better, the generator in the first place; None where it names none."""
    if not isinstance(label, str):
        return None
    return _SIDES.get(label.replace("[", "").replace("]", "").strip().upper())


def choice_of(label: object) -> dict[str, Any]:
    """Return the columns of a verdict on a pair whose generator was shown first; without a side unparsed."""
    return verdict("choice", side_of(label))


# ------------------------------------------------------------------------------
# The tables of a study as they are gathered from rows of another tool's file.


StudyRows = dict[str, list[dict[str, Any]]]
"""What one row of a file holds: rows of a study's tables, by table."""

_KEYS = {
    name: tuple((key, table.column(key).default) for key in table.key)
    for name, table in schema.TABLES.items()
}
_MODELS = ("judge", "generator", "opponent", "transformed_by")
_BUFFERED = 1 << 15


class StudyBuilder:
    """The rows found so far, by table; `corrections` names models anew and tells their families.

    A row's findings are taken whole or not at all. What stands there already is not taken twice; what
    contradicts it is a bad row. Judgments go to a temporary Parquet file, so that memory does not grow with
    their texts.
    """

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
