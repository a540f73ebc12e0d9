"""Which judgments a study holds: counts for each combination of what a selection is made of."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.cubes.arrow import encode
from engine.cubes.stored import Packed, Stored
from engine.schema import PARADIGMS, STATUSES
from engine.store import StudyFiles

Wanted = str | Iterable[str | None] | None
"""A value, or the values let through."""

COLUMNS = ("judge", "paradigm", "variant", "transform", "ordering", "run_id", "status")


@dataclass(frozen=True)
class Inventory:
    """Rows of (judge, paradigm, variant, transform, ordering, run_id, status, count)."""

    rows: tuple[tuple[str | None, ...], ...]
    counts: tuple[int, ...]

    @classmethod
    def read(cls, files: StudyFiles, parts: Sequence[str] | None = None) -> "Inventory":
        """Count the stored judgments, all of them or those in some parts."""
        total: Counter[tuple[str | None, ...]] = Counter()
        for table in files.judgment_batches(columns=COLUMNS, parts=parts):
            total.update(_counted(table))
        return cls(tuple(total), tuple(total.values()))

    @classmethod
    def joined(cls, pieces: Iterable["Inventory"]) -> "Inventory":
        """Add up what some parts hold, in their order."""
        total: Counter[tuple[str | None, ...]] = Counter()
        for piece in pieces:
            total.update(dict(zip(piece.rows, piece.counts, strict=True)))
        return cls(tuple(total), tuple(total.values()))

    def pack(self) -> Packed:
        """Return what is kept of it."""
        return Packed(facts={"rows": self.rows, "counts": self.counts})

    @classmethod
    def unpack(cls, packed: Packed) -> "Inventory":
        """Return the inventory that was kept."""
        return cls(tuple(tuple(row) for row in packed.facts["rows"]), tuple(packed.facts["counts"]))

    def values(self, column: str, **fixed: Wanted) -> list[str | None]:
        """Return the values of a column among the rows that match `fixed`; null last, else in order found.

        Paradigms come in the order of the schema.
        """
        at = COLUMNS.index(column)
        found = {row[at] for row in self.rows if _matches(row, fixed)}
        rank: dict[str, int] = {name: place for place, name in enumerate(PARADIGMS)}
        return sorted(found, key=lambda value: (value is None, rank.get(value or "", 0), value or ""))

    def total(self, **fixed: Wanted) -> int:
        """Return the number of judgments in the rows that match `fixed`."""
        return sum(n for row, n in zip(self.rows, self.counts, strict=True) if _matches(row, fixed))

    def statuses(self, judges: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """Return the number of judgments for each (judge, paradigm, status) there is.

        Judges come in the order of `judges`, which names all of them, the rest in that of the schema.
        """
        totals: Counter[tuple[str, str, str]] = Counter()
        for row, count in zip(self.rows, self.counts, strict=True):
            judge, paradigm, status = (str(row[COLUMNS.index(n)]) for n in ("judge", "paradigm", "status"))
            totals[judge, paradigm, status] += count
        return sorted(
            ((*at, count) for at, count in totals.items()),
            key=lambda row: (judges.index(row[0]), PARADIGMS.index(row[1]), STATUSES.index(row[2])),
        )


def _counted(table: pa.Table) -> dict[tuple[str | None, ...], int]:
    """Count the rows of each combination of values."""
    names = []
    cell = np.zeros(len(table), dtype=np.int64)
    for column in COLUMNS:
        values = pc.unique(table.column(column)).cast(pa.string()).drop_null()
        names.append([None, *values.to_pylist()])
        cell *= len(names[-1])
        cell += encode(table.column(column), values) + 1  # 0 is null
    places, counts = np.unique(cell, return_counts=True)
    where = np.unravel_index(places, [len(values) for values in names])
    rows = (tuple(values[i] for values, i in zip(names, at, strict=True)) for at in zip(*where, strict=True))
    return dict(zip(rows, counts.tolist(), strict=True))


def kept_inventory(
    stored: Stored, files: StudyFiles, read: Callable[[StudyFiles], Inventory] = Inventory.read
) -> Inventory:
    """Return the inventory as it is kept beside the study, else as `read` reads it."""
    return stored.kept("inventory", lambda: read(files), Inventory.pack, Inventory.unpack)


def _matches(row: tuple[str | None, ...], fixed: dict[str, Wanted]) -> bool:
    for column, wanted in fixed.items():
        value = row[COLUMNS.index(column)]
        if isinstance(wanted, str) or wanted is None:
            if value != wanted:
                return False
        elif value not in wanted:
            return False
    return True
