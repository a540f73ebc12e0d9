"""A run's status: what it says, when it is written, and the cap that an earlier start had."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.collect.dispatch import run_status
from engine.collect.dispatch.run_status import Status

from .recording import entry


class Time:
    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(run_status, "time", time)
    return time


def test_the_status_is_written_at_most_twice_a_second_and_at_once_where_it_changes(
    time: Time, tmp_path: Path
) -> None:
    shown: list[dict[str, Any]] = []
    status = Status(tmp_path / "status.json", {"run_id": "r"}, shown.append)

    status.add(entry(1))
    time.now += 0.25
    status.add(entry(2))
    time.now += 0.25
    status.add(entry(3))
    status.set("done", message="all")

    assert [each["ok"] for each in shown] == [1, 3, 3]
    assert json.loads((tmp_path / "status.json").read_text()) == shown[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["status.json"]


def test_a_status_that_cannot_be_written_stops_nothing(time: Time, tmp_path: Path) -> None:
    status = Status(tmp_path / "none" / "status.json", {})

    status.set("running")

    assert status.state == "running"
    assert time.now == 1_000


def test_the_time_left_is_that_of_the_open_calls_at_the_rate_of_the_last_ones(
    time: Time, tmp_path: Path
) -> None:
    status = Status(None, {"run_id": "r", "max_usd": 2.0}, pid=7)
    assert status.to_dict()["seconds_left"] is None
    status.counts.total, status.counts.later, status.counts.already_done, status.counts.error = 8, 2, 1, 1
    time.now += 4.0
    status.add(entry(1))
    status.add(entry(2))

    now = status.to_dict()

    # 2 calls in 4 seconds; 10 calls, of which 1 and 2 are answered and 1 failed
    assert (now["rate"], now["seconds_left"]) == (0.5, 12.0)
    assert (now["total"], now["done"], now["pid"], now["run_id"]) == (10, 3, 7, "r")
    assert (now["state"], now["stage"], now["finished_at"]) == ("starting", "planning", None)
    status.counts.error = 99
    assert status.to_dict()["seconds_left"] == 0.0
    assert tmp_path.exists()


def test_the_rate_begins_anew_where_calls_begin(time: Time) -> None:
    status = Status(None, {})
    time.now += 100.0
    status.set("running", stage="responses")
    time.now += 2.0
    status.add(entry(1))

    assert status.to_dict()["rate"] == 0.5
    status.set(stage="planning")
    assert status.to_dict()["rate"] == 0.5
    status.set(stage="judgments")
    assert (status.to_dict()["rate"], status.state, status.stage) == (0.0, "running", "judgments")


def test_a_message_stays_until_there_is_another_and_an_end_has_a_time(time: Time) -> None:
    status = Status(None, {})
    status.set("running", message="now")
    status.set(stage="judgments")
    message_before = status.message
    status.set("done", message="")

    assert (message_before, status.message, time.now) == ("now", "", 1_000)
    assert status.to_dict()["finished_at"] is not None


NO_CAP = "no spending cap (an earlier start had $2.5)"


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ({"max_usd": 2.5}, NO_CAP),
        ({"max_usd": None, "lifted_usd": 2.5}, NO_CAP),
        ({"max_usd": 2.5, "lifted_usd": 9.0}, NO_CAP),
        ({"max_usd": None}, ""),
        ({"max_usd": "many"}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_a_start_without_a_cap_says_that_an_earlier_one_had_it(
    tmp_path: Path, before: object, message: str
) -> None:
    path = tmp_path / "status.json"
    if before is not None:
        path.write_text(json.dumps(before))

    status: Callable[..., Status] = Status
    assert status(path, {"max_usd": None}).message == message
    assert status(path, {"max_usd": 1.0}).message == ""
    assert status(None, {}).message == ""
    assert status(path, {}).to_dict()["lifted_usd"] == (2.5 if message else None)
