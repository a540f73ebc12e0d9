"""Calling models by their names in a run: prices, keys, and retries of what may pass."""

import logging
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Self

import stamina

from engine.collect.calls import PERMANENT, Failure, Logprobs, Message, Reply
from engine.collect.client.litellm_batches import Batches
from engine.collect.client.litellm_errors import AttemptError
from engine.collect.client.model_servers import ModelServers
from engine.collect.client.openai_transport import LATE_STATUSES
from engine.collect.client.token_counts import prompt_tokens
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.model_keys import missing_variable
from engine.collect.configuration.prices import is_free, price_of
from engine.collect.limits.circuit_breaker import CircuitBreaker
from engine.collect.limits.pacing import PATIENCE_S, PaceState
from engine.collect.limits.spending import Charge
from engine.collect.run_log import LOG
from engine.errors import unknown
from engine.store.study_files import StudyFiles

logging.getLogger("stamina").addHandler(logging.NullHandler())  # the run's log has the retries

_MOST_REFUSALS = 3
"""Times that a model which has answered may refuse one call's key or name before the call fails."""
_MOST_LOST = 3
"""Lost answers to one call, after which no more are requested.

Broken connections do not count: many break at once when a server restarts.
"""
_MOST_LATE = 2
"""Late answers to one call after which it is not repeated."""


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
        self._timeout_s = timeout_s
        self._retry_on = frozenset(retry_on)
        self._retries = retries
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._prices: dict[str, Price | None] = {}
        self._breaker = CircuitBreaker()
        self.given_up = self._breaker.given_up  # no longer called, with the failure that caused it
        self.unreachable = self._breaker.unreachable  # the messages on servers that are not reached now
        self.servers = ModelServers(
            self._configs,
            self.price,
            self.given_up,
            timeout_s=timeout_s,
            ceiling=ceiling,
            patience_s=patience_s,
        )
        self.notes = self.servers.notes  # what the models refuse

    def __repr__(self) -> str:
        return f"Models({', '.join(self._configs)})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.servers.aclose()

    def inform_simulated(self, study: StudyFiles) -> None:
        """Tell simulated models, before a stage, who wrote the responses and which criteria they meet."""
        self.servers.simulated.inform(study)

    def missing_keys(self) -> dict[str, str]:
        """Return the models whose key's environment variable is not set, with its name; makes no calls."""
        names = {name: missing_variable(config) for name, config in self._configs.items()}
        return {name: variable for name, variable in names.items() if variable is not None}

    def price(self, name: str) -> Price | None:
        """Return the model's price, the user's if given, else litellm's (simulated: free), if known."""
        if name not in self._prices:
            self._prices[name] = price_of(self._config(name), batch=self._batch)
        return self._prices[name]

    def identity(
        self, name: str, messages: Sequence[Message], schema: Mapping[str, Any] | None = None
    ) -> dict[str, object]:
        """Return what determines a model's answers besides the messages; the same in every run and study."""
        config, servers = self._config(name), self.servers
        if name in servers.simulated.models:
            return {"model": config.model, "knowledge": servers.simulated.models[name].knowledge(messages)}
        form = schema if servers.wants_schema(name) else None
        address, params = servers.address(name), servers.params[name]
        return {"model": config.model, "address": address, "params": params, "schema": form}

    def has_room(self, name: str) -> bool:
        turns = self.servers.turns.get(name)
        return turns is None or turns.has_room(name)

    def when_room(self, listener: Callable[[], None]) -> None:
        for turns in self.servers.turns.values():
            turns.on_room = listener

    def paces(self) -> list[PaceState]:
        return [turns.pace.state() for turns in dict.fromkeys(self.servers.turns.values())]

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
                    attempt = await self.servers.attempt(
                        name, list(messages), tokens, logprobs=logprobs, schema=schema
                    )
                    calls += attempt.requests
                    outcome = attempt.outcome
                    if isinstance(outcome, Reply):
                        if isinstance(logprobs, tuple) and name not in self.servers.simulated.models:
                            self._breaker.count_continuation(name, outcome)
                        continue
                    if outcome.cause == "unreachable":
                        self._breaker.count_unreached(name, outcome)
                    may_repeat = True
                    if attempt.unknown_charge and on_charge is not None:
                        may_repeat = on_charge(attempt.charge)
                    late += outcome.kind == "timeout" or outcome.status in LATE_STATUSES
                    if attempt.unknown_charge and outcome.kind != "connection" and not free:
                        lost += 1
                        self._breaker.count_lost(name, self.servers.timeouts[name])
                    is_over = lost == _MOST_LOST or late == _MOST_LATE or (lost and name in self.given_up)
                    if is_over or not may_repeat:
                        return CallOutcome(outcome, calls)
                    refusals += outcome.kind in PERMANENT
                    again = self._breaker.may_be_passing(name, outcome) and refusals < _MOST_REFUSALS
                    raise AttemptError(outcome, attempt.wait_s, again=again)
        except AttemptError as error:
            return CallOutcome(self._breaker.final_failure(name, error.failure), calls)
        assert isinstance(outcome, Reply)  # noqa: S101 - the loop ends with a reply or an AttemptError
        self._breaker.count_answer(name)
        return CallOutcome(outcome, calls)

    def batches(self) -> Batches:
        servers = self.servers
        return Batches(
            self._configs, servers.params, servers.fallbacks, self.price, self._attempts, self._timeout_s
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
