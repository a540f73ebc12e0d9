"""What the rows of one call share."""

import pytest
from collect.paradigms.calls import EVERY, answer, listed, only, single

from engine.collect.calls import CallRequest, Failure, Reply, Subject
from engine.collect.paradigms import failure_rows, read
from engine.collect.paradigms.judgment_rows import LONGEST_RAW
from engine.collect.paradigms.response_rows import read_response
from engine.schema import JUDGMENTS

COST = {"latency_s": 1.5, "prompt_tokens": 100, "completion_tokens": 20, "cost_usd": 0.01}


def test_a_row_has_every_column_except_the_run():
    row = only(single(), "?")

    assert set(row) == set(JUDGMENTS.names) - {"run_id"}


def test_the_cost_of_a_call_is_on_its_first_row_only():
    rows = answer(listed(), "no JSON", **COST)

    assert {name: rows[0][name] for name in (*COST, "raw")} == {**COST, "raw": "no JSON"}
    assert all(row[name] is None for row in rows[1:] for name in (*COST, "raw"))
    assert {row["call_id"] for row in rows} == {listed().key}


@pytest.mark.parametrize("call", EVERY, ids=lambda call: f"{call.paradigm}-{call.variant}")
@pytest.mark.parametrize(
    "reply", [Reply("", refusal="I cannot."), Reply("no", finish_reason="content_filter")]
)
def test_a_providers_refusal_is_refused_in_every_row(call, reply):
    rows = read(call, reply)

    assert {row["status"] for row in rows} == {"refused"}
    assert rows[0]["raw"] in ("I cannot.", "no")
    assert all(row[name] is None for row in rows for name in ("met", "score", "choice"))


def test_a_refusal_in_words_is_unparsed():
    assert only(single(), "I cannot help with that.")["status"] == "unparsed"


@pytest.mark.parametrize("call", EVERY, ids=lambda call: f"{call.paradigm}-{call.variant}")
def test_a_call_without_an_answer_has_as_many_rows_as_an_answered_one(call):
    rows = failure_rows(call, Failure("server", "busy", 503))

    assert len(rows) == len(answer(call, ""))
    assert {(row["status"], row["explanation"], row["raw"]) for row in rows} == {
        ("error", "server (HTTP 503): busy", None)
    }


@pytest.mark.parametrize("bad", [float("nan"), float("-inf"), -1])
def test_an_invalid_cost_is_not_stored(bad):
    row = only(single(), "", cost_usd=bad, latency_s=bad)

    assert (row["cost_usd"], row["latency_s"]) == (None, None)


@pytest.mark.parametrize("call", EVERY, ids=lambda call: f"{call.paradigm}-{call.variant}")
@pytest.mark.parametrize("text", ["A", '{"criteria_met": true, "outcome": "A", "score": 4}'])
def test_thinking_alone_is_never_read(call: CallRequest, text: str) -> None:
    rows = answer(call, text, shortfall="only_thinking")

    assert {row["status"] for row in rows} == {"unparsed"}


def test_a_very_long_answer_keeps_its_beginning_and_its_end():
    row = only(single(), "a" * LONGEST_RAW + '.\n{"criteria_met": true}')

    assert row["met"] is True
    assert len(str(row["raw"])) < LONGEST_RAW + 100
    assert str(row["raw"]).endswith('{"criteria_met": true}')


def test_a_response_is_a_row_of_its_table():
    request = CallRequest("generator", "m", None, "default", Subject("x", "m"))

    row = read_response(request, Reply("Hi.", "length", reasoning="Hm.", completion_tokens=9))

    assert row == {
        "instance_id": "x",
        "generator": "m",
        "text": "Hi.",
        "finish_reason": "length",
        "shortfall": None,
        "completion_tokens": 9,
        "transform": "none",
        "transformed_by": None,
    }


def test_a_rewritten_response_names_its_rewriter():
    request = CallRequest("generator", "m", None, "paraphrase", Subject("x", "g", transform="other-words"))

    row = read_response(request, Reply("Hello."))

    assert (row["generator"], row["transform"], row["transformed_by"]) == ("g", "other-words", "m")


def test_a_refused_response_is_stored_as_refused():
    request = CallRequest("generator", "m", None, "default", Subject("x", "m"))

    row = read_response(request, Reply("", refusal="No."))

    assert (row["text"], row["finish_reason"]) == ("No.", "content_filter")
