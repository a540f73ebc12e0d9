"""The possible cost of calls in progress, on disk, so that a killed process leaves a record of it.

A provider charges for an answer even if nobody reads it. So before a call is sent, a line beside the journal
states what it may cost, and once its answer is in the journal another states that it has ended. The next
start adds the calls that began and did not end to the run's cost, and so they count towards the cap. The
lines need no `fsync`: they outlive the process, though not a power cut.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.collect.calls import CallRequest, Role
from engine.collect.journal import Damaged, journal_files, read_entries, read_lines, sealed

Group = tuple[str, Role, str | None, str]
"""The row of table `runs` that a call belongs to: model, role, paradigm, variant."""

_FILE = "under_way.jsonl"
_MOST_LINES = 10_000
"""Lines after which the file is rewritten with the calls in progress alone."""


class UnderWay:
    """The calls of one process that are in progress, in the folder of its journal."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        self._held: dict[str, dict[Group, float]] = {}
        self._file: int | None = None
        self._lines = 0

    def begin(self, key: str, request: CallRequest, usd: float) -> None:
        """Record that the call `key` may cost `usd` more, charged to the request's model.

        Raises OSError if that cannot be written.
        """
        if usd <= 0:
            return
        group = (request.model, request.role, request.paradigm, request.variant)
        dollars = self._held.setdefault(key, {})
        dollars[group] = dollars.get(group, 0.0) + usd
        self._write(_begun(key, group, dollars[group]))

    def end(self, key: str) -> None:
        """Record that the call is in the journal; on a full disk it stays in progress."""
        if self._held.pop(key, None) is not None:
            with suppress(OSError):
                self._write(_line({"ended": key}))

    def close(self) -> None:
        """Remove the file, unless abandoned calls may still be charged for."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
            if not self._held:
                self._path.unlink(missing_ok=True)

    def _write(self, line: bytes) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        elif self._lines >= _MOST_LINES:
            self._compact()
        os.write(self._file, line)
        self._lines += 1

    def _compact(self) -> None:
        """Rewrite the file with the calls in progress alone."""
        lines = [_begun(key, group, usd) for key, each in self._held.items() for group, usd in each.items()]
        anew = self._path.with_suffix(".new")
        anew.write_bytes(b"".join(lines))
        descriptor = os.open(anew, os.O_WRONLY | os.O_APPEND)
        anew.replace(self._path)
        if self._file is not None:
            os.close(self._file)
        self._file, self._lines = descriptor, len(lines)


def left_under_way(folder: Path) -> dict[Group, float]:
    """Return the dollars that a killed process may owe, by group, for calls missing from its journal."""
    held: dict[str, dict[Group, float]] = {}
    for line in _lines_of(folder / _FILE):
        if "ended" in line:
            held.pop(line["ended"], None)
        else:
            model, role, paradigm, variant = line["group"]
            held.setdefault(line["begun"], {})[(model, role, paradigm, variant)] = line["usd"]
    if held:  # a process may be killed between the journal's line and this file's
        for path in journal_files(folder):
            for entry in read_entries(path):
                held.pop(entry.key, None)
    owed: dict[Group, float] = {}
    for dollars in held.values():
        for group, usd in dollars.items():
            owed[group] = owed.get(group, 0.0) + usd
    return owed


def forget_under_way(folder: Path) -> None:
    """Remove the record of a killed process, once its cost is in the study."""
    (folder / _FILE).unlink(missing_ok=True)


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the intact lines of a file; none if there is no file."""
    with suppress(FileNotFoundError):
        yield from (line for line in read_lines(path, json.loads) if not isinstance(line, Damaged))


def _begun(key: str, group: Group, usd: float) -> bytes:
    return _line({"begun": key, "group": group, "usd": usd})


def _line(value: dict[str, object]) -> bytes:
    return sealed(json.dumps(value, separators=(",", ":")).encode() + b"\n")
