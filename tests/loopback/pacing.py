"""Many calls under a provider's limit: on a simulated clock without sleeping, and by a bare client."""

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp

from engine.collect.limits.pacing import REFUSED, Outcome, Pace, Turn
from engine.collect.limits.rate_limits import NO_LIMITS, RateLimits, rate_headers
from engine.collect.limits.turns import Turns

from .limits import AtOnce, Limiter, Says, headers_of

MOST_STEPS = 100_000


@dataclass(frozen=True)
class PacedRun:
    """The result of a simulated run."""

    answered: int
    refused: int
    seconds: float
    ideal_s: float
    most_under_way: int
    last: int

    @property
    def times_ideal(self) -> float:
        """The run's time divided by the ideal one."""
        return self.seconds / self.ideal_s


def simulate(
    pace_of: Callable[[Callable[[], float]], Pace],
    limiter: Limiter,
    ideal: Limiter,
    *,
    calls: int = 200,
    latency_s: float = 1.0,
    says: Says = "nothing",
) -> PacedRun:
    """Make calls under a limiter until all are answered; `ideal` is another limiter of the same kind.

    A refusal takes a fifth of the latency, or of a second; the provider decides halfway through.
    """
    now = 0.0
    pace = pace_of(lambda: now)
    number = itertools.count()
    events: list[tuple[float, int, str, Turn, Outcome, RateLimits]] = []
    left_to_send, answered, refused, most = calls, 0, 0, 0
    refusal_s = min(0.2, latency_s / 5)
    for step in itertools.count():
        if answered == calls:
            break
        if step > MOST_STEPS:
            raise RuntimeError(f"{answered} of {calls} calls were answered after {step:,} steps")
        while left_to_send and (wait := pace.wait_s("m")) <= 0:
            turn = pace.take("m")
            left_to_send -= 1
            heapq.heappush(events, (now + refusal_s / 2, next(number), "reach", turn, "answered", NO_LIMITS))
        else:
            wait = math.inf if not left_to_send else wait
        most = max(most, pace.state().under_way)
        soonest = events[0][0] if events else math.inf
        if now + wait < soonest:
            now += wait + 1e-4
            continue
        now, _, kind, turn, outcome, limits = heapq.heappop(events)
        if kind == "reach":
            admitted = limiter.admits(now)
            limits = rate_headers(headers_of(limiter, now, says, admitted=admitted), now)
            back = latency_s - refusal_s / 2 if admitted else refusal_s / 2
            outcome = "answered" if admitted else "refused"
            heapq.heappush(events, (now + back, next(number), "back", turn, outcome, limits))
            continue
        pace.end(turn, outcome, limits)
        if outcome == "answered":
            answered += 1
            if isinstance(limiter, AtOnce):
                limiter.leave()
        else:
            refused += 1
            left_to_send += 1
    return PacedRun(answered, refused, now, _ideal_s(ideal, calls, latency_s), most, pace.state().at_once)


def _ideal_s(limiter: Limiter, calls: int, latency_s: float) -> float:
    if isinstance(limiter, AtOnce):
        return (1 + math.ceil((calls - 1) / limiter.limit)) * latency_s
    limiter.admits(0.0)
    now = latency_s
    for _ in range(calls - 1):
        now = max(now, limiter.opens(now))
        while not limiter.admits(now):
            now += 1e-6
    return now + latency_s


async def ask_in_turns(url: str, turns: Turns, calls: int) -> float:
    """Call a server until all calls are answered, each in turn; return the seconds taken."""
    began = time.monotonic()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(_ask(session, url, turns, number) for number in range(calls)))
    return time.monotonic() - began


async def _ask(session: aiohttp.ClientSession, url: str, turns: Turns, number: int) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": f"Question {number}?"}]}
    while True:
        turn = await turns.turn("m")
        async with session.post(f"{url}/chat/completions", json=body) as response:
            await response.read()
            limits = rate_headers(response.headers, time.time())
            refused = response.status in REFUSED
            turns.end(turn, "refused" if refused else "answered", limits)
            if not refused:
                return
