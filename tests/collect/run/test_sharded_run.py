"""A run in processes as its parent sees it: shards handed out, heard and added up, without any process."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect import shards
from engine.collect.run_options import RunOptions, Shard
from engine.collect.run_report import RunReport
from engine.collect.run_status import Status
from engine.collect.shards import _ShardedRun, _TotalStatus, forwarding_signals
from engine.dask_client import DEATHS
from engine.errors import SpbError, UsageError
from engine.store import Store

from .small import config, write_folder


def status(*, active: bool = True, **counts: int) -> dict[str, Any]:
    """Return the status of a shard with these counts, at half a call a second."""
    own = Status(None, {})
    own.counts = replace(own.counts, **counts)
    own.set("running" if active else "done", stage="judgments")
    return own.to_dict() | {"rate": 0.5, "pace": [f"pace of {counts.get('total')}"]}


@pytest.fixture
def total(tmp_path: Path) -> _TotalStatus:
    return _TotalStatus(tmp_path / "status.json", {"run_id": "r"}, None)


def test_the_status_of_a_run_is_the_sum_of_its_shards(total: _TotalStatus) -> None:
    total.record((0, 1), status(total=6, ok=1), is_new=True)
    total.record((0, 1), status(total=6, ok=3), is_new=False)
    total.record((0, 2), status(total=4, ok=1, error=1), is_new=True)
    total.counts.later = 5

    now = total.to_dict()

    # 15 calls, of which 4 are answered and 1 failed; 2 shards of half a call a second
    assert (now["total"], now["done"], now["error"], now["rate"], now["seconds_left"]) == (
        15,
        4,
        1,
        1.0,
        10.0,
    )
    assert (now["stage"], now["pace"]) == ("judgments", ["2 processes active", "pace of 6"])


def test_a_second_try_of_a_shard_keeps_the_answers_of_the_first(total: _TotalStatus) -> None:
    total.record((0, 1), status(total=6, ok=2), is_new=True)
    total.record((0, 1), status(total=6, ok=1, already_done=2), is_new=True)

    assert (total.to_dict()["ok"], total.to_dict()["done"]) == (3, 3)


def test_shards_that_have_ended_have_no_rate(total: _TotalStatus) -> None:
    total.record((0, 1), status(active=False, total=6, ok=6), is_new=True)

    now = total.to_dict()

    assert (now["rate"], now["seconds_left"], now["stage"], now["pace"]) == (0, None, "planning", [])


class Worker:
    """A worker that sends the given messages, and dies after them if it is not alive."""

    def __init__(self, *messages: tuple[str, Any], shard: int | None = 1, alive: bool = True) -> None:
        self.messages, self.shard, self.awaits_status = list(messages), shard, True
        self.connection = self
        self.process = SimpleNamespace(is_alive=lambda: alive)
        self.interrupted = 0

    def poll(self) -> bool:
        return bool(self.messages)

    def recv(self) -> tuple[str, Any]:
        message = self.messages.pop(0)
        if message[0] == "broken":
            raise EOFError
        return message

    def interrupt(self) -> None:
        self.interrupted += 1


@pytest.fixture
def job(tmp_path: Path, total: _TotalStatus) -> _ShardedRun:
    settings = config(write_folder(tmp_path / "data"), run="processes = 3")
    options = RunOptions(redo=frozenset({"error"}), fresh=True)
    return _ShardedRun(settings, Store(tmp_path / "store"), options, "r", total)


def report(end: Any = "done", **counts: Any) -> RunReport:
    return RunReport(run_id="r", end=end, **counts)


def receive(job: _ShardedRun, worker: Worker) -> dict[int, RunReport]:
    reports: dict[int, RunReport] = {}
    job.workers.append(cast("Any", worker))
    job._receive(cast("Any", worker), 2, reports)
    return reports


def test_a_workers_statuses_and_its_report_are_heard(job: _ShardedRun) -> None:
    ended = report(ok=6)
    first, second = status(total=6, ok=1), status(total=6, ok=2)
    worker = Worker(("status", first), ("status", second), ("report", ended), ("status", first))

    reports = receive(job, worker)

    assert reports == {1: ended}
    assert job.reports == {(2, 1): [ended]}
    assert job.status.by_shard == {(2, 1): [second]}
    assert (worker.shard, worker.awaits_status, len(worker.messages)) == (None, False, 1)


def test_an_error_of_one_worker_ends_the_others_and_the_first_counts(job: _ShardedRun) -> None:
    busy, idle = Worker(shard=2), Worker(shard=None)
    job.workers += cast("Any", [busy, idle])
    failure = UsageError("no")

    receive(job, Worker(("error", failure)))
    receive(job, Worker(("error", UsageError("later"))))

    assert job.failure is failure
    assert (busy.interrupted, idle.interrupted) == (1, 0)
    assert job.is_over


@pytest.mark.parametrize(("interrupted", "deaths"), [(False, 1), (True, 0)])
def test_a_dead_worker_is_left_out_and_counted_unless_the_run_was_stopped(
    job: _ShardedRun, interrupted: bool, deaths: int
) -> None:
    job.interrupted = interrupted

    reports = receive(job, Worker(("broken", None), alive=False))

    assert (reports, job.workers, job.deaths) == ({}, [], deaths)


def test_the_last_words_of_a_dead_worker_count(job: _ShardedRun) -> None:
    ended = report()

    assert receive(job, Worker(("report", ended), alive=False)) == {1: ended}
    assert (len(job.workers), job.deaths) == (1, 0)


def test_an_interruption_reaches_all_workers(job: _ShardedRun) -> None:
    workers = [Worker(), Worker(shard=None)]
    job.workers += cast("Any", workers)

    job.interrupt()

    assert (job.is_over, [worker.interrupted for worker in workers]) == (True, [1, 1])


HandedOut = list[tuple[list[int], frozenset[str]]]


def hand_out(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch, *rounds: dict[int, RunReport]
) -> tuple[HandedOut, list[RunOptions]]:
    """Let shards end as given, in rounds; return what is handed out, and how the run begins again."""
    given, begun_with = list(rounds), list[RunOptions]()
    handed: HandedOut = []

    def hand(_: int, numbers: list[int], redo: frozenset[str]) -> dict[int, RunReport]:
        handed.append((list(numbers), redo))
        return given.pop(0)

    monkeypatch.setattr(job, "_hand_out", hand)
    monkeypatch.setattr(shards, "begin", lambda _config, _store, options: begun_with.append(options))
    return handed, begun_with


def test_what_was_killed_or_had_too_little_is_handed_out_again_without_redoing(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = [{1: report(ok=1), 3: report("budget", ok=1)}, {2: report(), 3: report()}]
    handed, begun_with = hand_out(job, monkeypatch, *rounds)

    job.make(0)

    assert handed == [([1, 2, 3], frozenset({"error"})), ([2, 3], frozenset())]
    [options] = begun_with
    assert (options.fresh, options.run_id, options.wait_s) == (False, "r", 30.0)


def test_workers_that_die_again_and_again_end_the_run(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    job.deaths = DEATHS
    handed, begun_with = hand_out(job, monkeypatch, {1: report()}, {2: report(), 3: report()})
    job.make(0)
    at_the_limit = job.failure

    job.deaths += 1
    _, begun_after = hand_out(job, monkeypatch, {1: report()})
    job.make(1)

    assert (at_the_limit, len(handed), len(begun_with)) == (None, 2, 1)
    assert isinstance(job.failure, SpbError)
    assert f"{DEATHS + 1} workers were killed" in str(job.failure)
    assert begun_after == []


def test_a_run_that_is_over_hands_out_nothing(job: _ShardedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    handed, _ = hand_out(job, monkeypatch)
    job.interrupted = True

    job.make(0)

    assert handed == []


def test_the_minutes_of_a_run_pass_and_are_never_below_none(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = job.began
    monkeypatch.setattr(shards, "time", SimpleNamespace(monotonic=lambda: now))
    unlimited = (job.minutes_left(), job.is_over)
    job.config = job.config.model_copy(update={"run": job.config.run.model_copy(update={"max_minutes": 2.0})})

    left = [(job.minutes_left(), job.is_over)]
    for seconds in (90.0, 30.0, 60.0):
        now += seconds
        left.append((job.minutes_left(), job.is_over))

    assert unlimited == (None, False)
    assert left == [(2.0, False), (0.5, False), (0.0, True), (0.0, True)]


def test_shards_go_to_idle_workers_first_and_share_what_is_left_of_the_cap(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_workers: list[Any] = []
    assigned: list[tuple[int, RunOptions, float | None]] = []

    class Idle(Worker):
        def __init__(self) -> None:
            super().__init__(("report", report()), shard=None)
            self.process.sentinel = 0
            new_workers.append(self)

        def assign(self, shard: int, task: Any) -> None:
            self.shard = shard
            assigned.append((shard, task.options, task.minutes))

    job.options = replace(job.options, max_usd=9.0)
    monkeypatch.setattr(job, "cost", lambda: 3.0)
    monkeypatch.setattr(shards, "ShardWorker", Idle)
    monkeypatch.setattr(shards, "wait", lambda *_: None)
    job.workers.append(cast("Any", Idle()))
    dead = Idle()
    dead.process.is_alive = lambda: False
    job.workers.append(cast("Any", dead))

    reports = job._hand_out(1, [2, 3], frozenset({"error"}))

    assert sorted(reports) == [2, 3]
    assert len(new_workers) == 3  # one idle worker was there, a dead one was passed over, one is new
    for number, options, minutes in assigned:
        assert options.shard == Shard(number, 3)
        assert (options.step, options.share_usd, options.redo) == (1, 3.0, frozenset({"error"}))
        assert (options.run_id, options.fresh, minutes) == ("r", False, None)


def test_signals_interrupt_and_end_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers: dict[int, Any] = {2: "before", 15: "before"}

    def signal(number: int, handler: Callable[..., None]) -> Any:
        before, handlers[number] = handlers[number], handler
        return before

    monkeypatch.setattr(shards.signal, "signal", signal)
    heard: list[int] = []
    with forwarding_signals(lambda: heard.append(1)):
        for number in (2, 15):
            handlers[number](number, None)

    assert (heard, handlers) == ([1, 1], {2: "before", 15: "before"})
