"""litellm, imported at the first call and configured to be quiet, and one call through it."""

import asyncio
import functools
import importlib
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from traceback import walk_tb
from typing import Any

from engine.collect.calls import Reply
from engine.collect.client import provider_errors
from engine.collect.client.litellm_errors import attempt_error_of, filter_refusal, limits_of
from engine.collect.client.openai_replies import finish_reason_of, lacks_choice, reply_of
from engine.collect.client.openai_transport import Attempt, attempt_without_answer, stated_charge
from engine.collect.client.wire import WIRE, Wire
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.model_keys import key_of
from engine.collect.database.exchanges import note_exchange
from engine.collect.hidden_secrets import without_key


def litellm_reply(response: Any, latency_s: float | None, price: Price | None, *, own_price: bool) -> Reply:
    """Return a litellm response's reply, at litellm's cost with discounts unless `own_price`."""
    reply = reply_of(as_sent(response.model_dump()), price, latency_s)
    litellm_cost = getattr(response, "_hidden_params", {}).get("response_cost")
    if own_price or reply.cost_usd is None or not isinstance(litellm_cost, float | int):
        return reply
    return replace(reply, cost_usd=float(litellm_cost))


def as_sent(content: dict[str, Any]) -> dict[str, Any]:
    """Return a response's fields as the provider sent them, where litellm changed their meaning.

    It moves a choice's error elsewhere, and calls a finish reason `stop` that it does not know, such as
    Gemini's `content_filter: SAFETY`.
    """
    for choice in content.get("choices") or ():
        fields = choice.get("provider_specific_fields")
        if not isinstance(fields, Mapping):
            continue
        if "error" in fields:
            choice["error"] = fields["error"]
        reason = finish_reason_of({"finish_reason": fields.get("native_finish_reason")})
        if reason in ("length", "content_filter", "error"):
            choice["finish_reason"] = reason
    return content


def answer_within(error: BaseException) -> Mapping[str, Any] | None:
    """Return a paid answer that litellm could not parse, such as one in parts, from its error's frames."""
    exception: BaseException | None = error
    while exception is not None:
        for frame, _ in walk_tb(exception.__traceback__):
            answer = frame.f_locals.get("response_object")
            if isinstance(answer, Mapping) and answer.get("choices"):
                return answer
        exception = exception.__cause__ or exception.__context__
    return None


_WARM_UP_S = 60.0
"""Seconds that a call may take before its request is sent: a provider's first calls import its code."""
NO_KEY = "none"
"""Sent to a user's own server without a key: a provider's key must not reach another address."""


@functools.cache
def load() -> Any:
    """Import litellm (4 seconds) and return it.

    It reads its price list from the package, sends no telemetry and writes no log (which could contain
    prompts). Its `turn_off_message_logging` stays off: there are no listeners, and redacting a copy of each
    call would take a fifth of its time.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # exactly this text, before the import
    os.environ.pop("LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", None)  # it would print every prompt
    litellm: Any = importlib.import_module("litellm")

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # a silently dropped parameter would change what is measured
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # they quote answers
    for name in ("openai", "httpx"):  # they log prompts and addresses, which may contain keys
        logging.getLogger(name).setLevel(logging.WARNING)
    return litellm


async def attempt(
    name: str,
    config: ModelConfig,
    messages: list[dict[str, str]],
    params: dict[str, Any],
    price: Price | None,
    session: Any,
    timeout_s: float,
) -> Attempt:
    """Make one call to a model, within `timeout_s` of its sending; its failure is returned, never raised."""
    key = key_of(config)
    place, request = config.api_base or config.model, {"messages": messages, **params}
    litellm, loop = load(), asyncio.get_running_loop()
    began = loop.time()
    deadline = asyncio.timeout(timeout_s + _WARM_UP_S)

    def restart() -> None:
        nonlocal began
        began = loop.time()
        deadline.reschedule(began + timeout_s)

    wire = Wire(restart)
    token = WIRE.set(wire)
    try:
        async with deadline:
            response = await litellm.acompletion(
                model=config.model,
                num_retries=0,
                max_retries=0,
                shared_session=session,
                **address(config, key),
                **request,
            )
        content = as_sent(response.model_dump())
        note_exchange(place, request, wire.status, content, (key,))
        if (no_answer := _without_answer(name, content, price, key, wire)) is not None:
            return no_answer
        reply = litellm_reply(response, loop.time() - began, price, own_price=config.price is not None)
        return Attempt(without_key(reply, key), wire.requests, wire.limits)
    except Exception as error:  # litellm's errors have no common base
        note_exchange(place, request, wire.status, str(error), (key,))
        if deadline.expired():
            failure = provider_errors.timeout_failure(name, timeout_s)
            return Attempt(failure, wire.requests, unknown_charge=True)
        if wire.status == 200 and (answer := answer_within(error)) is not None:
            if (no_answer := _without_answer(name, answer, price, key, wire)) is not None:
                return no_answer
            reply = reply_of(answer, price, loop.time() - began)
            return Attempt(without_key(reply, key), wire.requests, wire.limits)
        limits = limits_of(error, wire)
        if (refusal := filter_refusal(error, wire, [key])) is not None:
            return Attempt(refusal, wire.requests, limits)
        failed = attempt_error_of(name, error, wire, [key])
        limits = limits if failed.wait_s is None else replace(limits, wait_s=failed.wait_s)
        return Attempt(failed.failure, wire.requests, limits, str(error), unknown_charge=wire.unknown_charge)
    finally:
        WIRE.reset(token)


def _without_answer(
    name: str, content: Mapping[str, Any], price: Price | None, key: str | None, wire: Wire
) -> Attempt | None:
    """Return the attempt in a response of status 200 that has no answer; None if it has one."""
    attempt = attempt_without_answer(name, content, price, [key], limits=wire.limits)
    if attempt is None and lacks_choice(content):
        failure = provider_errors.failure(name, "answer", "it has no choice", status=200)
        charge = stated_charge(content)
        attempt = Attempt(failure, limits=wire.limits, unknown_charge=True, charge=charge)
    return None if attempt is None else replace(attempt, requests=wire.requests)


def address(config: ModelConfig, key: str | None) -> dict[str, Any]:
    """Return a model's address and key as litellm's arguments, unless they are the provider's defaults."""
    if config.api_base:
        return {"api_base": config.api_base, "api_key": key or NO_KEY}
    return {"api_key": key} if key else {}
