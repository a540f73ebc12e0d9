"""Limits like those of providers: by a sliding window, clock windows, a bucket, or concurrent calls."""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Says = Literal["nothing", "retry-after", "headers"]
"""What a provider says of its limit: nothing but 429, when to come back, or with each answer what is left."""


class Limiter(Protocol):
    """A provider's limit."""

    limit: int

    def admits(self, now: float) -> bool:
        """Count a call and return whether it is admitted."""
        ...

    def opens(self, now: float) -> float:
        """Return when the next call is admitted, if none comes earlier."""
        ...

    def remaining(self, now: float) -> float:
        """Return how many more calls are admitted now."""
        ...

    def full_at(self, now: float) -> float:
        """Return when the limit is fully reset, if no call comes earlier."""
        ...


@dataclass
class Sliding:
    """`limit` calls in any `seconds`; `strict` also counts refused calls."""

    limit: int
    seconds: float
    strict: bool = False
    times: deque[float] = field(default_factory=deque)

    def admits(self, now: float) -> bool:
        is_open = self.remaining(now) > 0
        if is_open or self.strict:
            self.times.append(now)
        return is_open

    def opens(self, now: float) -> float:
        if self.remaining(now) > 0:
            return now
        return self.times[len(self.times) - self.limit] + self.seconds + 1e-9

    def remaining(self, now: float) -> float:
        while self.times and self.times[0] <= now - self.seconds:
            self.times.popleft()
        return max(0, self.limit - len(self.times))

    def full_at(self, now: float) -> float:
        return self.times[0] + self.seconds if self.times else now


@dataclass
class Fixed:
    """`limit` calls in each clock window; the first starts `offset` before the run."""

    limit: int
    seconds: float
    offset: float = 0.0
    window: float = -1.0
    count: int = 0

    def admits(self, now: float) -> bool:
        if self.remaining(now) <= 0:
            return False
        self.count += 1
        return True

    def opens(self, now: float) -> float:
        return now if self.remaining(now) > 0 else self.full_at(now)

    def remaining(self, now: float) -> float:
        window = math.floor((now + self.offset + 1e-9) / self.seconds)
        if window != self.window:
            self.window, self.count = window, 0
        return self.limit - self.count

    def full_at(self, now: float) -> float:
        return (math.floor((now + self.offset + 1e-9) / self.seconds) + 1) * self.seconds - self.offset


@dataclass
class Bucket:
    """A bucket of `limit` that fills by `per_second`."""

    limit: int
    per_second: float
    level: float | None = None
    at: float = 0.0

    def admits(self, now: float) -> bool:
        if self.remaining(now) < 1 - 1e-9:
            return False
        self.level = self.remaining(now) - 1
        return True

    def opens(self, now: float) -> float:
        return now + max(0.0, 1 - self.remaining(now)) / self.per_second

    def remaining(self, now: float) -> float:
        level = float(self.limit) if self.level is None else self.level
        if self.level is None:
            self.at = now
        self.level = min(float(self.limit), level + (now - self.at) * self.per_second)
        self.at = now
        return self.level

    def full_at(self, now: float) -> float:
        return now + (self.limit - self.remaining(now)) / self.per_second


@dataclass
class AtOnce:
    """At most `limit` concurrent calls; `leave` reports the end of one."""

    limit: int
    under_way: int = 0

    def admits(self, now: float) -> bool:  # noqa: ARG002
        if self.under_way >= self.limit:
            return False
        self.under_way += 1
        return True

    def leave(self) -> None:
        """Note that a call has ended."""
        self.under_way -= 1

    def opens(self, now: float) -> float:
        return now

    def remaining(self, now: float) -> float:  # noqa: ARG002
        return self.limit - self.under_way

    def full_at(self, now: float) -> float:
        return now


def headers_of(limiter: Limiter, now: float, says: Says, *, admitted: bool) -> Mapping[str, str]:
    """Return a response's headers about the limit."""
    if says == "headers":
        return {
            "x-ratelimit-limit-requests": str(limiter.limit),
            "x-ratelimit-remaining-requests": str(math.floor(limiter.remaining(now))),
            "x-ratelimit-reset-requests": f"{(limiter.full_at(now) - now) * 1000:.0f}ms",
        }
    if says == "retry-after" and not admitted:
        return {"retry-after": str(math.ceil(limiter.opens(now) - now))}
    return {}
