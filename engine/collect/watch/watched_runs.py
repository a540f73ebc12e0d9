"""Runs seen from outside: their status files, and whether their processes still run."""

import json
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.collect.configuration.prices import known_sum
from engine.collect.database.calls_under_way import usd_under_way
from engine.collect.dispatch.run_status import FINAL, Counts, of_run
from engine.collect.run_folder import RunFolder, run_path, runs_folder, runs_root
from engine.collect.watch.watched_shards import (
    LOST,
    PARTIAL,
    WatchedShard,
    has_own_command,
    newest_division,
    newest_of,
    of_all_starts,
    shard_of_folder,
    state_of,
    status_of,
)
from engine.errors import SpbError, StoreError
from engine.phrases import join_names
from engine.process import has_process
from engine.store import Store
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles
from engine.values import parse_float

_SILENT_S = 60.0
_SLIGHT_USD = 1e-9
"""A smaller difference between two sums of costs is one of rounding."""
_COUNTS = (
    *("total", "done", "already_done", "ok", "unparsed", "refused", "error", "rate", "cached", "saved_usd"),
    *("calls", "prompt_tokens", "completion_tokens"),
)
_OPTIONAL_COUNTS = ("cost_usd", "seconds_left", "run_cost_usd", "run_calls")


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """A run as in its status file; `state` is `lost` if the process vanished before the end.

    Of a run whose last start was a shard's, state and status are those of its `shards` together. The cost is
    that of all starts, as a whole and in shards. `folder` has the configuration of the last start.
    """

    study: str
    run_id: str
    folder: RunFolder
    state: str
    status: dict[str, Any]
    shards: tuple[WatchedShard, ...] = ()

    @property
    def active(self) -> bool:
        return self.state not in (*FINAL, LOST, PARTIAL)

    @property
    def cost_usd(self) -> float | None:
        """What all starts of the run cost together; None if a price is unknown."""
        cost: float | None = of_run(self.status, "run_cost_usd")
        return cost

    @property
    def usd_under_way(self) -> float:
        """What calls without an answer may have cost beyond that, once the run has ended."""
        if self.active:
            return 0.0
        folder = self.folder.path.parent if self.shards else self.folder.path
        return sum(usd_under_way(each) for each in (folder, *folder.glob("shard-*")))

    @property
    def first_started_at(self) -> str | None:
        """When the first start of the run was."""
        time: str | None = of_run(self.status, "first_started_at")
        return time

    @property
    def share(self) -> float:
        """The part of the planned calls that has ended, 0 to 1."""
        finished = self.status.get("done", 0) + self.status.get("error", 0)
        part = len(self.shards) / self.shards[0].shard.count if self.shards else 1.0
        return min(max(finished / self.status["total"] * part, 0.0), 1.0) if self.status.get("total") else 0.0


def watched_run(store: Store, study: str, run_id: str) -> WatchedRun | None:
    """Return a run's state, None if it has no status yet; UsageError as of `run_path`."""
    run = _read_run(study, run_path(store, study, run_id))
    return None if run is None else next(_with_stored_costs(store, [run]))


def runs_of(store: Store, study: str) -> list[WatchedRun]:
    """Return the runs of a study that have a status, oldest first, by the costs of their statuses alone."""
    folders = sorted(path for path in runs_folder(store, study).glob("*") if path.is_dir())
    return [run for path in folders if (run := _read_run(study, path)) is not None]


def all_runs(store: Store) -> list[WatchedRun]:
    """Return all runs of a store that have a status, newest first."""
    folders = sorted(path for path in runs_root(store).glob("*/*") if path.is_dir())
    runs = [run for path in folders if (run := _read_run(path.parent.name, path)) is not None]
    newest_first = sorted(runs, key=lambda run: run.run_id, reverse=True)
    return list(_with_stored_costs(store, newest_first))


