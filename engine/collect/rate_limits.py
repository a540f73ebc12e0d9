"""What a provider's limits allow: what its headers say of them, and when the next call may go.

OpenAI, Azure, Groq and Together write `x-ratelimit-remaining-requests: 59`, Anthropic
`anthropic-ratelimit-requests-remaining: 59`, others `x-ratelimit-remaining` or `ratelimit-remaining`. A reset
is a duration (`6m0s`, `12ms`, `7.66`), a moment of the clock in seconds or milliseconds, or a date. A value
that cannot be read is as none: a strange header must never stop a run.

Three answers to one question, when the next call may go: `Spacing` keeps the user's requests or tokens a
minute, `Left` spends what a provider says is left until it is whole again, and `Learned` finds the rate of a
provider that says nothing but 429. Times are seconds of one clock that only goes forward.
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


# ------------------------------------------------------------------------------
# What may be sent without being refused: by the user's word, by the headers, by what was learnt.


_LATE_S = 0.1
"""How late an event loop may wake: what is spaced closer than that may catch up on so much."""
_RESERVED = 0.25
"""The share of a limit that is not spent at once, but spread until it is whole again."""
_LONGEST_S = 60.0
"""A wait that no Retry-After asked for ends after so long, to see whether it is over."""
_MEMORY = 0.5
"""What an earlier cycle weighs beside the one after it."""
_DOUBLING_S, _DOUBLING_CALLS = 2.0, 10
"""How long a learnt rate takes to double, at least, and how many calls at that rate."""
_MOST_DOUBLINGS = 20.0


class Spacing:
    """Calls spaced evenly, so that no minute has more than `per_minute` of what is counted."""

    def __init__(self, per_minute: float) -> None:
        self.gap_s = 60.0 / per_minute
        self._next = -math.inf

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next call may go."""
        return max(0.0, self._next - now)

    def take(self, amount: float, now: float) -> None:
        """Count a call that goes now."""
        late = _LATE_S if amount * self.gap_s < _LATE_S else 0.0
        self._next = max(self._next, now - late) + amount * self.gap_s

    def correct(self, more: float) -> None:
        """Count `more` than was taken (less where negative), once an answer says how much it was."""
        self._next += more * self.gap_s


@dataclass(slots=True)
class Left:
    """What a provider said is left, at the moment `at`, to a model that had been sent `sent` until then.

    Three quarters of the limit are spent as fast as can be. The rest is spread until the limit is whole
    again, the slower the less there is: a bucket that fills evenly comes to rest at a quarter, spent as fast
    as it fills, and a window that is renewed at once is spent to its end.
    """

    allowance: Allowance
    sent: float
    at: float

    def wait_s(self, need: float, sent: float, last: float, now: float) -> float:
        """Return the seconds until `need` may go, where the model was sent `sent` so far, at `last` last."""
        if self.allowance.reset_s is None:
            return 0.0
        whole = self.at + min(self.allowance.reset_s, _LONGEST_S)
        if now >= whole:
            return 0.0
        left = self.allowance.left - (sent - self.sent)
        if left < need:
            return whole - now
        limit = self.allowance.limit
        if limit is None or left - need >= limit * _RESERVED:
            return 0.0
        gap = need * _RESERVED / (1 - _RESERVED) * self.allowance.reset_s / left
        return max(0.0, min(last + gap, whole) - now)


class Learned:
    """The rate of a provider that refuses without saying how much it takes.

    A cycle goes from one recovery to the next: the calls that were taken in it, over its seconds with the
    pause at its end, are what the provider takes, whether it counts by windows or fills a bucket. Calls are
    spaced by that rate, which doubles in about the time of a cycle, until it refuses again.
    """

    def __init__(self, now: float) -> None:
        self.began = now  # when the cycle began, with the first call that is sent
        self.lasted_s = 0.0  # the cycle before
        self._rate: float | None = None  # a second, when the cycle began
        self._taken = 0
        self._sum_taken = self._sum_s = 0.0
        self._next = -math.inf

    def per_second(self, now: float) -> float | None:
        """Return how many calls a second may go, None where nothing was refused yet."""
        if self._rate is None:
            return None
        doubling_s = max(self.lasted_s, _DOUBLING_CALLS / self._rate, _DOUBLING_S)
        return self._rate * math.exp2(min((now - self.began) / doubling_s, _MOST_DOUBLINGS))

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next call may go."""
        return 0.0 if self._rate is None else max(0.0, self._next - now)

    def take(self, now: float) -> None:
        """Count a call that goes now."""
        self._taken += 1
        rate = self.per_second(now)
        if rate is not None:
            late = _LATE_S if 1 / rate < _LATE_S else 0.0
            self._next = max(self._next, now - late) + 1 / rate

    def refused(self) -> None:
        """Count a refusal: the call was not taken."""
        self._taken -= 1

    def recovered(self, at: float) -> None:
        """End the cycle: the provider took a call again, sent at that moment."""
        taken = max(self._taken, 1)
        self.lasted_s = at - self.began
        self._sum_taken = self._sum_taken * _MEMORY + taken
        self._sum_s = self._sum_s * _MEMORY + max(self.lasted_s, 1e-3)
        self._rate = self._sum_taken / self._sum_s
        self.began, self._taken, self._next = at, 0, at + 1 / self._rate
