"""Shared by the tests of the pace: a clock that is set by hand, and turns taken and ended on it."""

from engine.collect.limits.pacing import Outcome, Pace, Turn
from engine.collect.limits.rate_limits import NO_LIMITS, RateLimits


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def take_all(pace: Pace, model: str = "m") -> list[Turn]:
    """Take turns until one must wait."""
    turns = []
    while pace.wait_s(model) == 0:
        turns.append(pace.take(model))
    return turns


def warm(pace: Pace, clock: Clock, model: str = "m", latency_s: float = 0.1) -> None:
    """Let a model's first call be answered."""
    turn = pace.take(model)
    clock.now += latency_s
    pace.end(turn, "answered")


def end_at_once(pace: Pace, outcome: Outcome, headers: RateLimits = NO_LIMITS) -> None:
    """Make a call that ends at the moment when it begins."""
    pace.end(pace.take("m"), outcome, headers)
