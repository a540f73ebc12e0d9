"""Adds a run's finished calls to the study, and withdraws what is to be redone."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from engine import schema
from engine.collect.database.entries import Entry
from engine.collect.database.sealed_lines import write_to_disk
from engine.collect.rows.completed_calls import CompletedCalls, judgments_of_run, read_as_it_is, row_dicts
from engine.collect.rows.new_rows import NewRows, add_rows
from engine.collect.rows.redo import OF_JUDGMENTS, TABLES, RepeatedResponses
from engine.collect.rows.run_rows import RunRows
from engine.errors import BadInputError, StudyChangedError
from engine.store.publish import full_disk_error
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add rows to a file of JSON lines; StoreError if the disk is full."""
    filled = ({name: value for name, value in row.items() if value is not None} for row in rows)
    with full_disk_error(path):
        write_to_disk(path, "ab", (json.dumps(each, default=str).encode() + b"\n" for each in filled))


_TRIES = 40
_LONGEST_WAIT_S = 2.0


@dataclass(eq=False)
class Collector:
    """Adds finished calls to the study, each portion in one step.

    It waits for other writers of the study (shards, `spb reference committee`), which `lock` locks out.
    """

    study: StudyFiles
    runs: RunRows
    lock: Callable[[], AbstractContextManager[None]]

    def collect(self, entries: Sequence[Entry]) -> None:
        """Add calls of this process to the study."""
        try:
            self._add(entries)
        except BadInputError:  # some rows are already stored, which must not stop the rest
            self._add(self._missing_entries(entries))

    def withdraw(
        self,
        condition: Callable[[Mapping[str, Any]], bool],
        path: Path,
        note: Callable[[str, int], str],
        *,
        new_settings: bool = True,
    ) -> int:
        """Remove the run's judgments that fulfil `condition`, to be requested again; return how many calls.

        First they are written to `path`, one per line. `note` makes the text in `runs` from a model and its
        number of calls. All rows of a call are removed together. With `new_settings`, the settings in `runs`
        become those of the current configuration.
        """
        columns = ["run_id", "call_id", "judge", "status", "shortfall", "stood_in_for", *OF_JUDGMENTS]
        concerned = self._own_judgments(columns, lambda row: row["call_id"] is not None and condition(row))
        if not concerned:
            return 0
        calls = {row["call_id"]: row["judge"] for row in concerned}
        _write_lines(path, self._own_judgments(schema.JUDGMENTS.names, lambda row: row["call_id"] in calls))
        notes = {model: note(model, count) for model, count in Counter(calls.values()).items()}
        new = NewRows(self.runs.run_id, [], [], frozenset(calls))
        self._write(new, lambda rows: self.runs.note_redone(notes, rows, new_settings=new_settings))
        return len(calls)

    def withdraw_responses(
        self, repeated: RepeatedResponses, path: Path, note: Callable[[str, int], str]
    ) -> None:
        """Remove responses, and references about them, to be requested again; first write them to `path`."""
        self.study = StudyFiles(self.study.location)
        for name in filter(self.study.has, TABLES):
            _, rows = repeated.without(name, self.study.table(name))
            keys = ((row["instance_id"], row["generator"], row.get("transform") or "none") for row in rows)
            calls = ({"call_id": repeated.calls.get(key, ""), "table": name} for key in keys)
            _write_lines(path, (row | call for row, call in zip(rows, calls, strict=True)))
        models = Counter(model for _, model, _ in repeated.calls)
        notes = {model: note(model, count) for model, count in models.items()}
        new = NewRows(self.runs.run_id, [], [], repeated=repeated)
        self._write(new, lambda rows: self.runs.note_redone(notes, rows))

    def _own_judgments(
        self, columns: Sequence[str], condition: Callable[[Mapping[str, Any]], bool]
    ) -> list[dict[str, Any]]:
        """Return the run's judgments that fulfil `condition`, as they are stored now."""

        def read_rows(study: StudyFiles) -> list[dict[str, Any]]:
            return [row for row in judgments_of_run(study, self.runs.run_id, list(columns)) if condition(row)]

        return read_as_it_is(self.study, read_rows)

    def collect_missing(self, entries: Iterable[Entry]) -> list[Entry]:
        """Add calls of which some may have been added before, and return those that the study lacked."""
        missing = self._missing_entries(entries)
        self._add(missing)
        return missing

    def own_judgments(self, **where: str) -> Iterator[dict[str, Any]]:
        """Yield the run's judgments in the study, those with these values."""
        conditions = {"run_id": (self.runs.run_id,)} | {name: (value,) for name, value in where.items()}
        yield from row_dicts(self.study.judgments(schema.JUDGMENTS.names, conditions))

    def add_judgments(self, rows: Rows) -> None:
        """Add rows that follow from others of the run, without calls."""
        self._write(NewRows(self.runs.run_id, rows, []), lambda runs: runs)

    def change_runs(self, change: Callable[[Rows], Rows]) -> None:
        self._write(NewRows(self.runs.run_id, [], []), change)

    def _add(self, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        rows: dict[str, Rows] = {"judgments": [], "responses": []}
        for entry in entries:
            rows[entry.table] += entry.rows
        new = NewRows(self.runs.run_id, rows["judgments"], rows["responses"])
        self._write(new, lambda runs: self.runs.add_calls(entries, runs))
        self.runs.note_answers(entries)

    def _write(self, new: NewRows, change: Callable[[Rows], Rows]) -> None:
        for attempt in range(_TRIES):
            try:
                with self.lock():
                    self.study = add_rows(self.study, new, change)
                return
            except StudyChangedError:
                if attempt == _TRIES - 1:
                    raise
                wait = min(0.05 * 2**attempt, _LONGEST_WAIT_S)
                time.sleep(random.uniform(0, wait))  # noqa: S311 - so that not all retry at once

    def _missing_entries(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the entries that are not in the study; of two answers to one call, the first counts."""
        calls = CompletedCalls.of_run(self.study, self.runs.run_id)
        columns = ["run_id", "call_id", "status", "created_at"]
        failed_rows = self._own_judgments(columns, lambda row: row["status"] == "error")
        failures = {(row["call_id"], row["created_at"]) for row in failed_rows}
        missing = []
        for entry in entries:
            failed = entry.status == "error"
            is_stored = failed and (entry.key, datetime.fromisoformat(entry.at)) in failures
            if is_stored or any(calls.has_row(entry.table, row) for row in entry.rows):
                continue
            for row in () if failed else entry.rows:
                calls.add(entry.table, row)
            missing.append(entry)
        return missing
