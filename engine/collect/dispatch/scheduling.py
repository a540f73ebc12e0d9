"""Scheduling of calls: a few at a time, models side by side, each at its own place in the plan.

Calls are created only when they begin. Each model works through its own part of the plan, so that a slow one
delays no other. `turns` makes
the calls to one provider wait until its pace allows them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain

from engine.collect.calls import CallRequest

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
