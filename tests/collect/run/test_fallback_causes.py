"""When another model may answer instead, and the rows that an outcome has."""

import pytest

from engine.collect.calls import CallRequest, Failure, Reply, Subject
from engine.collect.dispatch.calling import _ModelCall, fallback_cause, rows_of

JUDGE = CallRequest("judge", "m", "single_rubric", "default", Subject("x", "g", rubric_ids=("r",)))
GENERATOR = CallRequest("generator", "m", None, "default", Subject("x", "m"))


@pytest.mark.parametrize(
    ("outcome", "cause"),
    [
        (Reply("Yes."), None),
        (Reply("", refusal="No."), None),  # the model's own refusal is an answer
        (Reply("", finish_reason="content_filter"), "content_policy"),
        (Failure("model", "x", 404, "unknown_model"), "unknown_model"),
        (Failure("key", "x", 402, "quota"), "quota"),
        (Failure("key", "x", 401, "wrong_key"), None),
        (Failure("request", "x", 400, "bad_parameter"), None),
        (Failure("server", "x", 500), "outage"),
        (Failure("rate_limit", "x", 429, "rate_limit"), "outage"),
        (Failure("timeout", "x"), "outage"),
        (Failure("connection", "x"), "outage"),
        (Failure("answer", "x"), "outage"),
    ],
)
def test_a_model_is_replaced_for_a_cause_that_another_one_may_not_have(
    outcome: Reply | Failure, cause: str | None
) -> None:
    assert fallback_cause(outcome) == cause


def test_a_failed_judge_has_rows_of_errors_and_a_failed_generator_none() -> None:
    failure = Failure("server", "down", 500)

    assert [row["status"] for row in rows_of(JUDGE, failure)] == ["error"]
    assert [row["status"] for row in rows_of(JUDGE, Reply('{"criteria_met": true}'))] == ["ok"]
    assert rows_of(GENERATOR, failure) == []
    assert [row["text"] for row in rows_of(GENERATOR, Reply("Hi."))] == ["Hi."]


@pytest.mark.parametrize(
    ("outcome", "assumed", "paid"),
    [
        (Reply("", cost_usd=0.5), None, 0.5),
        (Reply("", cost_usd=0.0), 0.25, 0.0),
        (Reply(""), 0.25, 0.25),
        (Reply(""), None, 0.0),
        (Failure("server", "x"), None, 0.0),
    ],
)
def test_an_answer_costs_what_it_states_or_what_is_assumed(
    outcome: Reply | Failure, assumed: float | None, paid: float
) -> None:
    assert _ModelCall(JUDGE, outcome, 1, 0.0, 0.0, assumed).paid_usd == paid
