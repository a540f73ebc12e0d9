"""Tasks on a Dask cluster; the workers are fake."""

from types import SimpleNamespace
from typing import Any

import pytest
from distributed import KilledWorker

from engine import dask_client
from engine.dask_client import DEATHS, ClusterError, completed_tasks, run_in_order, shards_for
from engine.errors import StoreError, UsageError


class Client:
    """A cluster that runs each task when its result is requested."""

    def nthreads(self) -> dict[str, int]:
        return {"tcp://a": 2, "tcp://b": 1}

    def submit(self, work: Any, errand: Any, **_: Any) -> Any:
        return SimpleNamespace(result=lambda: work(errand))

    def cancel(self, _: Any) -> None: ...


@pytest.fixture
def all_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every task have ended whenever that is asked."""
    done = lambda futures, **_: SimpleNamespace(done=list(futures))  # noqa: E731
    monkeypatch.setattr("distributed.wait", done)


def test_answers_come_in_the_order_of_the_tasks() -> None:
    assert list(run_in_order(Client(), str.upper, ["a", "c", "b"])) == ["A", "C", "B"]


def test_a_task_that_loses_worker_after_worker_is_an_error_with_a_remedy() -> None:
    def die(_: str) -> str:
        raise KilledWorker("shard", SimpleNamespace(address="tcp://a"), DEATHS)

    with pytest.raises(StoreError, match=r"failed on several workers: .*; give the workers more memory"):
        list(run_in_order(Client(), die, ["a"]))


def test_work_is_split_into_more_tasks_than_threads() -> None:
    assert shards_for(Client()) == 12


@pytest.mark.usefixtures("all_done")
def test_an_error_of_the_work_keeps_its_kind_and_message() -> None:
    def refuse(_: str) -> str:
        raise UsageError("no such study")

    with pytest.raises(UsageError, match=r"^no such study$"):
        list(completed_tasks(Client(), refuse, ["a"]))


@pytest.mark.usefixtures("all_done")
def test_any_other_error_of_a_worker_is_named_with_a_remedy() -> None:
    def break_down(_: str) -> str:
        raise ModuleNotFoundError("No module named 'engine'")

    with pytest.raises(
        ClusterError, match=r"ModuleNotFoundError: No module named 'engine'; see its log; all"
    ):
        list(completed_tasks(Client(), break_down, ["a"]))


def test_work_without_any_worker_left_ends_with_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_done(*_: Any, **__: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr("distributed.wait", none_done)
    monkeypatch.setattr(Client, "nthreads", lambda _: {})

    with pytest.raises(ClusterError, match="has no workers left; start some, and run the command again"):
        list(completed_tasks(Client(), str.upper, ["a"], patience_s=3 * dask_client._LOOK_S))


def test_a_scheduler_that_is_lost_while_it_is_asked_for_its_workers_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_done(*_: Any, **__: Any) -> None:
        raise TimeoutError

    def reset(*_: Any) -> Any:
        raise ConnectionResetError(104, "Connection reset by peer")

    monkeypatch.setattr("distributed.wait", none_done)
    monkeypatch.setattr(Client, "nthreads", reset)
    monkeypatch.setattr(Client, "cancel", reset)

    with pytest.raises(ClusterError, match="the cluster's scheduler no longer answers; start the cluster"):
        list(completed_tasks(Client(), str.upper, ["a"]))
