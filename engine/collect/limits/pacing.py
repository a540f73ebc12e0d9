"""The pace of calls to one provider, shared by all calls with one key.

A provider's limits are unknown beforehand, so the pace adapts. It begins slowly: a model's first calls go one
by one until one is answered. Then each accepted call allows more at once, fast up to `BROAD` and slowly up to
the ceiling. A refusal (429 or 529 only) halves the calls allowed at once and pauses all: for as long as the
provider asks, or until a probe call is accepted. The user's limits, the headers of each answer, and the rate
learned from refusals (`provider_errors`) space the calls.

Waiting uses up no retry: a refused call waits for another turn, and its retries are left for failures.
Nothing here sleeps: `turns.Turns` makes calls wait, and the clock is passed in.
"""

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from engine.collect.limits.quotas import LearnedRate, Quota, Spacing
from engine.collect.limits.rate_limits import NO_LIMITS, Allowance, RateLimits, Unit
from engine.phrases import duration

AUTO_CEILING = 512
START, BROAD = 16, 64
"""Calls allowed at once after a model's first answer, and where growth slows down."""
REFUSED = (429, 529)
"""The HTTP statuses for `too many` and `overloaded`: only these slow the calls down."""
PATIENCE_S = 900.0
_REGAINED_SHARE = 0.75
"""The share of the calls at once before a refusal that is regained fast."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
_PROBE_SHARE = 1 / 3
"""The share of a pause's length after which another probe call is sent."""
_WINDOWS_S = (1.0, 10.0, 60.0)
"""The usual windows of providers: a probe call is sent when one has passed since the cycle began."""
_MARGIN_S = 0.05
_ACCEPTED_AFTER = 1.5
"""A probe call counts as accepted once it lasts this many times longer than a refusal did."""
_ACCEPTED_S = 1.0
"""Any other call counts as accepted after this time: answers take seconds, refusals almost none."""
_NEWEST_WEIGHT = 0.1
"""The weight of the newest call in the mean duration of calls."""

Outcome = Literal["answered", "refused", "passed", "lost"]
"""The outcome of a turn: an answer; a refusal (429, 529); another HTTP status; or no response."""


class WaitReason(StrEnum):
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


_USER_REASONS: dict[Unit, WaitReason] = {
    "requests": WaitReason.USER_REQUESTS,
    "tokens": WaitReason.USER_TOKENS,
}


@dataclass(frozen=True, slots=True)
class PaceState:
    """The pace of a provider, for display: `at_once` calls may be under way, `under_way` are.

    `per_second` is the rate of calls after refusals, None if they are not spaced; `wait_s` is how long the
    next call waits, infinity if that depends on the calls under way.
    """

    name: str
    at_once: int
    under_way: int
    per_second: float | None
    wait_s: float
    refusals: int
    reason: WaitReason
    ceiling_is_users: bool = False

    @property
    def words(self) -> str:
        refusals = f"{self.refusals:,} refusal{'s' if self.refusals != 1 else ''}"
        wait = f"paused for {duration(self.wait_s)}" if math.isfinite(self.wait_s) else "paused"
        limit = "what `concurrency` allows" if self.ceiling_is_users else "the most there may be"
        if self.reason == WaitReason.REFUSED and math.isfinite(self.wait_s):
            return f"{wait} after {refusals}"
        return {
            WaitReason.WORK: f"up to {self.at_once:,} at once; no limit has been reached",
            WaitReason.FIRST: "one by one until a first call is answered",
            WaitReason.SLOW_START: f"{self.at_once:,} at once, more as they are answered",
            WaitReason.REFUSED: f"{self.at_once:,} at once after {refusals}, more as they are answered",
            WaitReason.CEILING: f"{self.at_once:,} at once, {limit}",
            WaitReason.ASKED_TO_WAIT: f"{wait}, as the provider asks ({refusals})",
            WaitReason.NO_ANSWER_YET: f"paused after {refusals}; one call is sent ahead",
            WaitReason.LEARNED: f"{_rate(self.per_second)}: what the provider accepted before {refusals}",
            WaitReason.HEADERS: "the provider's remaining allowance is spread until its limit resets",
            WaitReason.USER_REQUESTS: "`requests_per_minute` of the configuration",
            WaitReason.USER_TOKENS: "`tokens_per_minute` of the configuration",
        }[self.reason]


