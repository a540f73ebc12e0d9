"""The possible cost of calls in progress outlives the process that made them."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from collect.run.recording import as_killed

from engine.collect.calls import CallRequest, Failure, Subject
from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.entries import entry_of
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.database.run_database import RunDatabase, is_unfinished

JUDGE = ("m", "judge", "single_rubric", "default")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


@pytest.fixture
def database(folder: Path) -> Iterator[RunDatabase]:
    with closing(RunDatabase(folder)) as opened:
        yield opened


def request(model: str = "m") -> CallRequest:
    return CallRequest("judge", model, "single_rubric", "default", Subject("i1", "g", rubric_ids=("r1",)))


def begin(database: RunDatabase, *calls: tuple[str, CallRequest, float]) -> None:
    async def begin_each() -> None:
        under_way = CallsUnderWay(database)
        for call in calls:
            if (on_disk := under_way.begin(*call)) is not None:
                await on_disk

    asyncio.run(begin_each())


def answer(database: RunDatabase, call: CallRequest) -> None:
    failure = Failure("timeout", "no answer")
    RecordedCalls(database).add_all([entry_of(call, "run", failure, [], calls=1, seconds=1.0)])


def test_calls_without_an_answer_are_owed_by_their_row_of_runs(database: RunDatabase) -> None:
    answered = request()
    begin(
        database,
        (answered.key, answered, 0.25),
        ("two", request(), 0.5),
        ("two", request(), 0.5),  # tried again, after an attempt that may be charged for
        ("two", request("spare"), 1.0),
    )

    answer(database, answered)

    # 0.5 + 0.5 for the model, and 1 for its fallback
    assert CallsUnderWay(database).charges() == {JUDGE: 1.0, ("spare", *JUDGE[1:]): 1.0}


def test_a_charge_survives_a_kill_before_its_call_is_sent(folder: Path, database: RunDatabase) -> None:
    begin(database, ("one", request(), 0.25))

    killed = as_killed(folder, folder.parent / "killed")

    assert is_unfinished(killed)
    with closing(RunDatabase(killed)) as opened:
        assert CallsUnderWay(opened).charges() == {JUDGE: 0.25}


def test_free_calls_are_not_recorded(database: RunDatabase) -> None:
    begin(database, ("one", request(), 0.0))

    assert CallsUnderWay(database).charges() == {}


def test_charges_that_the_study_has_are_cleared(folder: Path, database: RunDatabase) -> None:
    begin(database, ("one", request(), 0.25))

    CallsUnderWay(database).clear()
    database.close()

    assert not is_unfinished(folder)
