"""One stage of a run collected through providers' batches."""

import asyncio
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pydantic

from engine.collect.calls import CallRequest, Failure, Reply, prompt_tokens
from engine.collect.config import RunConfig, RunOptions
from engine.collect.journal import LOG, entry_of
from engine.collect.litellm_gateway import ENDPOINT, PROVIDERS, BatchError, Batches, BatchState, has_batches
from engine.collect.plan import Plan
from engine.collect.run_folder import ensure_folder
from engine.collect.session import Session, rows_of, terms_of
from engine.collect.spending import known_sum
from engine.errors import StoreError, UsageError
from engine.store.publish import replace_file
from engine.values import counted

# ------------------------------------------------------------------------------
# The calls of one batch, with the lines that are handed over.


BATCH_BYTES = 50_000_000
"""What the lines of a batch weigh at most: a fourth of what providers take."""
_OTHERS_TURN = 200
"""Lines written before other work on the event loop has its turn."""


@dataclass(slots=True)
class Chunk:
    """The calls of one batch with their lines: `most` is what they cost at most, `sent` their parameters."""

    calls: list[tuple[CallRequest, bytes]] = field(default_factory=list)
    most: float = 0.0
    sent: dict[str, Any] = field(default_factory=dict)
    weight: int = 0

    def add(self, request: CallRequest, body: dict[str, Any], most: float) -> None:
        """Add a call; answers are told apart by the request's key."""
        values = {"custom_id": request.key, "method": "POST", "url": ENDPOINT, "body": body}
        line = json.dumps(values, separators=(",", ":")).encode() + b"\n"
        self.calls.append((request, line))
        self.most += most
        self.weight += len(line)
        self.sent = {name: value for name, value in body.items() if name not in ("model", "messages")}


# ------------------------------------------------------------------------------
# What is known of the batches under way: on the disk before a provider hears of them, until all is kept.


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch of one model's calls, made at one step of the run (counted from 0).

    `batch_id` is the provider's; None: it may have been made, and has to be looked for by its label. `most`
    is what its calls cost at most, in US dollars, and `sent` the parameters of its lines.
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
        """Return the batches that are not collected yet; StoreError where a record cannot be read."""
        if not self._folder.is_dir():
            return []
        return [_read(path) for path in sorted(self._folder.glob("*.json"))]

    def add(
        self, step: int, calls: Sequence[tuple[CallRequest, bytes]], *, most: float, sent: Mapping[str, Any]
    ) -> BatchRecord:
        """Write down a batch that is about to be handed over, all to one model, and return its record."""
        ensure_folder(self._folder)
        recorded = {path.stem for path in self._folder.glob("*.json")}
        for path in self._folder.iterdir():
            if path.stem not in recorded:  # of a batch that was never handed over
                path.unlink(missing_ok=True)
        now = datetime.now(UTC)
        label = f"{now.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(8)}"
        made_at = now.isoformat(timespec="milliseconds")
        record = BatchRecord(label, calls[0][0].model, step, len(calls), most, sent, made_at)
        requests = ({**asdict(request), "key": request.key} for request, _ in calls)
        named = b"".join(json.dumps(each, separators=(",", ":")).encode() + b"\n" for each in requests)
        replace_file(self._folder / f"{label}.jsonl", named)
        replace_file(self._folder / f"{label}.input", b"".join(line for _, line in calls))
        self._save(record)
        return record

    def submitted(self, record: BatchRecord, batch_id: str) -> BatchRecord:
        """Write down the provider's id of a batch, before anything else is done."""
        known = replace(record, batch_id=batch_id)
        self._save(known)
        (self._folder / f"{record.label}.input").unlink(missing_ok=True)
        return known

    def remove(self, record: BatchRecord) -> None:
        """Forget a batch whose answers are all kept, or of which the provider made none."""
        for ending in ("json", "jsonl", "input"):
            (self._folder / f"{record.label}.{ending}").unlink(missing_ok=True)

    def input(self, record: BatchRecord) -> bytes:
        """Return the lines to hand over."""
        return (self._folder / f"{record.label}.input").read_bytes()

    def path(self, record: BatchRecord) -> Path:
        """Return where the record is, for the user."""
        return self._folder / f"{record.label}.json"

    def calls(self, record: BatchRecord) -> Iterator[tuple[str, CallRequest]]:
        """Yield the calls of a batch with the keys that its lines have; StoreError where one is no call."""
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


