"""Calling models by their names in a run: retries, time-outs, keys, and models that are given up."""

import logging
import os
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import aiohttp
import stamina

from engine.collect import litellm_gateway, model_keys, prices, refused_parameters
from engine.collect.calls import Failure, Logprobs, Message, Reply
from engine.collect.config import ModelConfig, Price
from engine.collect.litellm_batches import Batches
from engine.collect.litellm_errors import PERMANENT, AttemptError
from engine.collect.model_keys import SIMULATED, key_variables, missing_variable, provider_of
from engine.collect.openai_requests import json_schema_format, serves_model
from engine.collect.openai_transport import LATE_STATUSES, Attempt, OpenAITransport
from engine.collect.pacing import AUTO_CEILING, PATIENCE_S, REFUSED, Outcome, PaceState
from engine.collect.prices import FREE, is_free, listed_price
from engine.collect.provider_errors import no_key
from engine.collect.rate_limits import NO_LIMITS
from engine.collect.run_log import LOG
from engine.collect.simulated_transport import SimulatedTransport
from engine.collect.spending import Charge
from engine.collect.token_counts import prompt_tokens
from engine.collect.turns import LimitLastsError, turns_of
from engine.collect.wire import open_session
from engine.errors import unknown
from engine.store.study_files import StudyFiles

logging.getLogger("stamina").addHandler(logging.NullHandler())  # the run's log has the retries


class CallOutcome(NamedTuple):
    """The outcome of a call, and its number of HTTP requests, including retries."""

    outcome: Reply | Failure
    calls: int


