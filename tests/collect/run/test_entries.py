"""What is recorded of a finished call: its rows, its status, its tokens and its cost."""

import json
from typing import Any

import pytest

from engine.collect.calls import CallRequest, Failure, Reply, Subject
from engine.collect.database.entries import Entry, entry_of

JUDGE = CallRequest("judge", "m", "single_rubric", "default", Subject("x", "g", rubric_ids=("r",)))
GENERATOR = CallRequest("generator", "m", None, "default", Subject("x", "m"))


def entry(
    outcome: Reply | Failure, *rows: dict[str, object], request: CallRequest = JUDGE, **more: Any
) -> Entry:
    return entry_of(request, "run", outcome, rows, calls=1, seconds=0.5, **more)


def test_the_rows_of_a_judge_have_their_run_their_call_and_their_time() -> None:
    reply = Reply("Yes.", finish_reason="stop", cached=True)

    recorded = entry(reply, {"status": "ok", "met": True, "score": None}, at="2026-01-01")

    assert recorded.rows == [
        {"status": "ok", "met": True, "run_id": "run", "call_id": JUDGE.key, "created_at": "2026-01-01",
         "finish_reason": "stop", "cached": True},
    ]  # fmt: skip
    assert (recorded.key, recorded.at, recorded.table) == (JUDGE.key, "2026-01-01", "judgments")


def test_the_rows_of_a_generator_have_their_run_alone() -> None:
    recorded = entry(Reply("Hi.", finish_reason="stop"), {"generator": "m", "text": "Hi."}, request=GENERATOR)

    assert recorded.rows == [{"generator": "m", "text": "Hi.", "run_id": "run"}]
    assert (recorded.table, recorded.status, recorded.role) == ("responses", "ok", "generator")


@pytest.mark.parametrize(
    ("answered_by", "model", "stood_in_for"), [(None, "m", None), ("m", "m", None), ("spare", "spare", "m")]
)
def test_a_fallback_is_the_model_that_answered(
    answered_by: str | None, model: str, stood_in_for: str | None
) -> None:
    recorded = entry(Reply("Yes."), {"status": "ok"}, answered_by=answered_by)

    assert (recorded.model, recorded.stood_in_for) == (model, stood_in_for)
    assert recorded.rows[0].get("stood_in_for") == stood_in_for


@pytest.mark.parametrize(
    ("reply", "assumed", "lost", "cost"),
    [
        (Reply("", cost_usd=0.5), None, 0.25, 0.75),
        (Reply("", cost_usd=0.5), 9.0, 0.0, 0.5),
        (Reply(""), 1.0, 0.25, 1.25),
        (Reply(""), None, 0.25, None),
        (Failure("server", "x"), None, 0.25, 0.25),
    ],
)
def test_a_call_costs_its_answer_and_what_attempts_without_one_cost(
    reply: Reply | Failure, assumed: float | None, lost: float, cost: float | None
) -> None:
    assert entry(reply, {"status": "ok"}, assumed_usd=assumed, lost_usd=lost).cost_usd == cost


@pytest.mark.parametrize(("cached", "tokens"), [(False, (3, 4)), (True, (0, 0))])
def test_a_cached_answer_has_no_tokens(cached: bool, tokens: tuple[int, int]) -> None:
    reply = Reply("", prompt_tokens=3, completion_tokens=4, cached=cached, saved_usd=0.5)

    recorded = entry(reply, {"status": "ok"})

    assert (recorded.prompt_tokens, recorded.completion_tokens) == tokens
    assert (recorded.cached, recorded.saved_usd) == (cached, 0.5)
    assert entry(Reply("")).prompt_tokens == 0


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (["unparsed", "ok"], "ok"),
        (["refused", "unparsed"], "unparsed"),
        (["refused"], "refused"),
        ([None], "ok"),
        ([], "ok"),
    ],
)
def test_a_call_has_the_best_status_of_its_rows(statuses: list[str | None], status: str) -> None:
    assert entry(Reply(""), *({"status": each} for each in statuses)).status == status


def test_a_verdict_about_a_generator_is_not_an_answer_of_its() -> None:
    assert entry(Reply(""), {"status": "refused", "generator": "g"}).status == "refused"
    assert entry(Reply(""), {"status": "unparsed", "text": "?"}).status == "unparsed"


def test_a_line_without_what_later_versions_added_is_read() -> None:
    recorded = entry(Reply("Yes."), {"status": "ok"})
    values = json.loads(recorded.to_line())
    for name in ("crc32", "structured", "cached", "saved_usd", "stood_in_for", "shortfall"):
        del values[name]

    assert Entry.from_line(json.dumps(values).encode() + b"\n") == recorded


@pytest.mark.parametrize(
    ("shortfall", "status"),
    [
        ("empty", "unparsed"),
        ("only_thinking", "unparsed"),
        ("malformed", "unparsed"),
        ("cut_off", "ok"),
        (None, "ok"),
    ],
)
def test_a_generator_that_wrote_something_answered(shortfall: Any, status: str) -> None:
    recorded = entry(Reply("", shortfall=shortfall), {"generator": "m", "text": ""}, request=GENERATOR)

    assert (recorded.status, recorded.shortfall) == (status, shortfall if status == "unparsed" else None)


@pytest.mark.parametrize(("shortfall", "stored"), [("cut_off", "cut_off"), (None, "malformed")])
def test_an_unread_answer_has_its_shortfall_in_the_rows_without_a_verdict(
    shortfall: Any, stored: str
) -> None:
    recorded = entry(Reply("", shortfall=shortfall), {"status": "unparsed"}, {"status": "ok"})
    unread = entry(Reply("", shortfall=shortfall), {"status": "unparsed"})

    assert [each.get("shortfall") for each in recorded.rows] == [stored, None]
    assert (recorded.shortfall, unread.shortfall) == (None, stored)


def test_a_failure_has_its_kind_and_words_that_can_be_stored() -> None:
    recorded = entry(Failure("server", "down \ud800", 500), {"status": "error"})

    assert (recorded.status, recorded.failure, recorded.message) == ("error", "server", "down \ufffd")
    assert (recorded.cost_usd, recorded.structured) == (0.0, False)


def test_a_line_is_read_as_it_was_written_and_no_other() -> None:
    recorded = entry(Reply("Yes.", cost_usd=0.5, structured=True), {"status": "ok", "met": True})

    assert Entry.from_line(recorded.to_line()) == recorded
    for broken in (recorded.to_line()[:-3], b"{}\n", recorded.to_line().replace(b"ok", b"no", 1)):
        with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
            Entry.from_line(broken)


@pytest.mark.parametrize(
    ("request_of", "lacking"), [(JUDGE, "call_id"), (JUDGE, "run_id"), (GENERATOR, "run_id")]
)
def test_a_line_whose_rows_lack_their_run_or_call_is_refused(request_of: CallRequest, lacking: str) -> None:
    recorded = entry(Reply("Hi."), {"status": "ok"}, request=request_of)
    del recorded.rows[0][lacking]

    with pytest.raises(ValueError, match="a row lacks one of"):
        Entry.from_line(recorded.to_line())
