"""Shared by the simulated studies: Arrow columns, tables, a stream of judgments, writing to a store."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine import schema
from engine.errors import UsageError
from engine.simulation.design import Draws
from engine.stats import Bools, Floats
from engine.store import Store
from engine.store.arrow_types import stored_schema
from engine.store.study_files import StudyInfo
from engine.version import __version__

Codes = npt.NDArray[np.int32]

STATUS_NAMES = ("ok", "unparsed", "refused")

CHOICE_NAMES = ("generator", "opponent", "tie")
ORDER_NAMES = ("generator", "opponent")  # which response of a pair was shown first
DECLINED = "The request was declined by the provider."  # the raw reply if the status is refused


def judgment_schema(names: str) -> pa.Schema:
    """Return the stored types of columns of `judgments`, given by names separated by blanks."""
    stored = stored_schema(schema.JUDGMENTS)
    return pa.schema([stored.field(name) for name in names.split()])


def text_column(codes: npt.NDArray[np.integer], values: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """Return a dictionary-encoded text column; a code below 0 is null."""
    words = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=codes < 0), words)


def constant(value: str, size: int) -> pa.DictionaryArray:
    return text_column(np.zeros(size, dtype=np.int32), [value])


def number_column(values: Floats) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))


def draw_status(
    shape: int | tuple[int, ...], unparsed: float, refused: float, rng: np.random.Generator
) -> Codes:
    """Draw indices into `STATUS_NAMES`, independently of what the answers would have been."""
    uniform = rng.random(shape)
    codes = np.zeros(uniform.shape, dtype=np.int32)
    codes[uniform < unparsed + refused] = 2
    codes[uniform < unparsed] = 1
    return codes


def call_ids(prefix: str, calls: npt.NDArray[np.integer]) -> pa.DictionaryArray:
    """Return the names of calls by their numbers, which start at 0 without gaps."""
    count = int(calls.max(initial=-1)) + 1
    return text_column(calls, [f"{prefix}-{number}" for number in range(count)])


def first_of_call(calls: npt.NDArray[np.integer]) -> Bools:
    """Return which rows are the first of their call; the rows of a call are adjacent."""
    return np.asarray(np.diff(calls, prepend=-1) != 0)


def table_of(columns: Mapping[str, pa.Array | str], table_schema: pa.Schema) -> pa.Table:
    """Return a table of the schema; a text fills its whole column, missing columns are null."""
    size = len(columns["status"])
    arrays = []
    for column in table_schema:
        values = columns.get(column.name, pa.nulls(size, column.type))
        arrays.append((constant(values, size) if isinstance(values, str) else values).cast(column.type))
    return pa.table(arrays, table_schema)


def numbered_ids(letter: str, count: int) -> list[str]:
    """Return ids of equal width, such as `q01` to `q12`; UsageError for a count below 1."""
    if count < 1:
        raise UsageError(f"questions {count!r}: give a whole number from 1")
    return [f"{letter}{number:0{len(str(count))}d}" for number in range(1, count + 1)]


def models_table(models: Iterable[Any], *fields: str) -> pa.Table:
    """Return the table `models`: name, family, provider, size, and further fields by their names."""
    fields, stored = ("family", "provider", "size_b", *fields), stored_schema(schema.MODELS)
    rows = [{"model": model.name, **{name: getattr(model, name) for name in fields}} for model in models]
    return pa.Table.from_pylist(rows, pa.schema([stored.field(name) for name in ("model", *fields)]))


def runs_table(design: Draws, calls: Iterable[tuple[str, str, str]]) -> pa.Table:
    """Return the table of runs, with a row for each (judge, paradigm, variant)."""
    rows = [
        {
            "run_id": design.run_id,
            "model": judge,
            "role": "judge",
            "paradigm": paradigm,
            "variant": variant,
            "provenance": "simulated",
            "seed": design.seed,
            "software": f"spb-explorer {__version__}",
        }
        for judge, paradigm, variant in calls
    ]
    return pa.Table.from_pylist(rows)


NOTES = "Simulated: no model was asked. The planted effects are recorded under truth in study.json."


class Simulation(ABC):
    """A simulated study of rubrics, pairs or orders; its judgments are drawn on demand."""

    schema: ClassVar[pa.Schema]
    raw: ClassVar[tuple[str, str]]
    """The raw replies if the status is unparsed, and if it is refused."""

    design: Draws

    @abstractmethod
    def tables(self) -> dict[str, pa.Table]:
        """Return every table except `judgments`, with the columns of the exchange form."""

    @abstractmethod
    def planted(self) -> dict[str, Any]:
        """Return what was planted and the numbers to expect from it, as JSON values."""

    def judgments(self) -> pa.RecordBatchReader:
        """Return the answers as a stream of record batches; every call returns the same rows."""
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(self.schema, batches)

    @abstractmethod
    def _tables(self) -> Iterator[pa.Table]: ...

    def _table(self, columns: Mapping[str, pa.Array | str], status: Codes) -> pa.Table:
        """Return judgments as a table; `status` holds indices into `STATUS_NAMES`."""
        outcome = {"status": text_column(status, STATUS_NAMES), "raw": text_column(status - 1, self.raw)}
        return table_of({"run_id": self.design.run_id, **columns, **outcome}, self.schema)


def write_simulated(
    store: Store, name: str, study: Simulation, *, title: str | None = None, replace: bool = False
) -> None:
    """Write a simulated study, drawing it as it is written; UsageError if it exists, unless `replace`."""
    info = StudyInfo(
        name=name,
        title=title or f"{name} (simulated)",
        provenance="simulated",
        source=study.design.run_id,
        notes=NOTES,
        truth=study.planted(),
    )
    judgments = (pa.Table.from_batches([batch]) for batch in study.judgments())
    store.write(name, study.tables() | {"judgments": judgments}, info, mode="replace" if replace else "new")
