"""When a model is given up: what it must fail, how often in a row, and what ends the row."""

from typing import Any

import pytest

from engine.collect.calls import Failure, Reply
from engine.collect.limits.circuit_breaker import CircuitBreaker

NO_KEY = Failure("key", "the key was refused", 401, "wrong_key")
NO_NAME = Failure("model", "no such model", 404, "unknown_model")
NO_CREDIT = Failure("key", "no credit", 402, "quota")
PARAMETER = Failure("request", "unknown parameter", 400, "bad_parameter")


@pytest.mark.parametrize("failure", [NO_KEY, NO_NAME, NO_CREDIT])
def test_a_refused_key_or_name_gives_a_model_up_that_never_answered(failure: Failure) -> None:
    breaker = CircuitBreaker()

    assert not breaker.may_be_passing("m", failure)
    assert breaker.final_failure("m", failure) == failure
    assert breaker.given_up == {"m": failure}


@pytest.mark.parametrize("failure", [NO_KEY, NO_NAME])
def test_of_a_model_that_has_answered_it_may_be_a_passing_fault_until_the_third(failure: Failure) -> None:
    breaker = CircuitBreaker()
    breaker.count_answer("m")

    kinds = [breaker.final_failure("m", failure).kind for _ in range(2)]
    before = dict(breaker.given_up)

    assert breaker.may_be_passing("m", failure)
    assert (kinds, before) == (["request", "request"], {})
    assert breaker.final_failure("m", failure) == failure
    assert breaker.given_up == {"m": failure}


def test_no_credit_is_no_passing_fault() -> None:
    breaker = CircuitBreaker()
    breaker.count_answer("m")

    assert not breaker.may_be_passing("m", NO_CREDIT)
    assert breaker.final_failure("m", NO_CREDIT) == NO_CREDIT
    assert breaker.given_up == {"m": NO_CREDIT}


def test_an_answer_ends_the_row_of_refusals_and_of_lost_answers() -> None:
    breaker = CircuitBreaker()
    breaker.count_answer("m")
    for _ in range(3):
        breaker.final_failure("m", NO_KEY)
        breaker.final_failure("m", NO_KEY)
        breaker.count_lost("m", 9.0)
        breaker.count_lost("m", 9.0)
        breaker.count_answer("m")

    assert breaker.given_up == {}


def test_a_parameter_refused_three_times_before_an_answer_concerns_all_calls() -> None:
    breaker = CircuitBreaker()

    kinds = [breaker.final_failure("m", PARAMETER).kind for _ in range(3)]

    assert kinds == ["request", "request", "model"]
    assert breaker.given_up["m"].message == "unknown parameter"


def test_after_an_answer_a_refused_parameter_concerns_its_call_alone() -> None:
    breaker = CircuitBreaker()
    breaker.count_answer("m")

    assert [breaker.final_failure("m", PARAMETER) for _ in range(4)] == [PARAMETER] * 4
    assert breaker.given_up == {}


def test_another_failed_request_gives_nothing_up() -> None:
    breaker, failure = CircuitBreaker(), Failure("server", "down", 500)

    assert [breaker.final_failure("m", failure) for _ in range(4)] == [failure] * 4
    assert breaker.given_up == {}


def test_the_third_lost_answer_in_a_row_gives_up_that_model_with_what_helps() -> None:
    breaker = CircuitBreaker()
    for _ in range(2):
        breaker.count_lost("m", 12.5)
    breaker.count_lost("n", 12.5)
    before = dict(breaker.given_up)

    breaker.count_lost("m", 12.5)

    assert before == {}
    assert list(breaker.given_up) == ["m"]
    failure = breaker.given_up["m"]
    assert failure.kind == "answer"
    assert failure.message.startswith("model 'm': 3 answers in a row were late or could not be read")
    assert "now 12.5" in failure.message


def test_the_first_reason_to_give_a_model_up_stays() -> None:
    breaker = CircuitBreaker()
    breaker.final_failure("m", NO_KEY)

    breaker.final_failure("m", NO_NAME)
    for _ in range(3):
        breaker.count_lost("m", 1.0)
        breaker.count_continuation("m", Reply("A"))

    assert breaker.given_up == {"m": NO_KEY}


@pytest.mark.parametrize(
    "between", [{"first_token": (("A", 1.0),)}, {"refusal": "no"}, {"finish_reason": "content_filter"}]
)
def test_three_continuations_in_a_row_without_probabilities_give_a_model_up(between: dict[str, Any]) -> None:
    breaker = CircuitBreaker()
    for reply in (Reply("A"), Reply("A"), Reply("A", **between), Reply("A"), Reply("A")):
        breaker.count_continuation("m", reply)
    before = dict(breaker.given_up)

    breaker.count_continuation("m", Reply("A"))

    assert before == {}
    failure = breaker.given_up["m"]
    assert (failure.kind, failure.status, failure.cause) == ("model", 200, "bad_parameter")
    assert failure.message.startswith(
        "model 'm': its server gave 3 continuations in a row without their prob"
    )
