"""The checks of every row written to a store, repeated by `spb study check`: rules, keys and references."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.store.batches import Batch, ExchangeTable, RowPlaces
from engine.store.conversion import first_true
from engine.store.keys import Keys, Vocabulary, one_orientation
from engine.store.row_rules import Columns, check_rows, equals
from engine.store.stored_form import check_columns, stored_form
from engine.wording import Sentence, Wording


@dataclass(slots=True)
class TableReport:
    name: str
    rows: int = 0
    defaults: dict[str, int] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    unchanged: int = 0  # rows that the study already has


class KnownKeys:
    """The keys of the tables checked so far, to which later tables may refer."""

    def __init__(self) -> None:
        self._vocabularies: dict[str, Vocabulary] = {}
        self._rubrics = np.empty(0, np.int64)

    def add(self, table: schema.TableSchema, rows: pa.Table) -> None:
        if table.name in ("models", "instances"):
            self._vocabularies[table.name] = Vocabulary(pa.string(), _plain(rows[table.key[0]]))
        elif table.name == "rubrics" and rows.num_rows:
            names = ("instance_id", "rubric_id")
            pairs = [self._numbers(table.column(name), _plain(rows[name])) for name in names]
            self._rubrics = np.unique(_rubric_key(*pairs))

    def codes(self, columns: Columns, batch: Batch) -> dict[str, np.ndarray]:
        """Return the codes of all key and referring columns; BadInputError for an unknown reference."""
        codes: dict[str, np.ndarray] = {}
        for column in batch.table.columns:
            if column.refers is None and column.name not in batch.table.key:
                continue
            if column.name not in columns:
                codes[column.name] = np.zeros(batch.rows.num_rows, np.int32)
                continue
            codes[column.name] = numbers = self._numbers(column, columns[column.name])
            unknown = first_true(numbers < 0)
            if unknown is not None:
                value = columns[column.name][unknown].as_py()
                problem = f"{column.name} is {value!r}, which is not in {column.refers}"
                raise batch.error(unknown, problem, f"add it to {column.refers} or correct it")
        if batch.table.name in ("judgments", "references"):
            self._check_rubrics(columns, codes, batch)
        if batch.table.name == "references":
            self._check_sources(columns["source"], batch)
        return codes

    def _numbers(self, column: schema.ColumnSchema, array: pa.Array) -> np.ndarray:
        name = column.refers or column.name
        if name not in self._vocabularies:
            seed = pa.array(("generator", "opponent", "unknown")) if name == "first" else None
            kind = pa.string() if column.kind == "text" else pa.int64()
            self._vocabularies[name] = Vocabulary(kind, seed)
        return self._vocabularies[name].codes(array, grow=column.refers is None)

    def _check_sources(self, source: pa.Array, batch: Batch) -> None:
        """Refuse a model as a source: its verdicts are judgments, and would be compared with themselves."""
        models = self._vocabularies["models"].values
        models = models.filter(pc.invert(pc.is_in(models, value_set=pa.array(["program", "human"]))))
        model = first_true(pc.is_in(source.cast(pa.string()), value_set=models))
        if model is not None:
            problem = f"source is {source[model].as_py()!r}, which is a model"
            remedy = "import its verdicts as judgments, or give the source another name"
            raise batch.error(model, problem, remedy)

    def _check_rubrics(self, columns: Columns, codes: Mapping[str, np.ndarray], batch: Batch) -> None:
        with_rubric = codes["rubric_id"] > 0
        if batch.table.name == "judgments":  # some name a dimension there, which is not in rubrics
            structured = equals(columns["paradigm"], "pairwise") & equals(columns["variant"], "structured")
            with_rubric &= ~(equals(columns["paradigm"], "quality") | structured)
        if len(self._rubrics):
            keys = _rubric_key(codes["instance_id"], codes["rubric_id"])
            places = np.minimum(np.searchsorted(self._rubrics, keys), len(self._rubrics) - 1)
            with_rubric &= self._rubrics[places] != keys
        unknown = first_true(with_rubric)
        if unknown is not None:
            instance, rubric = (columns[name][unknown].as_py() for name in ("instance_id", "rubric_id"))
            problem = f"rubric_id is {rubric!r}, which question {instance!r} does not have in `rubrics`"
            raise batch.error(unknown, problem, "add it to `rubrics` or correct it")


class TableCheck:
    """The checks of one table, batch by batch; duplicates are found at the end."""

    def __init__(self, source: ExchangeTable, known_keys: KnownKeys) -> None:
        if source.columns is not None:
            check_columns(source.table, source.columns)
        self.source, self.known_keys = source, known_keys
        self.places = RowPlaces()
        self.defaults: Counter[str] = Counter()
        self.skipped = 0
        self.keys = Keys(source.table.key)

    def skip(self, stored: Iterable[pa.RecordBatch]) -> None:
        """Add the keys of rows that the study already has, which come before the source's own."""
        for rows in stored:
            columns = dict(zip(rows.schema.names, rows.columns, strict=True))
            self._add_keys(columns, Batch(self.source.table, rows), self.skipped)
            self.skipped += rows.num_rows

    def batches(self) -> Iterator[Columns]:
        """Yield the source's batches in stored form; BadInputError for the first bad row."""
        for batch in self.source.batches:
            if self.source.columns is None and batch.first == 1 and batch.rows.num_rows == 0:
                continue
            columns = stored_form(self.source, batch, self.defaults)
            check_rows(columns, batch)
            self._add_keys(columns, batch, self.skipped + self.places.rows)
            self.places.add(batch)
            yield columns

    def _add_keys(self, columns: Columns, batch: Batch, start: int) -> None:
        table = self.source.table
        codes = self.known_keys.codes(columns, batch)
        rows = np.arange(start, start + batch.rows.num_rows)
        if table.name == "judgments":
            # Only verdicts must be unique: a call may fail more than once.
            ok = equals(columns["status"], "ok")
            codes, rows = {name: numbers[ok] for name, numbers in codes.items()}, rows[ok]
        self.keys.add(one_orientation(table, codes), rows)

    def refuse_repeats(self, later: np.ndarray, earlier: np.ndarray, values: Columns | None = None) -> None:
        """Raise BadInputError for the first of the repeated rows; `values` are that row's key columns."""
        if not len(later):
            return
        table = self.source.table
        key_text = ", ".join(f"{k}={v[0].as_py()!r}" for k, v in (values or {}).items() if v[0].is_valid)
        original = "a row that the study already has"
        if earlier[0] >= self.skipped:
            number, file = self.places.of(int(earlier[0]) - self.skipped)
            original = f"row {number}" + (f" of {file}" if file else "")
        row = int(later[0]) - self.skipped
        if table.name == "judgments" and earlier[0] < self.skipped:
            run = f"run {values['run_id'][0].as_py()!r}" if values else "its run"
            problem = f"{run} is already in the study, with {_verdict_words(values or {})}"
            remedy = Sentence(
                "leave out the rows that are there already, or, if the judges judged once more, give these "
                "another run with ",
                Wording("`--run NAME`", "run='NAME'", "“Run” (More)"),
                Wording(
                    "; to put this file in the place of that run, which was imported, add --replace", "", ""
                ),
            )
            raise self.places.error(table.name, row, problem, remedy)
        problem = f"the key ({key_text or ', '.join(table.key)}) repeats that of {original}"
        if table.name in ("judgments", "preferences") and "opponent" in (values or {}):
            problem += " (a pair counts once, whichever way round it is written)"
        remedy = Sentence("keep one of the two")
        if table.name == "judgments":
            other = ", or give them different trials or run_ids"
            new_run = Wording("; `spb import PATH --run NAME` names a run", "; run='NAME' names a run", "")
            remedy = Sentence(remedy, other, new_run)
        raise self.places.error(table.name, row, problem, remedy)

    def report(self) -> TableReport:
        source = self.source
        return TableReport(source.table.name, self.places.rows, dict(self.defaults), tuple(source.ignored))


def _verdict_words(values: Columns) -> str:
    """Return which verdict the key columns of a judgment are of, if they are known."""
    if not values:
        return "the same verdict"
    texts = {name: str(value[0].as_py()) for name, value in values.items() if value[0].is_valid}
    models = " and ".join(repr(texts[name]) for name in ("generator", "opponent") if name in texts)
    return f"the verdict of {texts['judge']!r} on {models}, question {texts['instance_id']!r}"


def _plain(array: pa.ChunkedArray) -> pa.Array:
    plain = array.cast(pa.string()).combine_chunks()
    return plain if isinstance(plain, pa.Array) else pa.concat_arrays(plain.chunks)


def _rubric_key(instances: np.ndarray, rubrics: np.ndarray) -> np.ndarray:
    """Return one int64 for each (instance, rubric); both are numbers below 2**31."""
    return np.asarray((instances.astype(np.int64) << 32) | rubrics)
