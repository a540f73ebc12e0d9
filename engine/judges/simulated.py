"""`simulated/NAME` models as a provider of litellm: the same path as any other, without a network."""

import asyncio
import importlib
import math
from contextvars import ContextVar
from typing import Any

from engine.judges.spec import SIMULATED as PROVIDER
from engine.judges.wire import WIRE
from engine.simulation.provider import Answer, SimulatedModel

__all__ = ["ANSWERING", "PROVIDER", "handler"]

ANSWERING: ContextVar[SimulatedModel | None] = ContextVar("answering", default=None)
"""The model that the running task asks: litellm hands on a name, and two runs may share it."""

_STATUS = {"rate_limit": (429, "simulated: slow down"), "server_error": (500, "simulated: something broke")}


def handler() -> Any:
    """Return the handler that litellm wants; only to be called once litellm is imported."""
    custom: Any = importlib.import_module("litellm").CustomLLM
    return type("Simulated", (custom,), {"acompletion": _acompletion})()


async def _acompletion(
    _: object, *, model: str, messages: list[dict[str, str]], model_response: Any, **__: object
) -> Any:
    """Answer as litellm asks its providers to."""
    answering = ANSWERING.get()
    if answering is None:
        raise _error(404, f"no run knows {PROVIDER}/{model}")
    if wire := WIRE.get():
        wire.sent()
    said = answering.answer(messages)
    if answering.planted.slow_s:
        await asyncio.sleep(answering.planted.slow_s)
    if isinstance(said, Answer):
        return _filled(model_response, said, f"{PROVIDER}/{model}")
    if said == "hang":
        await asyncio.Event().wait()  # until the caller's time-out
    raise _error(*_STATUS[said])


def _error(status: int, words: str) -> Exception:
    errors: Any = importlib.import_module("litellm.llms.custom_llm")
    error: Exception = errors.CustomLLMError(status_code=status, message=words)
    return error


def _filled(response: Any, said: Answer, model: str) -> Any:
    """Put the answer into litellm's response."""
    types: Any = importlib.import_module("litellm.types.utils")
    message = types.Message(role="assistant", content=said.text)
    if said.refusal:
        message.provider_specific_fields = {"refusal": said.refusal}
    logprobs = _logprobs(said.first_token) if said.first_token else None
    response.choices = [types.Choices(index=0, finish_reason="stop", message=message, logprobs=logprobs)]
    response.model = model
    response.usage = types.Usage(
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        total_tokens=said.prompt_tokens + said.completion_tokens,
    )
    return response


def _logprobs(alternatives: tuple[tuple[str, float], ...]) -> Any:
    types: Any = importlib.import_module("litellm.types.utils")
    listed = [
        types.TopLogprob(token=token, bytes=list(token.encode()), logprob=math.log(max(share, 1e-12)))
        for token, share in alternatives
    ]
    first = listed[0]
    token = types.ChatCompletionTokenLogprob(
        token=first.token, bytes=first.bytes, logprob=first.logprob, top_logprobs=listed
    )
    return types.ChoiceLogprobs(content=[token])
