"""Selection; judgment rows as positions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.arrays.index import StudyIndex, encode, integers, numbers
from engine.schema import STATUSES, TRAITS
from engine.stats.types import Bools, Floats, Ints
from engine.store.parquet import text_array
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# Judgment rows read from the store and encoded as positions.


Repeats = Literal["majority", "first"]

OK = STATUSES.index("ok")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which judgment rows a cube is made of: one paradigm and one variant at a time.

    `ordering` None stands for the original order or none recorded. `runs` empty means every run.
    """

    paradigm: str
    variant: str = "default"
    transform: str = "none"
    ordering: str | None = None
    runs: tuple[str, ...] = ()
    repeats: Repeats = "majority"

    def where(self) -> dict[str, tuple[str | None, ...]]:
        """Return the values of the stored columns that are let through."""
        chosen: dict[str, tuple[str | None, ...]] = {
            "paradigm": (self.paradigm,),
            "variant": (self.variant,),
            "transform": (self.transform,),
        }
        if self.runs:
            chosen["run_id"] = self.runs
        if self.ordering is not None:
            chosen["ordering"] = (self.ordering,)
        elif TRAITS[self.paradigm].lists_rubrics:
            chosen["ordering"] = (None, "original")
        return chosen


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of one selection: positions of shape (rows,), and the table for what else was read."""

    judge: Ints
    generator: Ints
    instance: Ints
    status: Ints
    trial: Ints
    table: pa.Table

    def number(self, name: str) -> NDArray[np.float64]:
        """Return a number or truth column, NaN for null."""
        return numbers(self.table.column(name))


_ALWAYS = ("judge", "generator", "instance_id", "status", "trial")
"""The columns that every cube needs."""


def read_rows(files: StudyFiles, index: StudyIndex, selection: Selection, columns: Iterable[str]) -> Rows:
    """Read the selection's rows with `columns` beside the ones that every cube needs."""
    return _encoded(index, files.judgments([*_ALWAYS, *columns], selection.where()))


def row_batches(
    files: StudyFiles,
    index: StudyIndex,
    selection: Selection,
    columns: Iterable[str],
    judges: Sequence[str] | None = None,
) -> Iterator[Rows]:
    """Yield the rows that `read_rows` returns, some at a time; of all judges, or those named."""
    where = selection.where() | ({} if judges is None else {"judge": tuple(judges)})
    for table in files.judgment_batches(columns=[*_ALWAYS, *columns], where=where):
        yield _encoded(index, table)


def _encoded(index: StudyIndex, table: pa.Table) -> Rows:
    return Rows(
        judge=encode(table.column("judge"), index.model_names),
        generator=encode(table.column("generator"), index.model_names),
        instance=encode(table.column("instance_id"), index.instances),
        status=encode(table.column("status"), text_array(STATUSES)),
        trial=integers(table.column("trial"), 0),
        table=table,
    )


@dataclass(frozen=True, eq=False)
class Failures:
    """Rows without a verdict, and rows merged with their repeats, by place; `count` of each.

    `place` is a rubric for verdicts and an instance for scores.
    """

    judge: Ints
    generator: Ints
    place: Ints
    code: NDArray[np.object_]
    count: Ints

    @classmethod
    def joined(cls, pieces: Sequence["Failures"]) -> "Failures":
        """Return the pieces one after another."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in names})

    def tally(self, keep: NDArray[np.bool_]) -> dict[str, int]:
        """Add up the counts of the rows that `keep` marks, by code."""
        totals: dict[str, int] = {}
        for code in sorted(set(self.code[keep])):
            totals[code] = int(self.count[keep & (self.code == code)].sum())
        return totals


def first_of_each(cell: Ints, trial: Ints) -> Ints:
    """Return the rows to keep where only the first repeat counts: lowest trial, then stored order."""
    order = np.argsort(trial, kind="stable")
    _, first = np.unique(cell[order], return_index=True)
    return np.sort(order[first])


# ------------------------------------------------------------------------------
# Rows of pairwise judgments in one orientation.


LOW_FIRST, HIGH_FIRST, UNKNOWN, RESOLVED = range(4)


@dataclass(frozen=True, eq=False)
class PairRows:
    """Pair rows with a verdict, in one orientation: `generator` is the model earlier in the study.

    `order` is LOW_FIRST or HIGH_FIRST (which of the two was shown first), UNKNOWN or RESOLVED. `choice`
    is +1, 0 or -1 seen from `generator` (NaN: none), `p` the probability of `generator` (NaN: none),
    `p_tie` that of a tie (NaN: none was offered). Repeats are merged already;
    `swapped` marks rows stored the other way round.
    """

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    order: Ints
    choice: Floats
    p: Floats
    p_tie: Floats
    swapped: Bools


@dataclass(frozen=True, eq=False)
class PairFailures:
    """Pair rows without a use, by code; `count` of each, `order` as in `PairRows`."""

    judge: Ints
    instance: Ints
    generator: Ints
    opponent: Ints
    order: Ints
    code: NDArray[np.object_]
    count: Ints


Some = TypeVar("Some", PairRows, PairFailures)


def take(pairs: Some, keep: Bools | Ints) -> Some:
    """Return some of the rows."""
    return type(pairs)(**{name: values[keep] for name, values in vars(pairs).items()})


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows grouped by what they have in common, in ascending order of it.

    `first` is the first row of each group, `of` the group of each row, `sizes` how many rows each has.
    """

    first: Ints
    of: Ints
    sizes: Ints


def group_rows(*columns: Ints) -> Groups:
    """Group rows by several columns of whole numbers from 0 on."""
    sizes = tuple(int(column.max(initial=0)) + 1 for column in columns)
    number = np.ravel_multi_index(columns, sizes)  # one number for each row sorts far faster than several
    _, first, of, counts = np.unique(number, return_index=True, return_inverse=True, return_counts=True)
    return Groups(first, of.reshape(-1), counts)


def forced(rows: PairRows) -> Bools:
    """Return which rows are forced choices with a probability: no tie was offered."""
    return ~np.isnan(rows.p) & np.isnan(rows.p_tie)


def speaks(rows: PairRows) -> Bools:
    """Return which rows say something: a choice, or a probability where no tie was offered."""
    return ~np.isnan(rows.choice) | forced(rows)


def named(rows: PairRows) -> Floats:
    """Return whom each row names, seen from `generator`: its choice, else the likelier; NaN for nobody."""
    likelier = np.where(forced(rows), np.sign(rows.p - 0.5), np.nan)
    return np.where(np.isnan(rows.choice), likelier, rows.choice)
