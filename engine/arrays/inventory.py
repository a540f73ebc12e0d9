"""Which judgments a study holds: counts for each combination of values of a selection's columns."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import encode
from engine.arrays.study_cache import CacheEntry, StudyCache
from engine.paradigms import PARADIGMS
from engine.phrases import quantity
from engine.schema import STATUSES
from engine.stats import Ints
from engine.store.study_files import StudyFiles

ColumnFilter = str | Iterable[str | None] | None  # a value, or several values that match
COLUMNS = ("judge", "paradigm", "variant", "transform", "ordering", "run_id", "status")


@dataclass(frozen=True)
class Inventory:
    """Rows of (judge, paradigm, variant, transform, ordering, run_id, status, count)."""

    rows: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]

    def __repr__(self) -> str:
        """Return counts instead of the rows, which are thousands in a large study."""
        judges, paradigms = ({row[column] for row in self.rows} for column in (0, 1))
        parts = (quantity(len(judges), "judge"), quantity(len(paradigms), "paradigm"))
        return f"Inventory({', '.join(parts)}, {quantity(sum(self.counts), 'judgment')})"

    @classmethod
    def read(cls, files: StudyFiles, parts: Sequence[str] | None = None) -> "Inventory":
        """Count the stored judgments, all of them or those in some parts."""
        return cls.merge(map(_count_rows, files.judgment_batches(columns=COLUMNS, parts=parts)))

    @classmethod
    def merge(cls, pieces: Iterable["Inventory"]) -> "Inventory":
        """Add up the inventories of some parts, in their order."""
        total: Counter[tuple[str | None, ...]] = Counter()
        for piece in pieces:
            total.update(dict(zip(piece.rows, piece.counts, strict=True)))
        return cls(tuple(total), tuple(total.values()))

    @classmethod
    def unpack(cls, entry: CacheEntry) -> "Inventory":
        return cls(tuple(tuple(row) for row in entry.facts["rows"]), tuple(entry.facts["counts"]))

    def values(self, column: str, **where: ColumnFilter) -> list[str | None]:
        """Return a column's sorted values in the rows that match; paradigms as in the schema, null last."""
        at = COLUMNS.index(column)
        values = {row[at] for row, _ in self._matching(where)}
        rank: dict[str, int] = {name: place for place, name in enumerate(PARADIGMS)}
        return sorted(values, key=lambda value: (value is None, rank.get(value or "", 0), value or ""))

    @property
    def runs(self) -> list[str]:
        """The names of the runs with judgments, sorted."""
        return [run for run in self.values("run_id") if run is not None]

    @property
    def runs_as_added(self) -> list[str]:
        """The same runs, the first that was added to the study first."""
        at = COLUMNS.index("run_id")
        return [run for run in dict.fromkeys(row[at] for row in self.rows) if run is not None]

    def of_runs(self, runs: Sequence[str]) -> "Inventory":
        """Return what is counted of these runs."""
        at = COLUMNS.index("run_id")
        counts = {row: n for row, n in zip(self.rows, self.counts, strict=True) if row[at] in runs}
        return Inventory(tuple(counts), tuple(counts.values()))

    def total(self, **where: ColumnFilter) -> int:
        return sum(n for _, n in self._matching(where))

    def _matching(self, where: dict[str, ColumnFilter]) -> list[tuple[tuple[str | None, ...], int]]:
        """Return the rows that have one of the values asked for in each of some columns, and their counts."""
        rows = list(zip(self.rows, self.counts, strict=True))
        for column, value in where.items():
            at = COLUMNS.index(column)
            allowed = (value,) if value is None or isinstance(value, str) else tuple(value)
            rows = [row for row in rows if row[0][at] in allowed]
        return rows

    def statuses(self, judges: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """Return how many judgments have each (judge, paradigm, status), by `judges` and the schema."""
        totals: Counter[tuple[str, str, str]] = Counter()
        for row, count in zip(self.rows, self.counts, strict=True):
            judge, paradigm, status = (str(row[COLUMNS.index(n)]) for n in ("judge", "paradigm", "status"))
            totals[judge, paradigm, status] += count
        return sorted(
            ((*at, count) for at, count in totals.items()),
            key=lambda row: (judges.index(row[0]), PARADIGMS.index(row[1]), STATUSES.index(row[2])),
        )


def _count_rows(table: pa.Table) -> Inventory:
    names = []
    cell = np.zeros(len(table), dtype=np.int64)
    for name in COLUMNS:
        column = table.column(name)
        values = _distinct(column)
        has_null = bool(column.null_count) or not len(values)
        names.append([*values.to_pylist(), *([None] if has_null else [])])
        if len(names[-1]) > 1:  # one value in most columns of most batches
            code = encode(column, values)
            cell = cell * len(names[-1]) + np.where(code < 0, len(values), code)
    sizes = [len(values) for values in names]
    places, counts = _tallied(cell, math.prod(sizes))
    where = np.unravel_index(places, sizes)
    rows = (tuple(values[i] for values, i in zip(names, at, strict=True)) for at in zip(*where, strict=True))
    return Inventory(tuple(rows), tuple(counts.tolist()))


def _distinct(column: pa.ChunkedArray) -> pa.Array:
    """Return the values of a column as texts, without null."""
    values = column.combine_chunks()
    if pa.types.is_dictionary(values.type) and len(values.dictionary) == 1 and not values.null_count:
        return values.dictionary.cast(pa.string())
    return pc.unique(values).cast(pa.string()).drop_null()


def _tallied(cell: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the cells from 0 to before `size` that occur, and how often each does."""
    if size > len(cell):
        return np.unique(cell, return_counts=True)
    counts = np.bincount(cell, minlength=size)
    places = np.flatnonzero(counts)
    return places, counts[places]


def cached_inventory(
    cache: StudyCache, files: StudyFiles, read: Callable[[StudyFiles], Inventory] = Inventory.read
) -> Inventory:
    """Return the cached inventory, else the one that `read` reads."""
    return cache.cached_or_built(
        "inventory",
        lambda: read(files),
        lambda inventory: CacheEntry(facts=vars(inventory)),
        Inventory.unpack,
    )
