"""How fast one provider is asked: shared by all calls that go to it with one key.

Nobody knows a provider's limits beforehand, so the pace is found. It begins slowly: the first calls of each
model go one by one until one is answered, then more at once with each that is taken, fast up to `BROAD` and
slowly up to the ceiling. A refusal (429 or 529, nothing else) halves what may be under way, and is a pause
for all: as long as the provider asks, or until a call that is sent ahead is taken. What the user says of the
limits, what the headers of each answer say, and what the refusals taught (`provider_errors`) space the calls.

Waiting is no attempt: a call that was refused comes back for another turn, and its retries are left for what
is a failure. Nothing here sleeps: `turns` makes calls wait, and the clock is given.
"""

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from engine.collect.provider_errors import NOTHING_SAID, Allowance, Learned, Left, RateHeaders, Spacing, What

AUTO_CEILING = 512
START, BROAD = 16, 64
"""How many are under way at once when a model has answered, and when growth gets slow."""
REFUSED = (429, 529)
"""The statuses of HTTP that say `too many` and `overloaded`: only these slow the calls down."""
PATIENCE_S = 900.0
_REGAINED = 0.75
"""The share of what was under way before a refusal that comes back fast."""
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
_LONGER = 1 / 3
"""How much of a pause's length passes before another call is sent ahead."""
_WINDOWS_S = (1.0, 10.0, 60.0)
"""What providers count over, usually: a call is sent ahead when that has passed since the cycle began."""
_MARGIN_S = 0.05
_TAKEN_AFTER = 1.5
"""A call that was sent ahead counts as taken when it is away so many times longer than a refusal was."""
_TAKEN_S = 1.0
"""Another call counts as taken after so long: answers take many seconds, refusals none."""
_NEWEST = 0.1
"""What the newest call weighs in the mean time that calls take."""

Outcome = Literal["answered", "refused", "passed", "lost"]
"""What came of a turn: an answer; a refusal (429, 529); another HTTP status; or nothing at all."""


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


_USERS: dict[What, Reason] = {"requests": Reason.USER_REQUESTS, "tokens": Reason.USER_TOKENS}


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
            Reason.WORK: f"up to {self.at_once:,} at once; no limit has been reached",
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


@dataclass(slots=True, eq=False)
class Turn:
    """The right to send one request now; to be given back with `end`. `sent` counts the model's, with it."""

    model: str
    tokens: float
    at: float
    sent: dict[What, float]
    crowded: bool


class _Block(NamedTuple):
    """What keeps a call from going: for so many seconds, or (infinity) until a call has ended."""

    seconds: float
    reason: Reason


@dataclass(slots=True)
class _Model:
    """What is known of one model: whether it ever answered, what it was sent, and what it has left."""

    answered: bool = False
    under_way: int = 0
    sent: dict[What, float] = field(default_factory=lambda: {"requests": 0.0, "tokens": 0.0})
    last: float = -math.inf
    left: dict[What, Left] = field(default_factory=dict)


