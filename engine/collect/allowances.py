"""What may be sent without being refused: by the user's word, by the provider's headers, by what was learnt.

Three answers to one question, when the next call may go: `Spacing` keeps the user's requests or tokens a
minute, `Left` spends what a provider says is left until it is whole again, and `Learned` finds the rate of a
provider that says nothing but 429. Times are seconds of one clock that only goes forward.
"""

import math
from dataclasses import dataclass

from engine.collect.rate_headers import Allowance

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
