"""Asking models by the names of a run: retries, time-outs, keys, and models that are given up."""

import asyncio
import os
import random
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

import aiohttp
import stamina

from engine.calls import Failure, FailureKind, Message, Reply
from engine.config import ModelConfig, Price
from engine.errors import unknown
from engine.judges import gateway
from engine.judges.adapting import Adapting
from engine.judges.batches import Batches
from engine.judges.failures import FOR_GOOD, Trouble, TroubleError, stopped_by_filter, trouble_of
from engine.judges.prices import FREE, batch_price
from engine.judges.replies import NoAnswerError, reply_of
from engine.judges.secrets import without
from engine.judges.simulated import ANSWERING
from engine.judges.spec import SIMULATED, missing_variable, provider_of, sent_params
from engine.judges.wire import WIRE, Wire, open_session
from engine.simulation.provider import Oracle, SimulatedModel, planted, tell_study
from engine.store import StudyFiles

WARM_UP_S = 60.0
"""Seconds that a call may take before its request leaves: the first ones of a provider import its code."""


class Asked(NamedTuple):
    """What came of a call, and how many HTTP requests it took, retries included."""

    outcome: Reply | Failure
    calls: int


class Models:
    """The models of a run, to be asked by name within one event loop.

    `configs` are by name. A call that fails in a way worth another try is tried `retries` more times, after
    waits that grow from `first_wait_s`, or as long as the server asks, never more than `longest_wait_s`. Each
    try may take `timeout_s` from the moment its request leaves. `on_retry(name, kind)` hears of each further
    try and its cause; `on_notice(name, words)` of what a model was found not to take, once.

    `oracle` tells simulated models whose response is whose. `batch`: prices are those of calls in batches.

    Use it as an async context manager, or `await aclose()`. Raises UsageError where a model's parameters have
    one that is not the user's to set.
    """

    def __init__(
        self,
        configs: Mapping[str, ModelConfig],
        *,
        timeout_s: float = 60.0,
        retries: int = 5,
        first_wait_s: float = 0.5,
        longest_wait_s: float = 60.0,
        on_retry: Callable[[str, FailureKind], None] | None = None,
        on_notice: Callable[[str, str], None] | None = None,
        oracle: Oracle | None = None,
        batch: bool = False,
    ) -> None:
        self._configs = dict(configs)
        self._batch = batch
        self._params = {name: sent_params(name, config) for name, config in configs.items()}
        self._timeout_s = timeout_s
        self._retries = retries
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._on_retry = on_retry or (lambda _name, _kind: None)
        self._on_notice = on_notice or (lambda _name, _words: None)
        self._oracle = oracle or Oracle()
        self._simulated = _simulated(configs, self._oracle)
        self._adapting = {name: Adapting() for name in configs}
        self._given_up: dict[str, Failure] = {}
        self._prices: dict[str, Price | None] = {}
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"Models({', '.join(self._configs)})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def given_up(self) -> Mapping[str, Failure]:
        """The models that are not asked any more, with the failure that ended it."""
        return self._given_up

    def tell(self, study: StudyFiles) -> None:
        """Tell simulated models whose responses the study holds, and which criteria they truly meet.

        To be called before each stage of a run; does nothing where no model is simulated.
        """
        if self._simulated:
            tell_study(self._oracle, study)

    def missing_keys(self) -> dict[str, str]:
        """Return the models whose key's environment variable is not set, with that variable; asks nobody."""
        found = {name: missing_variable(config) for name, config in self._configs.items()}
        return {name: variable for name, variable in found.items() if variable is not None}

    def price(self, name: str) -> Price | None:
        """Return the model's price, the user's before litellm's; None where neither knows it.

        Simulated models are free unless the user says otherwise. Only litellm's list needs litellm.
        """
        if name not in self._prices:
            self._prices[name] = self._looked_up(self._config(name))
        return self._prices[name]

    def _looked_up(self, config: ModelConfig) -> Price | None:
        if self._batch and config.batch_price is not None:
            return config.batch_price
        if config.price is None and provider_of(config.model) == SIMULATED:
            return FREE
        if config.price is None and self._batch:
            listed = gateway.listed_price(config.model, batch=True)
            if listed is not None:
                return listed
        price = config.price or gateway.listed_price(config.model)
        return batch_price(price) if price is not None and self._batch else price

    async def ask(self, name: str, messages: Sequence[Message], *, logprobs: bool = False) -> Asked:
        """Ask a model; a reply, or why there is none. A model's trouble is never raised.

        `logprobs` asks for the alternatives at the first token, 20 or as many as the model gives. A model
        whose key or name the server refused is not asked again: its failure is returned at once. Raises
        UsageError for a name that is none of the models.
        """
        self._config(name)
        calls, outcome = 0, None
        try:
            async for attempt in self._tries():
                with attempt:
                    if name in self._given_up:
                        return Asked(self._given_up[name], calls)
                    if isinstance(outcome, Trouble):
                        self._on_retry(name, outcome.failure.kind)
                    outcome, requests = await self._try(name, list(messages), logprobs=logprobs)
                    calls += requests
                    if isinstance(outcome, Trouble):
                        raise TroubleError(outcome)
        except TroubleError as error:
            failure = error.trouble.failure
            if failure.kind in FOR_GOOD:
                self._given_up.setdefault(name, failure)
            return Asked(failure, calls)
        assert isinstance(outcome, Reply)  # noqa: S101 - the loop ends with a reply or a TroubleError
        return Asked(outcome, calls)

    def batches(self) -> Batches:
        """Return what makes batches of calls of these models, and asks after them."""
        return Batches(
            self._configs,
            self._params,
            self._adapting,
            price=self.price,
            tries=self._tries,
            on_notice=self._on_notice,
            timeout_s=self._timeout_s,
        )

    def _tries(self) -> Any:
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
        """Tell stamina whether to try again, and how long to wait where the server says so."""
        if not isinstance(error, TroubleError) or not error.trouble.retried:
            return False
        wait_s = error.trouble.wait_s
        if wait_s is None:
            return True
        jitter = random.uniform(0.0, min(1.0, wait_s))  # noqa: S311 - so that not all come back at once
        return min(wait_s + jitter, self._longest_wait_s)

    async def _try(
        self, name: str, messages: list[Message], *, logprobs: bool
    ) -> tuple[Reply | Trouble, int]:
        """Make one attempt, and another at once for each parameter that the model refuses."""
        config, adapting = self._configs[name], self._adapting[name]
        if variable := missing_variable(config):
            return Trouble(_no_key(name, variable)), 0
        key = os.environ[config.api_key_env] if config.api_key_env else None
        calls = 0
        while True:
            sent = adapting.parameters(self._params[name], logprobs=logprobs)
            outcome, wire, error = await self._call(name, messages, sent, key)
            calls += wire.requests
            if isinstance(outcome, Reply) or outcome.failure.kind != "request" or error is None:
                return outcome, calls
            lesson = adapting.learn(str(error), sent)
            if lesson is None:
                return outcome, calls
            if lesson:
                self._on_notice(name, f"model {name!r} {lesson}")

    async def _call(
        self, name: str, messages: list[Message], params: dict[str, object], key: str | None
    ) -> tuple[Reply | Trouble, Wire, Exception | None]:
        config = self._configs[name]
        price = self._prepared(name)
        loop = asyncio.get_running_loop()
        began = loop.time()
        deadline = asyncio.timeout(self._timeout_s + WARM_UP_S)

        def restart() -> None:
            nonlocal began
            began = loop.time()
            deadline.reschedule(began + self._timeout_s)

        wire = Wire(restart)
        token, answering = WIRE.set(wire), ANSWERING.set(self._simulated.get(name))
        try:
            async with deadline:
                response = await gateway.complete(config, messages, params, key, self._session)
            latency = loop.time() - began
            reply = reply_of(response, latency, price, own_price=config.price is not None)
            return without(reply, key), wire, None
        except NoAnswerError as error:
            return trouble_of(name, error, wire, filter(None, [key])), wire, error
        except Exception as error:  # litellm's errors have no common base
            if deadline.expired():
                words = f"model {name!r}: no answer in time: nothing came within {self._timeout_s:g} s"
                return Trouble(Failure("timeout", words)), wire, None
            refused = stopped_by_filter(error, filter(None, [key]))
            return refused or trouble_of(name, error, wire, filter(None, [key])), wire, error
        finally:
            WIRE.reset(token)
            ANSWERING.reset(answering)

    def _prepared(self, name: str) -> Price | None:
        """Load what a call needs, once; return the model's price."""
        if self._session is None:
            gateway.load()
            self._session = open_session()
        if name not in self._prices:
            price = self.price(name)
            gateway.register(self._configs[name].model, price)
        return self._prices[name]


def _simulated(configs: Mapping[str, ModelConfig], oracle: Oracle) -> dict[str, SimulatedModel]:
    """Return the simulated ones of the models, who know the families and skills of them all."""
    families = {name: config.family or name for name, config in configs.items()}
    settings = {
        name: planted(f"models.{name}.simulated", config.simulated)
        for name, config in configs.items()
        if provider_of(config.model) == SIMULATED
    }
    oracle.set_skills({name: each.skill for name, each in settings.items()})
    return {
        name: SimulatedModel(name, each, families=families, oracle=oracle) for name, each in settings.items()
    }


def _no_key(name: str, variable: str) -> Failure:
    words = f"model {name!r} wants its key in the environment variable {variable}, which is not set; set it"
    return Failure("key", words)
