"""What the simulated studies share: Arrow columns, tables, a stream of judgments, the way into a store."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine import __version__, schema
from engine.errors import UsageError
from engine.simulation.design import Draws
from engine.stats.types import Bools, Floats
from engine.store import Store
from engine.store.parquet import stored_schema
from engine.store.study_files import StudyInfo

Codes = npt.NDArray[np.int32]

STATUS_NAMES = ("ok", "unparsed", "refused")

CHOICE_NAMES = ("generator", "opponent", "tie")
ORDER_NAMES = ("generator", "opponent")
"""Which response of a pair was shown first."""

DECLINED = "The request was declined by the provider."
"""What is said where the status is refused."""


def judgment_schema(names: str) -> pa.Schema:
    """Return the stored types of columns of `judgments`, named with blanks between."""
    return _stored(schema.JUDGMENTS, names.split())


def _stored(table: schema.Table, names: Iterable[str]) -> pa.Schema:
    return pa.schema([stored_schema(table).field(name) for name in names])


def coded(codes: npt.NDArray[np.integer], values: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """Return a dictionary-encoded text column; a code below 0 is null."""
    words = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=codes < 0), words)


def constant(value: str, size: int) -> pa.DictionaryArray:
    """Return a text column of one value."""
    return coded(np.zeros(size, dtype=np.int32), [value])


def numbers(values: Floats) -> pa.Array:
    """Return a column of numbers, NaN as null."""
    return pa.array(values, mask=np.isnan(values))


def draw_status(
    shape: int | tuple[int, ...], unparsed: float, refused: float, rng: np.random.Generator
) -> Codes:
    """Draw places in `STATUS_NAMES`; what an answer would have said has no part in it."""
    uniform = rng.random(shape)
    codes = np.zeros(uniform.shape, dtype=np.int32)
    codes[uniform < unparsed + refused] = 2
    codes[uniform < unparsed] = 1
    return codes


def call_ids(prefix: str, calls: npt.NDArray[np.integer]) -> pa.DictionaryArray:
    """Return the names of calls by their number, which is from 0 and without a gap."""
    count = int(calls.max(initial=-1)) + 1
    return coded(calls, [f"{prefix}-{number}" for number in range(count)])


def first_of_call(calls: npt.NDArray[np.integer]) -> Bools:
    """Return which rows are the first of their call, where a call's rows stand together."""
    return np.asarray(np.diff(calls, prepend=-1) != 0)


def table_of(columns: Mapping[str, pa.Array | str], wanted: pa.Schema) -> pa.Table:
    """Return the columns, `status` among them, as a table of a schema.

    A text stands for a column of nothing else; those that are missing are null.
    """
    size = len(columns["status"])
    arrays = []
    for column in wanted:
        values = columns.get(column.name, pa.nulls(size, column.type))
        arrays.append((constant(values, size) if isinstance(values, str) else values).cast(column.type))
    return pa.table(arrays, wanted)


def numbered(letter: str, count: int) -> list[str]:
    """Return ids of one width, such as `q01` to `q12`; UsageError where there is none."""
    if count < 1:
        raise UsageError(f"instances {count!r}: give a whole number from 1")
    return [f"{letter}{number:0{len(str(count))}d}" for number in range(1, count + 1)]


def models_table(models: Iterable[Any], *fields: str) -> pa.Table:
    """Return the table `models`: name, family, provider, size, and further fields by their names."""
    fields = ("family", "provider", "size_b", *fields)
    rows = [{"model": model.name, **{name: getattr(model, name) for name in fields}} for model in models]
    return pa.Table.from_pylist(rows, _stored(schema.MODELS, ("model", *fields)))


def runs_table(run_id: str, seed: int, calls: Iterable[tuple[str, str, str]]) -> pa.Table:
    """Return the table of runs, a row for each (judge, paradigm, variant) that was asked."""
    rows = [
        {
            "run_id": run_id,
            "model": judge,
            "role": "judge",
            "paradigm": paradigm,
            "variant": variant,
            "provenance": "simulated",
            "seed": seed,
            "software": f"spb-explorer {__version__}",
        }
        for judge, paradigm, variant in calls
    ]
    return pa.Table.from_pylist(rows)


NOTES = "Simulated: no model was asked. What was planted stands under truth."


class Simulated(ABC):
    """A study that was drawn, of rubrics, pairs or orders, short of its judgments."""

    schema: ClassVar[pa.Schema]
    raw: ClassVar[tuple[str, str]]
    """What was said where the status is unparsed, and where it is refused."""

    design: Draws

    @abstractmethod
    def tables(self) -> dict[str, pa.Table]:
        """Return every table but `judgments`, in the columns of the exchange form."""

    @abstractmethod
    def planted(self) -> dict[str, Any]:
        """Return what was planted and what it makes one expect, as JSON values."""

    @property
    def run_id(self) -> str:
        """The name of the one run that the study consists of."""
        return self.design.run_id

    def judgments(self) -> pa.RecordBatchReader:
        """Return the answers as a stream of record batches; every call returns the same rows."""
        batches = (batch for table in self._tables() for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(self.schema, batches)

    @abstractmethod
    def _tables(self) -> Iterator[pa.Table]:
        """Yield the judgments, part by part."""

    def _table(self, columns: Mapping[str, pa.Array | str], status: Codes) -> pa.Table:
        """Return judgments as a table; `status` holds places in `STATUS_NAMES`."""
        answered = {"status": coded(status, STATUS_NAMES), "raw": coded(status - 1, self.raw)}
        return table_of({"run_id": self.run_id, **columns, **answered}, self.schema)


def write_simulated(
    store: Store, name: str, study: Simulated, *, title: str | None = None, replace: bool = False
) -> None:
    """Write a simulated study as `name`; the verdicts are drawn while they are written.

    An existing study is refused with UsageError unless `replace` is true.
    """
    info = StudyInfo(
        name=name,
        title=title or f"{name} (simulated)",
        provenance="simulated",
        source=study.run_id,
        notes=NOTES,
        truth=study.planted(),
    )
    batches = (pa.Table.from_batches([batch]) for batch in study.judgments())
    tables = {**study.tables(), "judgments": batches}
    store.write(name, tables, info, mode="replace" if replace else "new")
