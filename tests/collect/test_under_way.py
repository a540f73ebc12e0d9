"""What calls under way may cost outlives the process that made them."""

from pathlib import Path

import pytest

from engine.collect import under_way
from engine.collect.calls import CallRequest, Subject
from engine.collect.under_way import UnderWay, left_under_way

JUDGE = ("m", "judge", "single_rubric", "default")


def request(model: str = "m") -> CallRequest:
    return CallRequest("judge", model, "single_rubric", "default", Subject("i1", "g", rubric_ids=("r1",)))


def test_calls_that_have_not_ended_are_owed_by_the_row_of_runs_that_they_belong_to(tmp_path: Path) -> None:
    calls = UnderWay(tmp_path)

    calls.begin("one", request(), 0.25)
    calls.begin("two", request(), 0.5)
    calls.begin("two", request(), 0.5)  # tried again, after an attempt that may be charged for
    calls.begin("two", request("spare"), 1.0)
    calls.end("one")

    # 0.5 + 0.5 of the model, and 1 of the one that stands in for it
    assert left_under_way(tmp_path)[1] == {JUDGE: 1.0, ("spare", *JUDGE[1:]): 1.0}


def test_the_file_goes_once_every_call_has_ended_and_stays_for_calls_that_were_given_up(
    tmp_path: Path,
) -> None:
    calls, path = UnderWay(tmp_path), left_under_way(tmp_path)[0]
    calls.begin("one", request(), 0.25)
    calls.close()
    stayed = path.exists()
    calls.end("one")
    calls.close()

    assert stayed
    assert not path.exists()


def test_calls_that_cost_nothing_are_not_written_down(tmp_path: Path) -> None:
    calls = UnderWay(tmp_path)

    calls.begin("one", request(), 0.0)
    calls.end("one")

    path, owed = left_under_way(tmp_path)
    assert not owed
    assert not path.exists()


def test_a_long_file_is_written_anew_with_the_calls_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(under_way, "_MOST_LINES", 10)
    calls = UnderWay(tmp_path)
    calls.begin("first", request(), 0.25)

    for number in range(100):
        calls.begin(f"c{number}", request(), 1.0)
        calls.end(f"c{number}")

    path, owed = left_under_way(tmp_path)
    assert owed == {JUDGE: 0.25}
    assert len(path.read_bytes().splitlines()) <= 11


def test_a_torn_last_line_is_left_out_and_a_damaged_one_passed_over(tmp_path: Path) -> None:
    calls = UnderWay(tmp_path)
    for name in ("one", "two", "three"):
        calls.begin(name, request(), 1.0)
    path = left_under_way(tmp_path)[0]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"1.0", b"9.0") + lines[2][:-5])

    assert left_under_way(tmp_path)[1] == {JUDGE: 1.0}
