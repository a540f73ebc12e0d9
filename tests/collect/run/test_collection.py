"""When recorded calls are added to the study: after enough of them or enough time, in portions."""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.rows import collection
from engine.collect.rows.collection import Collection
from engine.collect.run_options import RunOptions
from engine.errors import SpbError, StoreError


class Study:
    """Recorded calls in portions, and the study that they are added to; adding takes so many seconds."""

    def __init__(self, seconds: float = 0.0, error: Exception | None = None) -> None:
        self.now, self.seconds, self.error = 100.0, seconds, error
        self.events: list[str] = []
        self.failures: list[SpbError] = []

    def monotonic(self) -> float:
        return self.now

    async def flush(self) -> None:
        self.events.append("flushed")

    def portions(self) -> Iterator[Any]:
        for name in ("one", "two"):
            yield SimpleNamespace(entries=[name])

    def collect(self, entries: list[str]) -> None:
        self.now += self.seconds / 2
        if self.error is not None:
            raise self.error
        self.events += [f"added {name}" for name in entries]

    def remove(self, portion: Any) -> None:
        self.events += [f"removed {name}" for name in portion.entries]


ONCE = ["flushed", "added one", "removed one", "added two", "removed two"]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Study:
    study = Study()
    monkeypatch.setattr(collection, "time", study)
    return study


def with_collection(study: Study, use: Any) -> None:
    """Run a use of a collection that is due after 3 calls or 30 seconds."""

    async def run() -> None:
        options = RunOptions(collect_calls=3, collect_seconds=30.0)
        parts = cast("Any", study), cast("Any", study)
        await use(Collection(*parts, options, study.failures.append))

    asyncio.run(run())


async def idle_counts(studied: Study, calls: Collection, count: int) -> int:
    """Count calls, wait, and return how often something was added so far."""
    for _ in range(count):
        calls.count()
    await calls.idle()
    return studied.events.count("flushed")


def test_calls_are_added_when_there_are_enough_each_portion_before_it_is_removed(study: Study) -> None:
    async def use(calls: Collection) -> None:
        times = [await idle_counts(study, calls, 2)]
        times += [await idle_counts(study, calls, 1), await idle_counts(study, calls, 2)]
        assert times == [0, 1, 1]

    with_collection(study, use)

    assert study.events == ONCE


def test_calls_are_added_when_time_has_passed_since_the_last_ones(study: Study) -> None:
    async def use(calls: Collection) -> None:
        study.now += 29.5
        times = [await idle_counts(study, calls, 1)]
        study.now += 0.5
        times.append(await idle_counts(study, calls, 1))
        study.now += 29.5
        times.append(await idle_counts(study, calls, 1))
        study.now += 0.5
        calls.begin_if_due()
        times.append(await idle_counts(study, calls, 0))
        study.now += 60.0
        calls.begin_if_due()  # and nothing waits
        times.append(await idle_counts(study, calls, 0))
        assert times == [0, 1, 1, 2, 2]

    with_collection(study, use)


def test_adding_takes_a_share_of_the_time_however_long_it_lasts(study: Study) -> None:
    study.seconds = 8.0

    async def use(calls: Collection) -> None:
        times = [await idle_counts(study, calls, 3)]
        study.now += 8.0 * collection._SHARE - 0.5
        times.append(await idle_counts(study, calls, 3))
        study.now += 0.5
        times.append(await idle_counts(study, calls, 1))
        assert times == [1, 1, 2]

    with_collection(study, use)


def test_answers_that_come_meanwhile_begin_no_second_one_and_are_added_next(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    async def use(calls: Collection) -> None:
        async def flush() -> None:
            study.events.append("flushed")
            while len(counted) < 5:
                counted.append(1)
                calls.count()

        monkeypatch.setattr(study, "flush", flush)
        await calls.collect()
        once = list(study.events)
        calls.begin_if_due()
        await calls.idle()
        assert (once, study.events) == (ONCE, ONCE * 2)

    with_collection(study, use)


def test_what_cannot_be_added_is_reported_and_stays_recorded(study: Study) -> None:
    study.error = StoreError("the disk is full")

    async def use(calls: Collection) -> None:
        await calls.collect()

    with_collection(study, use)

    assert study.failures == [study.error]
    assert study.events == ["flushed"]


def test_a_fault_of_the_program_is_raised(study: Study) -> None:
    study.error = KeyError("x")

    async def use(calls: Collection) -> None:
        await calls.collect()

    with pytest.raises(KeyError):
        with_collection(study, use)
    assert study.failures == []
