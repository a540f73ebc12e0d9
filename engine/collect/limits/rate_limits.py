"""A provider's rate limits, read from the headers of its answers.

OpenAI, Azure, Groq and Together write `x-ratelimit-remaining-requests: 59`, Anthropic
`anthropic-ratelimit-requests-remaining: 59`, others `x-ratelimit-remaining` or `ratelimit-remaining`. A reset
is a duration (`6m0s`, `12ms`, `7.66`), a time in seconds or milliseconds since 1970, or a date. An unreadable
value is ignored: a strange header must never stop a run.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

Unit = Literal["requests", "tokens"]


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+")
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_MOMENT_S, _MOMENT_MS = 1e8, 1e11
"""From here on a plain number is a time (1973 and later), not a duration."""
_PREFIX = "llm_provider-"  # litellm's prefix of a provider's headers
_OTHER_NAMES: dict[Unit, tuple[str, ...]] = {
    "requests": ("x-ratelimit-{}", "ratelimit-{}"),
    "tokens": ("anthropic-ratelimit-input-tokens-{}",),
}


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many requests or tokens are `remaining` of `limit`, which is renewed in `reset_s` seconds."""

    remaining: float
    limit: float | None = None
    reset_s: float | None = None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The rate limits in one response's headers; `wait_s` is from Retry-After. None: not stated."""

    wait_s: float | None = None
    requests: Allowance | None = None
    tokens: Allowance | None = None


NO_LIMITS = RateLimits()


def rate_headers(headers: Mapping[str, str], wall: float) -> RateLimits:
    """Parse the headers of a response received at `wall`, in seconds since 1970; names in any case."""
    values = {name.lower().removeprefix(_PREFIX): str(value).strip() for name, value in headers.items()}
    milliseconds = _number(values.get("retry-after-ms", ""))
    if milliseconds is not None:
        wait_s: float | None = max(0.0, milliseconds / 1000)
    else:
        wait_s = seconds_until(values.get("retry-after", ""), wall)
    return RateLimits(wait_s, _allowance(values, "requests", wall), _allowance(values, "tokens", wall))


def seconds_until(value: str, wall: float) -> float | None:
    """Return the seconds from `wall` to a header's duration, time or date; None for any other value."""
    number = _number(value)
    if number is not None:
        if number >= _MOMENT_MS:
            number = number / 1000 - wall
        elif number >= _MOMENT_S:
            number -= wall
        return max(0.0, number)
    if DURATION.fullmatch(value):
        return sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(value))
    for parse in (datetime.fromisoformat, parsedate_to_datetime):  # RFC 3339, and that of HTTP
        try:
            moment = parse(value)
            return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - wall)
        except (ValueError, OverflowError):
            continue
    return None


def _allowance(values: Mapping[str, str], unit: Unit, wall: float) -> Allowance | None:
    own = (f"x-ratelimit-{{}}-{unit}", f"anthropic-ratelimit-{unit}-{{}}", f"x-ratelimit-{{}}-{unit}-minute")
    for pattern in (*own, *_OTHER_NAMES[unit]):
        remaining = _number(values.get(pattern.format("remaining"), ""))
        if remaining is not None and remaining >= 0:  # some write -1 for no limit
            limit = _number(values.get(pattern.format("limit"), "")) or None
            return Allowance(remaining, limit, seconds_until(values.get(pattern.format("reset"), ""), wall))
    return None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
