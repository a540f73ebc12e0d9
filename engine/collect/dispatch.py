"""Scheduling of calls: a few at a time, models side by side, each at its own place in the plan.

Calls are created only when they begin. Each model works through its own part of the plan, so that a slow one
delays no other. `Turns` makes the calls to one provider wait until its pace allows them.
"""

import asyncio
import math
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from engine.collect.calls import CallRequest
from engine.collect.config import ModelConfig
from engine.collect.model_keys import SIMULATED, provider_of
from engine.collect.pacing import Outcome, Pace, Turn
from engine.collect.rate_limits import NO_LIMITS, RateLimits

_MOST_SKIPPED = 500
"""Unwanted requests skipped before yielding to other work on the event loop."""


@dataclass(slots=True)
class Lane:
    """A model's requests, in order; `is_wanted` says which ones to make.

    `has_room` says whether another call should begin now.
    """

    model: str
    requests: Iterator[CallRequest]
    is_wanted: Callable[[CallRequest], bool]
    limit: int | None = None
    has_room: Callable[[], bool] = lambda: True
    under_way: int = 0
    next_request: CallRequest | None = None
    ended: bool = False
    dropped: bool = False

    @property
    def is_free(self) -> bool:
        return not self.ended and (self.limit is None or self.under_way < self.limit) and self.has_room()

    def peek(self) -> CallRequest | None:
        """Return the next request without taking it; None at the end, or after many unwanted ones."""
        if self.next_request is None:
            for _ in range(_MOST_SKIPPED):
                request = next(self.requests, None)
                if request is None:
                    self.ended = True
                    return None
                if self.is_wanted(request):
                    self.next_request = request
                    break
        return self.next_request

    def remaining_requests(self) -> Iterator[CallRequest]:
        """Yield the requests that were never taken; works once."""
        if self.next_request is not None:
            yield self.next_request
            self.next_request = None
        yield from (each for each in self.requests if self.is_wanted(each))


@dataclass
class Dispatch:
    """Makes the calls of several lanes, at most `limit` at once in total.

    `begin` is called before each call and returns the function that makes it, or None if another call must
    end first. It may call `stop`; `finish` then waits for the calls under way.
    """

    lanes: list[Lane]
    limit: int
    begin: Callable[[CallRequest], Callable[[], Awaitable[None]] | None]
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _stopped: bool = False
    _failure: BaseException | None = None

    def stop(self) -> None:
        self._stopped = True
        self._changed.set()

    def wake(self) -> None:
        self._changed.set()

    def drop(self, model: str) -> None:
        for lane in self.lanes:
            if lane.model == model:
                lane.ended = lane.dropped = True

    def remaining_requests(self, *, dropped: bool) -> Iterator[CallRequest]:
        """Yield, once, the requests not made: of dropped models, or of the others if it was stopped."""
        lanes = (lane for lane in self.lanes if lane.dropped == dropped)
        return chain.from_iterable(lane.remaining_requests() for lane in lanes)

    async def run(self) -> None:
        """Make calls until none is left or `stop` is called; raises what a call raised."""
        while not self._stopped:
            lanes = [lane for lane in self.lanes if lane.is_free] if len(self._tasks) < self.limit else []
            if not lanes:
                if not self._tasks and all(each.ended for each in self.lanes):
                    break
                await self._change()
                continue
            lane = min(lanes, key=lambda each: each.under_way)
            request = lane.peek()
            if request is None:
                await asyncio.sleep(0)
                continue
            make = self.begin(request)
            if make is None:
                await self._change()
                continue
            self._start(lane, make)
        if self._failure is not None:
            raise self._failure

    async def finish(self, within_s: float, hurry: asyncio.Event) -> int:
        """Await the calls under way, at most `within_s` seconds or until `hurry`; cancel and count others."""
        await await_all(self._tasks, within_s, hurry)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(tasks)

    def _start(self, lane: Lane, make: Callable[[], Awaitable[None]]) -> None:
        lane.next_request = None
        lane.under_way += 1
        task = asyncio.ensure_future(make())
        self._tasks.add(task)

        def on_end(finished: "asyncio.Task[None]") -> None:
            self._tasks.discard(finished)
            lane.under_way -= 1
            if not finished.cancelled() and (error := finished.exception()) is not None:
                self._failure = self._failure or error
                self._stopped = True
            self._changed.set()

        task.add_done_callback(on_end)

    async def _change(self) -> None:
        if self._stopped:
            return
        self._changed.clear()
        await self._changed.wait()


async def await_all(tasks: Collection["asyncio.Task[None]"], within_s: float, hurry: asyncio.Event) -> None:
    """Wait until all tasks have ended, at most `within_s` seconds or until `hurry`; cancels none of them."""
    if tasks:
        waits = {asyncio.create_task(hurry.wait()), asyncio.create_task(asyncio.wait(list(tasks)))}
        await asyncio.wait(waits, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


# ------------------------------------------------------------------------------
# Waiting for a turn: the calls to one provider with one key, in order of arrival.


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
