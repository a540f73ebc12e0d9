"""The event loop of a run: calls are made, recorded in its database, and added to the study."""

import asyncio
import functools
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engine.collect import paradigms
from engine.collect.calls import PERMANENT, CallRequest, Failure, Message, Reply, Row
from engine.collect.client.model_client import Models
from engine.collect.client.provider_errors import RETRIED
from engine.collect.configuration.config import FallbackCause, RunConfig
from engine.collect.database.answer_cache import AnswerCache, call_key
from engine.collect.database.calls_under_way import CallsUnderWay
from engine.collect.database.entries import Entry, entry_of
from engine.collect.database.exchanges import ExchangeLog
from engine.collect.database.recorded_calls import RecordedCalls
from engine.collect.dispatch.outlook import AnswerCosts, Outlook
from engine.collect.dispatch.prepared_calls import ForeseenAnswer, PreparedCall, prepare_call
from engine.collect.dispatch.run_status import Status
from engine.collect.dispatch.scheduling import Dispatch, Lane, await_all
from engine.collect.dispatch.unread_answers import FirstAnswers
from engine.collect.limits.pacing import AUTO_CEILING
from engine.collect.limits.spending import Charge, Reservation, Spending, terms_of
from engine.collect.paradigms.answer_schemas import Schema
from engine.collect.paradigms.response_rows import read_response
from engine.collect.plan.stage_calls import Plan
from engine.collect.rows.collection import Collection
from engine.collect.rows.completed_calls import CompletedCalls
from engine.collect.rows.recorder import Collector
from engine.collect.run_log import LOG
from engine.collect.run_options import RunOptions
from engine.errors import SpbError, StoreError


@dataclass(frozen=True, slots=True)
class _ModelCall:
    """The outcome of calling one model, and its cost; `lost_usd` is that of attempts without a result.

    `assumed_usd` is what an answer that does not report its cost counts as; None if it does, or has no price.
    """

    request: CallRequest
    outcome: Reply | Failure
    calls: int
    seconds: float
    lost_usd: float
    assumed_usd: float | None = None

    @property
    def paid_usd(self) -> float:
        cost = self.outcome.cost_usd if isinstance(self.outcome, Reply) else None
        return (self.assumed_usd or 0.0) if cost is None else cost


def fallback_cause(outcome: Reply | Failure) -> FallbackCause | None:
    """Return the cause for which a fallback may replace the model in this call, if there is one."""
    if isinstance(outcome, Reply):
        return "content_policy" if outcome.finish_reason == "content_filter" else None
    if outcome.cause == "unknown_model" or outcome.cause == "quota":
        return outcome.cause
    return "outage" if outcome.kind in RETRIED else None


def rows_of(request: CallRequest, outcome: Reply | Failure) -> Sequence[Row]:
    """Return the rows of an answer or a failure; a generator's failure has none and is requested again."""
    if request.role == "generator":
        return [read_response(request, outcome)] if isinstance(outcome, Reply) else []
    if isinstance(outcome, Reply):
        return paradigms.read(request, outcome)
    return paradigms.failure_rows(request, outcome)


_BEAT_S = 0.5


