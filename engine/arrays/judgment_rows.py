"""Judgment rows read from the store and encoded as positions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.arrays.encoding import Objects, encode, integers, numbers
from engine.arrays.index import StudyIndex
from engine.errors import DamagedStudyError
from engine.paradigms import TRAITS
from engine.schema import STATUSES
from engine.stats import Bools, Floats, Ints, ParallelArrays
from engine.stats.pairs.quality_baseline import group_means
from engine.store.arrow_types import text_array
from engine.store.parquet import Where
from engine.store.study_files import StudyFiles

Repeats = Literal["majority", "first"]

OK = STATUSES.index("ok")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which judgment rows a cube is made from: one paradigm and one variant at a time."""

    paradigm: str
    variant: str = "default"
    transform: str = "none"
    ordering: str | None = None  # None: the original order or none recorded
    runs: tuple[str, ...] = ()  # empty: every run
    repeats: Repeats = "majority"

    def where(self) -> dict[str, tuple[str | None, ...]]:
        columns: dict[str, tuple[str | None, ...]] = {
            name: (getattr(self, name),) for name in ("paradigm", "variant", "transform")
        }
        if self.runs:
            columns["run_id"] = self.runs
        if self.ordering is not None:
            columns["ordering"] = (self.ordering,)
        elif TRAITS[self.paradigm].lists_rubrics:
            columns["ordering"] = (None, "original")
        return columns


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """The rows of one selection: positions of shape (rows,), and the table of the other columns."""

    judge: Ints
    generator: Ints
    instance: Ints
    status: Ints
    trial: Ints
    table: pa.Table

    def number(self, name: str) -> NDArray[np.float64]:
        return numbers(self.table.column(name))


_ALWAYS = ("judge", "generator", "instance_id", "status", "trial")


def read_rows(
    files: StudyFiles, index: StudyIndex, selection: Selection, columns: Iterable[str]
) -> SelectedRows:
    """Read the selection's rows with `columns` beside the ones that every cube needs (`_ALWAYS`)."""
    return rows_where(files, index, selection.where(), columns)


def rows_where(files: StudyFiles, index: StudyIndex, where: Where, columns: Iterable[str]) -> SelectedRows:
    """Read the rows with some values of columns, as `read_rows` does."""
    return _encoded(index, files.judgments([*_ALWAYS, *columns], where))


def row_batches(
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    columns: Iterable[str],
    judges: Sequence[str] | None = None,
) -> Iterator[SelectedRows]:
    """Yield the rows of `read_rows` in batches, of all judges or those named."""
    where = selection.where() | ({} if judges is None else {"judge": tuple(judges)})
    for table in files.judgment_batches(columns=[*_ALWAYS, *columns], where=where):
        yield _encoded(index, table)


def _encoded(index: StudyIndex, table: pa.Table) -> SelectedRows:
    positions = {
        name: encode(table.column(name), values)
        for name, values in (
            ("judge", index.model_names),
            ("generator", index.model_names),
            ("instance_id", index.instances),
        )
    }
    for name, places in positions.items():
        refuse_unknown(table, name, places, "instances" if name == "instance_id" else "models")
    return SelectedRows(
        judge=positions["judge"],
        generator=positions["generator"],
        instance=positions["instance_id"],
        status=encode(table.column("status"), text_array(STATUSES)),
        trial=integers(table.column("trial"), 0),
        table=table,
    )


def refuse_unknown(table: pa.Table, column: str, places: Ints, known_in: str) -> None:
    """Raise DamagedStudyError if a judgment names something, at place -1, that another table lacks."""
    if places.min(initial=0) < 0:
        value = table.column(column)[int(np.argmin(places))].as_py()
        problem = f"judgments have {column} {value!r}, which is not in `{known_in}`"
        remedy = "check the study with `spb study check`, or import it again"
        raise DamagedStudyError(f"{problem}; {remedy}")


@dataclass(frozen=True, eq=False)
class Failures(ParallelArrays):
    """Rows without a verdict or merged with repeats; `place` is a rubric for verdicts, else an instance."""

    judge: Ints
    generator: Ints
    place: Ints
    code: Objects
    count: Ints


def tally(codes: NDArray[np.object_], counts: Ints) -> Counter[str]:
    names, which = np.unique(codes.astype(str), return_inverse=True)
    totals = np.bincount(which, weights=counts, minlength=len(names)).astype(int)
    return Counter(dict(zip(names.tolist(), totals.tolist(), strict=True)))


def failed_rows(
    rows: SelectedRows, judges: Ints, generators: Ints, failures: list[tuple[Ints, str | None, Ints | None]]
) -> Failures:
    """Return the rows lost, by place among the judges and generators.

    `failures`: which rows, their code (None: their status) and how many each counts for (None: one).
    """
    statuses = np.array(STATUSES, dtype=object)
    parts = [
        Failures(
            np.searchsorted(judges, rows.judge[at]),
            np.searchsorted(generators, rows.generator[at]),
            rows.instance[at],
            statuses[rows.status[at]] if code is None else np.full(len(at), code, dtype=object),
            np.ones(len(at), dtype=np.int64) if count is None else count,
        )
        for at, code, count in failures
    ]
    return Failures.concatenate(parts)


def stored_responses(
    files: StudyFiles, index: StudyIndex, transform: str, column: str
) -> tuple[tuple[Ints, Ints], pa.ChunkedArray]:
    """Return (model, instance) of the responses under a transform, and a column of them."""
    table = files.table("responses", ("instance_id", "generator", column), {"transform": (transform,)})
    return index.responses_of(table), table.column(column)


def select_repeats(cell: Ints, trial: Ints, repeats: Repeats) -> Ints | slice:
    """Return the rows that count if several are of one cell: all, or the first of each."""
    return first_of_each(cell, trial) if repeats == "first" else slice(None)


def first_of_each(cell: Ints, trial: Ints) -> Ints:
    """Return the first row of each cell: lowest trial, then stored order."""
    order = np.argsort(trial, kind="stable")
    _, first = np.unique(cell[order], return_index=True)
    return np.sort(order[first])


@dataclass(frozen=True, eq=False)
class Groups:
    """The first row of each group, the group `of` each row, and the rows in each; by ascending values."""

    first: Ints
    of: Ints
    sizes: Ints

    def means(self, values: Floats, rows: Bools | Ints | slice = slice(None)) -> Floats:
        """Return the mean of each group's values, or of those of some rows; NaN where it has none."""
        return group_means(values[rows], self.of[rows], len(self.first))


def group_rows(*columns: Ints) -> Groups:
    """Group rows by several columns of whole numbers from 0 on."""
    sizes = tuple(int(column.max(initial=0)) + 1 for column in columns)
    number = np.ravel_multi_index(columns, sizes)  # one number for each row sorts far faster than several
    _, first, of, counts = np.unique(number, return_index=True, return_inverse=True, return_counts=True)
    return Groups(first, of.reshape(-1), counts)
