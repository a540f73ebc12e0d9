"""One judge's verdicts while they are read, batch by batch: two bytes for each rubric of each response.

Only where a judge gave several verdicts on one rubric of a response are its rows read again and the votes
counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubes.index import StudyIndex
from engine.cubes.rows import OK, Repeats, Rows, first_of_each
from engine.metrics.majority import majority
from engine.schema import STATUSES

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]

_CODES = np.array(STATUSES, dtype=object)


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of one judge, each of shape (rows,); `cell` is generator x rubrics + rubric, over all models."""

    judge: int
    cell: Ints
    status: Ints
    met: Bools
    trial: Ints

    @classmethod
    def of_each_judge(cls, index: StudyIndex, rows: Rows) -> Iterator["Batch"]:
        """Take rows apart by judge."""
        rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
        cell = rows.generator * index.n_rubrics + rubric
        met = rows.number("met") == 1
        for judge in np.unique(rows.judge).tolist():
            mine = np.flatnonzero(rows.judge == judge)
            yield cls(judge, cell[mine], rows.status[mine], met[mine], rows.trial[mine])


class JudgeVerdicts:
    """The verdicts of one judge while they are read.

    `met` says what it found, `ok` whether there is a verdict, each of shape (cells,). Rows that come to
    nothing are `lost`: (cells, code of each, rows of each).
    """

    def __init__(self, index: StudyIndex) -> None:
        """Begin with no verdict."""
        self._n_rubrics = index.n_rubrics
        size = len(index.models) * index.n_rubrics
        self.met, self.ok = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        self.lost: list[tuple[Ints, Objects, Ints]] = []
        self._verdicts = 0

    def add(self, batch: Batch) -> None:
        """Take in some rows."""
        good = batch.status == OK
        cell, failed = batch.cell[good], batch.cell[~good]
        self.met[cell], self.ok[cell] = batch.met[good], True
        self._verdicts += len(cell)
        self.lost.append((failed, _CODES[batch.status[~good]], np.ones(len(failed), dtype=np.int64)))

    @property
    def generators(self) -> Ints:
        """The models of which there is a row."""
        judged = np.flatnonzero(self.ok.reshape(-1, self._n_rubrics).any(axis=1))
        return np.unique(np.concatenate([judged, *(cell // self._n_rubrics for cell, _, _ in self.lost)]))

    @property
    def has_repeats(self) -> bool:
        """Whether a cell has several verdicts, of which any one stands until they are settled."""
        return self._verdicts > int(np.count_nonzero(self.ok))

    def settle(self, votes: "Votes", repeats: Repeats) -> None:
        """Let each cell have what its votes come to."""
        if repeats == "first":
            self.met = votes.first
        else:
            self.met, self.ok = majority(votes.ayes, votes.number)
        lost = votes.number - self.ok  # of repeats that are divided, all
        cell = np.flatnonzero(lost)
        merged = np.full(len(cell), "merged", dtype=object)
        self.lost.append((cell, merged, lost[cell].astype(np.int64)))


class Votes:
    """How many verdicts one judge gave on each cell, how many said met, and what the first one says."""

    def __init__(self, size: int) -> None:
        """Begin with no vote."""
        self.number, self.ayes = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
        self.first = np.zeros(size, dtype=bool)
        self._trial = np.full(size, np.iinfo(np.int64).max)

    def add(self, batch: Batch) -> None:
        """Count some rows, which come in stored order."""
        good = np.flatnonzero(batch.status == OK)
        cell, met, trial = batch.cell[good], batch.met[good], batch.trial[good]
        np.add.at(self.number, cell, 1)
        np.add.at(self.ayes, cell[met], 1)
        first = first_of_each(cell, trial)
        first = first[trial[first] < self._trial[cell[first]]]
        self.first[cell[first]], self._trial[cell[first]] = met[first], trial[first]
