"""A run in processes as its parent sees it: shards handed out, heard and added up, without any process."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.configuration.config import RunConfig
from engine.collect.dispatch.run_status import Status
from engine.collect.run import shards
from engine.collect.run.run_report import RunReport
from engine.collect.run.shards import (
    _ShardedRun,
    _TotalStatus,
    check_processes,
    forwarding_signals,
    run_in_processes,
)
from engine.collect.run_options import RunOptions, Shard
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


def test_rates_are_rounded_and_the_time_left_is_of_their_sum(total: _TotalStatus) -> None:
    for shard, rate in ((1, 0.1234), (2, 0.2)):
        total.record((0, shard), status(total=10) | {"rate": rate}, is_new=True)

    now = total.to_dict()

    # 20 calls at 0.3234 a second
    assert (now["rate"], now["seconds_left"]) == (0.323, 61.8)


def test_a_second_try_of_a_shard_keeps_the_answers_of_the_first(total: _TotalStatus) -> None:
    total.record((0, 1), status(total=6, ok=2), is_new=True)
    total.record((0, 1), status(total=6, ok=1, already_done=2), is_new=True)

    assert (total.to_dict()["ok"], total.to_dict()["done"]) == (3, 3)


def test_what_several_shards_warn_of_is_a_warning_once(total: _TotalStatus) -> None:
    for shard in (1, 2):
        warnings = {"a, pairwise": f"unread in {shard}", f"b, {shard}": "unread"}
        total.record((0, shard), status(total=10) | {"warnings": warnings}, is_new=True)

    warnings = total.to_dict()["warnings"]

    assert warnings == {"a, pairwise": "unread in 1", "b, 1": "unread", "b, 2": "unread"}


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
    now = job.began = 1024.0  # of which no half minute is rounded
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


def processes(folder: Path, run: str, mode: str = "live", **models: str) -> RunConfig:
    return config(folder, run=f"processes = 3\n{run}", mode=mode, **models)


@pytest.mark.parametrize(
    ("run", "a", "option", "problem"),
    [
        ("concurrency = 3", "", None, None),
        ("concurrency = 2", "", None, "run.concurrency is 2, and run.processes is 3"),
        ("concurrency = 2", "", 3, None),
        ("concurrency = 3", "", 2, "run.concurrency is 2, and run.processes is 3"),
        ("concurrency = 2", "", "auto", None),
        ("", "concurrency = 3", None, None),
        ("", "concurrency = 2", None, "models.a.concurrency is 2, and run.processes is 3"),
    ],
)
def test_each_process_needs_a_call_of_its_own(
    tmp_path: Path, run: str, a: str, option: Any, problem: str | None
) -> None:
    settings = processes(write_folder(tmp_path / "data"), run, a=a)
    options = RunOptions(concurrency=option)

    if problem is None:
        check_processes(settings, options)
    else:
        with pytest.raises(UsageError, match=problem):
            check_processes(settings, options)


def test_batches_are_made_by_one_process(tmp_path: Path) -> None:
    settings = processes(write_folder(tmp_path / "data"), "", mode="batch")

    with pytest.raises(UsageError, match=r"run\.processes is 3, and batches need one; leave it out"):
        check_processes(settings, RunOptions())


@pytest.mark.parametrize(
    ("reports", "flags", "unread", "end"),
    [
        ([report(), report()], {}, False, "done"),
        ([report(), report()], {}, True, "unread"),
        ([report(), report("errors")], {}, True, "errors"),
        ([report(), report("errors")], {"cut_short": True}, False, "time"),
        ([report(), report()], {"cut_short": True, "interrupted": True}, False, "interrupted"),
    ],
)
def test_the_report_of_a_run_in_processes_is_on_all_its_shards(
    job: _ShardedRun,
    monkeypatch: pytest.MonkeyPatch,
    reports: list[RunReport],
    flags: dict[str, bool],
    unread: bool,
    end: str,
) -> None:
    monkeypatch.setattr(shards, "is_unread", lambda *_: unread)
    monkeypatch.setattr(shards, "run_notes", lambda *_: ["a", "of the run"])
    monkeypatch.setattr(shards, "with_unread_judges", lambda report, _: replace(report, unread_judges=["j"]))
    monkeypatch.setattr(Store, "open", lambda *_: None)
    monkeypatch.setattr(job, "cost", lambda: 4.0)
    monkeypatch.setattr(shards, "time", SimpleNamespace(monotonic=lambda: job.began + 1.23456))
    job.options = replace(job.options, max_usd=9.0)
    for name, value in flags.items():
        setattr(job, name, value)
    for number, each in enumerate(reports, 1):
        job.reports[0, number] = [replace(each, notes=["a", "b"])]
        job.status.record((0, number), status(active=False, total=5, ok=4), is_new=True)

    whole = shards._report(job)

    assert (whole.end, whole.total, whole.ok) == (end, 10, 8)  # of the status, not of the reports
    assert (whole.seconds, whole.spent, whole.cap) == (1.235, 4.0, 9.0)
    assert (whole.notes, whole.unread_judges) == (["a", "b", "of the run"], ["j"])


def in_processes(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch, make: Callable[[_ShardedRun, int], None]
) -> tuple[RunReport | None, list[dict[str, Any]], list[str]]:
    """Make a run whose stages are made by `make`; return its report, its statuses and what was closed."""
    done: list[str] = []
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr(shards, "begin", lambda *_: "r")
    monkeypatch.setattr(_ShardedRun, "make", make)
    monkeypatch.setattr(shards, "calls_after", lambda _config, _study, step, _options: 10 * (step + 1))
    monkeypatch.setattr(shards, "write_gold_outcomes", lambda *_: done.append("gold"))
    monkeypatch.setattr(Store, "open", lambda *_: None)
    monkeypatch.setattr(
        shards, "_report", lambda job: report("time" if job.cut_short else "done", notes=["a note"])
    )
    try:
        result = run_in_processes(job.config, job.store, job.options, show=shown.append)
    except BaseException as error:
        result = None
        done.append(type(error).__name__)
    return result, shown, done


def test_all_stages_are_made_with_what_is_left_after_each(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[int, int]] = []

    def make(running: _ShardedRun, step: int) -> None:
        steps.append((step, running.status.counts.later))
        running.workers.append(cast("Any", SimpleNamespace(close=lambda: steps.append((-1, step)))))

    result, shown, done = in_processes(job, monkeypatch, make)

    assert result is not None
    assert result.end == "done"
    assert steps == [(0, 10), (1, 20), (2, 30), (-1, 0), (-1, 1), (-1, 2)]
    assert (shown[-1]["state"], shown[-1]["notes"], done) == ("done", ["a note"], ["gold"])


def test_a_run_whose_time_is_up_before_a_stage_was_cut_short(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_: _ShardedRun, step: int) -> None:
        if step == 1:
            monkeypatch.setattr(_ShardedRun, "is_over", True)

    result, *_ = in_processes(job, monkeypatch, make)

    assert result is not None
    assert result.end == "time"


@pytest.mark.parametrize(
    ("error", "message"),
    [(SpbError("workers died"), "workers died"), (KeyboardInterrupt(), "KeyboardInterrupt")],
)
def test_the_status_says_why_a_run_in_processes_failed(
    job: _ShardedRun, monkeypatch: pytest.MonkeyPatch, error: BaseException, message: str
) -> None:
    closed: list[int] = []

    def make(running: _ShardedRun, _: int) -> None:
        running.workers.append(cast("Any", SimpleNamespace(close=lambda: closed.append(1))))
        if not isinstance(error, SpbError):
            raise error
        running.failure = error

    _, shown, done = in_processes(job, monkeypatch, make)

    assert (shown[-1]["state"], shown[-1]["message"]) == ("failed", message)
    assert done == [type(error).__name__]
    assert closed
