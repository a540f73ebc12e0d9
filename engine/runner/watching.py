"""Runs seen from outside: what their status files say, and whether anybody is still at work."""

import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import StoreError
from engine.finite import finite
from engine.runner.folders import RunFolder, run_place, runs_root
from engine.runner.status import FINAL
from engine.store import Store

LOST = "lost"
"""The state of a run that ended without a word: its process is gone, or was silent for too long elsewhere."""

_SILENT_S = 60.0
_COUNTS = ("total", "done", "already_done", "unparsed", "refused", "error", "rate")
_MAY_LACK = ("cost_usd", "seconds_left")


@dataclass(frozen=True, slots=True)
class Watched:
    """A run as its status file has it; `state` is `lost` where the process is gone before the end."""

    study: str
    run_id: str
    folder: RunFolder
    state: str
    told: dict[str, Any]

    @property
    def active(self) -> bool:
        """Whether somebody is at work on it."""
        return self.state not in (*FINAL, LOST)

    @property
    def share(self) -> float:
        """The part of the planned calls that has ended, 0 to 1."""
        ended = self.told.get("done", 0) + self.told.get("error", 0)
        return min(max(ended / self.told["total"], 0.0), 1.0) if self.told.get("total") else 0.0


def watched(store: Store, study: str, run_id: str) -> Watched | None:
    """Return a run's state, None where it has told nothing yet; raises as `run_place`."""
    return _read(study, run_place(store, study, run_id))


def all_runs(store: Store) -> list[Watched]:
    """Return all runs of a store that have told something, the newest first."""
    found = [run for run in _each(runs_root(store)) if run is not None]
    return sorted(found, key=lambda run: run.run_id, reverse=True)


def stop(run: Watched) -> None:
    """Ask a run to end in good order; StoreError where its process is not on this machine."""
    if run.told.get("host") != socket.gethostname():
        raise StoreError(f"run {run.run_id!r} is at work on {run.told.get('host')!r}; stop it there")
    if is_alive(run.told):
        os.kill(int(run.told["pid"]), 15)


def is_alive(told: dict[str, Any]) -> bool:
    """Return whether the process of a status is at work: on this machine by its number, else by its beat."""
    if told.get("host") != socket.gethostname():
        beat = datetime.fromisoformat(told["heartbeat"])
        return (datetime.now(UTC) - beat).total_seconds() < _SILENT_S
    try:
        os.kill(int(told["pid"]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(int(told["pid"]))


def _is_zombie(pid: int) -> bool:
    """Return whether a process has ended and waits to be asked for its exit code (told by Linux only)."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return False
    return after_name.split()[:1] == ["Z"]


def _each(root: Path) -> Iterator[Watched | None]:
    if not root.is_dir():
        return
    for study in sorted(path for path in root.iterdir() if path.is_dir()):
        for folder in sorted(path for path in study.iterdir() if path.is_dir()):
            yield _read(study.name, folder)


def _read(study: str, path: Path) -> Watched | None:
    folder = RunFolder(path)
    try:
        told = json.loads(folder.status.read_text("utf-8"))
        state = str(told["state"])
        if not _is_status(told):
            return None
        if state not in FINAL and not is_alive(told):
            state = LOST
        return Watched(study, path.name, folder, state, told)
    except (
        OSError,
        ValueError,
        OverflowError,
        RecursionError,
        KeyError,
        TypeError,
    ):  # not told yet, or not by us
        return None


def _is_status(told: dict[str, Any]) -> bool:
    """Return whether the numbers of a status are numbers, as those who show it take for granted."""
    counts = [told.get(name, 0) for name in _COUNTS]
    counts += [told[name] for name in _MAY_LACK if told.get(name) is not None]
    counts += dict(told.get("errors", {})).values()
    return all(finite(count) is not None for count in counts)
