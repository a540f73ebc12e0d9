"""Adding calls to a study that others write too: waits, and which calls the study has already."""

from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from collect.run.recording import entry

from engine.collect.calls import Failure
from engine.collect.database.entries import Entry, entry_of
from engine.collect.rows import recorder
from engine.collect.rows.new_rows import NewRows
from engine.collect.rows.recorder import Collector
from engine.collect.rows.redo import RepeatedResponses
from engine.errors import BadInputError, StudyChangedError

from .test_session import request


class Runs:
    run_id = "r"

    def __init__(self) -> None:
        self.noted: list[Entry] = []

    def add_calls(self, _: object, rows: Any) -> Any:
        return rows

    def note_answers(self, entries: Any) -> None:
        self.noted += entries

    def note_redone(self, notes: dict[str, str], rows: Any, *, new_settings: bool = True) -> Any:
        return [*rows, (notes, new_settings)]


class Writes:
    """Stands in for a study's writer, which others are faster than so many times."""

    def __init__(self, lost: int = 0) -> None:
        self.lost = lost
        self.new: list[NewRows] = []
        self.runs: list[Any] = []

    def __call__(self, study: Any, new: NewRows, change: Any) -> Any:
        if self.lost:
            self.lost -= 1
            raise StudyChangedError("another was faster")
        self.new.append(new)
        self.runs.append(change([]))
        return study


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> Writes:
    writes = Writes()
    monkeypatch.setattr(recorder, "add_rows", writes)
    return writes


