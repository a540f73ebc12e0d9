"""One judge's verdicts while they are read, batch by batch: two bytes for each rubric of each response."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.arrays.encoding import Objects
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import OK, Repeats, SelectedRows, first_of_each, refuse_unknown
from engine.schema import STATUSES
from engine.stats import Bools, Ints
from engine.stats.judges.combined_verdicts import majority

_CODES = np.array(STATUSES, dtype=object)


@dataclass(frozen=True, eq=False)
class JudgeRows:
    """Rows of one judge, each of shape (rows,); `cell` is generator x rubrics + rubric, over all models."""

    judge: int
    cell: Ints
    status: Ints
    met: Bools
    trial: Ints

    @classmethod
    def of_each_judge(cls, index: StudyIndex, rows: SelectedRows) -> Iterator["JudgeRows"]:
        rubric = index.rubric_positions(rows.instance, rows.table.column("rubric_id"))
        if rubric.min(initial=0) < 0:  # perhaps of rows without a verdict alone
            refuse_unknown(rows.table, "rubric_id", np.where(rows.status == OK, rubric, 0), "rubrics")
        cell = rows.generator * index.n_rubrics + rubric
        met = rows.number("met") == 1
        judges = np.flatnonzero(np.bincount(rows.judge)).tolist()
        for judge in judges:
            at = np.flatnonzero(rows.judge == judge) if len(judges) > 1 else slice(None)
            yield cls(judge, cell[at], rows.status[at], met[at], rows.trial[at])


class JudgeVerdicts:
    """One judge's verdicts while they are read: (cells,), and `failures`: (cells, code, rows of each)."""

    def __init__(self, index: StudyIndex) -> None:
        self._n_rubrics = index.n_rubrics
        size = len(index.models) * index.n_rubrics
        self.met, self.ok = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        self.failures: list[tuple[Ints, Objects, Ints]] = []
        self._verdicts = 0

    def add(self, batch: JudgeRows) -> None:
        good = batch.status == OK
        cell, failed = batch.cell[good], batch.cell[~good]
        self.met[cell], self.ok[cell] = batch.met[good], True
        self._verdicts += len(cell)
        self.failures.append((failed, _CODES[batch.status[~good]], np.ones(len(failed), dtype=np.int64)))

    @property
    def generators(self) -> Ints:
        judged = np.flatnonzero(self.ok.reshape(-1, self._n_rubrics).any(axis=1))
        return np.unique(np.concatenate([judged, *(cell // self._n_rubrics for cell, _, _ in self.failures)]))

    @property
    def has_repeats(self) -> bool:
        """Whether a cell has several verdicts; `met` holds any one of them until they are merged."""
        return self._verdicts > int(np.count_nonzero(self.ok))

    def merge_repeats(self, votes: "JudgeVotes", repeats: Repeats) -> None:
        """Set each cell to the result of its votes."""
        if repeats == "first":
            self.met = votes.first
        else:
            self.met, self.ok = majority(votes.ayes, votes.number)
        left_out = votes.number - self.ok  # all of them if repeats are divided
        cell = np.flatnonzero(left_out)
        code = np.full(len(cell), "merged", dtype=object)
        self.failures.append((cell, code, left_out[cell].astype(np.int64)))


class JudgeVotes:
    """How many verdicts one judge gave on each cell, how many said met, and the first one."""

    def __init__(self, size: int) -> None:
        self.number, self.ayes = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
        self.first = np.zeros(size, dtype=bool)
        self._trial = np.full(size, np.iinfo(np.int64).max)

    def add(self, batch: JudgeRows) -> None:
        """Count some rows, which come in stored order."""
        good = np.flatnonzero(batch.status == OK)
        cell, met, trial = batch.cell[good], batch.met[good], batch.trial[good]
        np.add.at(self.number, cell, 1)
        np.add.at(self.ayes, cell[met], 1)
        first = first_of_each(cell, trial)
        first = first[trial[first] < self._trial[cell[first]]]
        self.first[cell[first]], self._trial[cell[first]] = met[first], trial[first]
