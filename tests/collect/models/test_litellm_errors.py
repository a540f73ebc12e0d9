"""litellm's exceptions: where their status, their words, their wait and their cause are found."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.collect.calls import Failure
from engine.collect.client.litellm_errors import (
    AttemptError,
    attempt_error_of,
    filter_refusal,
    limits_of,
    words_of,
)
from engine.collect.client.wire import Wire
from engine.collect.limits.rate_limits import Allowance, RateLimits


class Error(Exception):
    """An exception with the attributes that it is given."""

    def __init__(self, words: str = "it failed", **fields: Any) -> None:
        super().__init__(words)
        vars(self).update(fields)


class ContentPolicyViolationError(Error):
    """litellm's own name for a filter's refusal."""


def wire(requests: int = 1, **values: Any) -> Wire:
    return Wire(lambda: None, requests, **values)


@pytest.mark.parametrize(
    ("fields", "seen", "kind", "status"),
    [
        ({"status_code": 500}, wire(status=404), "model", 404),  # what the network saw comes first
        ({"status_code": 429}, wire(status=200), "rate_limit", 429),  # an error within an answer
        ({"status_code": 500}, wire(status=200), "answer", 500),
        ({"status_code": 200}, wire(status=200), "answer", 200),
        ({}, wire(status=200), "answer", None),
        ({"status_code": 500}, wire(), "connection", None),  # sent, and nothing came back
        ({"status_code": 500}, wire(requests=0), "server", 500),
        ({"status_code": "500"}, wire(requests=0), "request", None),
        ({}, wire(requests=0), "request", None),
        ({"status_code": 400}, wire(status=400, problem="broken"), "connection", 400),
        ({"status_code": 400}, wire(status=400, problem="too long"), "answer", 400),
    ],
)
def test_the_status_of_the_network_comes_before_litellms(
    fields: dict[str, Any], seen: Wire, kind: str, status: int | None
) -> None:
    failure = attempt_error_of("m", Error(**fields), seen, []).failure

    assert (failure.kind, failure.status) == (kind, status)


def test_a_key_that_litellm_did_not_find_is_one_that_is_missing() -> None:
    error = Error("Missing credentials: the api_key must be set", status_code=500)

    unsent = attempt_error_of("m", error, wire(requests=0), []).failure
    sent = attempt_error_of("m", error, wire(status=500), []).failure

    assert (unsent.kind, unsent.status) == ("key", None)
    assert (sent.kind, sent.status) == ("server", 500)


def test_a_filter_whose_refusal_is_no_reply_stays_a_bad_request() -> None:
    error = Error("The prompt was flagged.", status_code=500)

    failure = attempt_error_of("m", error, wire(status=500), []).failure

    assert (failure.kind, failure.cause) == ("server", "content_policy")


def test_too_long_an_answer_says_so() -> None:
    failure = attempt_error_of("m", Error(), wire(status=200, problem="too long"), []).failure

    assert "more than 16,777,216 bytes" in failure.message  # 16 MiB


@pytest.mark.parametrize(
    ("error", "seen", "refused"),
    [
        (Error("The prompt was flagged."), wire(status=400), True),
        (Error("The prompt was flagged."), wire(status=400, requests=0), False),
        (Error("The prompt was flagged."), wire(status=400, problem="broken"), False),
        (Error("The prompt was flagged."), wire(status=200), False),  # it may quote an answer
        (Error("The prompt was flagged.", status_code=500), wire(status=200), False),
        (Error("The prompt was flagged.", status_code=200), wire(status=200), False),
        (Error("The prompt was flagged.", status_code=400), wire(status=200), True),
        (Error("It is wrong."), wire(status=400), False),
        (ContentPolicyViolationError("It is wrong."), wire(requests=0), True),
        (Error("No.", code="content_filter"), wire(status=400), True),
        (Error("No.", body={"code": "content_filter"}), wire(status=400), True),
    ],
)
def test_a_filters_refusal_is_a_reply_without_a_cost(error: Error, seen: Wire, refused: bool) -> None:
    reply = filter_refusal(error, seen, [])

    assert (reply is not None) is refused
    if reply is not None:
        assert (reply.refused, reply.cost_usd, reply.text) == (True, 0.0, "")
        assert reply.refusal == str(error)


def test_a_refusal_without_words_says_that_it_was_stopped_and_shows_no_key() -> None:
    bare = filter_refusal(ContentPolicyViolationError(""), wire(), [])
    secret = filter_refusal(ContentPolicyViolationError("for my-secret-key"), wire(), ["my-secret-key"])

    assert bare is not None
    assert secret is not None
    assert (bare.refusal, secret.refusal) == ("stopped", "for [key]")


def test_the_body_of_an_error_may_be_with_the_one_that_it_replaced() -> None:
    inner = Error("inner", body={"message": "x", "details": [{"retryDelay": "7s"}]})
    by_cause, by_context = Error(status_code=429), Error(status_code=429)
    by_cause.__cause__ = inner
    by_context.__context__ = inner
    circle = Error(status_code=429)
    circle.__context__ = Error()
    circle.__context__.__context__ = circle

    waits = [
        attempt_error_of("m", each, wire(status=429), []).wait_s for each in (by_cause, by_context, circle)
    ]

    assert waits == [7.0, 7.0, None]


@pytest.mark.parametrize(
    ("error", "wait_s"),
    [
        (Error("Retry in 9s.", litellm_response_headers={"retry-after": "3"}), 3.0),
        (Error("Retry in 9s.", response=SimpleNamespace(headers={"retry-after": "4"})), 4.0),
        (Error("Retry in 9s.", body={"details": [{"retryDelay": "7s"}]}), 9.0),
        (Error("Slow.", litellm_response_headers={}), None),
        (
            Error(litellm_response_headers={}, response=SimpleNamespace(headers={"retry-after": "4"})),
            4.0,
        ),
        (Error(litellm_response_headers=["retry-after: 3"]), None),
    ],
)
def test_a_wait_stands_in_the_headers_or_in_the_words(error: Error, wait_s: float | None) -> None:
    assert attempt_error_of("m", error, wire(status=429), []).wait_s == wait_s
    assert attempt_error_of("m", error, wire(status=400), []).wait_s is None  # it is not called again


def test_limits_that_the_network_saw_come_first() -> None:
    seen = RateLimits(requests=Allowance(3.0))
    error = Error(litellm_response_headers={"retry-after": "3"})

    assert limits_of(error, wire(limits=seen)) == seen
    assert limits_of(error, wire()).wait_s == 3
    assert limits_of(Error(), wire()) == RateLimits()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Error("litellm.BadRequestError: OpenAIException - no"), "no"),
        (Error("x", message="RateLimitError: slow"), "slow"),
        (Error('Error: {"error": {"message": "no", "code": 1}} and more'), "no"),
        (Error('BadRequestError: {"error": {"code": 1}}'), '{"error": {"code": 1}}'),
        (Error('{"detail": "Not here"}'), "Not here"),
        (Error("[broken"), "[broken"),
        (Error("no\nTraceback (most recent call last):\n  File"), "no"),
        (Error("Error code: 404", body={"message": "gone"}), "gone"),
        (Error("Error code: 404"), "Error code: 404"),
        (Error("<b>no</b>  way"), "no way"),
    ],
)
def test_the_providers_words_are_what_remains_of_litellms(error: Error, words: str) -> None:
    assert words_of(error) == words


def test_a_failure_is_retried_by_its_kind_or_if_it_is_said_so() -> None:
    assert AttemptError(Failure("server", "x")).may_retry
    assert not AttemptError(Failure("key", "x")).may_retry
    assert AttemptError(Failure("key", "x"), again=True).may_retry


@pytest.mark.parametrize(
    ("values", "charged"),
    [
        ({}, False),
        ({"problem": "broken"}, True),  # sent, and cut off before an answer
        ({"problem": "broken", "unsent": True}, False),
        ({"problem": "broken", "status": 500}, False),
        ({"problem": "too long"}, False),
        ({"status": 200}, True),
        ({"status": 504}, True),  # a gateway gave up, and the server went on
        ({"status": 408}, True),
        ({"status": 499}, True),
        ({"status": 524}, True),
        ({"status": 503}, False),
    ],
)
def test_a_failed_call_may_be_charged_if_its_server_began_or_goes_on(
    values: dict[str, Any], charged: bool
) -> None:
    assert Wire(lambda: None, **values).unknown_charge is charged
    assert Wire(lambda: None).requests == 0