@pytest.fixture
def collector() -> Collector:
    return Collector(cast("Any", SimpleNamespace(location=None)), cast("Any", Runs()), nullcontext)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The longest time of each wait, of which a random part is waited."""
    waits: list[float] = []
    monkeypatch.setattr(recorder.time, "sleep", waits.append)
    monkeypatch.setattr(recorder.random, "uniform", lambda least, most: least + most)
    return waits


def test_a_faster_writer_is_waited_for_twice_as_long_each_time_up_to_two_seconds(
    collector: Collector, writes: Writes, waits: list[float]
) -> None:
    writes.lost = 8

    collector.add_judgments([{"call_id": "c"}])

    assert waits == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0])
    assert [new.judgments for new in writes.new] == [[{"call_id": "c"}]]


@pytest.mark.parametrize(("lost", "fails"), [(39, False), (40, True)])
def test_after_forty_tries_a_writer_gives_up(
    collector: Collector, writes: Writes, waits: list[float], lost: int, fails: bool
) -> None:
    writes.lost = lost

    if fails:
        with pytest.raises(StudyChangedError, match="another was faster"):
            collector.change_runs(lambda rows: rows)
    else:
        collector.change_runs(lambda rows: rows)

    assert (len(waits), len(writes.new)) == (39, 0 if fails else 1)


class Stored(set[tuple[str, str]]):
    """The rows that a study has, by table and text."""

    def has_row(self, table: str, row: dict[str, Any]) -> bool:
        return (table, row.get("raw")) in self

    def add(self, table: str, row: dict[str, Any]) -> None:  # type: ignore[override]
        super().add((table, row["raw"]))


def has(monkeypatch: pytest.MonkeyPatch, *texts: str, failures: list[dict[str, Any]] | None = None) -> None:
    """Let the study have judgments with these texts, and these failed ones."""
    stored = [("judgments", text) for text in texts]
    monkeypatch.setattr(recorder.CompletedCalls, "of_run", lambda *_: Stored(stored))
    rows = failures or []
    monkeypatch.setattr(
        Collector,
        "_own_judgments",
        lambda _self, _columns, condition: [row for row in rows if condition(row)],
    )


def failed(number: int) -> Entry:
    down = Failure("server", "down", 500)
    rows = [{"status": "error", "raw": None}]
    return entry_of(request(trial=number), "r", down, rows, calls=1, seconds=0.1)


def test_an_answer_is_in_the_study_if_any_of_its_rows_is(
    collector: Collector, writes: Writes, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(monkeypatch, "one")
    first, second = entry(1, "one"), entry(2, "two")
    first.rows.append({"status": "ok", "raw": "more of one"})

    assert collector.collect_missing([first, second]) == [second]
    assert [new.judgments for new in writes.new] == [second.rows]
    assert cast("Any", collector.runs).noted == [second]


@pytest.mark.usefixtures("writes")
def test_of_two_answers_to_one_call_the_first_counts_and_all_failures_do(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(monkeypatch)
    first, again, down = entry(1, "one"), entry(1, "one"), failed(1)

    assert collector.collect_missing([down, first, again, down]) == [down, first, down]


@pytest.mark.usefixtures("writes")
def test_a_failure_is_in_the_study_if_one_of_its_call_and_time_is(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, third = failed(1), failed(2), failed(3)
    at = [datetime.fromisoformat(each.at) for each in (one, other, third)]
    rows = [
        {"call_id": one.key, "created_at": at[0], "status": "error"},
        {"call_id": other.key, "created_at": at[1].replace(year=2001), "status": "error"},
        {"call_id": third.key, "created_at": at[2], "status": "unparsed"},
    ]
    has(monkeypatch, failures=rows)

    assert collector.collect_missing([one, other, third]) == [other, third]


@pytest.mark.usefixtures("writes")
def test_an_answer_is_not_taken_for_a_failure_of_its_call_at_its_time(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = entry(1, "one")
    time = datetime.fromisoformat(answer.at)
    has(monkeypatch, failures=[{"call_id": answer.key, "created_at": time, "status": "error"}])

    assert collector.collect_missing([answer]) == [answer]


def test_nothing_to_add_is_not_written(
    collector: Collector, writes: Writes, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(monkeypatch, "one")

    collector.collect([])
    collector.collect_missing([entry(1, "one")])

    assert writes.new == []


def test_rows_that_the_study_refuses_for_it_has_them_are_left_out(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(monkeypatch, "one")
    written: list[Any] = []

    def refuse_one(study: Any, new: NewRows, _: Any) -> Any:
        written.append([row["raw"] for row in new.judgments])
        if "one" in written[-1]:
            raise BadInputError("repeats")
        return study

    monkeypatch.setattr(recorder, "add_rows", refuse_one)

    collector.collect([entry(1, "one"), entry(2, "two")])

    assert written == [["one", "two"], ["two"]]


@pytest.mark.parametrize("new_settings", [True, False])
def test_all_rows_of_a_call_are_withdrawn_together_and_counted_by_judge(
    collector: Collector, writes: Writes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, new_settings: bool
) -> None:
    rows = [
        {"call_id": "c1", "judge": "a", "bad": True, "met": None},
        {"call_id": "c1", "judge": "a", "bad": False, "met": True},
        {"call_id": "c2", "judge": "b", "bad": False, "met": True},
        {"call_id": "c3", "judge": "a", "bad": True, "met": None},
        {"call_id": None, "judge": "a", "bad": True, "met": None},  # which no call can give again
    ]
    monkeypatch.setattr(
        Collector,
        "_own_judgments",
        lambda _self, _columns, condition: [row for row in rows if condition(row)],
    )
    path = tmp_path / "withdrawn.jsonl"

    calls = collector.withdraw(
        lambda row: row["bad"], path, lambda model, count: f"{count} of {model}", new_settings=new_settings
    )

    assert calls == 2
    assert path.read_text().splitlines() == [
        '{"call_id": "c1", "judge": "a", "bad": true}',
        '{"call_id": "c1", "judge": "a", "bad": false, "met": true}',
        '{"call_id": "c3", "judge": "a", "bad": true}',
    ]
    assert writes.new == [NewRows("r", [], [], frozenset(["c1", "c3"]))]
    assert writes.runs == [[({"a": "2 of a"}, new_settings)]]


def test_if_nothing_is_to_be_withdrawn_nothing_is_written(
    collector: Collector, writes: Writes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    has(monkeypatch)

    assert collector.withdraw(lambda _: True, tmp_path / "withdrawn.jsonl", lambda *_: "") == 0
    assert (writes.new, list(tmp_path.iterdir())) == ([], [])


def test_withdrawn_responses_are_written_with_their_calls(
    collector: Collector, writes: Writes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stored = {
        "responses": [
            {"instance_id": "i", "generator": "a", "transform": "none", "text": None},
            {"instance_id": "i", "generator": "a", "transform": "short"},
        ],
        "references": [{"instance_id": "i", "generator": "a", "met": True}],
    }
    study = SimpleNamespace(has=stored.__contains__, table=stored.__getitem__)
    monkeypatch.setattr(recorder, "StudyFiles", lambda _: study)
    monkeypatch.setattr(RepeatedResponses, "without", lambda _self, _name, rows: (None, rows))
    repeated = RepeatedResponses(
        {("i", "a", "none"): "c1", ("i", "b", "none"): "c2", ("j", "a", "none"): "c3"}
    )
    path = tmp_path / "withdrawn.jsonl"

    collector.withdraw_responses(repeated, path, lambda model, count: f"{count} of {model}")

    assert path.read_text().splitlines() == [
        '{"instance_id": "i", "generator": "a", "transform": "none", "call_id": "c1", "table": "responses"}',
        '{"instance_id": "i", "generator": "a", "transform": "short", "call_id": "", "table": "responses"}',
        '{"instance_id": "i", "generator": "a", "met": true, "call_id": "c1", "table": "references"}',
    ]
    assert writes.new == [NewRows("r", [], [], repeated=repeated)]
    assert writes.runs == [[({"a": "2 of a", "b": "1 of b"}, True)]]
