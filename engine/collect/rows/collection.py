"""Adding answers to the study while others are still collected."""

import asyncio
import time
from collections.abc import Callable

from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.rows.recorder import Collector
from engine.collect.run_options import RunOptions
from engine.errors import SpbError

_SHARE = 20
"""Adding to the study takes at most this fraction of the time (1/20), however large the study is."""


class Collection:
    """Adds the recorded calls of one process to the study in a thread, once enough of them wait for it.

    `on_error` is called with the error if they cannot be added.
    """

    def __init__(
        self,
        recorded: RecordedCalls,
        collector: Collector,
        options: RunOptions,
        on_error: Callable[[SpbError], None],
    ) -> None:
        self._recorded, self._collector, self._options = recorded, collector, options
        self._on_error = on_error
        self._task: asyncio.Task[None] | None = None
        self._waiting = 0
        self._ended_at = time.monotonic()
        self._lasted_s = 0.0

    def count(self) -> None:
        """Count a call that is on disk, and begin to add calls to the study if that is due."""
        self._waiting += 1
        self.begin_if_due()

    def begin_if_due(self) -> None:
        if self._task is not None and not self._task.done():
            return
        since = time.monotonic() - self._ended_at
        enough = self._waiting >= self._options.collect_calls or since >= self._options.collect_seconds
        if self._waiting and enough and since >= self._lasted_s * _SHARE:
            self._task = asyncio.create_task(self._collect())

    async def idle(self) -> None:
        """Wait until nothing is being added."""
        while self._task is not None and not self._task.done():
            await self._task

    async def collect(self) -> None:
        """Add all calls that are recorded now."""
        # Kept, so that answers written meanwhile begin no second one.
        self._task = asyncio.create_task(self._collect())
        await self._task

    async def _collect(self) -> None:
        began = time.monotonic()
        self._waiting = 0
        try:
            await self._recorded.flush()
            await asyncio.to_thread(self._add)
        except SpbError as error:
            self._on_error(error)
        self._ended_at = time.monotonic()
        self._lasted_s = self._ended_at - began

    def _add(self) -> None:
        for portion in self._recorded.portions():
            self._collector.collect(portion.entries)
            self._recorded.remove(portion)
