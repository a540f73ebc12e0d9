"""One stored answer read anew: what it becomes, what is counted, and what is left as it is."""

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.calls import Reply
from engine.collect.database.old_runs import has_old_files
from engine.collect.paradigms.answers.user_forms import AnswerForm
from engine.collect.rows import reparse, reread_answers
from engine.collect.rows.reparse import _holds, _line, _new_ids, _refuse_unfinished
from engine.collect.rows.reread_answers import Change, Reparsed, RunReading, _shortfall, _words
from engine.errors import UsageError

Row = dict[str, Any]
STORED: Row = {
    "judge": "j", "paradigm": "pairwise", "variant": "default", "rubric_id": None, "generator": "a",
    "status": "ok", "met": None, "score": None, "choice": "generator", "position": None,
    "explanation": "so", "shortfall": None, "raw": "A", "finish_reason": "stop", "call_id": "c",
    "p_generator": 0.75, "p_tie": 0.0, "p_mass": 0.5,
}  # fmt: skip
UNREAD: Row = {"status": "unparsed", "choice": None, "explanation": None}


class Library:
    def __init__(self, _: object) -> None:
        """Hold nothing."""


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> RunReading:
    monkeypatch.setattr(reread_answers, "Library", Library)
    monkeypatch.setattr(reread_answers, "request_of_row", lambda _library, _row, rubrics: [rubrics])
    return RunReading(cast("Any", None), "r", None, Reparsed())


def read_as(monkeypatch: pytest.MonkeyPatch, *rows: Row) -> list[Any]:
    """Let today's readers give these rows; return what they are given."""
    given: list[Any] = []

    def read(request: Any, reply: Reply) -> list[Row]:
        given.append((request[0], reply))
        return list(rows)

    monkeypatch.setattr(reread_answers, "read", read)
    return given


def changes(reading: RunReading) -> list[tuple[str, str, int]]:
    return [(change.before, change.after, count) for change, count in reading.report.changes.items()]


def test_a_verdict_that_is_read_as_before_keeps_all_that_is_stored_with_it(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, STORED | {"explanation": "in other words", "position": 2})

    assert reading._read_call([STORED]) == [STORED]
    assert (reading.report.verdicts, changes(reading)) == (1, [])


def test_another_choice_loses_the_probabilities_of_the_letters(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, STORED | {"choice": "tie", "explanation": "hm", "position": 7})

    [row] = reading._read_call([STORED])

    letters = dict.fromkeys(("p_generator", "p_tie", "p_mass"))
    assert row == STORED | letters | {"choice": "tie", "explanation": "hm", "position": 7}
    assert reading.report.changes == {Change("j", "pairwise", "default", "generator", "tie"): 1}


def test_a_verdict_that_is_read_no_more_has_a_shortfall_and_one_that_is_read_now_none(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, STORED | UNREAD)
    [lost] = reading._read_call([STORED])
    read_as(monkeypatch, STORED)
    [won] = reading._read_call([STORED | UNREAD | {"shortfall": "malformed"}])

    assert (lost["status"], lost["choice"], lost["shortfall"]) == ("unparsed", None, "malformed")
    assert (won["status"], won["choice"], won["shortfall"]) == ("ok", "generator", None)
    assert changes(reading) == [
        ("generator", "unparsed (malformed)", 1),
        ("unparsed (malformed)", "generator", 1),
    ]


@pytest.mark.parametrize("status", ["refused", "error"])
def test_a_call_with_a_refusal_or_an_error_is_not_read(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    given = read_as(monkeypatch, STORED)
    rows = [STORED, STORED | {"status": status}]

    assert reading._read_call(rows) == rows
    assert (given, reading.report) == ([], Reparsed())


def test_answers_without_a_text_are_counted_by_their_verdicts(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = read_as(monkeypatch, STORED)
    rows = [STORED | {"raw": None}, STORED]

    assert reading._read_call(rows) == rows
    assert (given, reading.report) == ([], Reparsed(without_answer=2))


@pytest.mark.parametrize("other", [{"rubric_id": "r2"}, {"generator": "b"}, None])
def test_verdicts_about_something_else_than_those_stored_are_left(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch, other: Row | None
) -> None:
    read_as(monkeypatch, *([] if other is None else [STORED | {"choice": "tie"} | other]))

    assert reading._read_call([STORED]) == [STORED]
    assert reading.report == Reparsed(unmatched=1)


def test_a_call_that_cannot_be_asked_any_more_is_left(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = read_as(monkeypatch, STORED)
    monkeypatch.setattr(reread_answers, "request_of_row", lambda *_: None)

    assert reading._read_call([STORED]) == [STORED]
    assert (given, reading.report) == ([], Reparsed(unmatched=1))


@pytest.mark.parametrize(("paradigm", "rubrics"), [("all_rubrics", ["r1", "r2"]), ("single_rubric", None)])
def test_a_list_of_verdicts_is_read_for_the_criteria_in_their_order(
    reading: RunReading, monkeypatch: pytest.MonkeyPatch, paradigm: str, rubrics: list[str] | None
) -> None:
    rows = [STORED | {"paradigm": paradigm, "rubric_id": each} for each in ("r1", "r2")]
    given = read_as(monkeypatch, *rows)

    reading._read_call(rows)

    assert given == [(rubrics, Reply("A", finish_reason="stop"))]
    assert reading.report.verdicts == 2


@pytest.mark.parametrize(
    ("stored", "read"),
    [("malformed", None), ("cut_off", "cut_off"), ("only_thinking", "only_thinking"), (None, None)],
)
def test_an_answer_that_was_malformed_once_may_be_whole_today(
    reading: RunReading, stored: str | None, read: str | None
) -> None:
    assert reading._reply(STORED | {"shortfall": stored}).shortfall == read


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"raw": "VERDICT: A"}, '{"form": "VERDICT: A"}'),
        ({"raw": "<think>B?</think>VERDICT: A"}, '{"form": "VERDICT: A"}'),
        ({"raw": "none of it"}, "none of it"),
        ({"raw": "VERDICT: A", "shortfall": "only_thinking"}, "VERDICT: A"),
        ({"raw": "VERDICT: A", "variant": "other"}, "VERDICT: A"),
    ],
)
def test_a_users_form_replaces_the_answer_in_which_it_occurs(
    reading: RunReading, row: Row, text: str
) -> None:
    form = SimpleNamespace(
        fits=lambda paradigm, variant: (paradigm, variant) == ("pairwise", "default"),
        json_of=lambda text: json.dumps({"form": text}) if text.startswith("VERDICT") else None,
    )
    reading.form = cast("AnswerForm", form)

    assert reading._reply(STORED | row).text == text


