"""What the calls under way may cost, on the disk: a process that is killed leaves word of what it may owe.

A provider charges for an answer that nobody is there to read. So before a call is sent, a line beside the
journal says what it may cost, and once its answer is in the journal another says that it has ended. What has
begun and not ended is added to the run's cost by the next start, and so counts under the cap. The lines need
no `fsync`: they outlive the process, if not a power cut.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.collect.calls import CallRequest, Role
from engine.collect.journal import Damaged, read_lines, sealed

Group = tuple[str, Role, str | None, str]
"""The row of table `runs` that a call belongs to: model, role, paradigm, variant."""

_FILE = "under_way.jsonl"
_MOST_LINES = 10_000
"""What the file holds before it is written anew with the calls under way alone."""


class UnderWay:
    """The calls under way of one process, in the folder of its journal."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _FILE
        self._held: dict[str, dict[Group, float]] = {}
        self._file: int | None = None
        self._lines = 0

    def begin(self, key: str, request: CallRequest, usd: float) -> None:
        """Note that the call `key` may cost so many dollars more of the request's model.

        Raises OSError where that cannot be written.
        """
        if usd <= 0:
            return
        group = (request.model, request.role, request.paradigm, request.variant)
        dollars = self._held.setdefault(key, {})
        dollars[group] = dollars.get(group, 0.0) + usd
        self._write(_begun(key, group, dollars[group]))

    def end(self, key: str) -> None:
        """Note that what a call took is in the journal; a full disk leaves it as begun."""
        if self._held.pop(key, None) is not None:
            with suppress(OSError):
                self._write(_line({"ended": key}))

    def close(self) -> None:
        """Remove the file, unless calls were given up that may be charged for."""
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
        """Write the file anew, with the calls under way alone."""
        lines = [_begun(key, group, usd) for key, each in self._held.items() for group, usd in each.items()]
        anew = self._path.with_suffix(".new")
        anew.write_bytes(b"".join(lines))
        descriptor = os.open(anew, os.O_WRONLY | os.O_APPEND)
        anew.replace(self._path)
        if self._file is not None:
            os.close(self._file)
        self._file, self._lines = descriptor, len(lines)


def left_under_way(folder: Path) -> tuple[Path, dict[Group, float]]:
    """Return the file in the folder of a process that was killed, and the dollars that it may owe by group.

    Of a file that is not there, nothing is owed.
    """
    path = folder / _FILE
    held: dict[str, dict[Group, float]] = {}
    for line in _lines_of(path):
        if "ended" in line:
            held.pop(str(line["ended"]), None)
        else:
            model, role, paradigm, variant = line["group"]
            held.setdefault(str(line["begun"]), {})[(model, role, paradigm, variant)] = float(line["usd"])
    owed: dict[Group, float] = {}
    for dollars in held.values():
        for group, usd in dollars.items():
            owed[group] = owed.get(group, 0.0) + usd
    return path, owed


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the whole lines of a file; a damaged one is as good as none."""
    with suppress(FileNotFoundError):
        yield from (line for line in read_lines(path, json.loads) if not isinstance(line, Damaged))


def _begun(key: str, group: Group, usd: float) -> bytes:
    return _line({"begun": key, "group": group, "usd": usd})


def _line(value: dict[str, object]) -> bytes:
    return sealed(json.dumps(value, separators=(",", ":")).encode() + b"\n")
