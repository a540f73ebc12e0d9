"""A stage in batches: each made once, asked after, and collected, also in a later start."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from engine.calls import Failure, Reply, Request
from engine.judges import BatchError, Batches, BatchState
from engine.plan import Plan
from engine.runner.batch_chunks import Chunks
from engine.runner.batch_records import BatchRecord, BatchRecords
from engine.runner.calling import rows_of
from engine.runner.entries import Entry, made_entry
from engine.runner.session import Session

LOG = logging.getLogger("engine.runner")
_REFUSED = ("key", "model", "request")
"""Failures that say that no batch was made."""


class Batching:
    """Makes the calls of a session in batches, those that an earlier start left under way first of all."""

    def __init__(self, session: Session, records: BatchRecords, batches: Batches) -> None:
        self._session, self._records, self._batches = session, records, batches
        self._step = self._last = 0
        self._open: dict[str, BatchRecord] = {}
        self._taken: set[str] = set()
        self._lost: set[str] = set()
        self._again = False
        for record in records.open():
            self._began(record)

    @property
    def calls_under_way(self) -> int:
        """How many calls are with the providers."""
        return sum(record.calls for record in self._open.values())

    def begin(self, step: int, last: int) -> bool:
        """Begin a step of the run; whether batches of an earlier start are to be collected in it."""
        self._step, self._last = step, last
        return any(self._is_due(record) for record in self._open.values())

    def _is_due(self, record: BatchRecord) -> bool:
        """Return whether a batch is of the step, or is left from one that is over."""
        return record.step <= self._step or self._step == self._last

    async def make(self, plan: Plan) -> None:
        """Make the calls of the step and bring their answers into the study.

        Ends early, with batches left under way, where the session is stopped or a provider does not answer.
        Raises StoreError where an answer cannot be kept.
        """
        await self._session.until_stopped(self._made(plan))

    async def _made(self, plan: Plan) -> None:
        chunks = self._chunks(plan, self._session.is_wanted)
        await self._found_again()
        while not self._session.over:
            await self._submit(chunks)
            if self._waiting():
                if not await self._collected():
                    await self._session.pause(self._session.config.run.poll_s)
            elif self._again:
                self._again = False
                chunks = self._chunks(plan, self._is_unanswered)
            else:
                break

    def _chunks(self, plan: Plan, is_wanted: Callable[[Request], bool]) -> Chunks:
        return Chunks(self._session, self._batches, plan, self._wanted(plan, is_wanted))

    def _wanted(self, plan: Plan, is_wanted: Callable[[Request], bool]) -> Iterator[Request]:
        """Yield the calls that nobody answered and that were in no batch of this start, model by model."""
        for name in self._session.config.called():
            for request in plan.of_model(name):
                if name in self._session.given_up:
                    break
                if is_wanted(request) and request.key not in self._taken:
                    yield request

    def _is_unanswered(self, request: Request) -> bool:
        return request not in self._session.answered

    def _waiting(self) -> list[BatchRecord]:
        """Return the batches whose end can be waited for."""
        due = [each for each in self._open.values() if self._is_due(each)]
        return [each for each in due if each.batch_id and each.label not in self._lost]

    async def _found_again(self) -> None:
        """Settle the batches of earlier starts that may or may not have been made."""
        for record in list(self._open.values()):
            if record.batch_id is None and not self._session.over:
                await self._handed_over(record, again=True)

    async def _submit(self, chunks: Chunks) -> None:
        """Hand over what is wanted, as far as the budget allows."""
        while (chunk := await chunks.next()) is not None and not self._session.over:
            record = await asyncio.to_thread(
                self._records.add, self._step, chunk.calls, most=chunk.most, sent=chunk.sent
            )
            self._began(record)
            await self._handed_over(record)

    def _began(self, record: BatchRecord) -> None:
        self._open[record.label] = record
        self._taken.update(key for key, _ in self._records.calls(record))
        self._session.budget.begin(record.most)

    def _ended(self, record: BatchRecord, cost: float | None) -> None:
        self._records.remove(record)
        del self._open[record.label]
        self._session.budget.end(record.most, cost)

    async def _handed_over(self, record: BatchRecord, *, again: bool = False) -> None:
        """Have the provider make a batch; `again`: an earlier start may have had it made."""
        name, batch_id = record.model, None
        maybe_made = again
        try:
            if again:
                batch_id = await self._batches.find(name, record.label, record.made_at)
            if batch_id is None:
                maybe_made = False
                batch_id = await self._batches.submit(name, record.label, self._records.input(record))
        except BatchError as error:
            self._session.give_up(name, error.failure.message)
            if error.failure.kind in _REFUSED and not maybe_made:
                await self._keep(record, dict(self._records.calls(record)), {}, error.failure, None)
            return
        self._open[record.label] = self._records.submitted(record, batch_id)
        LOG.info("batch %s: %d calls of %s", batch_id, record.calls, name)

    async def _collected(self) -> bool:
        """Ask after the batches and keep what came of those that have ended; whether any has."""
        ended = done = 0
        for record in self._waiting():
            if self._session.over:
                break
            try:
                state = await self._batches.state(record.model, str(record.batch_id))
                if state.ended:
                    await self._collect(record, state)
                    ended += 1
                else:
                    done += state.done
            except BatchError as error:
                if error.failure.kind in _REFUSED:
                    self._lose(record, error.failure)
                else:  # the provider has a bad hour, and is asked again
                    LOG.warning("%s", error)
        words = (
            f"{len(self._open):,} batches under way, {done:,} of {self.calls_under_way:,} calls done there"
        )
        self._session.status.set(message=words if self._open else "")
        return bool(ended)

    async def _collect(self, record: BatchRecord, state: BatchState) -> None:
        left = dict(self._records.calls(record))
        found: dict[str, Reply | Failure] = {}
        again: set[str] = set()
        if state.failure is not None and state.failure.kind == "rate_limit" and self._has_others(record):
            again = set(left)  # no room beside the model's other batches: after them
        elif state.failure is None:
            async for key, outcome in self._batches.answers(record.model, state, record.sent):
                if key in left and outcome is not None:
                    found[key] = outcome
                elif key in left:
                    again.add(key)
        for key in again - found.keys():
            del left[key]
        self._taken -= again
        self._again |= bool(again)
        words = f"model {record.model!r}: the batch {record.batch_id!r} is {state.status}, without this call"
        await self._keep(record, left, found, state.failure or Failure("answer", words), state.ended_at)

    async def _keep(
        self,
        record: BatchRecord,
        calls: dict[str, Request],
        found: dict[str, Reply | Failure],
        otherwise: Failure,
        at: str | None,
    ) -> None:
        """Write down what came of a batch's calls, take it into the study, and forget the batch.

        Killed in between, the next start does so again, and finds what the study holds already: the entries
        have the time at which the batch ended.
        """
        at = at or datetime.now(UTC).isoformat(timespec="milliseconds")
        entries = [self._entry(key, request, found.get(key, otherwise), at) for key, request in calls.items()]
        path = self._session.journal.write_file(entries)
        taken = await asyncio.to_thread(self._session.collector.take, path)
        costs = [entry.cost_usd for entry in taken]
        self._ended(record, None if None in costs else sum(cost for cost in costs if cost is not None))
        for entry in taken:
            self._session.counted(entry)

    def _entry(self, key: str, request: Request, outcome: Reply | Failure, at: str) -> Entry:
        rows = rows_of(request, outcome)
        entry = made_entry(request, self._session.run_id, outcome, rows, calls=1, seconds=0.0, at=at)
        return replace(entry, key=key)

    def _has_others(self, record: BatchRecord) -> bool:
        return any(each.model == record.model and each != record for each in self._waiting())

    def _lose(self, record: BatchRecord, failure: Failure) -> None:
        """Leave a batch that the provider will not show: to make it again would be to pay for it again."""
        words = (
            f"{failure.message}; the batch {record.batch_id!r} of {record.calls:,} calls cannot be fetched: "
            f"mend that and run the command again, or, to give it up, remove {self._records.path(record)}"
        )
        self._lost.add(record.label)
        self._session.give_up(record.model, words)