@dataclass(eq=False, kw_only=True)
class Session:
    """The state that the stages of a run share within one process."""

    config: RunConfig
    options: RunOptions
    run_id: str
    models: Models
    recorded: RecordedCalls
    under_way: CallsUnderWay
    collector: Collector
    completed: CompletedCalls
    spending: Spending
    status: Status
    cache: AnswerCache | None
    exchanges: ExchangeLog | None
    redo_keys: frozenset[str]

    def __post_init__(self) -> None:
        self.interrupted = self.out_of_budget = self.out_of_time = False
        self.given_up: dict[str, str] = {}
        self.abandoned = 0
        self._hurry, self._stopped, self._call_ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._failure: SpbError | None = None
        self._first_answers = FirstAnswers()
        self._dispatch: Dispatch | None = None
        self._collection = Collection(self.recorded, self.collector, self.options, self._fail)
        self.outlook = Outlook()
        self.counted_paradigms: frozenset[str] = frozenset()  # of judgments that an earlier step counted
        self._replaceable = frozenset(self.config.models_with_fallback())
        self.status.pace = self._pace_words
        self.status.alerts = self._alerts
        self.status.outlook = self.outlook.state

    def _alerts(self) -> dict[str, str]:
        """Return a warning for each model whose server cannot be reached at the moment."""
        return {f"the server of {name}": words for name, words in self.models.unreachable.items()}

    def _pace_words(self) -> list[str]:
        words = [f"{pace.name}: {pace.words}" for pace in self.models.paces()]
        words = list(self.models.unreachable.values()) or words
        words += [self.spending.words, self.outlook.words(self.spending.spent)]
        return [each for each in words if each]

    @property
    def is_over(self) -> bool:
        return self.interrupted or self.out_of_budget or self.out_of_time or self._failure is not None

    def interrupt(self) -> None:
        """Begin no more calls; called a second time, do not wait for any either."""
        if self.interrupted or self.out_of_time:
            self._hurry.set()
        self.interrupted = True
        self.status.set("stopping", message="stopping: waiting for the answers under way")
        self._stop()

    def end_in_time(self) -> None:
        """Begin no more calls, as `max_minutes` is over; those under way may finish."""
        if not self.is_over:
            self.out_of_time = True
            words = f"stopping: the {self.config.run.max_minutes:g} minutes of this start are over"
            self.status.set("stopping", message=f"{words}; waiting for the answers under way")
            self._stop()

    @property
    def _grace_s(self) -> float:
        """How long to wait for calls under way once no more begin."""
        if self.interrupted or not self.out_of_time:
            return self.options.grace_s
        models, usual = self.config.models, self.config.run.timeout_s
        return max((models[name].timeout_s or usual for name in self.config.run_models()), default=usual)

    async def make(self, plan: Plan) -> None:
        """Make a stage's calls and add their answers to the study; StoreError if one cannot be stored."""
        self.outlook.calls_left = Counter(plan.sizes)
        concurrency = self.options.concurrency or self.config.run.concurrency
        limit = AUTO_CEILING if concurrency == "auto" else concurrency
        lanes = [
            Lane(
                name,
                iter(plan.of_model(name)),
                self.is_wanted,
                self.config.models[name].concurrency,
                functools.partial(self.models.has_room, name),
            )
            for name in self.config.run_models()
        ]
        self._dispatch = dispatch = Dispatch(lanes, limit, functools.partial(self._begin, plan))
        self.models.when_room(dispatch.wake)
        if self.is_over:
            dispatch.stop()
        beat_task = asyncio.create_task(self._beat())
        try:
            await dispatch.run()
        finally:
            beat_task.cancel()
            with suppress(asyncio.CancelledError):
                await beat_task
            self.abandoned += await dispatch.finish(self._grace_s, self._hurry)
            self._dispatch = None
        self.status.counts.error += sum(1 for _ in dispatch.remaining_requests(dropped=True))
        if self.out_of_budget or self.out_of_time:  # counts the remaining calls that were answered before
            await asyncio.to_thread(deque, dispatch.remaining_requests(dropped=False), maxlen=0)
        await self.collect_all()

    async def until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        """Await `work` while publishing the status; once the run is stopped, it has `grace_s` to end."""
        beat_task, stop_task = asyncio.create_task(self._beat()), asyncio.create_task(self._stopped.wait())
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task, stop_task}, return_when=asyncio.FIRST_COMPLETED)
            await await_all([task], self.options.grace_s, self._hurry)
        finally:
            for each in (task, stop_task, beat_task):
                each.cancel()
            result, *_ = await asyncio.gather(task, stop_task, beat_task, return_exceptions=True)
        if isinstance(result, Exception):
            raise result
        await self.collect_all()

    async def pause(self, seconds: float) -> None:
        """Wait, at most until the run is stopped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

    def give_up(self, model: str, words: str) -> None:
        """Stop calling a model in this start; the first reason is reported."""
        LOG.warning("%s is no longer called: %s", model, words)
        self.given_up.setdefault(model, words)

    async def collect_all(self) -> None:
        """Add all answers to the study; raises the error that ended the run, if one did."""
        await self._collection.idle()
        if self._failure is None:
            await self._collection.collect()
        if self._failure is not None:
            raise self._failure

    def is_wanted(self, request: CallRequest) -> bool:
        """Return whether a request must be made; counts it if it is already answered."""
        if request in self.completed:
            self.status.counts.already_done += request.paradigm not in self.counted_paradigms
            self.outlook.calls_left[request.model] -= 1
            return False
        return True

    def _begin(self, plan: Plan, request: CallRequest) -> Callable[[], Awaitable[None]] | None:
        """Return the function that makes a call, None if the budget has no room for it."""
        messages, schema = plan.messages(request), plan.schema(request)
        if (reply := self.cached_reply(request, messages, schema)) is not None:
            return functools.partial(self.store_cached, request, reply)
        call = prepare_call(request, messages, schema, self.config, self.models.price(request.model))
        if (reservation := self._reserve(call)) is None:
            return None
        return functools.partial(self._make, call, reservation)

    def _reserve(self, call: PreparedCall) -> Reservation | None:
        """Reserve what a call may cost; None without room now. If the cap will have none, the run ends."""
        name, tokens = call.request.model, call.prompt_tokens
        terms = terms_of(call.request, self.config.models[name], self.models.price(name))
        admission = self.spending.admission(terms, tokens)
        if admission == "no":
            self.out_of_budget = True
            self._stop()
        return self.spending.begin(terms, tokens) if admission == "yes" else None

    async def _make(self, call: PreparedCall, reservation: Reservation) -> None:
        """Make a call, by a fallback if its model fails, and store the outcome."""
        request = call.request
        if self.exchanges is not None:
            self.exchanges.listen(request.key)
        attempts = [await self._ask(request.key, call, reservation)]
        answer = attempts[0]
        for name in self._fallbacks(call, answer.outcome):
            spare = call.with_model(name, self.config)
            reply = None
            if request.key not in self.redo_keys:
                reply = self.cached_reply(spare.request, spare.messages, spare.schema)
            if reply is not None:
                answer = _ModelCall(spare.request, reply, 0, 0.0, 0.0)
                attempts.append(answer)
                break
            spare_reservation = await self._wait_for_budget(spare)
            if spare_reservation is None:
                break
            attempts.append(await self._ask(request.key, spare, spare_reservation))
            if isinstance(attempts[-1].outcome, Reply) and fallback_cause(attempts[-1].outcome) is None:
                answer = attempts[-1]
                break
        entry = entry_of(
            request,
            self.run_id,
            answer.outcome,
            rows_of(answer.request, answer.outcome),
            calls=sum(each.calls for each in attempts),
            seconds=round(sum(each.seconds for each in attempts), 3),
            lost_usd=sum(each.lost_usd + (0.0 if each is answer else each.paid_usd) for each in attempts),
            assumed_usd=answer.assumed_usd,
            answered_by=answer.request.model,
        )
        is_paid = isinstance(answer.outcome, Reply) and not answer.outcome.cached
        await self._store(entry, call.foreseen if is_paid else None)

    async def _ask(self, key: str, call: PreparedCall, reservation: Reservation) -> _ModelCall:
        """Call the request's model for the call `key` and count its cost; its failure is never raised."""
        request, spending, lost_usd, assumed_usd = call.request, self.spending, 0.0, None

        def on_charge(charge: Charge) -> bool:
            nonlocal lost_usd
            usd = spending.charge(reservation, charge)
            lost_usd += usd
            # On disk before the next attempt, which waits far longer.
            self._record_charge(key, request, usd)
            return spending.may_try_again()

        try:
            began = time.monotonic()
            if (on_disk := self._record_charge(key, request, spending.reserve(reservation))) is not None:
                await asyncio.wait([on_disk])
            outcome, calls = await self.models.ask(
                request.model,
                call.messages,
                logprobs=call.logprobs,
                schema=call.schema,
                on_charge=on_charge,
                tokens=call.prompt_tokens,
            )
            seconds = round(time.monotonic() - began, 3)
            if isinstance(outcome, Reply):
                cost = Charge(outcome.cost_usd, outcome.prompt_tokens, outcome.completion_tokens)
                usd = spending.charge(reservation, cost)
                if outcome.cost_usd is None and self.models.price(request.model) is not None:
                    assumed_usd = usd
                self.cache_reply(request, call.messages, outcome, call.schema)
            return _ModelCall(request, outcome, calls, seconds, lost_usd, assumed_usd)
        finally:
            spending.end(reservation)
            self._call_ended.set()

    def _record_charge(self, key: str, request: CallRequest, usd: float) -> "asyncio.Future[None] | None":
        """Record on disk what a call may cost, in case its answer is never stored; None if it is free."""
        on_disk = self.under_way.begin(key, request, usd)
        if on_disk is not None:
            on_disk.add_done_callback(self._fail_with)
        return on_disk

    def _fallbacks(self, call: PreparedCall, outcome: Reply | Failure) -> Sequence[str]:
        """Return the models to call instead of one that failed.

        A generator is never replaced, nor a model whose own likelihoods are requested.
        """
        request, config = call.request, self.config.models[call.request.model]
        writes = request.role == "generator" and request.subject.transform == "none"
        if not config.fallback or fallback_cause(outcome) not in config.fallback_on:
            return ()
        if writes or call.logprobs == "prompt":
            return ()
        if isinstance(outcome, Failure) and request.model not in self.given_up:
            if outcome.kind in PERMANENT:
                self.give_up(request.model, outcome.message)
            elif request.model in self.models.given_up:
                self.give_up(request.model, self.models.given_up[request.model].message)
        return config.fallback

    async def _wait_for_budget(self, call: PreparedCall) -> Reservation | None:
        """Reserve what a fallback's call may cost, once there is room; None if there will be none."""
        while not self.is_over:
            self._call_ended.clear()
            if (reservation := self._reserve(call)) is not None:
                return reservation
            if not self.is_over:
                await self._call_ended.wait()
        return None

    def cached_reply(
        self, request: CallRequest, messages: list[Message], schema: Schema | None = None
    ) -> Reply | None:
        """Return a call's cached answer, if any; None for calls to be redone."""
        if self.cache is None or request.key in self.redo_keys:
            return None
        return self.cache.get(self._cache_key(request, messages, schema))

    async def store_cached(self, request: CallRequest, reply: Reply) -> None:
        await self._store(
            entry_of(request, self.run_id, reply, rows_of(request, reply), calls=0, seconds=0.0)
        )

    def cache_reply(
        self, request: CallRequest, messages: list[Message], reply: Reply, schema: Schema | None = None
    ) -> None:
        if self.cache is not None:
            name = self.config.models[request.model].model
            self.cache.put(self._cache_key(request, messages, schema), name, reply)

    def _cache_key(self, request: CallRequest, messages: list[Message], schema: Schema | None) -> str:
        identity = self.models.identity(request.model, messages, schema)
        return call_key(identity, self.config.models[request.model], request, messages)

    async def _store(self, entry: Entry, foreseen: ForeseenAnswer | None = None) -> None:
        """Record the call; it counts, and makes room for another, once it is on disk.

        `foreseen` is the estimate of an answer that was paid for.
        """
        planned_model = entry.stood_in_for or entry.model
        self.outlook.calls_left[planned_model] -= 1
        has_fallback = entry.model in self._replaceable
        last = self.models.given_up.get(entry.model)
        is_lost = entry.failure in PERMANENT or last is not None
        if is_lost and entry.model not in self.given_up and not has_fallback:
            self.give_up(entry.model, (last.message if last else entry.message) or "")
            if self._dispatch is not None:
                self._dispatch.drop(entry.model)

        def count(on_disk: "asyncio.Future[int]") -> None:
            self._fail_with(on_disk)
            if not on_disk.cancelled() and on_disk.exception() is None:
                self.count(entry)
                if foreseen is not None:
                    costs = AnswerCosts(
                        1, entry.completion_tokens, foreseen.tokens, entry.cost_usd, foreseen.usd
                    )
                    self.outlook.record(planned_model, costs)

        on_disk = self.recorded.add(entry)
        on_disk.add_done_callback(count)
        await asyncio.wait([on_disk])

    def count(self, entry: Entry) -> None:
        """Count a call that is on disk, and add it to the study with others when that is due."""
        if (warned := self._first_answers.add(entry)) is not None:
            LOG.warning("%s", warned.words)
            self.status.warnings[f"{warned.judge}, {warned.paradigm}"] = warned.words
            self.status.publish(now=True)
        self.status.add(entry)
        self._collection.count()

    def _fail_with(self, on_disk: "asyncio.Future[Any]") -> None:
        """End the run if the disk did not take what was recorded, or only by its reserve."""
        if on_disk.cancelled():
            return
        error = on_disk.exception()
        if isinstance(error, SpbError):
            self._fail(error)
        elif self.recorded.database.disk_is_full:
            problem = f"{self.recorded.database.path}: the disk is full; what was answered is kept"
            self._fail(StoreError(f"{problem}: make room and run the command again"))

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
        """Publish the status regularly, and add to the study even if few answers come."""
        while True:
            await asyncio.sleep(_BEAT_S)
            self.status.publish()
            self._collection.begin_if_due()