class Models:
    """The models of a run, called by name within one event loop.

    `configs` are by name. A call with a retryable failure is retried up to `retries` times, after waits that
    grow from `first_wait_s`, or as long as the server asks, but at most `longest_wait_s`. Each attempt may
    take `timeout_s`, or the time in the model's configuration, after its request is sent. HTTP statuses in
    `retry_on` are always retried. The log has every retry with its cause, and each feature that a model
    refuses, once. A late answer or an unreadable one may have been charged: a call is repeated once after
    a late one, and made three times at most; a model with three in a row is given up, unless it is free.

    Calls wait for their turn: those to one provider with one key share a pace, of `ceiling` calls at once
    (None: adapted to the provider). A refusal for too many calls uses up no retry; one that lasts longer than
    `patience_s` is a failure.

    `batch`: prices are those of batches. Use it as an async context manager, or `await aclose()`. Raises
    UsageError if a model's parameters include one that users may not set.
    """

    def __init__(
        self,
        configs: Mapping[str, ModelConfig],
        *,
        timeout_s: float = 600.0,
        retries: int = 5,
        retry_on: Collection[int] = (),
        first_wait_s: float = 0.5,
        longest_wait_s: float = 60.0,
        batch: bool = False,
        ceiling: int | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._configs = dict(configs)
        self._batch = batch
        self._params = {name: model_keys.allowed_params(name, config) for name, config in configs.items()}
        self._key_variables = {name: key_variables(config) for name, config in configs.items()}
        self._timeout_s = timeout_s
        self._timeouts = {name: config.timeout_s or timeout_s for name, config in configs.items()}
        self._retry_on = frozenset(retry_on)
        self._retries = retries
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._simulated = SimulatedTransport(configs, self._timeouts)
        self._fallbacks = {name: refused_parameters.ParameterFallback() for name in configs}
        self.given_up: dict[str, Failure] = {}  # no longer called, with the failure that caused it
        self.notes: list[str] = []  # what the models refuse
        self._answered: set[str] = set()
        self._refusals: Counter[str] = Counter()  # in a row, without an answer in between
        self._failed_with_schema: Counter[str] = Counter()  # in a row, of servers that never accepted one
        self._lost_in_a_row: Counter[str] = Counter()
        self._no_likelihoods: dict[str, Failure] = {}  # give no log-probabilities of responses
        self._without_probabilities: Counter[str] = Counter()  # continuations in a row
        self._prices: dict[str, Price | None] = {}
        self._session: aiohttp.ClientSession | None = None
        self._served = {name: config for name, config in configs.items() if serves_model(config)}
        self._turns = turns_of(configs, ceiling, patience_s)
        paces = len(set(self._turns.values()))
        self.connections = max(paces, 1) * (AUTO_CEILING if ceiling is None else ceiling)
        self._transport = OpenAITransport(self._served, timeout_s=timeout_s, connections=self.connections)

    def __repr__(self) -> str:
        return f"Models({', '.join(self._configs)})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        for turns in self._turns.values():
            turns.close()
        await self._transport.aclose()
        if self._session is not None:
            await self._session.close()
            self._session = None

    def inform_simulated(self, study: StudyFiles) -> None:
        """Tell simulated models, before a stage, who wrote the responses and which criteria they meet."""
        self._simulated.inform(study)

    def missing_keys(self) -> dict[str, str]:
        """Return the models whose key's environment variable is not set, with its name; makes no calls."""
        names = {name: missing_variable(config) for name, config in self._configs.items()}
        return {name: variable for name, variable in names.items() if variable is not None}

    def price(self, name: str) -> Price | None:
        """Return the model's price, the user's if given, else litellm's (simulated: free), if known."""
        if name not in self._prices:
            self._prices[name] = self._price_of(self._config(name))
        return self._prices[name]

    def _price_of(self, config: ModelConfig) -> Price | None:
        if self._batch and config.batch_price is not None:
            return config.batch_price
        if config.price is None and provider_of(config.model) == SIMULATED:
            return FREE
        if config.price is None and self._batch and (price := listed_price(config.model, batch=True)):
            return price
        price = config.price or listed_price(config.model)
        return prices.batch_price(price) if price is not None and self._batch else price

    def identity(
        self, name: str, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> dict[str, object]:
        """Return what determines a model's answers besides the messages; the same in every run and study."""
        config = self._config(name)
        if name in self._simulated.models:
            return {"model": config.model, "knowledge": self._simulated.models[name].knowledge(messages)}
        address = self._transport.address(name) if name in self._served else model_keys.address_of(config)
        form = schema if self._wants_schema(name) else None
        return {"model": config.model, "address": address, "params": self._params[name], "schema": form}

    def has_room(self, name: str) -> bool:
        turns = self._turns.get(name)
        return turns is None or turns.has_room(name)

    def when_room(self, listener: Callable[[], None]) -> None:
        for turns in self._turns.values():
            turns.on_room = listener

    def paces(self) -> list[PaceState]:
        return [turns.pace.state() for turns in dict.fromkeys(self._turns.values())]

    async def ask(
        self,
        name: str,
        messages: Sequence[Message],
        *,
        logprobs: Logprobs = False,
        schema: Mapping[str, Any] | None = None,
        on_charge: Callable[[Charge], bool] | None = None,
        tokens: int | None = None,
    ) -> CallOutcome:
        """Call a model; return its reply, or the failure. A model's failure is never raised.

        `logprobs` requests the alternatives for the first token, as many as the model gives, or, as `prompt`,
        only the likelihood of the last message, or of options the likelier continuation. `schema` requests an
        answer in a JSON schema, if the configuration and the server allow it. A model whose key or name the
        server refused is not called again: its failure is returned at once. `on_charge` is called for each
        failed attempt that may have cost something, with what is known of that, and returns whether another
        may be made. `tokens` is a count of the messages' tokens, if there is one already. Raises UsageError
        for an unknown model.
        """
        self._config(name)
        calls = refusals = late = lost = 0
        tokens = prompt_tokens(messages) if tokens is None else tokens
        free = is_free(self.price(name))
        outcome: Reply | Failure | None = None
        try:
            async for retry in self._attempts():
                with retry:
                    if name in self.given_up:
                        return CallOutcome(self.given_up[name], calls)
                    if isinstance(outcome, Failure):
                        LOG.info("model %r is called again after: %s", name, outcome.kind)
                    if logprobs == "prompt":
                        attempt = await self._try_likelihood(name, list(messages), tokens)
                    else:
                        attempt = await self._try(
                            name, list(messages), tokens, logprobs=logprobs, schema=schema
                        )
                        self._count_without_probabilities(name, attempt.outcome, logprobs)
                    calls += attempt.requests
                    outcome = attempt.outcome
                    if isinstance(outcome, Reply):
                        self._lost_in_a_row[name] = 0
                        continue
                    may_repeat = True
                    if attempt.unknown_charge and on_charge is not None:
                        may_repeat = on_charge(attempt.charge)
                    late += outcome.kind == "timeout" or outcome.status in LATE_STATUSES
                    if attempt.unknown_charge and outcome.kind != "connection" and not free:
                        lost += 1
                        self._count_lost(name)
                    is_over = lost == MOST_LOST or late == MOST_LATE or (lost and name in self.given_up)
                    if is_over or not may_repeat:
                        return CallOutcome(outcome, calls)
                    refusals += outcome.kind in PERMANENT
                    again = self._may_be_passing(name, outcome) and refusals < _REFUSALS_OF_A_CALL
                    raise AttemptError(outcome, attempt.wait_s, again=again)
        except AttemptError as error:
            return CallOutcome(self._final_failure(name, error.failure), calls)
        assert isinstance(outcome, Reply)  # noqa: S101 - the loop ends with a reply or a AttemptError
        self._answered.add(name)
        del self._refusals[name]
        return CallOutcome(outcome, calls)

    def _may_be_passing(self, name: str, failure: Failure) -> bool:
        """Return whether a refused key or name may be a passing fault: the model was answering before."""
        return failure.kind in PERMANENT and failure.cause != "quota" and name in self._answered

    def _final_failure(self, name: str, failure: Failure) -> Failure:
        """Return the failure of a call; the model is given up if it concerns all its calls.

        A refusal among answers concerns one call until there are three in a row. So does a refused parameter,
        which with three in a row and no answer yet is refused for every call.
        """
        passing = self._may_be_passing(name, failure)
        of_all = failure.cause == "bad_parameter" and name not in self._answered
        if passing or of_all:
            self._refusals[name] += 1
            if self._refusals[name] < _REFUSALS_OF_A_MODEL:
                return replace(failure, kind="request")
            failure = replace(failure, kind="model") if of_all else failure
        if failure.kind in PERMANENT:
            self.given_up.setdefault(name, failure)
        return failure

    def _count_lost(self, name: str) -> None:
        """Count a lost answer that may have been charged, and give up the model at the third in a row."""
        self._lost_in_a_row[name] += 1
        if self._lost_in_a_row[name] == MOST_LOST:
            words = (
                f"model {name!r}: {MOST_LOST} answers in a row were late or could not be read, and may have "
                f"been charged; it is not called again (raise `timeout_s`, now {self._timeouts[name]:g}, "
                "lower `max_tokens`, or turn off streaming where a server only streams)"
            )
            self.given_up.setdefault(name, Failure("answer", words))

    def batches(self) -> Batches:
        return Batches(
            self._configs, self._params, self._fallbacks, self.price, self._attempts, self._timeout_s
        )

    def _attempts(self) -> Any:
        return stamina.retry_context(
            on=self._wait,
            attempts=self._retries + 1,
            timeout=None,
            wait_initial=self._first_wait_s,
            wait_max=self._longest_wait_s,
        )

    def _config(self, name: str) -> ModelConfig:
        if name not in self._configs:
            raise unknown("model", name, self._configs)
        return self._configs[name]

    def _wait(self, error: Exception) -> bool | float:
        """Tell stamina whether to retry, and how long to wait if the server says so."""
        if not isinstance(error, AttemptError):
            return False
        if not error.may_retry and error.failure.status not in self._retry_on:
            return False
        if error.wait_s is None:
            return True
        jitter = random.uniform(0.0, min(1.0, error.wait_s))  # noqa: S311 - so that not all retry at once
        return min(error.wait_s + jitter, self._longest_wait_s)

    def _wants_schema(self, name: str) -> bool:
        """Return whether to request answers in a schema from a model, even if its server may refuse it."""
        if name in self._simulated.models or "response_format" in self._params[name]:
            return False
        if self._configs[name].protocol == "completion":
            return False
        structured = self._configs[name].structured
        return structured == "always" or (structured == "auto" and name in self._served)

    async def _try(
        self,
        name: str,
        messages: list[Message],
        tokens: int,
        *,
        logprobs: bool | tuple[str, ...],
        schema: Mapping[str, Any] | None,
    ) -> Attempt:
        """Make one attempt, and another at once without each parameter that the model refuses.

        A refusal for too many calls waits for another turn. A bad request that the schema may have caused is
        made once more without it.
        """
        fallback, is_auto = self._fallbacks[name], self._configs[name].structured == "auto"
        form: dict[str, Any] = {}
        if schema is not None and self._wants_schema(name):
            refused = is_auto and fallback.takes_schema is False
            form = {} if refused else {"response_format": json_schema_format("verdict", schema)}
        requests, is_schema_suspect = 0, False
        if form and is_auto and self._failed_with_schema[name] >= _FAILURES_WITH_SCHEMA:
            form, is_schema_suspect = {}, True
            del self._failed_with_schema[name]
        while True:
            params = fallback.parameters(self._params[name], logprobs=bool(logprobs))
            options = logprobs if isinstance(logprobs, tuple) else ()
            attempt = await self._request_in_turn(name, messages, tokens, params | form, options=options)
            requests += attempt.requests
            outcome = attempt.outcome
            attempt = replace(attempt, requests=requests)
            if isinstance(outcome, Reply):
                if is_schema_suspect:
                    self._note(name, fallback.refuse_schema())
                if not form:
                    return attempt
                fallback.takes_schema = True
                del self._failed_with_schema[name]
                return replace(attempt, outcome=replace(outcome, structured=True))
            if name in self._turns and _pace_outcome(outcome) == "refused":
                LOG.info("model %r is called again after: %s", name, outcome.kind)
                continue
            may_drop = form and is_auto
            if outcome.kind in ("server", "connection", "answer") and may_drop and not fallback.takes_schema:
                change = None if attempt.unknown_charge else fallback.update_schema(attempt.words)
                if change is None:
                    self._failed_with_schema[name] += 1
                    return attempt
                form = {}
                self._note(name, change)
                continue
            if outcome.kind != "request":
                return attempt
            change = fallback.update_schema(attempt.words) if may_drop else None
            if change is not None:
                form = {}
            else:
                change = fallback.update(attempt.words, params)
            if change is None:
                if not may_drop or fallback.takes_schema or outcome.cause not in (None, "bad_parameter"):
                    return attempt
                form, is_schema_suspect = {}, True
            self._note(name, change)

    def _count_without_probabilities(
        self, name: str, outcome: Reply | Failure, logprobs: bool | tuple[str, ...]
    ) -> None:
        """Give up a judge whose server gave no probabilities of continuations three times in a row."""
        if (
            not isinstance(logprobs, tuple)
            or name in self._simulated.models
            or not isinstance(outcome, Reply)
        ):
            return
        if outcome.first_token is not None or outcome.refused:
            self._without_probabilities[name] = 0
            return
        self._without_probabilities[name] += 1
        if self._without_probabilities[name] == MOST_LOST:
            words = (
                f"model {name!r}: its server gave {MOST_LOST} continuations in a row without their "
                "probabilities; it is not called again (call it at a server that gives `logprobs` of text "
                "completions, such as vLLM)"
            )
            self.given_up.setdefault(name, Failure("model", words, 200, "bad_parameter"))

    def _note(self, name: str, change: str | None) -> None:
        """Log what a model refuses and keep it for the run's report; empty if that was done before."""
        if change:
            LOG.warning("model %r %s", name, change)
            self.notes.append(f"model {name!r} {change}")

    async def _try_likelihood(self, name: str, messages: list[Message], tokens: int) -> Attempt:
        """Request the likelihood of the last message; a server that cannot give it is asked only once."""
        requests = 0
        while name not in self._no_likelihoods:
            attempt = await self._request_in_turn(name, messages, tokens, {"max_tokens": 1}, likelihood=True)
            requests += attempt.requests
            attempt = replace(attempt, requests=requests)
            outcome = attempt.outcome
            if isinstance(outcome, Reply):
                return attempt
            if name in self._turns and _pace_outcome(outcome) == "refused":
                LOG.info("model %r is called again after: %s", name, outcome.kind)
                continue
            if outcome.cause == "bad_parameter":
                self._no_likelihoods[name] = outcome
            return attempt
        return Attempt(self._no_likelihoods[name], requests)

    async def _request_in_turn(
        self,
        name: str,
        messages: list[Message],
        tokens: int,
        params: dict[str, Any],
        *,
        likelihood: bool = False,
        options: tuple[str, ...] = (),
    ) -> Attempt:
        """Make one request of `tokens` tokens when its turn comes; none if the model's key is missing."""
        if (keys := self._key_variables[name]) and not any(map(os.environ.get, keys)):
            return Attempt(no_key(name, keys[0]), requests=0)
        if name in self._simulated.models:
            return await self._simulated.answer(name, messages, self.price(name) or FREE)
        turns = self._turns[name]
        max_tokens = params.get("max_tokens")
        answer = max_tokens if isinstance(max_tokens, int) else _TOKENS_OF_AN_ANSWER
        try:
            turn = await turns.turn(name, tokens + answer)
        except LimitLastsError as error:
            words = f"model {name!r}: too many requests: {error}"
            return Attempt(Failure("rate_limit", words, cause="rate_limit"), requests=0)
        pace_outcome: Outcome = "lost"
        limits, used = NO_LIMITS, None
        try:
            if name in self.given_up:  # given up while this call waited
                return Attempt(self.given_up[name], requests=0)
            attempt = await self._call(name, messages, params, likelihood=likelihood, options=options)
            if isinstance(attempt.outcome, Reply):
                reply = replace(attempt.outcome, address=self._address(name))
                attempt = replace(attempt, outcome=reply)
            pace_outcome, limits = _pace_outcome(attempt.outcome), attempt.limits
            if isinstance(attempt.outcome, Reply) and attempt.outcome.prompt_tokens is not None:
                used = attempt.outcome.prompt_tokens + (attempt.outcome.completion_tokens or 0)
            return attempt
        finally:
            turns.end(turn, pace_outcome, limits, tokens=used)

    async def _call(
        self,
        name: str,
        messages: list[Message],
        params: dict[str, Any],
        *,
        likelihood: bool = False,
        options: tuple[str, ...] = (),
    ) -> Attempt:
        if name not in self._served:
            if not likelihood:
                return await self.call_litellm(name, messages, params)
            words = f"model {name!r}: its server cannot be asked for log-probabilities of a prompt"
            return Attempt(Failure("request", words, cause="bad_parameter"), requests=0)
        if likelihood:
            params = self._params[name]
            return await self._transport.likelihood(name, messages, params, price=self.price(name))
        if self._configs[name].protocol == "completion":
            price = self.price(name)
            return await self._transport.continuation(name, messages, params, options, price=price)
        return await self._transport.complete(name, messages, params, price=self.price(name))

    def _address(self, name: str) -> str | None:
        """Return where a model is called, without what may be secret; None for litellm's defaults."""
        if name in self._served:
            return self._transport.address(name).partition("?")[0].removesuffix("/chat/completions")
        return model_keys.address_of(self._config(name)).partition("?")[0] or None

    async def call_litellm(self, name: str, messages: list[Message], params: dict[str, Any]) -> Attempt:
        """Make one request through litellm, even to a model that could be called directly."""
        config = self._configs[name]
        if self._session is None:
            litellm_gateway.load()
            self._session = open_session(self.connections)
        return await litellm_gateway.attempt(
            name, config, messages, params, self.price(name), self._session, self._timeouts[name]
        )


_REFUSALS_OF_A_CALL = 3
"""Times that a model which has answered may refuse one call's key or name before the call fails."""
_REFUSALS_OF_A_MODEL = 3
"""Calls in a row that must fail so before the model is given up."""
_FAILURES_WITH_SCHEMA = 2
"""Calls with a JSON schema that must fail before one is tried without."""
MOST_LOST = 3
"""Lost answers to one call, or in a row of one model, after which no more are requested.

Broken connections do not count: many break at once when a server restarts.
"""
MOST_LATE = 2
"""Late answers to one call after which it is not repeated."""
_TOKENS_OF_AN_ANSWER = 300
"""Assumed length of an answer for token limits, if `max_tokens` is not set."""


def _pace_outcome(outcome: Reply | Failure) -> Outcome:
    if isinstance(outcome, Reply):
        return "answered"
    if outcome.status in REFUSED and outcome.kind in ("rate_limit", "server"):
        return "refused"
    if outcome.status == 403 and outcome.kind == "rate_limit":
        return "refused"
    return "lost" if outcome.status is None else "passed"
