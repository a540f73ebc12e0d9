"""Sessions are interrupted by their run, from any thread, and a worker of a cluster then begins no more."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.run import cluster, one_process
from engine.collect.run.cluster import run_shard_task, stop_shards
from engine.collect.run.one_process import interrupt_active
from engine.collect.run.shard_workers import ShardTask


class ActiveSession:
    """A session that counts how often it was interrupted; its loop calls at once, unless it has ended."""

    def __init__(self, run_id: str, *, interrupted: bool = False, ended: bool = False) -> None:
        self.run_id, self.interrupted, self.ended, self.times = run_id, interrupted, ended, 0

    def interrupt(self) -> None:
        self.times += 1

    def call_soon_threadsafe(self, function: Any, *arguments: Any) -> None:
        if self.ended:
            raise RuntimeError("Event loop is closed")
        function(*arguments)


@pytest.mark.parametrize(("hurry", "times"), [(False, [1, 0, 0, 0, 1]), (True, [1, 1, 0, 0, 1])])
def test_active_sessions_of_the_run_are_interrupted_and_again_only_in_a_hurry(
    monkeypatch: pytest.MonkeyPatch, hurry: bool, times: list[int]
) -> None:
    sessions = [
        ActiveSession("r1"),
        ActiveSession("r1", interrupted=True),
        ActiveSession("r2"),
        ActiveSession("r1", ended=True),
        ActiveSession("r1"),
    ]
    monkeypatch.setattr(one_process, "_active", [(each, each) for each in sessions])

    interrupt_active("r1", hurry=hurry)

    assert [each.times for each in sessions] == times


def test_a_worker_begins_no_shard_of_a_start_that_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[tuple[str, bool]] = []
    monkeypatch.setattr(cluster, "_stopped", set())
    monkeypatch.setattr(cluster, "interrupt_active", lambda run_id, *, hurry: stopped.append((run_id, hurry)))
    monkeypatch.setattr(cluster, "run", lambda config, store, options: (config, store.root, options.run_id))

    def result_of(start: str, run_id: str | None = "r1") -> Any:
        options = cast("Any", SimpleNamespace(run_id=run_id))
        return run_shard_task(ShardTask(cast("Any", "config"), "/store", options, start=start))

    assert result_of("first") == ("config", "/store", "r1")
    stop_shards("first", "r1", hurry=True)
    report = result_of("first")

    assert (report.run_id, report.end, result_of("first", None).run_id) == ("r1", "interrupted", "")
    assert result_of("second") == ("config", "/store", "r1")
    assert stopped == [("r1", True)]
