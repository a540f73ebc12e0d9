"""One stage of a run collected through providers' batches."""

import asyncio
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pydantic

from engine.collect.calls import CallRequest, Failure, Reply
from engine.collect.config import Price, RunConfig
from engine.collect.entries import entry_of
from engine.collect.litellm_batches import ENDPOINT, PROVIDERS, BatchError, Batches, BatchState, has_batches
from engine.collect.openai_transport import Attempt
from engine.collect.plan import Plan
from engine.collect.prices import cost_usd, known_sum
from engine.collect.run_folder import ensure_folder
from engine.collect.run_log import LOG
from engine.collect.run_options import RunOptions
from engine.collect.session import Session, rows_of
from engine.collect.spending import terms_of
from engine.collect.token_counts import prompt_tokens
from engine.errors import StoreError, UsageError
from engine.phrases import quantity
from engine.store.publish import replace_file

BATCH_BYTES = 50_000_000
"""Size limit of a batch's lines: a quarter of what providers accept."""
_YIELD_AFTER = 200
"""Lines written before yielding to other work on the event loop."""


@dataclass(slots=True)
class Chunk:
    """The calls of one batch with their lines: `most` is their maximum cost, `params` their parameters."""

    calls: list[tuple[CallRequest, bytes]] = field(default_factory=list)
    most: float = 0.0
    params: dict[str, Any] = field(default_factory=dict)
    weight: int = 0

    def add(self, request: CallRequest, body: dict[str, Any], most: float) -> None:
        """Add a call; its answer is identified by the request's key."""
        values = {"custom_id": request.key, "method": "POST", "url": ENDPOINT, "body": body}
        line = json.dumps(values, separators=(",", ":")).encode() + b"\n"
        self.calls.append((request, line))
        self.most += most
        self.weight += len(line)
        self.params = {name: value for name, value in body.items() if name not in ("model", "messages")}


# ------------------------------------------------------------------------------
# Records of the batches under way, on disk from before submission until all answers are stored.


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch of one model's calls, created at one step of the run (counted from 0).

    `batch_id` is the provider's; None: it may have been created, and must be looked up by its label. `most`
    is the maximum cost of its calls, in US dollars, and `sent` the parameters of its lines.
    """

    label: str
    model: str
    step: int
    calls: int
    most: float
    sent: Mapping[str, Any]
    made_at: str
    batch_id: str | None = None


_RECORD = pydantic.TypeAdapter(BatchRecord)
_REQUEST = pydantic.TypeAdapter(CallRequest)
_BROKEN = (OSError, ValueError, TypeError, KeyError, RecursionError)


class BatchRecords:
    """The records of a run's batches, in a folder."""

    def __init__(self, run_folder: Path) -> None:
        self._folder = run_folder / "batches"

    def open(self) -> list[BatchRecord]:
        """Return the batches not yet collected; StoreError if a record cannot be read."""
        records = []
        for path in sorted(self._folder.glob("*.json")):
            try:
                record = _RECORD.validate_python(json.loads(path.read_bytes()))
                if record.label != path.stem:
                    raise ValueError(f"its label is {record.label!r}")
            except _BROKEN as error:
                raise _damaged(path, error) from error
            records.append(record)
        return records

    def add(self, step: int, chunk: Chunk) -> BatchRecord:
        """Record a batch of one model's calls before it is submitted, and return its record."""
        ensure_folder(self._folder)
        recorded = {path.stem for path in self._folder.glob("*.json")}
        for path in self._folder.iterdir():
            if path.stem not in recorded:  # of a batch that was never submitted
                path.unlink(missing_ok=True)
        now = datetime.now(UTC)
        label, calls = f"{now.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(8)}", chunk.calls
        made_at = now.isoformat(timespec="milliseconds")
        record = BatchRecord(label, calls[0][0].model, step, len(calls), chunk.most, chunk.params, made_at)
        requests = ({**asdict(request), "key": request.key} for request, _ in calls)
        call_lines = b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in requests)
        replace_file(self._folder / f"{label}.jsonl", call_lines)
        replace_file(self._folder / f"{label}.input", b"".join(line for _, line in calls))
        self._save(record)
        return record

    def set_batch_id(self, record: BatchRecord, batch_id: str) -> BatchRecord:
        """Record the provider's id of a batch, before anything else is done."""
        submitted = replace(record, batch_id=batch_id)
        self._save(submitted)
        (self._folder / f"{record.label}.input").unlink(missing_ok=True)
        return submitted

    def remove(self, record: BatchRecord) -> None:
        """Remove the record of a batch whose answers are all stored, or that the provider never created."""
        for ending in ("json", "jsonl", "input"):
            (self._folder / f"{record.label}.{ending}").unlink(missing_ok=True)

    def input(self, record: BatchRecord) -> bytes:
        return (self._folder / f"{record.label}.input").read_bytes()

    def path(self, record: BatchRecord) -> Path:
        return self._folder / f"{record.label}.json"

    def calls(self, record: BatchRecord) -> Iterator[tuple[str, CallRequest]]:
        """Yield the calls of a batch with the keys of its lines; StoreError if one is not a call."""
        path = self._folder / f"{record.label}.jsonl"
        try:
            with path.open("rb") as lines:
                for line in lines:
                    values = dict(json.loads(line))
                    yield str(values.pop("key")), _REQUEST.validate_python(values)
        except _BROKEN as error:
            raise _damaged(path, error) from error

    def _save(self, record: BatchRecord) -> None:
        replace_file(self.path(record), json.dumps(asdict(record), indent=1).encode() + b"\n")


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path}: is not a record of a batch ({error}); restore it, or start a new run with --fresh"
    )


# ------------------------------------------------------------------------------
# A stage in batches: each is submitted once, polled and collected, possibly by a later start.


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
                batch_id = await self._batches.submit(name, record.label, self._records.input(record))
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
                calls, path = quantity(record.calls, "call"), self._records.path(record)
                words = (
                    f"{error.failure.message}; the batch {record.batch_id!r} of {calls} cannot be fetched: "
                    f"mend that and run the command again, or, to give it up, remove {path}"
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
        """Store the outcomes of a batch's calls, add them to the study, and remove the batch's record.

        If killed in between, the next start repeats this and recognises the rows already stored: the entries
        carry the time at which the batch ended.
        """
        at = at or datetime.now(UTC).isoformat(timespec="milliseconds")
        session, entries = self._session, []
        for key, request in calls.items():
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
        stored = await asyncio.to_thread(session.add_missing, entries)
        self._records.remove(record)
        del self._open_records[record.label]
        session.spending.end_batch(record.most, known_sum(entry.cost_usd for entry in stored))
        for entry in stored:
            session.status.add(entry)


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


def refuse_open(records: BatchRecords, run_id: str) -> None:
    """Raise StoreError if batches of a run are under way, whose calls would be paid for twice."""
    if open_records := records.open():
        calls = quantity(sum(each.calls for each in open_records), "call")
        batches = quantity(len(open_records), "batch")
        raise StoreError(
            f"the run {run_id!r} has {calls} in {batches} "
            'under way; collect them with mode = "batch", or begin a new run with --fresh'
        )
