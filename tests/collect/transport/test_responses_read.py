"""What a response of a server is read as, without a server."""

from typing import Any

import aiohttp
import pytest

from engine.collect.calls import Failure, Reply
from engine.collect.client.openai_replies import reply_of
from engine.collect.client.openai_requests import make_endpoint
from engine.collect.client.openai_transport import (
    Attempt,
    _broken_attempt,
    _HttpResponse,
    _read_attempt,
    attempt_without_answer,
    stated_charge,
)
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.limits.rate_limits import RateLimits
from engine.collect.limits.spending import Charge

PRICE = Price(input_per_million=1.0, output_per_million=1.0)
USAGE = {"prompt_tokens": 4, "completion_tokens": 6, "total_tokens": 10}
KEY = "a-key-that-was-sent"


def response(status: int | None, content: bytes | None = b"", **fields: Any) -> _HttpResponse:
    endpoint = make_endpoint("m", ModelConfig(model="openai/x", api_base="http://host:1/v1"))
    return _HttpResponse(endpoint, KEY, status, content=content, **fields)


def read(status: int | None, content: bytes | None, **fields: Any) -> Attempt:
    def reader(body: object, latency_s: float) -> Reply | Failure:
        if body == {"odd": True}:
            return Failure("answer", "odd")
        return reply_of(body, PRICE, latency_s)

    return _read_attempt(response(status, content, **fields), reader, 1.5, PRICE)


def test_an_answer_has_its_duration_and_shows_no_key() -> None:
    attempt = read(200, b'{"choices": [{"message": {"content": "a-key-that-was-sent!"}}]}')

    assert isinstance(attempt.outcome, Reply)
    assert (attempt.outcome.text, attempt.outcome.latency_s) == ("[key]!", 1.5)
    assert not attempt.unknown_charge


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<h1>Bad Gateway</h1>", "it is not JSON: Bad Gateway"),
        (b"", "it is not JSON: it is empty"),
        (None, "more than 16,777,216 bytes"),
        (b"data: {}", "it came as a stream (its server must answer without streaming)"),
        (b"\n event: x", "it came as a stream (its server must answer without streaming)"),
        (b'"data"', "it is not JSON: data"),
    ],
)
def test_what_is_not_json_may_have_been_charged(content: bytes | None, words: str) -> None:
    attempt = read(200, content)

    assert isinstance(attempt.outcome, Failure)
    assert attempt.outcome.message == f"model 'm': the answer could not be read: {words}"
    assert (attempt.outcome.status, attempt.unknown_charge) == (200, True)


def test_an_answer_that_its_reader_refuses_is_charged_for_what_it_states() -> None:
    attempt = read(200, b'{"odd": true}')

    assert (attempt.outcome, attempt.unknown_charge, attempt.charge) == (
        Failure("answer", "odd"),
        True,
        Charge(),
    )


@pytest.mark.parametrize(
    ("status", "location", "named"),
    [
        (300, "there", True),
        (399, "there", True),
        (400, "there", False),
        (301, None, False),
        (299, "there", False),
    ],
)
def test_a_redirection_says_where_to(status: int, location: str | None, named: bool) -> None:
    attempt = read(status, b"", location=location)

    assert isinstance(attempt.outcome, Failure)
    assert ("it points to there" in attempt.outcome.message) is named


def test_the_wait_in_a_header_comes_before_one_in_the_words() -> None:
    body = b'{"error": {"message": "Retry in 9s."}}'

    assert read(429, body).wait_s == 9
    assert read(429, body, limits=RateLimits(wait_s=3.0)).wait_s == 3
    assert read(400, body).wait_s is None


def without(content: object, price: Price | None = PRICE) -> Attempt | None:
    return attempt_without_answer("m", content, price, [KEY])


def test_an_answer_is_no_error() -> None:
    assert without({"choices": [{"message": {"content": "Yes."}}]}) is None


@pytest.mark.parametrize(
    ("content", "charged"),
    [
        ({"error": {"message": "down", "code": 502}}, False),
        ({"choices": [{"error": {"message": "down", "code": 502}}]}, True),  # it had begun
        ({"choices": [{"error": {"message": "slow", "code": 429}}]}, False),
        ({"error": {"message": "down", "code": 502}, "usage": USAGE}, True),
        ({"choices": [{"error": {"message": "slow", "code": 429}}], "usage": USAGE}, True),
    ],
)
def test_an_error_in_an_answer_may_be_charged_if_the_answer_had_begun(content: Any, charged: bool) -> None:
    attempt = without(content)

    assert attempt is not None
    assert isinstance(attempt.outcome, Failure)
    assert attempt.unknown_charge is charged
    assert attempt.charge == (Charge(None, 4, 6) if "usage" in content else Charge())


def test_a_filters_refusal_is_paid_for_if_it_states_its_tokens() -> None:
    error = {"message": "flagged", "code": "content_filter"}

    free = without({"error": error})
    paid = without({"error": error, "usage": USAGE})
    blocked = without({"promptFeedback": {"blockReason": "SAFETY"}})

    assert free is not None
    assert paid is not None
    assert blocked is not None
    outcomes = [free.outcome, paid.outcome, blocked.outcome]
    assert [each.cost_usd for each in outcomes if isinstance(each, Reply)] == [0.0, pytest.approx(10e-6), 0.0]
    assert [each.refusal for each in outcomes if isinstance(each, Reply)] == [
        "flagged", "flagged", "the prompt was blocked: SAFETY",
    ]  # fmt: skip
    assert not paid.unknown_charge


EVENT = 'data: {"usage": {"prompt_tokens": 1}}'


@pytest.mark.parametrize(
    ("content", "charge"),
    [
        ({"usage": USAGE}, Charge(None, 4, 6)),
        ({}, Charge()),
        ([], Charge()),
        (f"{EVENT}\n{EVENT.replace('1', '2')}\ndata: [DONE]\n", Charge(None, 2)),
        (EVENT, Charge()),  # it broke off before its end
        ("data: [DONE]", Charge()),
    ],
)  # fmt: skip
def test_an_unreadable_answer_may_state_its_tokens_also_as_a_stream(content: Any, charge: Charge) -> None:
    assert stated_charge(content) == charge


@pytest.mark.parametrize(
    ("error", "status", "kind", "charged"),
    [
        (TimeoutError(), None, "timeout", True),
        (aiohttp.ServerTimeoutError("slow"), None, "connection", True),
        (aiohttp.ClientPayloadError(), 200, "answer", True),
        (aiohttp.ClientPayloadError(), 503, "server", False),
        (aiohttp.ServerDisconnectedError(), None, "connection", True),
        (ValueError("no address"), None, "connection", False),
    ],
)
def test_a_broken_exchange_may_be_charged_unless_nothing_was_sent(
    error: Exception, status: int | None, kind: str, charged: bool
) -> None:
    attempt = _broken_attempt(response(status), error, 2.5)

    assert isinstance(attempt.outcome, Failure)
    assert (attempt.outcome.kind, attempt.unknown_charge) == (kind, charged)


def test_an_error_without_words_is_named_by_its_kind() -> None:
    unnamed = _broken_attempt(response(None), OSError(), 2.5).outcome
    named = _broken_attempt(response(None), OSError("gone"), 2.5).outcome
    late = _broken_attempt(response(None), TimeoutError(), 2.5).outcome

    messages = [each.message for each in (unnamed, named, late) if isinstance(each, Failure)]
    assert messages == [
        "model 'm': the connection broke: OSError",
        "model 'm': the connection broke: gone",
        "model 'm': no answer within 2.5 s",
    ]
