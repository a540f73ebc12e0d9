"""A file that holds a run which the study already has: as another run it would count each verdict twice.

It is the run again, or judgments that were added to it: a table of two weeks beside that of the first.
"""

from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.errors import BadInputError
from engine.importers.option_spelling import OptionSpelling
from engine.phrases import join_names, quantity
from engine.store.batches import ExchangeTable
from engine.store.stored_form import stored_form
from engine.store.study_files import StudyFiles

_VERDICTS = ("met", "score", "choice", "p_generator", "p_tie", "status")
_COMPARED = (*(name for name in schema.JUDGMENTS.key if name != "run_id"), *_VERDICTS)

_NEARLY_ALL = 0.99
"""So large a share of a run is in a file that holds it again: of judgments made anew, more differ."""

_BATCH, _MOST_RUNS = 1 << 16, 3


def repeated_run(
    study: StudyFiles,
    judgments: ExchangeTable,
    number: int,
    runs: Collection[str | None],
    spelling: OptionSpelling,
    *,
    whose: str = "the file's",
) -> str:
    """Return that the `number` of new judgments are those of a stored run, or hold them, if so; else empty.

    `runs` are those that they name, None for judgments that name none. BadInputError if that is no other.
    """
    again = _runs_again(study, judgments, number)
    same = next((name for name, n in again.items() if n == number), None)
    these = f"{whose} {quantity(number, 'judgment')}"
    if same is not None:
        words = f"{these} are the same as those of run {same!r}"
        if {*runs} <= {None, same}:
            raise BadInputError(
                f"{words}; nothing was added. If the judges judged once more, and all gave the same "
                f"verdicts, name the new run: {spelling.model('run')}"
            )
        return words
    parts = [f"{n:,} of {these} are those of run {name!r} again" for name, n in again.items()]
    return join_names(parts, _MOST_RUNS)


def _runs_again(study: StudyFiles, judgments: ExchangeTable, number: int) -> dict[str, int]:
    """Return the stored runs whose judgments are among the `number` of a new table, with how many are.

    The verdicts are the same; the names of runs, the judges' words and the order of rows may differ.
    """
    rows = study.judgments(("run_id",))["run_id"]
    sizes = {str(each["values"]): each["counts"] for each in pc.value_counts(rows).to_pylist()}
    sizes = {name: size for name, size in sorted(sizes.items()) if size <= number}
    if not sizes:
        return {}
    new = np.sort(np.concatenate([*map(_hashes, _stored_columns(judgments)), np.zeros(0, np.uint64)]))
    again = {run: _number_of_same(study, run, size, new) for run, size in sizes.items()}
    return {run: n for run, n in again.items() if n}


def _number_of_same(study: StudyFiles, run: str, size: int, new: np.ndarray) -> int:
    """Return how many judgments of a stored run are among new ones; 0 if they are not nearly all."""
    same = rows = 0
    for batch in study.judgment_batches(_BATCH, columns=_COMPARED, where={"run_id": (run,)}):
        stored = _hashes({name: batch[name] for name in _COMPARED})
        places = np.minimum(np.searchsorted(new, stored), len(new) - 1)
        same, rows = same + int((new[places] == stored).sum()), rows + len(stored)
        if rows - same > (1 - _NEARLY_ALL) * size:
            return 0
    return same


def _stored_columns(judgments: ExchangeTable) -> Iterator[dict[str, pa.Array]]:
    for batch in judgments.batches:
        columns = stored_form(judgments, batch, Counter())
        nulls = pa.nulls(batch.rows.num_rows)
        yield {name: columns.get(name, nulls) for name in _COMPARED}


def _hashes(columns: dict[str, pa.Array]) -> np.ndarray:
    """Return a number for each judgment, equal for equal ones."""
    hashes = np.zeros(len(columns["judge"]), np.uint64)
    for name in _COMPARED:
        hashes = _mixed(hashes + _numbers(schema.JUDGMENTS.column(name), columns[name]))
    return hashes


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
