"""How a run is seen from outside: its rate, its share, whether its process lives, and how it is stopped."""

import json
import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.collect.dispatch import run_status
from engine.collect.dispatch.run_status import Rate
from engine.collect.run_folder import RunFolder
from engine.collect.watch import watched_runs
from engine.collect.watch.watched_runs import WatchedRun, all_runs, is_alive, stop, watched_run
from engine.errors import StoreError
from engine.process import has_process
from engine.store import Store


def test_the_rate_is_that_of_the_last_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(run_status.time, "monotonic", lambda: now[0])
    rate = Rate()

    def after(seconds: float, calls: int = 0) -> float:
        now[0] = 100.0 + seconds
        if calls:
            rate.add(calls)
        return rate.per_second()

    assert after(0) == 0
    assert after(4, 2) == pytest.approx(2 / 4)
    assert after(4.5, 3) == pytest.approx(5 / 4.5)  # within a second of the last: the same entry
    assert after(10, 5) == pytest.approx(10 / 10)
    assert after(34) == pytest.approx(10 / 30)  # the first entry is just half a minute old
    assert after(34.1) == pytest.approx(5 / 30)
    assert after(41) == 0


HERE = socket.gethostname()


def status(**values: object) -> dict[str, object]:
    return {"state": "active", "host": HERE, "pid": os.getpid(), "total": 10, "done": 3, "error": 2, **values}


def written(tmp_path: Path, run_id: str = "r1", **values: object) -> WatchedRun | None:
    folder = RunFolder(tmp_path / "store" / ".runs" / "s" / run_id)
    folder.status.parent.mkdir(parents=True, exist_ok=True)
    folder.status.write_text(json.dumps(status(**values)))
    return watched_run(Store(tmp_path / "store"), "s", run_id)


@pytest.mark.parametrize(
    ("values", "share"),
    [
        ({}, 0.5),
        ({"done": 12}, 1.0),
        ({"done": -5, "error": 0}, 0.0),
        ({"total": 0}, 0.0),
        ({"total": 5, "done": 0, "error": 1}, 0.2),
    ],
)
def test_the_share_of_a_run_is_what_has_ended(tmp_path: Path, values: dict[str, int], share: float) -> None:
    run = written(tmp_path, **values)

    assert run is not None
    assert (run.share, run.active, run.state) == (share, True, "active")


@pytest.mark.parametrize(
    "values",
    [
        {"done": "many"},
        {"rate": None},
        {"errors": {"server": "x"}},
        {"shortfalls": {"empty": []}},
        {"error_words": [["down", "x"]]},
        {"cost_usd": "x"},
        {"errors": 3},
        {"pid": "x"},
    ],
)
def test_a_status_with_other_values_than_ours_is_none(tmp_path: Path, values: dict[str, object]) -> None:
    assert written(tmp_path, **values) is None
    assert written(tmp_path, cost_usd=None, seconds_left=None) is not None


def test_the_newest_run_comes_first_and_a_lost_one_is_not_active(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_runs, "is_alive", lambda seen: seen["pid"] != 5)
    for run_id, values in (("1", {"pid": 5}), ("3", {"state": "done", "pid": 5}), ("2", {})):
        written(tmp_path, run_id, **values)

    runs = all_runs(Store(tmp_path / "store"))

    assert [(run.run_id, run.study, run.state, run.active) for run in runs] == [
        ("3", "s", "done", False),
        ("2", "s", "active", True),
        ("1", "s", "lost", False),
    ]


@pytest.mark.parametrize(("seconds", "alive"), [(50, True), (70, False)])
def test_a_run_on_another_machine_lives_as_long_as_its_heart_beats(seconds: int, alive: bool) -> None:
    beat = datetime.now(UTC) - timedelta(seconds=seconds)

    assert is_alive({"host": "elsewhere", "heartbeat": beat.isoformat()}) is alive


@pytest.mark.parametrize(
    ("stat", "alive"), [("7 (a) b) S 1 2", True), ("7 (a) Z 1 2", False), ("7 (Z) R 1", True), (None, True)]
)
def test_a_process_that_has_ended_and_waits_for_its_parent_is_not_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stat: str | None, alive: bool
) -> None:
    place = tmp_path / "stat"
    if stat is not None:
        place.write_text(stat)
    monkeypatch.setattr(watched_runs, "has_process", lambda pid: pid == 7)
    monkeypatch.setattr(watched_runs, "Path", lambda path: place if path == "/proc/7/stat" else Path(path))

    assert is_alive({"host": HERE, "pid": "7"}) is alive
    assert is_alive({"host": HERE, "pid": 8}) is False


@pytest.mark.parametrize(
    ("error", "there"), [(None, True), (ProcessLookupError, False), (PermissionError, True)]
)
def test_a_process_of_another_user_is_there(
    monkeypatch: pytest.MonkeyPatch, error: type[OSError] | None, there: bool
) -> None:
    signals: list[tuple[int, int]] = []

    def kill(pid: int, number: int) -> None:
        signals.append((pid, number))
        if error is not None:
            raise error

    monkeypatch.setattr(watched_runs.os, "kill", kill)

    assert has_process(7) is there
    assert signals == [(7, 0)]


def test_a_run_is_stopped_where_its_process_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(watched_runs.os, "kill", lambda pid, number: signals.append((pid, number)))
    monkeypatch.setattr(watched_runs, "is_alive", lambda seen: seen["pid"] == 7)

    def run(**values: object) -> WatchedRun:
        return WatchedRun("s", "r1", RunFolder(tmp_path), "active", dict(status(**values)))

    stop(run(pid=7))
    stop(run(pid=8))
    with pytest.raises(StoreError, match="run 'r1' is active on 'elsewhere'; stop it there"):
        stop(run(host="elsewhere", pid=7))

    assert signals == [(7, 15)]
