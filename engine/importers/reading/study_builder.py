"""The tables of a study, built from what the rows of another tool's file say."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine import schema
from engine.errors import UsageError
from engine.importers.model_names.corrections import NONE, Corrections
from engine.importers.option_spelling import FLAGS, OptionSpelling
from engine.importers.reading.choice_probabilities import ChoiceProbabilities
from engine.importers.reading.rows import BadRowError, Choice, text_of
from engine.phrases import around_difference
from engine.store.arrow_types import EXCHANGE
from engine.store.batches import BATCH_ROWS, ExchangeTable, from_tables
from engine.values import TEXTS, is_same_text

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


@dataclass(slots=True)
class Judged:
    """Who judged a question or criterion, whose answers, and who whose, as bits by their numbers."""

    judges: int = 0
    authors: int = 0
    judges_of_authors: int = 0

    def add(self, other: "Judged") -> None:
        self.judges |= other.judges
        self.authors |= other.authors
        self.judges_of_authors |= other.judges_of_authors


_MODELS = ("judge", "generator", "opponent", "transformed_by")
_BUFFER_ROWS = 1 << 15


class StudyBuilder:
    """Collects rows by table; `corrections` renames models and sets their families.

    Judgments are those of `run`, by default of the run that every import has. `spelling` is how the user
    writes options.

    The content of a file's row is added whole or not at all. Repeated rows are merged; one that contradicts
    an earlier one is a bad row. Judgments go to a temporary Parquet file in `folder`, so that memory does not
    grow with their texts.
    """

    def __init__(
        self,
        folder: Path,
        corrections: Corrections = NONE,
        run: str | None = None,
        spelling: OptionSpelling = FLAGS,
    ) -> None:
        self.corrections, self._spelling = corrections, spelling
        self.named_as_before: dict[str, str] = {}
        self._run = {} if run is None else {"run_id": run}
        self.runs: set[str | None] = set()  # of the judgments; None for those that name none
        self.rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {}
        self.models: dict[str, None] = {}
        self.judges: dict[str, int] = {}  # with their numbers
        self.generators: dict[str, None] = {}
        self.authors: dict[str, int] = {}  # of judged answers, with their numbers
        self.judged: dict[tuple[str, str | None], Judged] = {}  # by question and criterion
        self._judges_of_authors: dict[tuple[str, str, str | None], int] = {}
        self.statuses: Counter[tuple[str, str]] = Counter()  # of judgments, by judge
        self.paradigms: Counter[str] = Counter()
        self.ties = 0
        self.comparisons = 0  # rows that compare two answers, shown in any order
        self.orders_unknown = self.over_both_orders = 0  # of them
        self.choice_probabilities = ChoiceProbabilities()
        self.repeats = 0
        self.contradicted: set[int] = set()  # repeated judgments whose verdicts differ
        self.scored_otherwise: set[int] = set()  # those whose scores differ
        self.differing: dict[tuple[str, str], Counter[tuple[Any, ...]]] = {}
        """Rows that say otherwise than an earlier one, by the column, with its table, and what it is of."""
        self._spill = _Spill(folder / "judgments.parquet")
        self._trials: dict[int, int] = {}
        self._first_verdicts: dict[int, tuple[Any, ...]] = {}

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
                stored = self.rows.setdefault(table, {}).setdefault(_key(table, row), {})
                stored.update({name: value for name, value in row.items() if name not in stored})
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
                name = values[column]
                values[column] = self.corrections.new_name(name)
                if name in self.corrections.earlier and name not in self.corrections.names:
                    self.named_as_before[name] = values[column]
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
            before = earlier.get(name, value)
            if before != value and not (name in TEXTS and is_same_text(before, value)):
                self.differing.setdefault((table, name), Counter())[_key(table, row)] += 1
                is_text = isinstance(value, str) and isinstance(before, str)
                shown = around_difference(value, before)[0] if is_text else value
                raise BadRowError(f"another {name} of {_THING[table]} is in an earlier row", shown)

    def _add_judgment(self, row: dict[str, Any]) -> None:
        """Add a judgment; another one of the same thing is a further trial, even with the same verdict.

        Trials count once, by their majority, which dropping equal ones would distort.
        """
        if self._run and (run := row.get("run_id")) is not None:
            raise UsageError(
                f"{self._spelling.option('run')} {self._run['run_id']} names one run for all rows, and a "
                f"column of the file names them, such as {run!r}; leave out {self._spelling.option('run')}, "
                f"or ignore that column: {self._spelling.without(['COLUMN'])}"
            )
        row = row | self._run
        self.runs.add(row.get("run_id"))
        identity = hash(_identity(row))
        trial = self._trials.get(identity, 0)
        self._trials[identity] = trial + 1
        if trial:
            self.repeats += 1
            row = row | {"trial": trial}
        if row.get("status", "ok") == "ok":
            choice = row.get("choice")
            side = row.get(choice, choice) if choice is not None else None
            verdict = row.get("met"), side, row.get("score")
            if self._first_verdicts.setdefault(identity, verdict) != verdict:
                (self.contradicted if row.get("score") is None else self.scored_otherwise).add(identity)
        self.statuses[row["judge"], row.get("status", "ok")] += 1
        self.paradigms[row["paradigm"]] += 1
        self.ties += row.get("choice") == "tie"
        if row.get("opponent") is not None:
            self.comparisons += 1
            self.choice_probabilities.count(row)
            self.orders_unknown += row.get("first") == "unknown"
            self.over_both_orders += row.get("first") is None
        self.judges.setdefault(row["judge"], len(self.judges))
        for column in ("generator", "opponent"):
            if column in row:
                author = row[column]
                self.generators[author] = self.models[author] = None
                self.authors.setdefault(author, len(self.authors))
        self._note_judged(row)
        self.models[row["judge"]] = None
        self._spill.add(row)

    def _note_judged(self, row: Mapping[str, Any]) -> None:
        thing = (row["instance_id"], row.get("rubric_id"))
        if (judged := self.judged.get(thing)) is None:
            judged = self.judged[thing] = Judged()
        whose = (row["judge"], row["generator"], row.get("opponent"))
        judged.judges |= 1 << self.judges[row["judge"]]
        judged.judges_of_authors |= 1 << self._judges_of_authors.setdefault(
            whose, len(self._judges_of_authors)
        )
        for column in ("generator", "opponent"):
            if column in row:
                judged.authors |= 1 << self.authors[row[column]]

    def are_judged_side_by_side(self, one: str, other: str) -> bool:
        """Return whether a judge judged answers of both models to one question, by the same criterion.

        Of pairs, it compared them with each other, or with the same third one, in the same place.
        """
        bits: dict[Hashable, list[int]] = {}
        for (judge, generator, opponent), number in self._judges_of_authors.items():
            if {generator, opponent} == {one, other}:
                return True
            for place in ((0, generator, opponent), (1, opponent, generator)):
                masks = bits.setdefault((judge, place[0], place[2]), [0, 0])
                masks[0] |= (place[1] == one) << number
                masks[1] |= (place[1] == other) << number
        return any(
            each.judges_of_authors & first and each.judges_of_authors & second
            for first, second in bits.values()
            if first and second
            for each in self.judged.values()
        )

    @property
    def sources_of_truth(self) -> set[str]:
        """The sources of references and preferences."""
        rows = (row for table in ("references", "preferences") for row in self.rows.get(table, {}).values())
        return {str(row["source"]) for row in rows}

    def rename_source(self, table: str, old: str, new: str) -> None:
        """Give the references or preferences of one source another name."""
        rows = self.rows.get(table, {}).values()
        renamed = [row | {"source": new} if row["source"] == old else row for row in rows]
        self.rows[table] = {_key(table, row): row for row in renamed}

    def share_themes(self) -> None:
        """Give a question the theme that all its criteria have; where they differ, each keeps its own."""
        criteria: dict[Any, list[dict[str, Any]]] = {}
        for row in self.rows.get("rubrics", {}).values():
            criteria.setdefault(row["instance_id"], []).append(row)
        for row in self.rows.get("instances", {}).values():
            of_question = criteria.get(row["instance_id"], [])
            themes = {each.get("theme") for each in of_question}
            theme = themes.pop() if len(themes) == 1 else None
            if theme is not None and row.setdefault("theme", theme) == theme:
                for each in of_question:
                    del each["theme"]

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
                if (judgments := self.judgments()) is not None:
                    tables[name] = judgments
            elif rows or table.compulsory:
                tables[name] = from_tables(table, pa.Table.from_pylist(rows, _columns(table, rows)))
        return tables

    def judgments(self) -> ExchangeTable | None:
        """Return the judgments, read from disk in batches once; None without any."""
        return from_tables(schema.JUDGMENTS, self._spill.tables()) if self._spill.rows else None


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
    "rubrics": "this criterion",
    "responses": "this model's answer",
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