@pytest.mark.parametrize(
    ("row", "finish_reason", "shortfall"),
    [
        ({"shortfall": "cut_off"}, "stop", "cut_off"),
        ({}, "length", "cut_off"),
        ({"raw": " x "}, "stop", "malformed"),
        ({"raw": " \n"}, "stop", "empty"),
        ({"raw": None}, "stop", "empty"),
    ],
)
def test_an_unread_answer_has_its_stored_shortfall_or_that_of_its_text(
    row: Row, finish_reason: str, shortfall: str
) -> None:
    assert _shortfall(STORED | row, Reply("", finish_reason=finish_reason)) == shortfall


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"status": "unparsed"}, "unparsed (malformed)"),
        ({"status": "unparsed", "shortfall": "empty"}, "unparsed (empty)"),
        ({"met": True}, "met"),
        ({"met": False}, "not met"),
        ({"score": 0.0}, "0"),
        ({"score": 2 / 3}, "0.6667"),
        ({"choice": "tie"}, "tie"),
    ],
)
def test_a_change_is_named_by_its_values(values: Row, words: str) -> None:
    empty = {"status": "ok", "shortfall": None, "met": None, "score": None, "choice": None}

    assert _words(empty | values) == words


def test_the_most_frequent_changes_come_first() -> None:
    report = Reparsed(5, 1, 2, runs={"r": "new"})
    report.changes = Counter({Change("j", "p", "v", "met", "tie"): 1, Change("j", "p", "v", "tie", "met"): 3})

    facts = report.to_dict()

    assert [(each["before"], each["verdicts"]) for each in facts["changes"]] == [("tie", 3), ("met", 1)]
    del facts["changes"]
    assert facts == {
        "verdicts": 5, "without_answer": 1, "unmatched": 2, "runs": {"r": "new"}, "changed": 4
    }  # fmt: skip


def test_new_runs_have_ids_of_their_own_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter(["b", "b", "a"])
    monkeypatch.setattr(reparse, "new_run_id", lambda: next(ids))

    assert _new_ids(2) == ["a", "b"]
    assert _new_ids(0) == []


@pytest.mark.parametrize("place", ["run", "run/shard-1-of-2"])
@pytest.mark.parametrize("kind", ["unfinished", "old"])
def test_a_run_with_answers_that_the_study_lacks_is_not_read_anew(
    tmp_path: Path, place: str, kind: str
) -> None:
    folder = tmp_path / "run"
    (folder / "shard-1-of-2").mkdir(parents=True)
    _refuse_unfinished(folder)
    name = "run.sqlite" if kind == "unfinished" else "under_way.jsonl"
    (tmp_path / place / name).write_bytes(b"something")

    assert has_old_files(tmp_path / place) is (kind == "old")
    with pytest.raises(UsageError, match="the run 'run' was killed, and answers of it are not in the study"):
        _refuse_unfinished(folder)


@pytest.mark.parametrize(("rows", "holds"), [([0, 2, 0], True), ([0, 0], False), ([], False)])
def test_a_part_holds_a_run_if_some_of_its_row_groups_have_rows_of_it(rows: list[int], holds: bool) -> None:
    batches = [SimpleNamespace(num_rows=count) for count in rows]
    study = cast("Any", SimpleNamespace(judgment_batches=lambda **_: batches))

    assert _holds(study, "part", "r") is holds


def test_a_row_is_written_without_what_is_null() -> None:
    assert _line({"a": 1, "b": None, "c": False}) == b'{"a": 1, "c": false}\n'
