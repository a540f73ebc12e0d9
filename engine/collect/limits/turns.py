"""Waiting for a turn: the calls to one provider with one key, in order of arrival, as its pace allows."""

import asyncio
import math
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.collect.configuration.config import ModelConfig
from engine.collect.configuration.model_keys import SIMULATED, provider_of
from engine.collect.limits.pacing import Outcome, Pace, Turn
from engine.collect.limits.rate_limits import NO_LIMITS, RateLimits

_MOST_WAITING = 2
"""Calls of a model that may wait, so that one is ready when its turn comes; more do not begin."""
_LATE_S = 1e-4


class LimitLastsError(Exception):
    """The provider's limit lasts longer than a run waits; the message is for the user."""


@dataclass(slots=True, eq=False)
class _Waiter:
    model: str
    tokens: float
    future: "asyncio.Future[Turn]"


class Turns:
    """Gives turns to calls as the pace allows; a model that must wait delays no other.

    `on_room` is called when a waiting call has started, so that another may begin.
    """

    def __init__(self, pace: Pace, on_room: Callable[[], None] | None = None) -> None:
        self.pace = pace
        self.on_room = on_room
        self._waiters: deque[_Waiter] = deque()
        self._waiting: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, model: str, tokens: float = 0.0) -> Turn:
        """Wait until a request to `model` of about `tokens` tokens, including the answer's, may be sent.

        Every turn must be ended. Waiting uses up no retry. LimitLastsError: the provider's limit outlasts the
        pace's patience.
        """
        if self.pace.final_refusal is not None:
            raise LimitLastsError(self.pace.final_refusal)
        waiter = _Waiter(model, tokens, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self._waiting[model] += 1
        self._start_waiting()
        try:
            return await waiter.future
        except asyncio.CancelledError:
            future = waiter.future
            if future.done() and not future.cancelled() and future.exception() is None:  # it has just come
                self.end(future.result(), "lost")
            elif waiter in self._waiters:
                self._remove(waiter)
                self._start_waiting()
            raise

    def end(
        self, turn: Turn, outcome: Outcome, headers: RateLimits = NO_LIMITS, *, tokens: float | None = None
    ) -> None:
        """End a turn with the arguments of `Pace.end`, and start waiting calls."""
        self.pace.end(turn, outcome, headers, tokens=tokens)
        if self.pace.final_refusal is not None:
            for waiter in self._waiters:
                if not waiter.future.done():
                    waiter.future.set_exception(LimitLastsError(self.pace.final_refusal))
            self._waiters.clear()
            self._waiting.clear()
        self._start_waiting()

    def has_room(self, model: str) -> bool:
        return self._waiting[model] < _MOST_WAITING

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _remove(self, waiter: _Waiter) -> None:
        self._waiters.remove(waiter)
        self._waiting[waiter.model] -= 1

    def _start_waiting(self) -> None:
        """Start the waiting calls that may start, in order, and set a timer for the next."""
        self.close()
        started, soonest = 0, math.inf
        waiting_models: set[str] = set()
        for waiter in list(self._waiters):
            if waiter.model in waiting_models or waiter.future.done():
                continue
            wait_s = self.pace.wait_s(waiter.model, waiter.tokens)
            if wait_s <= 0:
                self._remove(waiter)
                waiter.future.set_result(self.pace.take(waiter.model, waiter.tokens))
                started += 1
            else:
                waiting_models.add(waiter.model)
                soonest = min(soonest, wait_s)
        if math.isfinite(soonest):
            self._timer = asyncio.get_running_loop().call_later(soonest + _LATE_S, self._start_waiting)
        if started and self.on_room is not None:
            self.on_room()


def turns_of(configs: Mapping[str, ModelConfig], ceiling: int | None, patience_s: float) -> dict[str, Turns]:
    """Return the turns of each model, shared by models with the same address and key.

    If several models of one provider set a limit, the lowest applies. Simulated models need no turns.
    """
    groups: dict[tuple[str, str | None, str | None], list[str]] = {}
    for name, config in configs.items():
        if (provider := provider_of(config.model)) != SIMULATED:
            groups.setdefault((provider, config.api_base, config.api_key_env), []).append(name)
    turns: dict[str, Turns] = {}
    for (provider, address, _), names in groups.items():
        members = [configs[name] for name in names]
        pace = Pace(
            address or provider or names[0],
            ceiling=ceiling,
            requests_per_minute=min(filter(None, (m.requests_per_minute for m in members)), default=None),
            tokens_per_minute=min(filter(None, (m.tokens_per_minute for m in members)), default=None),
            patience_s=patience_s,
        )
        turns |= dict.fromkeys(names, Turns(pace))
    return turns
