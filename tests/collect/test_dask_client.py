"""Tasks on a Dask cluster; the workers are fake."""

from types import SimpleNamespace
from typing import Any

import pytest
from distributed import KilledWorker

from engine.dask_client import DEATHS, run_in_order, shards_for
from engine.errors import StoreError


class Client:
    """A cluster that runs each task when its result is requested."""

    def nthreads(self) -> dict[str, int]:
        return {"tcp://a": 2, "tcp://b": 1}

    def submit(self, work: Any, errand: Any, **_: Any) -> Any:
        return SimpleNamespace(result=lambda: work(errand))


def test_answers_come_in_the_order_of_the_tasks() -> None:
    assert list(run_in_order(Client(), str.upper, ["a", "c", "b"])) == ["A", "C", "B"]


def test_a_task_that_loses_worker_after_worker_is_an_error_with_a_remedy() -> None:
    def die(_: str) -> str:
        raise KilledWorker("shard", SimpleNamespace(address="tcp://a"), DEATHS)

    with pytest.raises(StoreError, match=r"failed on several workers: .*; give the workers more memory"):
        list(run_in_order(Client(), die, ["a"]))


def test_work_is_split_into_more_tasks_than_threads() -> None:
    assert shards_for(Client()) == 12
