"""A file that holds a run which the study already has: as another run it would count each verdict twice."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import BadInputError
from engine.importers.option_spelling import OptionSpelling
from engine.phrases import quantity
from engine.store.batches import ExchangeTable
from engine.store.stored_form import stored_form
from engine.store.study_files import StudyFiles

_VERDICTS = ("met", "score", "choice", "p_generator", "p_tie", "status")
_COMPARED = (*(name for name in schema.JUDGMENTS.key if name != "run_id"), *_VERDICTS)

Fingerprint = tuple[int, int]
"""The number of judgments and the sum of their hashes, whatever their order."""


def repeated_run(
    study: StudyFiles,
    judgments: ExchangeTable,
    number: int,
    runs: Collection[str | None],
    spelling: OptionSpelling,
    *,
    whose: str = "the file's",
) -> str:
    """Return that the `number` of new judgments are those of a stored run, if so; else empty.

    `runs` are those that they name, None for judgments that name none. BadInputError if that is no other.
    """
    if (same := run_with_judgments(study, judgments, number)) is None:
        return ""
    words = f"{whose} {quantity(number, 'judgment')} are the same as those of run {same!r}"
    if {*runs} <= {None, same}:
        raise BadInputError(
            f"{words}; nothing was added. If the judges judged once more, and all gave the same "
            f"verdicts, name the new run: {spelling.model('run')}"
        )
    return words


def run_with_judgments(study: StudyFiles, judgments: ExchangeTable, number: int) -> str | None:
    """Return the stored run whose judgments are the `number` of a new table, with the same verdicts.

    The names of runs, the judges' words and the order of rows may differ. None if no run is the same.
    """
    rows = study.judgments(("run_id",))["run_id"]
    sizes = {each["values"]: each["counts"] for each in pc.value_counts(rows).to_pylist()}
    runs = sorted(name for name, size in sizes.items() if size == number)
    if not runs:
        return None
    new = _sum(_fingerprint(columns) for columns in _stored_columns(judgments))
    for run in runs:
        stored = study.judgment_batches(columns=_COMPARED, where={"run_id": (run,)})
        if new == _sum(_fingerprint({name: batch[name] for name in _COMPARED}) for batch in stored):
            return str(run)
    return None


def _stored_columns(judgments: ExchangeTable) -> Iterator[dict[str, pa.Array]]:
    for batch in judgments.batches:
        columns = stored_form(judgments, batch, Counter())
        nulls = pa.nulls(batch.rows.num_rows)
        yield {name: columns.get(name, nulls) for name in _COMPARED}


def _sum(fingerprints: Iterable[Fingerprint]) -> Fingerprint:
    n_rows = total = 0
    for count, number in fingerprints:
        n_rows, total = n_rows + count, (total + number) % 2**64
    return n_rows, total


def _fingerprint(columns: dict[str, pa.Array]) -> Fingerprint:
    hashes = np.zeros(len(columns["judge"]), np.uint64)
    for name in _COMPARED:
        hashes = _mixed(hashes + _numbers(schema.JUDGMENTS.column(name), columns[name]))
    return len(hashes), int(hashes.sum())


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Return numbers of which each bit depends on all bits of the number before (splitmix64)."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ (numbers >> np.uint64(31)))


def _numbers(column: schema.ColumnSchema, values: pa.Array) -> np.ndarray:
    """Return a number for each value, equal for equal values, in whatever type they are."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if column.kind == "text":
        codes = values.cast(pa.string()).dictionary_encode()
        hashes = [*(hash(text) % 2**64 for text in codes.dictionary.to_pylist()), 0]
        places = pc.fill_null(codes.indices, len(hashes) - 1).to_numpy()
        return np.asarray(np.array(hashes, np.uint64)[places])
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int8())
    return np.asarray(pc.fill_null(values.cast(pa.float64()), np.nan)).view(np.uint64)
