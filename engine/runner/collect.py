"""From the journal into the study."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, StudyChangedError
from engine.runner.answered import Answered
from engine.runner.entries import Entry
from engine.runner.journal import read_entries
from engine.runner.run_rows import RunRows
from engine.store import StudyFiles
from engine.store.collected import Collected, add_collected, run_parts

_TRIES = 40
_LONGEST_WAIT_S = 2.0
Rows = list[dict[str, Any]]


class Collector:
    """Takes files of a journal into the study, each at once, and removes those that are in it.

    Other writers of the study (shards, `spb committee`) are waited for.
    """

    def __init__(
        self, study: StudyFiles, runs: RunRows, alone: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Write into `study`, other collectors kept out by `alone`."""
        self.study = study
        self.runs = runs
        self._alone = alone

    def collect(self, path: Path) -> None:
        """Take a file of this process's journal into the study and remove it.

        Raises StoreError where the study cannot be written; the file then stays.
        """
        try:
            self._add(list(read_entries(path)))
        except BadInputError:  # rows that the study holds already, which must not stop the rest
            self._add(self._fresh(read_entries(path)))
        path.unlink()

    def take(self, path: Path) -> list[Entry]:
        """Take a file that may have been taken before; what the study holds already is not taken twice.

        Returns the calls that were taken.
        """
        entries = self._fresh(read_entries(path))
        self._add(entries)
        path.unlink()
        return entries

    def recover(self, path: Path) -> int:
        """Take a file that another process left, as `take` does, and return how many calls were taken."""
        return len(self.take(path))

    def change_runs(self, change: Callable[[Rows], Rows]) -> None:
        """Change the table `runs` alone."""
        self._write(Collected(self.runs.run_id, [], []), change)

    def _add(self, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        rows: dict[str, Rows] = {"judgments": [], "responses": []}
        for entry in entries:
            rows[entry.table] += entry.rows
        collected = Collected(self.runs.run_id, rows["judgments"], rows["responses"])
        self._write(collected, lambda runs: self.runs.counted(entries, runs))

    def _write(self, collected: Collected, change: Callable[[Rows], Rows]) -> None:
        for attempt in range(_TRIES):
            try:
                with self._alone():
                    self.study = add_collected(self.study, collected, change)
                return
            except StudyChangedError:
                if attempt == _TRIES - 1:
                    raise
                wait = min(0.05 * 2**attempt, _LONGEST_WAIT_S)
                time.sleep(random.uniform(0, wait))  # noqa: S311 - so that not all come back at once

    def _fresh(self, entries: Iterator[Entry]) -> list[Entry]:
        """Return the entries that are not in the study; of two for one call the first answer counts."""
        self.study = StudyFiles(self.study.location)
        answered = Answered.of_run(self.study, self.runs.run_id)
        failures = self._stored_failures()
        fresh = []
        for entry in entries:
            failed = entry.status == "error"
            if failed and (entry.key, datetime.fromisoformat(entry.at)) in failures:
                continue
            if any(answered.has_row(entry.table, row) for row in entry.rows):
                continue
            if entry.status != "error":
                for row in entry.rows:
                    answered.add(entry.table, row)
            fresh.append(entry)
        return fresh

    def _stored_failures(self) -> set[tuple[str, datetime]]:
        columns = ["run_id", "call_id", "status", "created_at"]
        failures = set()
        parts = run_parts(self.study, self.runs.run_id)
        for rows in self.study.judgment_batches(columns=columns, parts=parts):
            for row in rows.to_pylist():
                if row["status"] == "error" and row["run_id"] == self.runs.run_id:
                    failures.add((row["call_id"], row["created_at"]))
        return failures
