"""What a provider's headers say of its limits: how long to wait, how much is left, and when it is full again.

OpenAI, Azure, Groq and Together write `x-ratelimit-remaining-requests: 59`, Anthropic
`anthropic-ratelimit-requests-remaining: 59`, others `x-ratelimit-remaining` or `ratelimit-remaining`. A reset
is a duration (`6m0s`, `12ms`, `7.66`), a moment of the clock in seconds or milliseconds, or a date. A value
that cannot be read is as none: a strange header must never stop a run.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

What = Literal["requests", "tokens"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+")
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_MOMENT_S, _MOMENT_MS = 1e8, 1e11
"""From here on a plain number is a moment (1973 and later), not a duration."""
_PREFIX = "llm_provider-"  # litellm's, before the headers of a provider


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many requests or tokens are `left` of `limit`, which is whole again in `reset_s` seconds."""

    left: float
    limit: float | None = None
    reset_s: float | None = None


@dataclass(frozen=True, slots=True)
class RateHeaders:
    """The headers of one response: `wait_s` is what Retry-After asks for; None where nothing is said."""

    wait_s: float | None = None
    requests: Allowance | None = None
    tokens: Allowance | None = None


NOTHING_SAID = RateHeaders()


def rate_headers(headers: Mapping[str, str], wall: float) -> RateHeaders:
    """Read the headers of a response that came at `wall`, in seconds since 1970; names in any case."""
    named = {name.lower().removeprefix(_PREFIX): str(value).strip() for name, value in headers.items()}
    return RateHeaders(
        _wait_s(named, wall),
        _allowance(named, "requests", wall),
        _allowance(named, "tokens", wall),
    )


def seconds_until(value: str, wall: float) -> float | None:
    """Return the seconds from `wall` to what a header names: a duration, a moment or a date; else None."""
    number = _number(value)
    if number is not None:
        if number >= _MOMENT_MS:
            number = number / 1000 - wall
        elif number >= _MOMENT_S:
            number -= wall
        return max(0.0, number)
    if _DURATION.fullmatch(value):
        return sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(value))
    moment = _date(value)
    return None if moment is None else max(0.0, moment - wall)


def _wait_s(named: Mapping[str, str], wall: float) -> float | None:
    milliseconds = _number(named.get("retry-after-ms", ""))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    after = named.get("retry-after")
    return None if after is None else seconds_until(after, wall)


def _allowance(named: Mapping[str, str], what: What, wall: float) -> Allowance | None:
    for pattern in _patterns(what):
        left = _number(named.get(pattern.format("remaining"), ""))
        if left is not None and left >= 0:  # some write -1 where there is no limit
            reset = named.get(pattern.format("reset"))
            return Allowance(
                left,
                _number(named.get(pattern.format("limit"), "")) or None,
                None if reset is None else seconds_until(reset, wall),
            )
    return None


def _patterns(what: What) -> tuple[str, ...]:
    own = (f"x-ratelimit-{{}}-{what}", f"anthropic-ratelimit-{what}-{{}}")
    if what == "tokens":
        return (*own, "x-ratelimit-{}-tokens-minute", "anthropic-ratelimit-input-tokens-{}")
    return (*own, "x-ratelimit-{}-requests-minute", "x-ratelimit-{}", "ratelimit-{}")


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _date(value: str) -> float | None:
    """Return the seconds since 1970 of a date as HTTP or RFC 3339 writes it."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(value)
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
        except (ValueError, OverflowError):
            continue
    return None
