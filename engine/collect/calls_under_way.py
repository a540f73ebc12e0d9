"""The possible cost of calls in progress, on disk, so that a killed process leaves a record of it.

A provider charges for an answer even if nobody reads it. So before a call is sent, a line beside the journal
states what it may cost, and once its answer is in the journal another states that it has ended. The next
start adds the calls that began and did not end to the run's cost, and so they count towards the cap. The
lines need no `fsync`: they outlive the process, though not a power cut.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from engine.collect.calls import CallRequest, Role
from engine.collect.journal import Entry, journal_files
from engine.collect.sealed_lines import json_lines, read_lines, seal

Group = tuple[str, Role, str | None, str]
"""The row of table `runs` that a call belongs to: model, role, paradigm, variant."""


_MOST_LINES = 10_000
"""Lines after which the file is rewritten with the calls in progress alone."""


class CallsUnderWay:
    """The calls of one process that are in progress, in the folder of its journal."""

    FILE = "under_way.jsonl"

    def __init__(self, folder: Path) -> None:
        self._path = folder / self.FILE
        self._calls: dict[str, dict[Group, float]] = {}
        self._file: int | None = None
        self._lines = 0

    def begin(self, key: str, request: CallRequest, usd: float) -> None:
        """Record that the call `key` may cost `usd` more, charged to the request's model."""
        if usd <= 0:
            return
        group = (request.model, request.role, request.paradigm, request.variant)
        dollars = self._calls.setdefault(key, {})
        dollars[group] = dollars.get(group, 0.0) + usd
        self._write(_line({"began": key, "group": group, "usd": dollars[group]}))

    def end(self, key: str) -> None:
        """Record that the call is in the journal; on a full disk it stays in progress."""
        if self._calls.pop(key, None) is not None:
            with suppress(OSError):
                self._write(_line({"ended": key}))

    def close(self) -> None:
        """Remove the file, unless abandoned calls may still be charged for."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            if not self._calls:
                self._path.unlink(missing_ok=True)

    def _write(self, line: bytes) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        elif self._lines >= _MOST_LINES:
            lines = [
                _line({"began": key, "group": group, "usd": usd})
                for key, dollars in self._calls.items()
                for group, usd in dollars.items()
            ]
            fresh = self._path.with_suffix(".new")
            fresh.write_bytes(b"".join(lines))
            descriptor = os.open(fresh, os.O_WRONLY | os.O_APPEND)
            fresh.replace(self._path)
            os.close(self._file)
            self._file, self._lines = descriptor, len(lines)
        os.write(self._file, line)
        self._lines += 1


def charges_under_way(folder: Path) -> dict[Group, float]:
    """Return the dollars that a killed process may owe, by group, for calls missing from its journal."""
    open_calls: dict[str, dict[Group, float]] = {}
    for line in json_lines(folder / CallsUnderWay.FILE):
        if "ended" in line:
            open_calls.pop(line["ended"], None)
        else:
            model, role, paradigm, variant = line["group"]
            open_calls.setdefault(line["began"], {})[(model, role, paradigm, variant)] = line["usd"]
    if open_calls:  # a process may be killed between the journal's line and this file's
        for path in journal_files(folder):
            for entry in read_lines(path, Entry.from_line):
                if isinstance(entry, Entry):
                    open_calls.pop(entry.key, None)
    charges: dict[Group, float] = {}
    for dollars in open_calls.values():
        for group, usd in dollars.items():
            charges[group] = charges.get(group, 0.0) + usd
    return charges


def _line(value: dict[str, object]) -> bytes:
    return seal(json.dumps(value, separators=(",", ":")).encode() + b"\n")
