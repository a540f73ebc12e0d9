"""The pace of a provider in words: how fast it is asked, and why not faster."""

import math
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why no more calls are under way than there are."""

    WORK = "work"
    FIRST = "first"
    SLOW_START = "slow_start"
    REFUSED = "refused"
    CEILING = "ceiling"
    ASKED_TO_WAIT = "asked_to_wait"
    NO_ANSWER_YET = "no_answer_yet"
    LEARNED = "learned"
    HEADERS = "headers"
    USER_REQUESTS = "user_requests"
    USER_TOKENS = "user_tokens"


@dataclass(frozen=True, slots=True)
class PaceState:
    """The pace of a provider, for those who watch: `at_once` calls may be under way, `under_way` are.

    `per_second` is what the calls are spaced by after refusals, None where they are not; `wait_s` is how long
    the next call waits, infinity where that depends on those under way.
    """

    name: str
    at_once: int
    under_way: int
    per_second: float | None
    wait_s: float
    refusals: int
    reason: Reason
    ceiling_is_users: bool = False

    @property
    def words(self) -> str:
        """Why the pace is what it is, in one sentence without its end."""
        refusals = f"{self.refusals:,} refusal{'s' if self.refusals != 1 else ''}"
        limit = "what `concurrency` allows" if self.ceiling_is_users else "the most there may be"
        if self.reason == Reason.REFUSED and math.isfinite(self.wait_s):
            return f"paused for {span(self.wait_s)} after {refusals}"
        return {
            Reason.WORK: f"up to {self.at_once:,} at once; nothing holds the calls back",
            Reason.FIRST: "one by one until a first call is answered",
            Reason.SLOW_START: f"{self.at_once:,} at once, more as they are answered",
            Reason.REFUSED: f"{self.at_once:,} at once after {refusals}, more as they are answered",
            Reason.CEILING: f"{self.at_once:,} at once, {limit}",
            Reason.ASKED_TO_WAIT: f"paused for {span(self.wait_s)}, as the provider asks ({refusals})",
            Reason.NO_ANSWER_YET: f"paused after {refusals}; one call is sent ahead",
            Reason.LEARNED: f"{_rate(self.per_second)}: what the provider took before {refusals}",
            Reason.HEADERS: "what the provider says is left is spread until its limit is whole again",
            Reason.USER_REQUESTS: "`requests_per_minute` of the configuration",
            Reason.USER_TOKENS: "`tokens_per_minute` of the configuration",
        }[self.reason]


def span(seconds: float) -> str:
    """Return a time in words: `7 s`, `12 min`, `24 h`."""
    if seconds < 120:
        return f"{max(1, math.ceil(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _rate(per_second: float | None) -> str:
    if per_second is None:
        return "not spaced"
    return f"{per_second:.1f} calls a second" if per_second >= 1 else f"{per_second * 60:.1f} calls a minute"
