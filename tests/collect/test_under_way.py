"""The possible cost of calls in progress outlives the process that made them."""

from pathlib import Path

import pytest

from engine.collect import calls_under_way
from engine.collect.calls import CallRequest, Failure, Subject
from engine.collect.calls_under_way import CallsUnderWay, charges_under_way
from engine.collect.journal import Journal, entry_of

FILE = "under_way.jsonl"
JUDGE = ("m", "judge", "single_rubric", "default")


def request(model: str = "m") -> CallRequest:
    return CallRequest("judge", model, "single_rubric", "default", Subject("i1", "g", rubric_ids=("r1",)))


def test_calls_that_have_not_ended_are_owed_by_their_row_of_runs(tmp_path: Path) -> None:
    calls = CallsUnderWay(tmp_path)

    calls.begin("one", request(), 0.25)
    calls.begin("two", request(), 0.5)
    calls.begin("two", request(), 0.5)  # tried again, after an attempt that may be charged for
    calls.begin("two", request("spare"), 1.0)
    calls.end("one")

    # 0.5 + 0.5 for the model, and 1 for its fallback
    assert charges_under_way(tmp_path) == {JUDGE: 1.0, ("spare", *JUDGE[1:]): 1.0}


def test_the_file_is_removed_once_every_call_has_ended_and_stays_for_abandoned_calls(
    tmp_path: Path,
) -> None:
    calls, path = CallsUnderWay(tmp_path), tmp_path / FILE
    calls.begin("one", request(), 0.25)
    calls.close()
    exists = path.exists()
    calls.end("one")
    calls.close()

    assert exists
    assert not path.exists()


def test_free_calls_are_not_recorded(tmp_path: Path) -> None:
    calls = CallsUnderWay(tmp_path)

    calls.begin("one", request(), 0.0)
    calls.end("one")

    assert charges_under_way(tmp_path) == {}
    assert not (tmp_path / FILE).exists()


def test_a_long_file_is_rewritten_with_the_calls_in_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls_under_way, "_MOST_LINES", 10)
    calls = CallsUnderWay(tmp_path)
    calls.begin("first", request(), 0.25)

    for number in range(100):
        calls.begin(f"c{number}", request(), 1.0)
        calls.end(f"c{number}")

    assert charges_under_way(tmp_path) == {JUDGE: 0.25}
    assert len((tmp_path / FILE).read_bytes().splitlines()) <= 11


def test_torn_and_damaged_lines_are_skipped(tmp_path: Path) -> None:
    calls = CallsUnderWay(tmp_path)
    for name in ("one", "two", "three"):
        calls.begin(name, request(), 1.0)
    path = tmp_path / FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"1.0", b"9.0") + lines[2][:-5])

    assert charges_under_way(tmp_path) == {JUDGE: 1.0}


def test_a_call_in_the_journal_is_not_owed(tmp_path: Path) -> None:
    calls, answered = CallsUnderWay(tmp_path), request()
    calls.begin(answered.key, answered, 1.0)
    calls.begin("lost", request(), 0.25)
    failure = Failure("timeout", "no answer")
    Journal(tmp_path).write_file([entry_of(answered, "run", failure, [], calls=1, seconds=1.0)])

    assert charges_under_way(tmp_path) == {JUDGE: 0.25}
