"""Waiting for a turn: the calls to one provider with one key, in the order in which they came."""

import asyncio
import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from engine.collect.pacing import Outcome, Pace, Turn
from engine.collect.rate_headers import NOTHING_SAID, RateHeaders

_AHEAD = 2
"""Calls of a model that may wait, so that one is there when its turn comes; the others are not begun."""
_LATE_S = 1e-4


class LimitLastsError(Exception):
    """The provider's limit lasts longer than a run waits; the words are for the user."""


@dataclass(slots=True, eq=False)
class _Waiter:
    model: str
    tokens: float
    future: "asyncio.Future[Turn]"


class Turns:
    """Gives turns to calls as the pace allows; a model that must wait keeps no other waiting.

    `on_room` is called when a call that waited has gone, so that another may be begun.
    """

    def __init__(self, pace: Pace, on_room: Callable[[], None] | None = None) -> None:
        self.pace = pace
        self.on_room = on_room
        self._waiters: deque[_Waiter] = deque()
        self._waiting: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, model: str, tokens: float = 0.0) -> Turn:
        """Wait until a request to `model` of about so many tokens, its answer's included, may be sent.

        Every turn must be ended. A wait is no attempt and uses up no retry. Raises LimitLastsError where the
        provider's limit outlasts the pace's patience.
        """
        if self.pace.gave_up is not None:
            raise LimitLastsError(self.pace.gave_up)
        waiter = _Waiter(model, tokens, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self._waiting[model] += 1
        self._let_go()
        try:
            return await waiter.future
        except asyncio.CancelledError:
            self._withdraw(waiter)
            raise

    def end(
        self,
        turn: Turn,
        outcome: Outcome,
        headers: RateHeaders = NOTHING_SAID,
        *,
        tokens: float | None = None,
    ) -> None:
        """Give a turn back, as `Pace.end` wants it, and let others go."""
        self.pace.end(turn, outcome, headers, tokens=tokens)
        if self.pace.gave_up is not None:
            for waiter in self._waiters:
                if not waiter.future.done():
                    waiter.future.set_exception(LimitLastsError(self.pace.gave_up))
            self._waiters.clear()
            self._waiting.clear()
        self._let_go()

    def has_room(self, model: str) -> bool:
        """Return whether another call of the model is better begun now than kept back."""
        return self._waiting[model] < _AHEAD

    def close(self) -> None:
        """Wake nobody any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _withdraw(self, waiter: _Waiter) -> None:
        """Undo the wait of a call that was cancelled, perhaps when its turn had just come."""
        future = waiter.future
        if future.done() and not future.cancelled() and future.exception() is None:
            self.end(future.result(), "lost")
        elif waiter in self._waiters:
            self._remove(waiter)
            self._let_go()

    def _remove(self, waiter: _Waiter) -> None:
        self._waiters.remove(waiter)
        self._waiting[waiter.model] -= 1

    def _let_go(self) -> None:
        """Let those go who may, in their order, and wake when the next may."""
        self.close()
        went, soonest = 0, math.inf
        held: set[str] = set()
        for waiter in list(self._waiters):
            if waiter.model in held or waiter.future.done():
                continue
            wait_s = self.pace.wait_s(waiter.model, waiter.tokens)
            if wait_s <= 0:
                self._remove(waiter)
                waiter.future.set_result(self.pace.take(waiter.model, waiter.tokens))
                went += 1
            else:
                held.add(waiter.model)
                soonest = min(soonest, wait_s)
        if math.isfinite(soonest):
            self._timer = asyncio.get_running_loop().call_later(soonest + _LATE_S, self._let_go)
        if went and self.on_room is not None:
            self.on_room()
