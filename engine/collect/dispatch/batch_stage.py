"""One stage of a run collected through providers' batches, which a later start may find ended."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from engine.collect.calls import CallRequest, Failure, Reply
from engine.collect.client.litellm_batches import PROVIDERS, BatchError, Batches, BatchState, has_batches
from engine.collect.client.openai_transport import Attempt
from engine.collect.client.token_counts import prompt_tokens
from engine.collect.configuration.config import Price, RunConfig
from engine.collect.configuration.prices import cost_usd, known_sum
from engine.collect.database.batch_records import BatchRecord, BatchRecords, Chunk
from engine.collect.database.entries import entry_of
from engine.collect.dispatch.calling import Session, rows_of
from engine.collect.limits.spending import terms_of
from engine.collect.plan.stage_calls import Plan
from engine.collect.run_log import LOG
from engine.collect.run_options import RunOptions
from engine.errors import UsageError
from engine.phrases import quantity

BATCH_BYTES = 50_000_000
"""Size limit of a batch's lines: a quarter of what providers accept."""
_YIELD_AFTER = 200
"""Lines written before yielding to other work on the event loop."""

_REFUSED = ("key", "model", "request")
"""Kinds of failure that mean that no batch was created."""


class Batching:
    """Makes the calls of a session in batches, beginning with those left under way by an earlier start."""

    def __init__(self, session: Session, records: BatchRecords, batches: Batches) -> None:
        self._session, self._records, self._batches = session, records, batches
        self._step = self._last_step = 0
        self._open_records: dict[str, BatchRecord] = {}
        self._handled_keys: set[str] = set()
        self._plan: Plan | None = None
        self._requests: Iterator[CallRequest] = iter(())  # the source of the next chunk, model by model
        self._next_request: CallRequest | None = None
        self._lost_labels: set[str] = set()
        self._has_retries = False
        for record in records.open():
            self._add_open(record)

    @property
    def calls_under_way(self) -> int:
        return sum(record.calls for record in self._open_records.values())

    def begin(self, step: int, last_step: int) -> bool:
        """Begin a step of the run; return whether it has batches of an earlier start to collect."""
        self._step, self._last_step = step, last_step
        return any(self._is_due(record) for record in self._open_records.values())

    def _is_due(self, record: BatchRecord) -> bool:
        """Return whether a batch belongs to this step or an earlier one; at the last step, all do."""
        return record.step <= self._step or self._step == self._last_step

    async def make(self, plan: Plan) -> None:
        """Make the step's calls; ends early, with batches under way, if stopped or a provider is silent."""
        await self._session.until_stopped(self._chunk_by_chunk(plan))

    async def _chunk_by_chunk(self, plan: Plan) -> None:
        self._plan = plan
        self._requests, self._next_request = self._select_requests(plan, self._session.is_wanted), None
        for record in list(self._open_records.values()):
            if record.batch_id is None and not self._session.is_over:
                # An earlier start may have submitted it.
                await self._submit_record(record, again=True)
        while not self._session.is_over:
            while (chunk := await self._next_chunk(plan)) is not None and not self._session.is_over:
                record = await asyncio.to_thread(self._records.add, self._step, chunk)
                self._add_open(record)
                await self._submit_record(record)
            if self._submitted_records():
                if not await self._poll():
                    await self._session.pause(self._session.config.run.poll_s)
            elif self._has_retries:
                self._has_retries = False
                unanswered = self._select_requests(plan, lambda each: each not in self._session.completed)
                self._requests, self._next_request = unanswered, None
            else:
                break

    def _select_requests(self, plan: Plan, condition: Callable[[CallRequest], bool]) -> Iterator[CallRequest]:
        """Yield the wanted requests of the models that are not given up, model by model."""
        for name in self._session.config.run_models():
            for request in plan.of_model(name):
                if name in self._session.given_up:
                    break
                if condition(request) and request.key not in self._handled_keys:
                    yield request

    async def _next_chunk(self, plan: Plan) -> Chunk | None:
        """Return the next chunk; None if nothing is left, or if other batches must end first.

        A chunk has the calls of one model, as many as a batch and the budget allow. If the budget allows no
        more calls, the session is marked so. A model that cannot be called is given up.
        """
        session, chunk = self._session, Chunk()
        while not session.is_over:
            request, self._next_request = self._next_request or next(self._requests, None), None
            if request is None:
                break
            if chunk.calls and request.model != chunk.calls[0][0].model:
                self._next_request = request
                break
            config = session.config.models[request.model]
            messages = plan.messages(request)
            if (reply := session.cached_reply(request, messages)) is not None:
                self._handled_keys.add(request.key)
                await session.store_cached(request, reply)
                continue
            terms = terms_of(request, config, session.models.price(request.model))
            most = session.spending.maximum_cost(terms, prompt_tokens(messages))
            admission = session.spending.batch_admission(chunk.most + most)
            if admission != "yes":
                self._next_request = request
                session.out_of_budget |= admission == "no" and not chunk.calls
                break
            try:
                logprobs = config.logprobs and request.role == "judge"
                chunk.add(request, self._batches.body(request.model, messages, logprobs=logprobs), most)
            except BatchError as error:
                session.give_up(request.model, error.failure.message)
                continue
            if len(chunk.calls) >= session.options.batch_calls or chunk.weight >= BATCH_BYTES:
                break
            if not len(chunk.calls) % _YIELD_AFTER:
                await asyncio.sleep(0)
        return chunk if chunk.calls else None

    def _submitted_records(self) -> list[BatchRecord]:
        due = [each for each in self._open_records.values() if self._is_due(each)]
        return [each for each in due if each.batch_id and each.label not in self._lost_labels]

    def _add_open(self, record: BatchRecord) -> None:
        self._open_records[record.label] = record
        self._handled_keys.update(key for key, _ in self._records.calls(record))
        self._session.spending.begin_batch(record.most)

    async def _submit_record(self, record: BatchRecord, *, again: bool = False) -> None:
        """Submit a batch to the provider; `again`: an earlier start may have submitted it."""
        name, batch_id, may_exist = record.model, None, again
        try:
            if again:
                batch_id = await self._batches.find(name, record.label, record.made_at)
            if batch_id is None:
                may_exist = False
                batch_id = await self._batches.submit(name, record.label, self._records.lines(record))
        except BatchError as error:
            self._session.give_up(name, error.failure.message)
            if error.failure.kind in _REFUSED and not may_exist:
                await self._store(record, dict(self._records.calls(record)), {}, Attempt(error.failure), None)
            return
        self._open_records[record.label] = self._records.set_batch_id(record, batch_id)
        LOG.info("batch %s: %d calls of %s", batch_id, record.calls, name)

    async def _poll(self) -> bool:
        """Poll the batches and store the results of those that have ended; return whether any has."""
        n_ended = calls_done = 0
        for record in self._submitted_records():
            if self._session.is_over:
                break
            try:
                state = await self._batches.state(record.model, str(record.batch_id))
                if state.ended:
                    await self._collect(record, state)
                    n_ended += 1
                else:
                    calls_done += state.done
            except BatchError as error:
                if error.failure.kind not in (*_REFUSED, "answer"):  # temporary, polled again later
                    LOG.warning("%s", error)
                    continue
                # Submitting it again would mean paying for it again.
                self._lost_labels.add(record.label)
                calls = quantity(record.calls, "call")
                words = (
                    f"{error.failure.message}; the batch {record.batch_id!r} of {calls} cannot be fetched: "
                    "mend that and run the command again, or give it up with --abandon-batches"
                )
                self._session.give_up(record.model, words)
        batches = quantity(len(self._open_records), "batch")
        words = f"{batches} under way, {calls_done:,} of {self.calls_under_way:,} calls done there"
        self._session.status.set(message=words if self._open_records else "")
        return bool(n_ended)

    async def _collect(self, record: BatchRecord, state: BatchState) -> None:
        calls = dict(self._records.calls(record))
        attempts: dict[str, Attempt] = {}
        retries: set[str] = set()
        others = [each for each in self._submitted_records() if each.model == record.model and each != record]
        if state.failure is not None and state.failure.kind == "rate_limit" and others:
            retries = set(calls)  # no room beside the model's other batches: retry after them
        elif state.failure is None:
            async for key, attempt in self._batches.attempts_of(record.model, state, record.sent):
                answered = attempts.get(key)
                if key not in calls or (answered is not None and isinstance(answered.outcome, Reply)):
                    continue  # what was answered and paid for never yields to another line
                if attempt is not None:
                    attempts[key] = attempt
                else:
                    retries.add(key)
        for key in retries - attempts.keys():
            del calls[key]
        self._handled_keys -= retries
        self._has_retries |= bool(retries)
        words = f"model {record.model!r}: the batch {record.batch_id!r} is {state.status}, without this call"
        default = Attempt(state.failure or Failure("answer", words))
        await self._store(record, calls, attempts, default, state.ended_at)

    async def _store(
        self,
        record: BatchRecord,
        calls: dict[str, CallRequest],
        attempts: dict[str, Attempt],
        default: Attempt,
        at: str | None,
    ) -> None:
        """Record the outcomes of a batch's calls in place of the batch; `at` is when it ended."""
        at = at or datetime.now(UTC).isoformat(timespec="milliseconds")
        session, entries = self._session, []
        for key, request in calls.items():
            if (
                request in session.completed
            ):  # stored by version 0.2, which was killed before it forgot the batch
                continue
            attempt = attempts.get(key, default)
            outcome = attempt.outcome
            is_cached = session.cache is not None and record.step == self._step
            if isinstance(outcome, Reply) and is_cached and self._plan is not None:
                session.cache_reply(request, self._plan.messages(request), outcome)
            rows = rows_of(request, outcome)
            price = session.models.price(request.model)
            share = None if price is None else record.most / max(record.calls, 1)
            entry = entry_of(
                request,
                session.run_id,
                outcome,
                rows,
                calls=1,
                seconds=0.0,
                at=at,
                assumed_usd=share,
                lost_usd=_lost_usd(attempt, price, share),
            )
            entries.append(replace(entry, key=key))
        await asyncio.to_thread(self._records.finish, record, entries)
        del self._open_records[record.label]
        session.spending.end_batch(record.most, known_sum(entry.cost_usd for entry in entries))
        for entry in entries:
            session.count(entry)


def _lost_usd(attempt: Attempt, price: Price | None, most: float | None) -> float:
    """Return what a call without a readable answer may have cost: by its tokens if stated, else the most."""
    if price is None or most is None or not attempt.unknown_charge:
        return 0.0
    prompt, completion = attempt.charge.prompt_tokens, attempt.charge.completion_tokens
    return most if prompt is None or completion is None else cost_usd(price, prompt, completion)


def check_batches(config: RunConfig, options: RunOptions) -> None:
    """Raise UsageError if the run cannot be made in batches."""
    if config.run.keep_raw or options.keep_raw:
        raise UsageError('mode is "batch", whose files stay with the provider; leave keep_raw out')
    if options.shard is not None:
        raise UsageError('mode is "batch", which runs on one machine; leave --shard out')
    for name in config.run_models():
        if not has_batches(config.models[name].model):
            raise UsageError(
                f"models.{name}.model is {config.models[name].model!r}, and there are no batches for it; "
                f'choose from: {", ".join(f"{each}/..." for each in PROVIDERS)}, or write mode = "live"'
            )
