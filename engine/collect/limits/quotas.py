"""What may be sent without being refused: by the user's limits, the headers, and the learned rate.

`Spacing` enforces the user's requests or tokens a minute, `Quota` spreads a provider's remaining allowance
until it is renewed, `LearnedRate` learns the rate of a provider that only sends 429. Times are seconds of one
monotonic clock.
"""

import math
from dataclasses import dataclass

from engine.collect.limits.rate_limits import Allowance

_LATE_S = 0.1
"""How late an event loop may wake; calls spaced closer than this may catch up by this much."""
_RESERVED = 0.25
"""The share of a limit that is not spent at once, but spread until the limit is renewed."""
_LONGEST_S = 60.0
"""The longest wait that no Retry-After requested; then a call checks whether it is over."""
_MEMORY = 0.5
"""The weight of a cycle relative to the next one."""
_DOUBLING_S, _DOUBLING_CALLS = 2.0, 10
"""Least time for a learned rate to double, in seconds and in calls at that rate."""
_MOST_DOUBLINGS = 20.0


class Spacing:
    """Even spacing, so that no minute has more than `per_minute` requests or tokens."""

    def __init__(self, per_minute: float) -> None:
        self.gap_s = 60.0 / per_minute
        self._next = -math.inf

    def wait_s(self, now: float) -> float:
        return max(0.0, self._next - now)

    def take(self, amount: float, now: float) -> None:
        late = _LATE_S if amount * self.gap_s < _LATE_S else 0.0
        self._next = max(self._next, now - late) + amount * self.gap_s

    def correct(self, difference: float) -> None:
        """Add `difference` (may be negative) to what was counted, once an answer states the true amount."""
        self._next += difference * self.gap_s


@dataclass(slots=True)
class Quota:
    """The allowance that a provider stated at the time `at`, when the model had been sent `sent_before`.

    Three quarters of the limit are spent without delay. The rest is spread until the limit is renewed, more
    slowly the less there is. A bucket that fills evenly settles at a quarter, spent as fast as it fills; a
    window that is renewed at once is used up by its end.
    """

    allowance: Allowance
    sent_before: float
    at: float

    def wait_s(self, need: float, total_sent: float, last: float, now: float) -> float:
        """Return the seconds until `need` may be sent, after `total_sent`, the most recent at `last`."""
        if self.allowance.reset_s is None:
            return 0.0
        renewal = self.at + min(self.allowance.reset_s, _LONGEST_S)
        if now >= renewal:
            return 0.0
        remaining = self.allowance.remaining - (total_sent - self.sent_before)
        if remaining < need:
            return renewal - now
        limit = self.allowance.limit
        if limit is None or remaining - need >= limit * _RESERVED:
            return 0.0
        gap = need * _RESERVED / (1 - _RESERVED) * self.allowance.reset_s / remaining
        return max(0.0, min(last + gap, renewal) - now)


class LearnedRate:
    """The rate of a provider that refuses without stating its limits.

    A cycle lasts from one recovery to the next. The calls accepted in it, divided by its seconds including
    the final pause, are the provider's rate, whether it counts by windows or fills a bucket. Calls are spaced
    by that rate, which doubles in about the time of a cycle, until the next refusal.
    """

    def __init__(self, now: float) -> None:
        self.began = now  # when the cycle began, with its first call
        self.lasted_s = 0.0  # the previous cycle
        self._rate: float | None = None  # per second, at the beginning of the cycle
        self._calls = 0
        self._sum_calls = self._sum_s = 0.0
        self._next = -math.inf

    def per_second(self, now: float) -> float | None:
        if self._rate is None:
            return None
        doubling_s = max(self.lasted_s, _DOUBLING_CALLS / self._rate, _DOUBLING_S)
        return self._rate * math.exp2(min((now - self.began) / doubling_s, _MOST_DOUBLINGS))

    def wait_s(self, now: float) -> float:
        return 0.0 if self._rate is None else max(0.0, self._next - now)

    def take(self, now: float) -> None:
        self._calls += 1
        rate = self.per_second(now)
        if rate is not None:
            late = _LATE_S if 1 / rate < _LATE_S else 0.0
            self._next = max(self._next, now - late) + 1 / rate

    def count_refusal(self) -> None:
        self._calls -= 1

    def end_cycle(self, at: float) -> None:
        """End the cycle: the provider accepted a call sent at the time `at`."""
        accepted = max(self._calls, 1)
        self.lasted_s = at - self.began
        self._sum_calls = self._sum_calls * _MEMORY + accepted
        self._sum_s = self._sum_s * _MEMORY + max(self.lasted_s, 1e-3)
        self._rate = self._sum_calls / self._sum_s
        self.began, self._calls, self._next = at, 0, at + 1 / self._rate
