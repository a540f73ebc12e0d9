"""A run at work in one event loop: calls dispatched, answers journalled, parts cut, all ends tied."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from engine.calls import Request
from engine.config import RunConfig
from engine.errors import SpbError, StoreError
from engine.plan import Plan
from engine.runner.answered import Answered
from engine.runner.budget import Budget
from engine.runner.calling import Asks, call, most_usd
from engine.runner.collect import Collector
from engine.runner.dispatch import Dispatch, Lane
from engine.runner.entries import Entry
from engine.runner.journal import Journal
from engine.runner.options import RunOptions
from engine.runner.status import Status

LOG = logging.getLogger("engine.runner")
FILE_CALLS = 2_500
FILE_BYTES = 16 << 20
"""What a file of the journal holds; they are taken into the study one by one, which bounds the memory."""
_CUTS_SHARE = 20
"""Cutting takes no more than one part in so many of the time: a large study is written to less often."""
_BEAT_S = 0.5
_FOR_GOOD = ("key", "model")
"""Failures that every other call of the model would meet too."""


class Session:
    """What the stages of a run share within one process."""

    def __init__(
        self,
        config: RunConfig,
        options: RunOptions,
        *,
        run_id: str,
        models: Asks,
        journal: Journal,
        collector: Collector,
        answered: Answered,
        budget: Budget,
        status: Status,
    ) -> None:
        self.config, self.options, self.run_id = config, options, run_id
        self.models, self.journal, self.collector = models, journal, collector
        self.answered, self.budget, self.status = answered, budget, status
        self.interrupted = False
        self.out_of_budget = False
        self.given_up: dict[str, str] = {}
        self.abandoned = 0
        self._hurry = asyncio.Event()
        self._stopped = asyncio.Event()
        self._failure: SpbError | None = None
        self._dispatch: Dispatch | None = None
        self._cutting: asyncio.Task[None] | None = None
        self._uncut = 0
        self._cut_at = time.monotonic()
        self._cut_took = 0.0

    @property
    def over(self) -> bool:
        """Whether no further stage is to be begun."""
        return self.interrupted or self.out_of_budget or self._failure is not None

    def interrupt(self) -> None:
        """Begin no more calls; a second time: wait for none either."""
        if self.interrupted:
            self._hurry.set()
        self.interrupted = True
        self.status.set("stopping", message="stopping: waiting for the answers under way")
        self._stop()

    async def make(self, plan: Plan) -> None:
        """Make the calls of a stage and bring their answers into the study.

        Raises StoreError where an answer cannot be kept; what was written is intact.
        """
        self._dispatch = dispatch = Dispatch(
            self._lanes(plan), self.config.run.concurrency, self._begin(plan)
        )
        if self.over:
            dispatch.stop()
        beating = asyncio.create_task(self._beat())
        try:
            await dispatch.run()
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
            self.abandoned += await dispatch.finish(self.options.grace_s, self._hurry)
            self._dispatch = None
        for _ in dispatch.dropped():
            self.status.counts.by_status["error"] += 1
        await self.settle()

    async def until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the run's beat; once the run is stopped, it has the grace to end by itself.

        Raises what the work raises, and the error that ended the run, if one did.
        """
        beating, stopped = asyncio.create_task(self._beat()), asyncio.create_task(self._stopped.wait())
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                hurried = asyncio.create_task(self._hurry.wait())
                await asyncio.wait(
                    {task, hurried}, timeout=self.options.grace_s, return_when=asyncio.FIRST_COMPLETED
                )
                hurried.cancel()
        finally:
            for each in (task, stopped, beating):
                each.cancel()
            ended, *_ = await asyncio.gather(task, stopped, beating, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended
        await self.settle()

    async def pause(self, seconds: float) -> None:
        """Wait, no longer than until the run is stopped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

    def give_up(self, model: str, words: str) -> None:
        """Ask a model no more in this start; the first reason is the one to tell."""
        LOG.warning("%s is not asked any more: %s", model, words)
        self.given_up.setdefault(model, words)

    def counted(self, entry: Entry) -> None:
        """Count a call whose rows are in the study."""
        self.status.add(entry)

    async def settle(self) -> None:
        """Bring all that was answered into the study; raises the error that ended the run, if one did."""
        while self._cutting is not None and not self._cutting.done():
            await self._cutting
        if self._failure is None:
            # Kept, so that answers that come onto the disk meanwhile begin no second one beside it.
            self._cutting = asyncio.create_task(self._cut())
            with suppress(StoreError):  # told below
                await self._cutting
        if self._failure is not None:
            raise self._failure

    def _lanes(self, plan: Plan) -> list[Lane]:
        limits = self.config.models
        names = [name for name in limits if name in set(self.config.called())]
        return [
            Lane(name, iter(plan.of_model(name)), self.is_wanted, limits[name].concurrency) for name in names
        ]

    def is_wanted(self, request: Request) -> bool:
        """Return whether a request needs to be made; one that was answered is counted."""
        if request in self.answered:
            self.status.counts.already_done += 1
            return False
        return True

    def _begin(self, plan: Plan) -> Callable[[Request], Callable[[], Awaitable[None]] | None]:
        """Return what begins a call, or does not where the budget or the disk has no room for it."""

        def begin(request: Request) -> Callable[[], Awaitable[None]] | None:
            config = self.config.models[request.model]
            messages = plan.messages(request)
            most = 0.0
            if self.budget.cap is not None:
                most = most_usd(request, messages, config, self.models.price(request.model))
            leave = self.budget.leave(most)
            if leave == "no":
                self.out_of_budget = True
                self._stop()
            if leave != "yes":
                return None
            self.budget.begin(most)

            async def make() -> None:
                cost: float | None = 0.0
                try:
                    entry = await call(self.models, config, self.run_id, request, messages)
                    cost = entry.cost_usd
                    self._keep(entry)
                finally:
                    self.budget.end(most, cost)

            return make

        return begin

    def _keep(self, entry: Entry) -> None:
        """Write the entry down; it counts once it is on the disk."""
        if entry.failure in _FOR_GOOD and entry.model not in self.given_up:
            self.give_up(entry.model, entry.message or "")
            if self._dispatch is not None:
                self._dispatch.drop(entry.model)
        try:
            kept = self.journal.write(entry)
            if self.journal.lines >= FILE_CALLS or self.journal.size >= FILE_BYTES:
                self.journal.rotate()
        except StoreError as error:
            self._fail(error)
            return
        if self.journal.disk_is_full:
            self._fail(
                StoreError(
                    f"{self.journal.path}: the disk is full; what was answered is kept: make room and "
                    "run the command again"
                )
            )

        def count(done: "asyncio.Future[None]") -> None:
            error = done.exception()
            if isinstance(error, SpbError):
                self._fail(error)
            elif error is None:
                self.status.add(entry)
                self._uncut += 1
                self._cut_where_due()

        kept.add_done_callback(count)

    def _fail(self, error: SpbError) -> None:
        if self._failure is None:
            LOG.error("%s", error)
        self._failure = self._failure or error
        self._stop()

    def _stop(self) -> None:
        self._stopped.set()
        if self._dispatch is not None:
            self._dispatch.stop()

    async def _beat(self) -> None:
        """Tell that the run is alive, and cut parts where few answers come."""
        while True:
            await asyncio.sleep(_BEAT_S)
            self.status.tell()
            self._cut_where_due()

    def _cut_where_due(self) -> None:
        if self._cutting is not None and not self._cutting.done():
            return
        since = time.monotonic() - self._cut_at
        enough = self._uncut >= self.options.cut_calls or since >= self.options.cut_seconds
        rested = since >= self._cut_took * _CUTS_SHARE
        if self._uncut and enough and rested:
            self._cutting = asyncio.create_task(self._cut())

    async def _cut(self) -> None:
        """Take what is in the journal into the study, in a thread of its own."""
        began = time.monotonic()
        self._uncut = 0
        try:
            await self.journal.settled()
            self.journal.rotate()
            for path in self.journal.waiting():
                await asyncio.to_thread(self.collector.collect, path)
        except SpbError as error:
            self._fail(error)
        self._cut_at = time.monotonic()
        self._cut_took = self._cut_at - began
