"""What a worker does with the shards that it receives, and how shards share a cap: in this process."""

import multiprocessing
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.configuration.config import RunConfig
from engine.collect.run import shard_workers
from engine.collect.run.run_report import RunReport
from engine.collect.run.shard_workers import ShardTask, ShardWorker, _work, equal_share, out_of_budget
from engine.collect.run_options import RunOptions, Shard
from engine.errors import UsageError
from engine.store import Store

from .small import config, write_folder


@pytest.mark.parametrize(
    ("cap", "spent", "share"), [(None, 1.0, None), (10.0, 4.0, 2.0), (10.0, 10.0, 0.0), (10.0, 12.0, 0.0)]
)
def test_what_is_left_of_a_cap_is_shared_equally(
    cap: float | None, spent: float, share: float | None
) -> None:
    assert equal_share(cap, lambda: spent, 3) == share


def report(end: str, done: int) -> RunReport:
    return cast("RunReport", SimpleNamespace(end=end, done=done))


def test_shards_without_budget_get_another_share_if_something_was_done() -> None:
    reports: Mapping[int, RunReport] = {1: report("budget", 0), 2: report("done", 3), 3: report("budget", 1)}

    assert out_of_budget(reports) == {1, 3}
    assert out_of_budget({1: report("budget", 0), 2: report("budget", 0)}) == set()
    assert out_of_budget({1: report("budget", 2)}) == {1}
    assert out_of_budget({}) == set()


class Connection:
    """Gives out tasks and then ends, and records what is sent back."""

    def __init__(self, tasks: list[ShardTask], *, broken: bool = False) -> None:
        self.tasks, self.broken = tasks, broken
        self.sent: list[tuple[str, object]] = []

    def recv(self) -> ShardTask:
        if not self.tasks:
            raise EOFError
        return self.tasks.pop(0)

    def send(self, message: tuple[str, object]) -> None:
        if self.broken:
            raise BrokenPipeError
        self.sent.append(message)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep this process and its libraries as they are; return what was done to them instead."""
    done: list[str] = []
    threads = SimpleNamespace(
        Thread=lambda **how: SimpleNamespace(start=lambda: done.append(str(how["daemon"])))
    )
    monkeypatch.setattr(shard_workers.os, "setsid", lambda: done.append("session"))
    monkeypatch.setattr(shard_workers, "threading", threads)
    monkeypatch.setattr(shard_workers, "leave_pandas_out", lambda: done.append("no pandas"))
    return done


def tasks_of(tmp_path: Path, *numbers: int, minutes: float | None = None) -> list[ShardTask]:
    folder = write_folder(tmp_path / "data")
    settings = config(folder, run="concurrency = 8\nmax_usd = 2.0")
    options = RunOptions()
    return [
        ShardTask(settings, str(tmp_path / "store"), replace(options, shard=Shard(number, 4)), minutes)
        for number in numbers
    ]


def test_each_shard_is_made_with_its_share_and_reported_and_an_error_does_not_end_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: list[str]
) -> None:
    shards: list[tuple[RunConfig, str, int]] = []
    failure = UsageError("no room")

    def run_in_one_process(
        settings: RunConfig, store: Store, options: RunOptions, *, show: Callable[[Any], None]
    ) -> str:
        assert options.shard is not None
        shards.append((settings, store.root, options.shard.number))
        show(f"status of {options.shard.number}")
        if options.shard.number == 2:
            raise failure
        return f"report of {options.shard.number}"

    monkeypatch.setattr(shard_workers, "run_in_one_process", run_in_one_process)
    connection = Connection(tasks_of(tmp_path, 1, 2, 3, minutes=7.5))

    _work(cast("Any", connection))

    assert connection.sent == [
        ("status", "status of 1"),
        ("report", "report of 1"),
        ("status", "status of 2"),
        ("error", failure),
        ("status", "status of 3"),
        ("report", "report of 3"),
    ]
    assert [number for _, _, number in shards] == [1, 2, 3]
    assert {root for _, root, _ in shards} == {str(tmp_path / "store")}
    # A quarter of eight calls at once, and the minutes that are left.
    assert {(of.run.concurrency, of.run.max_minutes) for of, _, _ in shards} == {(2, 7.5)}
    assert worker == ["session", "True", "no pandas"]


def test_a_worker_whose_parent_hears_nothing_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker: list[str]
) -> None:
    shards: list[int] = []
    monkeypatch.setattr(
        shard_workers, "run_in_one_process", lambda *_, show: (show("now"), shards.append(1)) and "report"
    )

    _work(cast("Any", Connection(tasks_of(tmp_path, 1, 2), broken=True)))

    assert shards == [1, 1]
    assert worker


def test_a_worker_ends_with_its_parent(monkeypatch: pytest.MonkeyPatch, worker: list[str]) -> None:
    targets: list[Callable[[], None]] = []
    killed: list[tuple[int, int]] = []

    def thread(**how: Any) -> SimpleNamespace:
        targets.append(how["target"])
        return SimpleNamespace(start=lambda: None)

    monkeypatch.setattr(shard_workers, "threading", SimpleNamespace(Thread=thread))
    monkeypatch.setattr(shard_workers.os, "kill", lambda pid, number: killed.append((pid, number)))
    monkeypatch.setattr(shard_workers.os, "getpid", lambda: 77)
    _work(cast("Any", Connection([])))
    parent = SimpleNamespace(join=lambda: worker.append("joined"))

    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    targets[0]()
    assert killed == []
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: parent)
    targets[0]()

    assert killed == [(77, shard_workers.signal.SIGTERM)]
    assert worker[-1] == "joined"


class Process:
    """A process that is alive, or not, and records what is done to it."""

    def __init__(self, *, alive: bool, pid: int | None = 5) -> None:
        self.alive, self.pid = alive, pid
        self.done: list[str] = []

    def is_alive(self) -> bool:
        return self.alive

    def join(self, seconds: float | None = None) -> None:
        self.done.append(f"join {seconds}")

    def terminate(self) -> None:
        self.done.append("terminate")


def worker_with(process: Process, connection: object = None) -> ShardWorker:
    seen = object.__new__(ShardWorker)
    seen.process = cast("Any", process)
    seen.connection = cast("Any", connection or SimpleNamespace(close=lambda: process.done.append("close")))
    seen.shard, seen.awaits_status = None, False
    return seen


def test_a_shard_is_assigned_also_to_a_worker_that_has_just_died(tmp_path: Path) -> None:
    [task] = tasks_of(tmp_path, 3)
    connection = Connection([])
    alive, dead = (
        worker_with(Process(alive=True), each) for each in (connection, Connection([], broken=True))
    )

    for each in (alive, dead):
        each.assign(3, task)
        assert (each.shard, each.awaits_status) == (3, True)
    assert connection.sent == [cast("Any", task)]


def test_only_a_living_process_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(shard_workers.os, "kill", lambda pid, number: killed.append((pid, number)))

    for process in (Process(alive=False), Process(alive=True, pid=None), Process(alive=True, pid=8)):
        worker_with(process).interrupt()

    assert killed == [(8, shard_workers.signal.SIGTERM)]


def test_a_worker_is_given_half_a_second_to_end() -> None:
    ended, stuck = Process(alive=False), Process(alive=True)

    for each in (ended, stuck):
        worker_with(each).close()

    assert ended.done == ["close", "join 0.5"]
    assert stuck.done == ["close", "join 0.5", "terminate", "join None"]
