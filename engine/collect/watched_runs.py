"""Runs seen from outside: their status files, and whether their processes still run."""

import json
import os
import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.collect.run_folder import RunFolder, run_path, runs_root
from engine.collect.run_status import FINAL, of_run
from engine.errors import StoreError
from engine.store import Store
from engine.values import parse_float

LOST = "lost"
"""The state of a run without a final status: its process is gone, or too long silent on another machine."""


_SILENT_S = 60.0
_COUNTS = ("total", "done", "already_done", "unparsed", "refused", "error", "rate", "cached", "saved_usd")
_OPTIONAL_COUNTS = ("cost_usd", "seconds_left")


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """A run as in its status file; `state` is `lost` if the process vanished before the end."""

    study: str
    run_id: str
    folder: RunFolder
    state: str
    status: dict[str, Any]

    @property
    def active(self) -> bool:
        return self.state not in (*FINAL, LOST)

    @property
    def cost_usd(self) -> float | None:
        """What all starts of the run cost together; None if a price is unknown."""
        cost: float | None = of_run(self.status, "run_cost_usd")
        return cost

    @property
    def first_started_at(self) -> str | None:
        """When the first start of the run was."""
        time: str | None = of_run(self.status, "first_started_at")
        return time

    @property
    def share(self) -> float:
        """The part of the planned calls that has ended, 0 to 1."""
        finished = self.status.get("done", 0) + self.status.get("error", 0)
        return min(max(finished / self.status["total"], 0.0), 1.0) if self.status.get("total") else 0.0


def watched_run(store: Store, study: str, run_id: str) -> WatchedRun | None:
    """Return a run's state, None if it has no status yet; UsageError as of `run_path`."""
    return _read_run(study, run_path(store, study, run_id))


def all_runs(store: Store) -> list[WatchedRun]:
    """Return all runs of a store that have a status, newest first."""
    folders = sorted(path for path in runs_root(store).glob("*/*") if path.is_dir())
    runs = [run for path in folders if (run := _read_run(path.parent.name, path)) is not None]
    return sorted(runs, key=lambda run: run.run_id, reverse=True)


def stop(run: WatchedRun) -> None:
    """Ask a run to end in good order; StoreError if its process is not on this machine."""
    if run.status.get("host") != socket.gethostname():
        raise StoreError(f"run {run.run_id!r} is active on {run.status.get('host')!r}; stop it there")
    if is_alive(run.status):
        os.kill(int(run.status["pid"]), 15)


def is_alive(status: dict[str, Any]) -> bool:
    """Return whether the process of a status runs: by its pid on this machine, else by its heartbeat."""
    if status.get("host") != socket.gethostname():
        beat = datetime.fromisoformat(status["heartbeat"])
        return (datetime.now(UTC) - beat).total_seconds() < _SILENT_S
    pid = int(status["pid"])
    if not has_process(pid):
        return False
    try:  # a zombie, which only Linux reveals
        after_name = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
    except OSError:
        return True
    return after_name.split()[:1] != ["Z"]


def has_process(pid: int) -> bool:
    """Return whether this machine has a process with that pid, even another user's."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read_run(study: str, path: Path) -> WatchedRun | None:
    """Return a run's state, None if its status is missing or not one of ours."""
    folder = RunFolder(path)
    try:
        status = json.loads(folder.status.read_text("utf-8"))
        state = str(status["state"])
        counts = [status.get(name, 0) for name in _COUNTS]
        counts += [status[name] for name in _OPTIONAL_COUNTS if status.get(name) is not None]
        counts += dict(status.get("errors", {})).values()
        counts += dict(status.get("shortfalls", {})).values()
        counts += [count for _, count in status.get("error_words", [])]
        if any(parse_float(count) is None for count in counts):
            return None
        if state not in FINAL and not is_alive(status):
            state = LOST
        return WatchedRun(study, path.name, folder, state, status)
    except (OSError, ValueError, OverflowError, RecursionError, KeyError, TypeError):
        return None
