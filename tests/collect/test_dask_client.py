"""What becomes of errands on a Dask cluster; the workers are made up."""

from types import SimpleNamespace
from typing import Any

import pytest
from distributed import KilledWorker

from engine.dask_client import DEATHS, in_order, shards_for
from engine.errors import StoreError


class Client:
    """A cluster that does each errand when its result is asked for."""

    def nthreads(self) -> dict[str, int]:
        return {"tcp://a": 2, "tcp://b": 1}

    def submit(self, work: Any, errand: Any, **_: Any) -> Any:
        return SimpleNamespace(result=lambda: work(errand))


def test_answers_come_in_the_order_of_the_errands() -> None:
    assert list(in_order(Client(), str.upper, ["a", "c", "b"])) == ["A", "C", "B"]


def test_an_errand_that_loses_worker_after_worker_is_an_error_that_says_what_helps() -> None:
    def die(_: str) -> str:
        raise KilledWorker("shard", SimpleNamespace(address="tcp://a"), DEATHS)

    with pytest.raises(StoreError, match=r"failed on several workers: .*; give the workers more memory"):
        list(in_order(Client(), die, ["a"]))


def test_work_is_cut_finer_than_there_are_threads() -> None:
    assert shards_for(Client()) == 12
