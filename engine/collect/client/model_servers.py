"""One attempt at a call: at its model's server, in its turn, and without what the model refuses."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import aiohttp

from engine.collect.calls import Failure, Logprobs, Message, Reply
from engine.collect.client import litellm_gateway
from engine.collect.client.openai_requests import json_schema_format
from engine.collect.client.openai_transport import Attempt, OpenAITransport
from engine.collect.client.provider_errors import no_key
from engine.collect.client.simulated_transport import SimulatedTransport
from engine.collect.client.wire import open_session
from engine.collect.configuration import model_keys
from engine.collect.configuration.chat_protocol import serves_model
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.prices import FREE
from engine.collect.limits.pacing import AUTO_CEILING, REFUSED, Outcome
from engine.collect.limits.rate_limits import NO_LIMITS
from engine.collect.limits.refused_parameters import ParameterFallback
from engine.collect.limits.turns import LimitLastsError, turns_of
from engine.collect.run_log import LOG

_FAILURES_WITH_SCHEMA = 2
"""Calls with a JSON schema that must fail before one is tried without."""
_TOKENS_OF_AN_ANSWER = 300
"""Assumed length of an answer for token limits, if `max_tokens` is not set."""


class ModelServers:
    """The servers of a run's models: OpenAI's protocol where they speak it, else litellm; or a simulation.

    A call to a model in `given_up` is not sent. `notes` has what the models refuse.
    """

    def __init__(
        self,
        configs: Mapping[str, ModelConfig],
        price: Callable[[str], Price | None],
        given_up: Mapping[str, Failure],
        *,
        timeout_s: float,
        ceiling: int | None,
        patience_s: float,
    ) -> None:
        self._configs = configs
        self._price = price
        self._given_up = given_up
        self.params = {name: model_keys.allowed_params(name, config) for name, config in configs.items()}
        self.timeouts = {name: config.timeout_s or timeout_s for name, config in configs.items()}
        self.fallbacks = {name: ParameterFallback() for name in configs}
        self.notes: list[str] = []
        self.simulated = SimulatedTransport(configs, self.timeouts)
        self.turns = turns_of(configs, ceiling, patience_s)
        paces = len(set(self.turns.values()))
        self.connections = max(paces, 1) * (AUTO_CEILING if ceiling is None else ceiling)
        self._key_variables = {name: model_keys.key_variables(config) for name, config in configs.items()}
        self._served = {name: config for name, config in configs.items() if serves_model(config)}
        self._transport = OpenAITransport(self._served, timeout_s=timeout_s, connections=self.connections)
        self._session: aiohttp.ClientSession | None = None
        self._no_likelihoods: dict[str, Failure] = {}  # give no log-probabilities of responses

    async def aclose(self) -> None:
        for turns in self.turns.values():
            turns.close()
        await self._transport.aclose()
        if self._session is not None:
            await self._session.close()
            self._session = None

    def address(self, name: str) -> str:
        """Return where a model is called; empty for litellm's default of its provider."""
        if name in self._served:
            return self._transport.address(name)
        return model_keys.address_of(self._configs[name])

    def wants_schema(self, name: str) -> bool:
        """Return whether to request answers in a schema from a model, even if its server may refuse it."""
        config = self._configs[name]
        if name in self.simulated.models or "response_format" in self.params[name]:
            return False
        if config.protocol == "completion":
            return False
        return config.structured == "always" or (config.structured == "auto" and name in self._served)

    async def attempt(
        self,
        name: str,
        messages: list[Message],
        tokens: int,
        *,
        logprobs: Logprobs,
        schema: Mapping[str, Any] | None,
    ) -> Attempt:
        """Make one attempt, and another at once without each parameter that the model refuses.

        A refusal for too many calls waits for another turn. A bad request that the schema may have caused is
        made once more without it.
        """
        if logprobs == "prompt":
            return await self._likelihood(name, messages, tokens)
        fallback, is_auto = self.fallbacks[name], self._configs[name].structured == "auto"
        form: dict[str, Any] = {}
        if (
            schema is not None
            and self.wants_schema(name)
            and not (is_auto and fallback.takes_schema is False)
        ):
            form = {"response_format": json_schema_format(schema)}
        requests, is_schema_suspect = 0, False
        if form and is_auto and fallback.failed_with_schema >= _FAILURES_WITH_SCHEMA:
            form, is_schema_suspect, fallback.failed_with_schema = {}, True, 0
        while True:
            params = fallback.parameters(self.params[name], logprobs=bool(logprobs))
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
                fallback.takes_schema, fallback.failed_with_schema = True, 0
                return replace(attempt, outcome=replace(outcome, structured=True))
            if self._waits_again(name, outcome):
                continue
            may_drop = form and is_auto
            if outcome.kind in ("server", "connection", "answer") and may_drop and not fallback.takes_schema:
                change = None if attempt.unknown_charge else fallback.update_schema(attempt.words)
                if change is None:
                    fallback.failed_with_schema += 1
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

    def _note(self, name: str, change: str | None) -> None:
        """Log what a model refuses and keep it for the run's report; empty if that was done before."""
        if change:
            LOG.warning("model %r %s", name, change)
            self.notes.append(f"model {name!r} {change}")

    async def _likelihood(self, name: str, messages: list[Message], tokens: int) -> Attempt:
        """Request the likelihood of the last message; a server that cannot give it is asked only once."""
        requests = 0
        while name not in self._no_likelihoods:
            attempt = await self._request_in_turn(name, messages, tokens, {"max_tokens": 1}, likelihood=True)
            requests += attempt.requests
            outcome = attempt.outcome
            if isinstance(outcome, Failure):
                if self._waits_again(name, outcome):
                    continue
                if outcome.cause == "bad_parameter":
                    self._no_likelihoods[name] = outcome
            return replace(attempt, requests=requests)
        return Attempt(self._no_likelihoods[name], requests)

    def _waits_again(self, name: str, failure: Failure) -> bool:
        """Return whether a call waits for another turn, as it was refused for too many calls."""
        if name not in self.turns or _pace_outcome(failure) != "refused":
            return False
        LOG.info("model %r is called again after: %s", name, failure.kind)
        return True

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
        if name in self.simulated.models:
            return await self.simulated.answer(name, messages, self._price(name) or FREE)
        turns = self.turns[name]
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
            if name in self._given_up:  # while this call waited
                return Attempt(self._given_up[name], requests=0)
            attempt = await self.request(name, messages, params, likelihood=likelihood, options=options)
            pace_outcome, limits = _pace_outcome(attempt.outcome), attempt.limits
            if isinstance(reply := attempt.outcome, Reply):
                if reply.prompt_tokens is not None:
                    used = reply.prompt_tokens + (reply.completion_tokens or 0)
                place = self.address(name).partition("?")[0]  # the rest may be secret
                address = place.removesuffix("/chat/completions") if name in self._served else place
                attempt = replace(attempt, outcome=replace(reply, address=address or None))
            return attempt
        finally:
            turns.end(turn, pace_outcome, limits, tokens=used)

    async def request(
        self,
        name: str,
        messages: list[Message],
        params: dict[str, Any],
        *,
        likelihood: bool = False,
        options: tuple[str, ...] = (),
    ) -> Attempt:
        """Make one request to a model's server, without waiting for a turn."""
        if name not in self._served:
            if not likelihood:
                return await self.request_by_litellm(name, messages, params)
            words = f"model {name!r}: its server cannot be asked for log-probabilities of a prompt"
            return Attempt(Failure("request", words, cause="bad_parameter"), requests=0)
        price = self._price(name)
        if likelihood:
            return await self._transport.likelihood(name, messages, self.params[name], price=price)
        if self._configs[name].protocol == "completion":
            return await self._transport.continuation(name, messages, params, options, price=price)
        return await self._transport.complete(name, messages, params, price=price)

    async def request_by_litellm(self, name: str, messages: list[Message], params: dict[str, Any]) -> Attempt:
        """Make one request through litellm, even to a model that could be called directly."""
        if self._session is None:
            litellm_gateway.load()
            self._session = open_session(self.connections)
        return await litellm_gateway.attempt(
            name, self._configs[name], messages, params, self._price(name), self._session, self.timeouts[name]
        )


def _pace_outcome(outcome: Reply | Failure) -> Outcome:
    if isinstance(outcome, Reply):
        return "answered"
    if outcome.status in REFUSED and outcome.kind in ("rate_limit", "server"):
        return "refused"
    if outcome.status == 403 and outcome.kind == "rate_limit":
        return "refused"
    return "lost" if outcome.status is None else "passed"
