"""What providers' headers say about their limits."""

import pytest

from engine.collect.limits.rate_limits import Allowance, RateLimits, rate_headers, seconds_until

NOON = 1_767_268_800.0  # 2026-01-01 12:00:00 UTC


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("7", 7.0),
        ("7.66", 7.66),
        ("12ms", 0.012),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("1767268830", 30.0),  # a moment in seconds
        ("1767268830000", 30.0),  # and in milliseconds
        ("2026-01-01T12:00:30Z", 30.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("2026-01-01T11:00:00Z", 0.0),  # expired
        ("-5", 0.0),
    ],
)
def test_a_reset_time_is_read_in_all_its_forms(written: str, seconds: float) -> None:
    assert seconds_until(written, NOON) == pytest.approx(seconds)


def test_a_number_is_a_moment_from_1973_on() -> None:
    # 1e8 s are 1973-03-03, and so are 1e11 ms
    assert [seconds_until(written, 9e7) for written in ("99999999", "100000000", "100000000000")] == [
        99_999_999.0,
        1e7,
        1e7,
    ]


@pytest.mark.parametrize("written", ["", "soon", "nan", "inf", "6 minutes", "s", "1.2.3s", "9999-99-99"])
def test_an_unreadable_reset_time_is_none(written: str) -> None:
    headers = {"Retry-After": written, "x-ratelimit-remaining-requests": written}

    assert seconds_until(written, NOON) is None
    assert rate_headers(headers, NOON) == RateLimits()


def test_the_headers_of_openai_and_anthropic_are_read_alike() -> None:
    openai = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6ms",
    }
    anthropic = {
        "Anthropic-Ratelimit-Requests-Limit": "60",
        "Anthropic-Ratelimit-Requests-Remaining": "59",
        "Anthropic-Ratelimit-Requests-Reset": "2026-01-01T12:00:01Z",
        "Anthropic-Ratelimit-Tokens-Limit": "150000",
        "Anthropic-Ratelimit-Tokens-Remaining": "149984",
        "Anthropic-Ratelimit-Tokens-Reset": "2026-01-01T12:00:00.006Z",
    }

    limits = rate_headers(openai, NOON)

    assert limits.requests == Allowance(59, 60, 1.0)
    assert limits.tokens == Allowance(149_984, 150_000, pytest.approx(0.006))
    other = rate_headers(anthropic, NOON)
    assert other.requests == limits.requests
    assert other.tokens == Allowance(149_984, 150_000, pytest.approx(0.006, abs=1e-5))


def test_milliseconds_precede_seconds_and_litellms_prefix_is_ignored() -> None:
    headers = {"retry-after": "2", "llm_provider-retry-after-ms": "1500"}

    assert rate_headers(headers, NOON).wait_s == 1.5


def test_a_limit_without_a_kind_counts_requests() -> None:
    headers = {"RateLimit-Limit": "10", "RateLimit-Remaining": "0", "RateLimit-Reset": "30"}

    assert rate_headers(headers, NOON) == RateLimits(requests=Allowance(0, 10, 30.0))


@pytest.mark.parametrize("kind", ["requests", "tokens"])
def test_a_limit_per_minute_is_read_and_a_negative_one_is_ignored(kind: str) -> None:
    by_minute = {f"x-ratelimit-limit-{kind}-minute": "60", f"x-ratelimit-remaining-{kind}-minute": "0"}

    assert getattr(rate_headers(by_minute, NOON), kind) == Allowance(0, 60)
    assert rate_headers({f"x-ratelimit-remaining-{kind}": "-1"}, NOON) == RateLimits()