def stop(run: WatchedRun) -> None:
    """Ask a run, or its active shards, to end in good order; StoreError if one is on another machine."""
    if not run.shards and run.status.get("host") != socket.gethostname():
        raise StoreError(f"run {run.run_id!r} is active on {run.status.get('host')!r}; stop it there")
    active = [shard.status for shard in run.shards if shard.active] if run.shards else [run.status]
    for status in active:
        if status.get("host") == socket.gethostname() and is_alive(status):
            os.kill(int(status["pid"]), 15)
    elsewhere = [
        f"{shard.name} on {shard.status.get('host')!r}"
        for shard in run.shards
        if shard.active and shard.status.get("host") != socket.gethostname()
    ]
    if elsewhere:
        raise StoreError(
            f"shards of the run {run.run_id!r} are active elsewhere: {join_names(elsewhere)}; stop them there"
        )


def is_alive(status: Mapping[str, Any]) -> bool:
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


def _read_run(study: str, path: Path) -> WatchedRun | None:
    """Return a run's state, None if neither it nor a shard of it has a status that is one of ours."""
    own = _read_status(RunFolder(path).status)
    shards = [shard for folder in sorted(path.glob("shard-*")) if (shard := _read_shard(folder)) is not None]
    division = newest_division(shards, own[1] if own else {})
    if division:
        folder = RunFolder(path / f"shard-{newest_of(division).shard.name}")
        status = status_of(division) | of_all_starts(own[1] if own else {}, shards)
        return WatchedRun(study, path.name, folder, state_of(division), status, tuple(division))
    if own is None:
        return None
    state, status = own
    if shards:
        status = status | of_all_starts(status, shards)
    return WatchedRun(study, path.name, RunFolder(path), state, status)


def _read_shard(folder: Path) -> WatchedShard | None:
    """Return the shard of a command of its own; None of others, or if its status is not one of ours."""
    shard, read = shard_of_folder(folder.name), _read_status(RunFolder(folder).status)
    if shard is None or read is None or not 1 <= shard.number <= shard.count:
        return None
    state, status = read
    lists = [status.get(name, []) for name in ("pace", "notes")]
    if not all(isinstance(each, list) for each in lists) or not isinstance(status.get("warnings", {}), dict):
        return None
    try:
        counts = Counts.from_status(status)
    except (KeyError, TypeError, ValueError):
        return None
    active = state not in (*FINAL, LOST)
    return WatchedShard(shard, state, status, counts, active) if has_own_command(status) else None


def _read_status(path: Path) -> tuple[str, dict[str, Any]] | None:
    """Return the state and the status in a file, None if it is missing or not one of ours."""
    try:
        status = json.loads(path.read_text("utf-8"))
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
    except (OSError, ValueError, OverflowError, RecursionError, KeyError, TypeError):
        return None
    return state, status


def _with_stored_costs(store: Store, runs: Iterable[WatchedRun]) -> Iterator[WatchedRun]:
    """Yield runs; those that have ended with the cost that their study has, where that is more.

    It includes answers of the last moment before a kill, and what lost ones may have cost.
    """
    by_study: dict[str, dict[str, float | None]] = {}
    for run in runs:
        if run.active:
            yield run
            continue
        if run.study not in by_study:
            by_study[run.study] = _stored_costs(store, run.study)
        stored, cost = by_study[run.study].get(run.run_id), run.cost_usd
        if stored is not None and cost is not None and stored > cost + _SLIGHT_USD:
            is_whole = "run_cost_usd" in run.status  # else an earlier version wrote that of the last start
            run = replace(run, status={**run.status, "run_cost_usd": stored, "has_lost_calls": is_whole})
        yield run


def _stored_costs(store: Store, study: str) -> dict[str, float | None]:
    """Return what each run of a study has cost, None where that is unknown; empty if it cannot be read."""
    costs: dict[str, list[float | None]] = {}
    with suppress(SpbError, OSError):
        place = store.location.child(study)
        if is_study(place):
            for row in StudyFiles(place).table("runs", ["run_id", "cost_usd"]).to_pylist():
                costs.setdefault(str(row["run_id"]), []).append(row["cost_usd"])
    return {run_id: known_sum(values) for run_id, values in costs.items()}