def _rate(per_second: float | None) -> str:
    if per_second is None:
        return "not spaced"
    return f"{per_second:.1f} calls a second" if per_second >= 1 else f"{per_second * 60:.1f} calls a minute"


@dataclass(slots=True, eq=False)
class Turn:
    """The right to send one request now, returned with `end`. `totals` are the model's, including it."""

    model: str
    tokens: float
    at: float
    totals: dict[Unit, float]
    crowded: bool


class _Block(NamedTuple):
    """What keeps a call from starting: for some seconds, or (infinity) until a call has ended."""

    seconds: float
    reason: WaitReason


@dataclass(slots=True)
class _ModelPace:
    """The state of one model: whether it ever answered, what it was sent, and its remaining allowance."""

    answered: bool = False
    under_way: int = 0
    totals: dict[Unit, float] = field(default_factory=lambda: {"requests": 0.0, "tokens": 0.0})
    last: float = -math.inf
    quotas: dict[Unit, Quota] = field(default_factory=dict)


class Pace:
    """The pace of all calls to one provider with one key.

    `ceiling` bounds the calls under way; None: adapted, 512 at most. `requests_per_minute` and
    `tokens_per_minute` are the user's limits. `clock` gives monotonic seconds. `final_refusal` is a message
    for the user once the provider has refused, or asks to wait, for longer than `patience_s`.
    """

    def __init__(
        self,
        name: str,
        *,
        ceiling: int | None = None,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.refusals = 0
        self.final_refusal: str | None = None
        self._ceiling_is_users = ceiling is not None
        self._ceiling = AUTO_CEILING if ceiling is None else ceiling
        limits: dict[Unit, float | None] = {"requests": requests_per_minute, "tokens": tokens_per_minute}
        self._users = {unit: Spacing(limit) for unit, limit in limits.items() if limit is not None}
        self._patience_s = patience_s
        self._clock = clock
        self._models: defaultdict[str, _ModelPace] = defaultdict(_ModelPace)
        self._window = float(min(START, self._ceiling))
        self._broad = float(min(BROAD, self._ceiling))
        self._under_way = 0
        self._learned_rate = LearnedRate(clock())
        self._latency_s = 0.0
        self._refused_after_s = 0.0
        self._paused_at: float | None = None  # until a call sent later is accepted
        self._pause_until = -math.inf
        self._was_asked_to_wait = False
        self._sent_ahead: Turn | None = None
        self._refusing_since: float | None = None
        self._recent: deque[Turn] = deque()  # calls that may yet be refused
        self._last_model = ""
        self._last_tokens = 0.0

    def wait_s(self, model: str, tokens: float = 0.0) -> float:
        """Return the seconds until a call may start: 0 for now, infinity if another must end first."""
        self._last_model, self._last_tokens = model, tokens
        block = self._block(model, tokens, self._clock())
        return 0.0 if block is None else block.seconds

    def take(self, model: str, tokens: float = 0.0) -> Turn:
        """Take a turn once `wait_s` is 0; `tokens` estimates those of the call and its answer."""
        now = self._clock()
        state = self._models[model]
        state.under_way += 1
        self._under_way += 1
        amounts: dict[Unit, float] = {"requests": 1.0, "tokens": tokens}
        for unit, amount in amounts.items():
            state.totals[unit] += amount
            if unit in self._users:
                self._users[unit].take(amount, now)
        state.last = now
        self._learned_rate.take(now)
        turn = Turn(model, tokens, now, dict(state.totals), self._under_way >= self._window / 2)
        if turn.crowded:
            self._recent.append(turn)
        if self._paused_at is not None:
            self._sent_ahead = turn
        return turn

    def end(
        self, turn: Turn, outcome: Outcome, headers: RateLimits = NO_LIMITS, *, tokens: float | None = None
    ) -> None:
        """Return a turn, once, with its outcome, the answer's headers and, if known, its actual tokens."""
        now = self._clock()
        model = self._models[turn.model]
        model.under_way -= 1
        self._under_way -= 1
        was_ahead = self._sent_ahead is turn
        if was_ahead:
            self._sent_ahead = None
        allowances: dict[Unit, Allowance | None] = {"requests": headers.requests, "tokens": headers.tokens}
        for unit, allowance in allowances.items():  # unless the answer to a later request already gave it
            previous = model.quotas.get(unit)
            if allowance is not None and (previous is None or turn.totals[unit] >= previous.sent_before):
                model.quotas[unit] = Quota(allowance, turn.totals[unit], now)
        if tokens is not None and "tokens" in self._users:
            self._users["tokens"].correct(tokens - turn.tokens)
        if outcome in ("refused", "lost"):
            turn.crowded = False
            if outcome == "refused":
                self._refuse(turn, headers, now, was_ahead=was_ahead)
            return
        if self._paused_at is not None and turn.at >= self._paused_at:
            self._recover(turn.at)
        self._refusing_since = None
        if outcome == "answered":
            self._accept(model, turn, now)
        elif headers.wait_s is not None:  # 503 and the like may ask to wait too
            self._pause(min(headers.wait_s, _LONGEST_PAUSE_S) + now, by_provider=True)

    def state(self) -> PaceState:
        """Return the pace and its reason, for the call that last asked for a turn."""
        now = self._clock()
        block = self._block(self._last_model, self._last_tokens, now)
        return PaceState(
            name=self.name,
            at_once=self._at_once(now),
            under_way=self._under_way,
            per_second=self._learned_rate.per_second(now),
            wait_s=0.0 if block is None else block.seconds,
            refusals=self.refusals,
            reason=WaitReason.WORK if block is None else block.reason,
            ceiling_is_users=self._ceiling_is_users,
        )

    def _block(self, name: str, tokens: float, now: float) -> _Block | None:
        self._accept_lasting(now)
        if now < self._pause_until:
            why = WaitReason.ASKED_TO_WAIT if self._was_asked_to_wait else WaitReason.REFUSED
            return _Block(self._pause_until - now, why)
        if self._sent_ahead is not None:
            return _Block(self._accepted_at(self._sent_ahead) - now, WaitReason.NO_ANSWER_YET)
        at_once = self._at_once(now)
        if self._under_way >= at_once:
            older_s = self._recent[0].at + _ACCEPTED_S - now if self._recent else math.inf
            reason = WaitReason.REFUSED if self.refusals else WaitReason.SLOW_START
            return _Block(older_s, WaitReason.CEILING if at_once >= self._ceiling else reason)
        blocks = [_Block(self._learned_rate.wait_s(now), WaitReason.LEARNED)]
        blocks += [_Block(each.wait_s(now), _USER_REASONS[unit]) for unit, each in self._users.items()]
        longest = max(blocks)
        if longest.seconds > 0:
            return longest
        model = self._models[name]
        if not model.answered and model.under_way:
            return _Block(math.inf, WaitReason.FIRST)
        needs: dict[Unit, float] = {"requests": 1.0, "tokens": tokens}
        waits = [
            quota.wait_s(needs[unit], model.totals[unit], model.last, now)
            for unit, quota in model.quotas.items()
        ]
        return _Block(max(waits), WaitReason.HEADERS) if any(waits) else None

    def _at_once(self, now: float) -> int:
        """Return how many calls may be under way: the window, or what the rate needs by Little's law."""
        rate = self._learned_rate.per_second(now)
        calls_needed = 0.0 if rate is None else rate * self._latency_s + 1
        return int(min(max(self._window, calls_needed), self._ceiling))

    def _accept_lasting(self, now: float) -> None:
        ahead = self._sent_ahead
        if ahead is not None and now >= self._accepted_at(ahead):
            self._recover(ahead.at)
        while self._recent and now >= self._recent[0].at + _ACCEPTED_S:
            self._grow(self._recent.popleft())

    def _accepted_at(self, turn: Turn) -> float:
        return turn.at + _ACCEPTED_AFTER * self._refused_after_s + _MARGIN_S

    def _accept(self, model: _ModelPace, turn: Turn, now: float) -> None:
        if not any(each.answered for each in self._models.values()):
            self._learned_rate = LearnedRate(now)  # calls made one by one reveal nothing of the limit
        model.answered = True
        self._latency_s += (now - turn.at - self._latency_s) * (_NEWEST_WEIGHT if self._latency_s else 1.0)
        self._grow(turn)

    def _grow(self, turn: Turn) -> None:
        """Allow more calls at once if one was accepted beside many others; once for each call."""
        if turn.crowded and self._paused_at is None:
            step = 1.0 if self._window < self._broad else 1.0 / self._window
            self._window = min(self._window + step, float(self._ceiling))
        turn.crowded = False

    def _recover(self, at: float) -> None:
        """End the pause: a call sent at the time `at` was accepted."""
        self._paused_at = self._sent_ahead = None
        self._learned_rate.end_cycle(at)

    def _refuse(self, turn: Turn, headers: RateLimits, now: float, *, was_ahead: bool) -> None:
        self.refusals += 1
        self._refused_after_s = max(now - turn.at, self._refused_after_s / 2)
        self._learned_rate.count_refusal()
        begins = self._paused_at is None
        if begins:
            self._paused_at = now
            self._broad = max(1.0, self._window * _REGAINED_SHARE)
            self._window = max(1.0, self._window / 2)
        if self._refusing_since is None:
            self._refusing_since = now
        asked_s = headers.wait_s
        if asked_s is None and begins:  # until an exhausted allowance renews, a minute at most
            exhausted = [each for each in (headers.requests, headers.tokens) if each and each.remaining < 1]
            resets = [min(each.reset_s, _LONGEST_PAUSE_S) for each in exhausted if each.reset_s is not None]
            asked_s = max(resets, default=None)
        if asked_s is not None:
            least = _SHORTEST_PAUSE_S if was_ahead else 0.0  # the time it asked for was too short
            self._pause(now + max(asked_s + _MARGIN_S, least), by_provider=True)
        elif begins or was_ahead:
            self._pause(self._next_try(now), by_provider=False)
        refused_s = now - self._refusing_since
        if headers.wait_s is not None and headers.wait_s > self._patience_s:
            wait = duration(headers.wait_s)
            self.final_refusal = f"{self.name} asks to wait {wait}; run the command again afterwards"
        elif refused_s > self._patience_s:
            self.final_refusal = (
                f"{self.name} has refused every call for {duration(refused_s)}; run the command again later, "
                "or ask the provider for a higher limit"
            )

    def _pause(self, until: float, *, by_provider: bool) -> None:
        self._was_asked_to_wait = by_provider
        self._pause_until = max(self._pause_until, until)

    def _next_try(self, now: float) -> float:
        """Return when to send a probe call to see whether the pause is over."""
        paused_s = 0.0 if self._paused_at is None else now - self._paused_at
        began = self._learned_rate.began
        spacing_s = 1 / (self._learned_rate.per_second(began) or math.inf)
        usual = min(max(_SHORTEST_PAUSE_S, spacing_s, paused_s * _PROBE_SHARE), _LONGEST_PAUSE_S)
        for window in sorted((*_WINDOWS_S, self._learned_rate.lasted_s)):
            end = began + window + _MARGIN_S
            if now < end < now + usual:
                return end
        return now + usual