def _read(path: Path) -> BatchRecord:
    try:
        record = _RECORD.validate_python(json.loads(path.read_bytes()))
        if record.label != path.stem:
            raise ValueError(f"its label is {record.label!r}")
    except _BROKEN as error:
        raise _damaged(path, error) from error
    return record


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path}: is not a record of a batch ({error}); restore it, or start a new run with --fresh"
    )


# ------------------------------------------------------------------------------
# A stage in batches: each made once, asked after, and collected, also in a later start.


_REFUSED = ("key", "model", "request")
"""Failures that say that no batch was made."""


class Batching:
    """Makes the calls of a session in batches, those that an earlier start left under way first of all."""

    def __init__(self, session: Session, records: BatchRecords, batches: Batches) -> None:
        self._session, self._records, self._batches = session, records, batches
        self._step = self._last = 0
        self._open: dict[str, BatchRecord] = {}
        self._taken: set[str] = set()
        self._plan: Plan | None = None
        self._requests: Iterator[CallRequest] = iter(())  # of which the next chunk is cut, model by model
        self._held: CallRequest | None = None
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
        await self._session.until_stopped(self._chunk_by_chunk(plan))

    async def _chunk_by_chunk(self, plan: Plan) -> None:
        self._plan = plan
        self._requests, self._held = self._wanted(plan, self._session.is_wanted), None
        for record in list(self._open.values()):
            if record.batch_id is None and not self._session.over:  # an earlier start may have had it made
                await self._handed_over(record, again=True)
        while not self._session.over:
            await self._submit(plan)
            if self._waiting():
                if not await self._collected():
                    await self._session.pause(self._session.config.run.poll_s)
            elif self._again:
                self._again = False
                unanswered = self._wanted(plan, lambda each: each not in self._session.answered)
                self._requests, self._held = unanswered, None
            else:
                break

    def _wanted(self, plan: Plan, is_wanted: Callable[[CallRequest], bool]) -> Iterator[CallRequest]:
        """Yield what is to be asked of the models that are not given up, model by model."""
        for name in self._session.config.called():
            for request in plan.of_model(name):
                if name in self._session.given_up:
                    break
                if is_wanted(request) and request.key not in self._taken:
                    yield request

    async def _next_chunk(self, plan: Plan) -> Chunk | None:
        """Return the next chunk; None where nothing is left, or nothing may be made before others have ended.

        It is of one model, and no larger than a batch and the budget allow. Where the budget allows no call
        any more, the session is told so. A model that cannot be asked is given up.
        """
        session, chunk = self._session, Chunk()
        while not session.over:
            held, self._held = self._held, None
            request = held or next(self._requests, None)
            if request is None:
                break
            if chunk.calls and request.model != chunk.calls[0][0].model:
                self._held = request
                break
            config = session.config.models[request.model]
            messages = plan.messages(request)
            if (reply := session.cached(request, messages)) is not None:
                self._taken.add(request.key)
                await session.keep_cached(request, reply)
                continue
            terms = terms_of(request, config, session.models.price(request.model))
            most = session.spending.most(terms, prompt_tokens(messages))
            leave = session.spending.fits(chunk.most + most)
            if leave != "yes":
                self._held = request
                session.out_of_budget |= leave == "no" and not chunk.calls
                break
            try:
                logprobs = config.logprobs and request.role == "judge"
                chunk.add(request, self._batches.body(request.model, messages, logprobs=logprobs), most)
            except BatchError as error:
                session.give_up(request.model, error.failure.message)
                continue
            if len(chunk.calls) >= session.options.batch_calls or chunk.weight >= BATCH_BYTES:
                break
            if not len(chunk.calls) % _OTHERS_TURN:
                await asyncio.sleep(0)
        return chunk if chunk.calls else None

    def _waiting(self) -> list[BatchRecord]:
        due = [each for each in self._open.values() if self._is_due(each)]
        return [each for each in due if each.batch_id and each.label not in self._lost]

    async def _submit(self, plan: Plan) -> None:
        while (chunk := await self._next_chunk(plan)) is not None and not self._session.over:
            record = await asyncio.to_thread(
                self._records.add, self._step, chunk.calls, most=chunk.most, sent=chunk.sent
            )
            self._began(record)
            await self._handed_over(record)

    def _began(self, record: BatchRecord) -> None:
        self._open[record.label] = record
        self._taken.update(key for key, _ in self._records.calls(record))
        self._session.spending.hold(record.most)

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
            f"{counted(len(self._open), 'batch')} under way, "
            f"{done:,} of {self.calls_under_way:,} calls done there"
        )
        self._session.status.set(message=words if self._open else "")
        return bool(ended)

    async def _collect(self, record: BatchRecord, state: BatchState) -> None:
        left = dict(self._records.calls(record))
        outcomes: dict[str, Reply | Failure] = {}
        again: set[str] = set()
        others = [each for each in self._waiting() if each.model == record.model and each != record]
        if state.failure is not None and state.failure.kind == "rate_limit" and others:
            again = set(left)  # no room beside the model's other batches: after them
        elif state.failure is None:
            async for key, outcome in self._batches.answers(record.model, state, record.sent):
                if key in left and outcome is not None:
                    outcomes[key] = outcome
                elif key in left:
                    again.add(key)
        for key in again - outcomes.keys():
            del left[key]
        self._taken -= again
        self._again |= bool(again)
        words = f"model {record.model!r}: the batch {record.batch_id!r} is {state.status}, without this call"
        await self._keep(record, left, outcomes, state.failure or Failure("answer", words), state.ended_at)

    async def _keep(
        self,
        record: BatchRecord,
        calls: dict[str, CallRequest],
        outcomes: dict[str, Reply | Failure],
        otherwise: Failure,
        at: str | None,
    ) -> None:
        """Write down what came of a batch's calls, take it into the study, and forget the batch.

        Killed in between, the next start does so again, and finds what the study holds already: the entries
        have the time at which the batch ended.
        """
        at = at or datetime.now(UTC).isoformat(timespec="milliseconds")
        session, entries = self._session, []
        for key, request in calls.items():
            outcome = outcomes.get(key, otherwise)
            is_cached = session.cache is not None and record.step == self._step
            if isinstance(outcome, Reply) and is_cached and self._plan is not None:
                session.remember(request, self._plan.messages(request), outcome)
            rows = rows_of(request, outcome)
            is_priced = session.models.price(request.model) is not None
            share = record.most / max(record.calls, 1) if is_priced else None
            entry = entry_of(
                request, session.run_id, outcome, rows, calls=1, seconds=0.0, at=at, assumed_usd=share
            )
            entries.append(replace(entry, key=key))
        path = session.journal.write_file(entries)
        taken = await asyncio.to_thread(session.collector.take, path)
        self._records.remove(record)
        del self._open[record.label]
        session.spending.release(record.most, known_sum(entry.cost_usd for entry in taken))
        for entry in taken:
            self._session.status.add(entry)

    def _lose(self, record: BatchRecord, failure: Failure) -> None:
        """Leave a batch that the provider will not show: to make it again would be to pay for it again."""
        words = (
            f"{failure.message}; the batch {record.batch_id!r} of {counted(record.calls, 'call')} cannot be "
            "fetched: mend that and run the command again, or, to give it up, remove "
            f"{self._records.path(record)}"
        )
        self._lost.add(record.label)
        self._session.give_up(record.model, words)


def check_batches(config: RunConfig, options: RunOptions) -> None:
    """Raise UsageError where what is asked for cannot be done in batches."""
    if config.run.keep_raw or options.keep_raw:
        raise UsageError('mode is "batch", whose files stay with the provider; leave keep_raw out')
    if options.shard is not None:
        raise UsageError('mode is "batch", which runs on one machine; leave --shard out')
    for name in config.called():
        if not has_batches(config.models[name].model):
            raise UsageError(
                f"models.{name}.model is {config.models[name].model!r}, and there are no batches for it; "
                f'choose from: {", ".join(f"{each}/..." for each in PROVIDERS)}, or write mode = "live"'
            )


def refuse_open(records: BatchRecords, run_id: str) -> None:
    """Raise StoreError where batches of a run are under way, whose calls would be paid for twice."""
    left = records.open()
    if left:
        calls, batches = counted(sum(each.calls for each in left), "call"), counted(len(left), "batch")
        raise StoreError(
            f"the run {run_id!r} has {calls} in {batches} "
            'under way; collect them with mode = "batch", or begin a new run with --fresh'
        )