class Pace:
    """The pace of all calls to one provider with one key.

    `ceiling` bounds the calls under way; None: as many as prove good, 512 at most. `requests_per_minute` and
    `tokens_per_minute` are the user's. `clock` gives seconds and only goes forward. `gave_up` has words for
    the user once the provider refused, or asks to wait, for longer than `patience_s`.
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
        self.gave_up: str | None = None
        self._ceiling_is_users = ceiling is not None
        self._ceiling = AUTO_CEILING if ceiling is None else ceiling
        limits: dict[What, float | None] = {"requests": requests_per_minute, "tokens": tokens_per_minute}
        self._users = {what: Spacing(limit) for what, limit in limits.items() if limit is not None}
        self._patience_s = patience_s
        self._clock = clock
        self._models: defaultdict[str, _Model] = defaultdict(_Model)
        self._window = float(min(START, self._ceiling))
        self._broad = float(min(BROAD, self._ceiling))
        self._under_way = 0
        self._learned = Learned(clock())
        self._latency_s = 0.0
        self._refused_after_s = 0.0
        self._paused_at: float | None = None  # until a call that was sent later is taken
        self._pause_until = -math.inf
        self._was_asked_to_wait = False
        self._sent_ahead: Turn | None = None
        self._refusing_since: float | None = None
        self._fresh: deque[Turn] = deque()  # those that may yet be refused
        self._last_model = ""
        self._last_tokens = 0.0

    def wait_s(self, model: str, tokens: float = 0.0) -> float:
        """Return the seconds until a call might go: 0 now, infinity not before another has ended."""
        self._last_model, self._last_tokens = model, tokens
        block = self._block(model, tokens, self._clock())
        return 0.0 if block is None else block.seconds

    def take(self, model: str, tokens: float = 0.0) -> Turn:
        """Take the turn that `wait_s` said is there; `tokens` are about those of the call and its answer."""
        now = self._clock()
        state = self._models[model]
        state.under_way += 1
        self._under_way += 1
        amounts: dict[What, float] = {"requests": 1.0, "tokens": tokens}
        for what, amount in amounts.items():
            state.sent[what] += amount
            if what in self._users:
                self._users[what].take(amount, now)
        state.last = now
        self._learned.take(now)
        turn = Turn(model, tokens, now, dict(state.sent), self._under_way >= self._window / 2)
        if turn.crowded:
            self._fresh.append(turn)
        if self._paused_at is not None:
            self._sent_ahead = turn
        return turn

    def end(
        self,
        turn: Turn,
        outcome: Outcome,
        headers: RateHeaders = NOTHING_SAID,
        *,
        tokens: float | None = None,
    ) -> None:
        """Give a turn back, with what came of it and what the headers said; once for each turn.

        `tokens` is what the call took in truth, where that is known.
        """
        now = self._clock()
        model = self._models[turn.model]
        model.under_way -= 1
        self._under_way -= 1
        was_ahead = self._sent_ahead is turn
        if was_ahead:
            self._sent_ahead = None
        self._heed(model, turn, headers, now)
        if tokens is not None and "tokens" in self._users:
            self._users["tokens"].correct(tokens - turn.tokens)
        if outcome == "refused":
            turn.crowded = False
            self._refuse(turn, headers, now, was_ahead=was_ahead)
        elif outcome == "lost":
            turn.crowded = False
        else:
            self._accept(model, turn, now, answered=outcome == "answered")
            if outcome == "passed" and headers.wait_s is not None:  # 503 and the like may ask for it too
                self._pause(min(headers.wait_s, _LONGEST_PAUSE_S) + now, by_provider=True)

    def state(self) -> PaceState:
        """Return the pace and why it is what it is, for the call that wanted to go last."""
        now = self._clock()
        block = self._block(self._last_model, self._last_tokens, now)
        return PaceState(
            name=self.name,
            at_once=self._at_once(now),
            under_way=self._under_way,
            per_second=self._learned.per_second(now),
            wait_s=0.0 if block is None else block.seconds,
            refusals=self.refusals,
            reason=Reason.WORK if block is None else block.reason,
            ceiling_is_users=self._ceiling_is_users,
        )

    # ---- whether a call may go

    def _block(self, name: str, tokens: float, now: float) -> _Block | None:
        self._settle(now)
        block = self._pause_of_all(now) or self._spacing_of_all(now)
        if block is not None:
            return block
        model = self._models[name]
        if not model.answered and model.under_way:
            return _Block(math.inf, Reason.FIRST)
        longest = 0.0
        for what, left in model.left.items():
            need = tokens if what == "tokens" else 1.0
            longest = max(longest, left.wait_s(need, model.sent[what], model.last, now))
        return _Block(longest, Reason.HEADERS) if longest > 0 else None

    def _pause_of_all(self, now: float) -> _Block | None:
        if now < self._pause_until:
            why = Reason.ASKED_TO_WAIT if self._was_asked_to_wait else Reason.REFUSED
            return _Block(self._pause_until - now, why)
        if self._sent_ahead is not None:
            return _Block(self._taken_at(self._sent_ahead) - now, Reason.NO_ANSWER_YET)
        return None

    def _spacing_of_all(self, now: float) -> _Block | None:
        at_once = self._at_once(now)
        if self._under_way >= at_once:
            older_s = self._fresh[0].at + _TAKEN_S - now if self._fresh else math.inf
            growing = Reason.REFUSED if self.refusals else Reason.SLOW_START
            return _Block(older_s, Reason.CEILING if at_once >= self._ceiling else growing)
        blocks = [_Block(self._learned.wait_s(now), Reason.LEARNED)]
        blocks += [_Block(each.wait_s(now), _USERS[what]) for what, each in self._users.items()]
        longest = max(blocks)
        return longest if longest.seconds > 0 else None

    def _at_once(self, now: float) -> int:
        """Return how many calls may be under way: what proved good, or what the rate has, by Little's law."""
        rate = self._learned.per_second(now)
        needed = 0.0 if rate is None else rate * self._latency_s + 1
        return int(min(max(self._window, needed), self._ceiling))

    # ---- what an answer or a refusal changes

    def _settle(self, now: float) -> None:
        """Take calls as taken by the provider that are away longer than a refusal would be."""
        ahead = self._sent_ahead
        if ahead is not None and now >= self._taken_at(ahead):
            self._recover(ahead.at)
        while self._fresh and now >= self._fresh[0].at + _TAKEN_S:
            self._grow(self._fresh.popleft())

    def _taken_at(self, ahead: Turn) -> float:
        return ahead.at + _TAKEN_AFTER * self._refused_after_s + _MARGIN_S

    def _accept(self, model: _Model, turn: Turn, now: float, *, answered: bool) -> None:
        if self._paused_at is not None and turn.at >= self._paused_at:
            self._recover(turn.at)
        self._refusing_since = None
        if not answered:
            return
        if not any(each.answered for each in self._models.values()):
            self._learned = Learned(now)  # what went one by one says nothing of the limit
        model.answered = True
        self._latency_s += (now - turn.at - self._latency_s) * (_NEWEST if self._latency_s else 1.0)
        self._grow(turn)

    def _grow(self, turn: Turn) -> None:
        """Let more calls be under way, as one was taken beside many; once for each call."""
        if turn.crowded and self._paused_at is None:
            step = 1.0 if self._window < self._broad else 1.0 / self._window
            self._window = min(self._window + step, float(self._ceiling))
        turn.crowded = False

    def _recover(self, at: float) -> None:
        """End the pause: a call that was sent at that moment was taken."""
        self._paused_at = self._sent_ahead = None
        self._learned.recovered(at)

    def _refuse(self, turn: Turn, headers: RateHeaders, now: float, *, was_ahead: bool) -> None:
        self.refusals += 1
        self._refused_after_s = max(now - turn.at, self._refused_after_s / 2)
        self._learned.refused()
        begins = self._paused_at is None
        if begins:
            self._paused_at = now
            self._broad = max(1.0, self._window * _REGAINED)
            self._window = max(1.0, self._window / 2)
        if self._refusing_since is None:
            self._refusing_since = now
        asked_s = headers.wait_s
        if asked_s is None and begins:
            asked_s = _until_whole(headers)
        if asked_s is not None:
            least = _SHORTEST_PAUSE_S if was_ahead else 0.0  # it asked to come back too early
            self._pause(now + max(asked_s + _MARGIN_S, least), by_provider=True)
        elif begins or was_ahead:
            self._pause(self._next_try(now), by_provider=False)
        self._lose_patience(headers.wait_s or 0.0, now)

    def _pause(self, until: float, *, by_provider: bool) -> None:
        self._was_asked_to_wait = by_provider
        self._pause_until = max(self._pause_until, until)

    def _next_try(self, now: float) -> float:
        """Return when a call is sent ahead to see whether the pause is over."""
        paused = 0.0 if self._paused_at is None else now - self._paused_at
        began = self._learned.began
        rate = self._learned.per_second(began)
        shortest = _SHORTEST_PAUSE_S if rate is None else max(_SHORTEST_PAUSE_S, 1 / rate)
        usual = min(max(shortest, paused * _LONGER), _LONGEST_PAUSE_S)
        for window in sorted((*_WINDOWS_S, self._learned.lasted_s)):
            over = began + window + _MARGIN_S
            if now < over < now + usual:
                return over
        return now + usual

    def _heed(self, model: _Model, turn: Turn, headers: RateHeaders, now: float) -> None:
        """Take note of what is left, unless the answer to a later request said it already."""
        allowances: dict[What, Allowance | None] = {"requests": headers.requests, "tokens": headers.tokens}
        for what, allowance in allowances.items():
            known = model.left.get(what)
            if allowance is not None and (known is None or turn.sent[what] >= known.sent):
                model.left[what] = Left(allowance, turn.sent[what], now)

    def _lose_patience(self, asked_s: float, now: float) -> None:
        since = now - (now if self._refusing_since is None else self._refusing_since)
        if asked_s > self._patience_s:
            self.gave_up = f"{self.name} asks to wait {span(asked_s)}; run the command again afterwards"
        elif since > self._patience_s:
            self.gave_up = (
                f"{self.name} has refused every call for {span(since)}; run the command again later, or ask "
                "the provider for a higher limit"
            )


def _until_whole(headers: RateHeaders) -> float | None:
    """Return when what is used up is there again, as the headers of a refusal say; a minute at most."""
    waits = [
        min(each.reset_s, _LONGEST_PAUSE_S)
        for each in (headers.requests, headers.tokens)
        if each is not None and each.left < 1 and each.reset_s is not None
    ]
    return max(waits, default=None)
