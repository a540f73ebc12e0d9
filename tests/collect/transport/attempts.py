"""One attempt at a call over either transport, for tests that hold for both."""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from engine.collect.calls import Failure, Message, Reply
from engine.collect.client.model_client import Models
from engine.collect.client.openai_transport import Attempt, OpenAITransport
from engine.collect.configuration.config import ModelConfig

Transport = Literal["litellm", "own"]
TRANSPORTS: tuple[Transport, ...] = ("litellm", "own")
ROUTES = ("openai", "hosted_vllm")
QUESTION: list[Message] = [{"role": "user", "content": 'Say which: {"outcome": "A is better"}'}]
LOGPROBS = {"logprobs": True, "top_logprobs": 20}


def outcome(
    transport: Transport, config: ModelConfig, *, logprobs: bool = False, timeout_s: float = 10
) -> Reply | Failure:
    """Make one attempt without retries, and return its outcome."""
    return attempt_over(transport, config, logprobs=logprobs, timeout_s=timeout_s).outcome


def attempt_over(
    transport: Transport, config: ModelConfig, *, logprobs: bool = False, timeout_s: float = 10
) -> Attempt:
    """Make one attempt without retries."""
    if transport == "own":
        return attempt(config, LOGPROBS if logprobs else {}, timeout_s=timeout_s)

    async def ask() -> Attempt:
        params = {**config.params.to_dict(), **(LOGPROBS if logprobs else {})}
        async with Models({"m": config}, timeout_s=timeout_s) as models:
            return await models.servers.request_by_litellm("m", QUESTION, params)

    return asyncio.run(ask())


def attempt(
    config: ModelConfig,
    params: dict[str, Any] | None = None,
    *,
    messages: Sequence[Message] = QUESTION,
    timeout_s: float = 10,
) -> Attempt:
    """Make one call over our own transport."""
    return attempts(config, 1, params, messages=messages, timeout_s=timeout_s)[0]


def attempts(
    config: ModelConfig,
    calls: int,
    own_params: dict[str, Any] | None = None,
    *,
    messages: Sequence[Message] = QUESTION,
    timeout_s: float = 10,
) -> list[Attempt]:
    """Make calls over our own transport, one after the other."""
    params = {**config.params.to_dict(), **(own_params or {})}

    async def ask() -> list[Attempt]:
        async with OpenAITransport({"m": config}, timeout_s=timeout_s) as transport:
            return [await transport.complete("m", messages, params, price=config.price) for _ in range(calls)]

    return asyncio.run(ask())
