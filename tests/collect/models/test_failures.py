"""Exceptions and headers from litellm and servers, read as failures."""

import pytest

from engine.collect.client.litellm_errors import attempt_error_of
from engine.collect.client.provider_errors import LONGEST_WORDS
from engine.collect.client.wire import Wire


class ProviderError(Exception):
    """An error from a provider's own client, without any network exception as its cause."""

    def __init__(self, message: str, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status
        self.litellm_response_headers = headers


def wire(**values: object) -> Wire:
    result = Wire(lambda: None)
    for name, value in values.items():
        setattr(result, name, value)
    return result


@pytest.mark.parametrize(
    ("status", "kind", "retried"),
    [
        (400, "request", False),
        (401, "key", False),
        (402, "key", False),
        (403, "key", False),
        (404, "model", False),
        (408, "timeout", True),
        (413, "request", False),
        (422, "request", False),
        (429, "rate_limit", True),
        (500, "server", True),
        (502, "server", True),
        (503, "server", True),
        (504, "server", True),
        (529, "server", True),
    ],
)
def test_the_status_decides_the_kind_whichever_way_the_request_went(
    status: int, kind: str, retried: bool
) -> None:
    shared = attempt_error_of("m", ProviderError("it failed", 500), wire(requests=1, status=status), [])
    apart = attempt_error_of("m", ProviderError("it failed", status), wire(), [])

    assert (shared.failure.kind, shared.may_retry, shared.failure.status) == (kind, retried, status)
    assert (apart.failure.kind, apart.may_retry, apart.failure.status) == (kind, retried, status)


def test_a_mention_of_limits_does_not_turn_a_bad_request_into_a_rate_limit() -> None:
    error = ProviderError("RateLimitError: the prompt mentions a rate limit of 429", 429)

    attempt = attempt_error_of("m", error, wire(requests=1, status=400), [])

    assert attempt.failure.kind == "request"


def test_the_wait_is_read_from_the_error_of_a_providers_own_client() -> None:
    attempt = attempt_error_of("m", ProviderError("slow down", 429, {"retry-after": "12"}), wire(), [])

    assert attempt.wait_s == 12


def test_the_providers_message_is_one_line_without_markup_or_litellms_names() -> None:
    error = ProviderError(
        "litellm.BadGatewayError: BadGatewayError: XException - <html><style>p {}</style>\n<h1>Bad\nGateway",
        502,
    )

    attempt = attempt_error_of("m", error, wire(requests=1, status=502), [])

    assert attempt.failure.message == "model 'm': the server failed (HTTP 502): Bad Gateway"


def test_a_long_message_is_cut() -> None:
    attempt = attempt_error_of("m", ProviderError("word " * 1000, 500), wire(requests=1, status=500), [])

    assert attempt.failure.message.count("word") == LONGEST_WORDS // len("word ")


def test_a_key_is_hidden_before_the_message_is_cut() -> None:
    key = "an-unusual-secret-of-a-local-server"
    error = ProviderError("x" * 250 + key, 500)

    attempt = attempt_error_of("m", error, wire(requests=1, status=500), [key])

    assert "an-unusual" not in attempt.failure.message
