"""The only module that imports litellm: calls through it, replies and failures, and providers' batches."""

import asyncio
import functools
import importlib
import json
import logging
import os
import re
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from traceback import walk_tb
from typing import Any, Literal, TypeVar

import aiohttp
import pydantic

from engine.collect import provider_errors
from engine.collect.answer_cache import LOG, note_exchange
from engine.collect.calls import Failure, FailureKind, Message, Reply
from engine.collect.config import ModelConfig, Price
from engine.collect.hidden_secrets import scrub, without_key
from engine.collect.model_keys import address_of, key_of, provider_of
from engine.collect.openai_replies import finish_reason_of, reply_of
from engine.collect.openai_transport import (
    LATE_STATUSES,
    LONGEST_BODY,
    NOT_SENT,
    Attempt,
    attempt_without_answer,
    stated_charge,
)
from engine.collect.provider_errors import NO_LIMITS, RETRIED, TAGS, ProviderError, RateLimits, rate_headers
from engine.collect.refused_parameters import ParameterFallback
from engine.errors import SpbError

# ------------------------------------------------------------------------------
# What happens on the network during one call, recorded here since litellm's errors only guess at it.


class BrokenConnectionError(Exception):
    """The connection broke; a type of error that litellm does not retry."""


class BodyTooLongError(Exception): ...


@dataclass(slots=True)
class Wire:
    """The network's side of one attempt.

    `requests` is the number sent; `status` and `limits` come from the last response's headers. `problem` is
    how the exchange failed, if it did; `unsent`: before the request was sent. `on_request` is called when
    each request is sent.
    """

    on_request: Callable[[], None]
    requests: int = 0
    status: int | None = None
    limits: RateLimits = NO_LIMITS
    problem: Literal["broken", "too long"] | None = None
    unsent: bool = False

    @property
    def unknown_charge(self) -> bool:
        """Whether a call that failed may have cost something."""
        is_cut_off = self.problem == "broken" and self.status is None and not self.unsent
        return is_cut_off or self.status == 200 or self.status in LATE_STATUSES


WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)
"""The attempt of the running task."""


def open_session(connections: int) -> aiohttp.ClientSession:
    """Return a session of at most `connections` at once, which records its requests in `WIRE`."""
    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(_on_start)
    trace.on_request_end.append(_on_end)
    trace.on_request_exception.append(_on_exception)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections),
        timeout=aiohttp.ClientTimeout(total=None),
        trace_configs=[trace],
    )


async def _on_start(*_: object) -> None:
    if wire := WIRE.get():
        wire.requests += 1
        wire.on_request()


async def _on_end(_: object, __: object, params: aiohttp.TraceRequestEndParams) -> None:
    if wire := WIRE.get():
        wire.status = params.response.status
        wire.limits = rate_headers(params.response.headers, time.time())
        if (params.response.content_length or 0) > LONGEST_BODY:
            wire.problem = "too long"
            params.response.close()
            raise BodyTooLongError


async def _on_exception(_: object, __: object, params: aiohttp.TraceRequestExceptionParams) -> None:
    if (wire := WIRE.get()) and isinstance(params.exception, aiohttp.ClientError | OSError):
        wire.problem, wire.unsent = wire.problem or "broken", isinstance(params.exception, NOT_SENT)
        raise BrokenConnectionError(str(params.exception)) from params.exception


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


# ------------------------------------------------------------------------------
# litellm's exceptions as failures: the kind, the message, and how long to wait.


PERMANENT: frozenset[FailureKind] = frozenset({"key", "model"})
"""Kinds that affect every call of a model."""

_NO_KEY = re.compile(r"api[_ ]key|credentials", re.I)
_ONLY_A_STATUS = re.compile(r"Error code: [0-9]+")
_PREFIXES = re.compile(r"^(?:litellm\.)?\w+(?:Error|Exception|Timeout):? (?:- )?", re.I)


class AttemptError(Exception):
    """A failed attempt, for the retry loop, without any key; `wait_s` is what the server asks for.

    `again`: it is retried even if failures of its kind are not.
    """

    def __init__(self, failure: Failure, wait_s: float | None = None, *, again: bool = False) -> None:
        super().__init__(failure.message)
        self.failure, self.wait_s, self._again = failure, wait_s, again

    @property
    def may_retry(self) -> bool:
        return self._again or self.failure.kind in RETRIED


def attempt_error_of(name: str, error: Exception, wire: Wire, secrets: Iterable[str | None]) -> AttemptError:
    words = words_of(error)
    status = _status(error, wire)
    kind = _kind(error, status, wire)
    if kind == "key" and status == 500:
        status = None  # litellm's own, for a call that it did not make
    if wire.problem == "too long":
        words = f"more than {LONGEST_BODY:,} bytes"
    wait_s = _wait_s(error, wire, words)
    cause = None
    if kind not in ("answer", "connection", "timeout") and status is not None:
        cause = provider_errors.cause_of(status, _details(error, words), wait_s)
    if cause is not None and cause != "content_policy":
        kind = provider_errors.kind_of(status, cause)
    failure = provider_errors.failure(name, kind, words, secrets, status=status, cause=cause)
    return AttemptError(failure, wait_s if kind in RETRIED else None)


def filter_refusal(error: Exception, wire: Wire, secrets: Iterable[str | None]) -> Reply | None:
    """Return the refusal of a provider's filter, if the error is one; free, as no model saw the prompt."""
    words, status = words_of(error), _status(error, wire)
    is_answer = wire.status == 200 and status in (None, 200, 500)
    by_words = wire.requests > 0 and wire.problem is None and not is_answer
    if type(error).__name__ != "ContentPolicyViolationError" and not (
        by_words
        and provider_errors.cause_of(status, _details(error, words), _wait_s(error, wire, words))
        == "content_policy"
    ):
        return None
    refusal = scrub(words, secrets) or "stopped"
    return Reply("", finish_reason="content_filter", refusal=refusal, cost_usd=0.0)


def _details(error: Exception, words: str) -> ProviderError:
    """Return an error as its provider wrote it, with the code in its body if litellm passed that on."""
    inner = provider_errors.read_error(_body(error))
    code = getattr(error, "code", None)
    codes = f"{code} {inner.code}" if isinstance(code, str) else inner.code
    return ProviderError(words, codes.strip(), inner.parameter)


def _wait_s(error: Exception, wire: Wire, words: str) -> float | None:
    wait_s = limits_of(error, wire).wait_s
    if wait_s is not None:
        return wait_s
    stated = provider_errors.stated_wait_s(words)
    return provider_errors.read_error(_body(error)).wait_s if stated is None else stated


def _body(error: BaseException | None) -> object:
    """Return the body of the provider's error, which may be with the error that litellm replaced."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if (body := getattr(error, "body", None)) is not None:
            return body
        error = error.__cause__ or error.__context__
    return None


def _kind(error: Exception, status: int | None, wire: Wire) -> FailureKind:
    if wire.problem == "too long":
        return "answer"
    if wire.problem == "broken":
        return "connection"
    if wire.status == 200 and status in (None, 200, 500):
        return "answer"  # litellm says 500 if an answer of status 200 cannot be read
    if not wire.requests and _NO_KEY.search(str(error)):
        return "key"  # litellm found none and made no call
    if status is None:
        return "connection" if wire.requests else "request"
    return provider_errors.kind_of(status, provider_errors.cause_of(status, ProviderError()))


def _status(error: Exception, wire: Wire) -> int | None:
    """Return the HTTP status of the network, or of an error object within an answer."""
    code = getattr(error, "status_code", None)
    if wire.status is not None and wire.status != 200:
        return wire.status
    if wire.requests and wire.status is None:
        return None
    return code if isinstance(code, int) else None


def limits_of(error: Exception, wire: Wire) -> RateLimits:
    """Return the rate limits in an error's headers; litellm passes on those that `wire` did not see."""
    if wire.limits != NO_LIMITS:
        return wire.limits
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        if isinstance(headers, Mapping) and headers:
            return rate_headers(headers, time.time())
    return NO_LIMITS


def words_of(error: Exception) -> str:
    """Return the provider's message in one line, without litellm's prefixes and without markup."""
    text = str(getattr(error, "message", None) or error)
    while (shorter := _PREFIXES.sub("", text)) != text:
        text = shorter
    if (start := text.find('{"error"')) >= 0:
        with suppress(ValueError, KeyError, TypeError):
            text = str(json.JSONDecoder().raw_decode(text[start:])[0]["error"]["message"]) or text
    text = text.partition("Traceback (most recent call last)")[0]  # litellm's own, of no use here
    if _ONLY_A_STATUS.fullmatch(text.strip()):
        text = provider_errors.read_error(_body(error)).words or text
    if text.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            text = provider_errors.read_error(json.loads(text)).words or text
    return " ".join(TAGS.sub(" ", text).split())


# ------------------------------------------------------------------------------
# litellm, imported at the first call and configured to be quiet, and one call through it.


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
    if attempt is None and provider_errors.lacks_choice(content):
        failure = provider_errors.failure(name, "answer", "it has no choice", status=200)
        charge = stated_charge(content)
        attempt = Attempt(failure, limits=wire.limits, unknown_charge=True, charge=charge)
    return None if attempt is None else replace(attempt, requests=wire.requests)


def address(config: ModelConfig, key: str | None) -> dict[str, Any]:
    """Return a model's address and key as litellm's arguments, unless they are the provider's defaults."""
    if config.api_base:
        return {"api_base": config.api_base, "api_key": key or NO_KEY}
    return {"api_key": key} if key else {}


# ------------------------------------------------------------------------------
# Providers' batches through litellm.


PROVIDERS = ("openai", "hosted_vllm", "litellm_proxy")
"""Providers with OpenAI's batches, made from files; litellm supports others, which work differently."""

ENDPOINT = "/v1/chat/completions"
_LABEL = "spb_batch"
_PAGE = 100


def has_batches(model: str) -> bool:
    return provider_of(model) in PROVIDERS


def request_body(config: ModelConfig, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a live call would send besides its messages; raises litellm's errors for bad parameters."""
    model = config.model.partition("/")[2]
    provider = provider_of(config.model)
    mapped = load().utils.get_optional_params(model=model, custom_llm_provider=provider, **params)
    extra = mapped.pop("extra_body", None) or {}
    mapped.pop("stream", None)
    return {"model": model, **mapped, **extra}


_ENDED = ("completed", "failed", "expired", "cancelled")
_LATE = ("batch_expired", "batch_cancelled")
_CLOCKS_S = 3_600.0
"""Tolerance for the difference between the provider's clock and this machine's."""

T = TypeVar("T")


class BatchError(SpbError):
    """A request about a batch failed finally; the kind of `failure` tells whether the batch exists."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


_ODD = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What reading a line of an unexpected shape may raise."""


class LineError(Exception):
    """The error that answered a line of a batch, with the attributes of litellm's errors for live calls."""

    def __init__(self, status: int | None, body: object) -> None:
        error = body.get("error") or body if isinstance(body, Mapping) else body
        details = error if isinstance(error, Mapping) else {"message": error}
        words = provider_errors.read_error(details).words
        super().__init__(words or str(details.get("code") or "no reason was given"))
        self.status_code, self.code, self.body = status, details.get("code"), details


def read_lines(content: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the ids and objects of a batch's result file, without the lines that are not such objects."""
    text = content.decode("utf-8-sig", "replace")
    for line in text.split("\n"):
        try:
            values = json.loads(line, strict=False)
        except (ValueError, RecursionError):
            values = None
        custom_id = values.get("custom_id") if isinstance(values, Mapping) else None
        if isinstance(custom_id, str):
            yield custom_id, values
        elif line.strip():
            LOG.warning("a line of a batch's results names no call and is left out: %.80r", line)


def _line_status(value: object) -> int | None:
    """Return the HTTP status of a line, which may be a number or a text; None for anything else."""
    match = re.match(r"\s*([1-5][0-9]{2})\b", str(value))
    return int(match[1]) if match else None


def _moment(seconds: object) -> str | None:
    """Return a time in seconds since 1970 in stored form; None for anything else."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return None


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch at its provider; `failure` is why it failed as a whole, before any call was made."""

    status: str
    done: int
    output_file: str | None = None
    error_file: str | None = None
    ended_at: str | None = None
    failure: Failure | None = None

    @property
    def ended(self) -> bool:
        return self.status in _ENDED


@dataclass(eq=False)
class Batches:
    """The batches of a run's models; failed requests are retried like live calls, else BatchError."""

    configs: Mapping[str, ModelConfig]
    params: Mapping[str, dict[str, Any]]
    fallbacks: Mapping[str, ParameterFallback]
    price: Callable[[str], Price | None]
    attempts: Callable[[], Any]
    timeout_s: float
    _mapped: dict[str, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)

    def body(self, name: str, messages: Sequence[Message], *, logprobs: bool) -> dict[str, Any]:
        """Return the body of a model's call; BatchError for a refused parameter that cannot be omitted."""
        while True:
            params = self.fallbacks[name].parameters(self.params[name], logprobs=logprobs)
            mapped = self._mapped.get(name)  # the same for all calls; litellm takes a millisecond for it
            if mapped is not None and mapped[0] == params:
                return {**mapped[1], "messages": list(messages)}
            try:
                self._mapped[name] = params, request_body(self.configs[name], params)
            except Exception as error:  # litellm's errors have no common base
                if not self._adapt(name, str(error), params):
                    raise BatchError(self._attempt_error(name, error).failure) from error

    async def submit(self, name: str, label: str, content: bytes) -> str:
        """Submit the lines of a batch under a label and return its id; the batch is created at most once."""
        since = datetime.now(UTC).timestamp()
        file = ("batch.jsonl", content, "application/jsonl")
        upload = await self._call_with_retries(name, "create_file", file=file, purpose="batch")
        has_tried = False

        async def make() -> str:
            nonlocal has_tried
            if has_tried:  # it may have been created and only the answer lost
                batch_id = await self._id_of(name, label, since)
                if batch_id is not None:
                    return batch_id
            has_tried = True
            lines = {"endpoint": ENDPOINT, "input_file_id": str(upload.id), "completion_window": "24h"}
            batch = await self._call(name, "create_batch", metadata={_LABEL: label}, **lines)
            return str(batch.id)

        return await self._retry(name, make)

    async def find(self, name: str, label: str, made_at: str) -> str | None:
        since = datetime.fromisoformat(made_at).timestamp()
        return await self._retry(name, lambda: self._id_of(name, label, since))

    async def _id_of(self, name: str, label: str, since: float) -> str | None:
        after: dict[str, str] = {}
        while True:  # the newest come first; those from before `since` (epoch seconds) are not searched
            page = await self._call(name, "list_batches", limit=_PAGE, **after)
            batches = list(page.data)
            page._client.close()  # litellm requests lists without the header that would close it
            for batch in batches:
                if (batch.metadata or {}).get(_LABEL) == label:
                    return str(batch.id)
            is_last = not getattr(page, "has_more", False)
            if is_last or not batches or batches[-1].created_at < since - _CLOCKS_S:
                return None
            after = {"after": str(batches[-1].id)}

    async def state(self, name: str, batch_id: str) -> BatchState:
        batch = await self._call_with_retries(name, "retrieve_batch", batch_id=batch_id)
        counts = [getattr(batch.request_counts, each, None) for each in ("completed", "failed")]
        end = getattr(batch, f"{batch.status}_at", None) if batch.status in _ENDED else None
        failure: Failure | None = None
        if batch.status == "failed":
            errors = [each for each in getattr(batch.errors, "data", None) or [] if each is not None]
            codes = [getattr(each, "code", None) for each in errors]
            reasons = [
                f"{getattr(each, 'message', each)} ({code})" for each, code in zip(errors, codes, strict=True)
            ]
            words = "; ".join(reasons[:3]) or "no reason was given"
            kind: FailureKind = "rate_limit" if "token_limit_exceeded" in codes else "request"
            failure = Failure(kind, f"model {name!r}: the batch was refused: {words}")
        return BatchState(
            status=batch.status,
            done=sum(each for each in counts if isinstance(each, int)),
            output_file=batch.output_file_id or None,
            error_file=batch.error_file_id or None,
            ended_at=_moment(end),
            failure=failure,
        )

    async def attempts_of(
        self, name: str, state: BatchState, params: Mapping[str, Any]
    ) -> AsyncIterator[tuple[str, Attempt | None]]:
        """Yield the keys and attempts of an ended batch's calls, made with `params`; some may be missing.

        None instead of an attempt: the call is to be made again without a parameter that was refused.
        Each line is read by itself. A file of errors that cannot be fetched is left out, with a warning: the
        answers in the other one are paid for.
        """
        for file_id in filter(None, (state.output_file, state.error_file)):
            try:
                response = await self._call_with_retries(name, "file_content", file_id=file_id)
            except BatchError as error:
                if file_id != state.error_file or state.output_file is None:
                    raise
                LOG.warning("the errors of a batch cannot be fetched: %s", error)
                continue
            for custom_id, values in read_lines(response.content):
                yield custom_id, self._attempt(name, values, params)

    def _attempt(self, name: str, line: Mapping[str, Any], params: Mapping[str, Any]) -> Attempt | None:
        key = key_of(self.configs[name])
        try:
            return self._read_line(name, line, params, key)
        except _ODD as error:
            words = scrub(f"{type(error).__name__}: {error}", [key])
            failure = Failure("answer", f"model {name!r}: the answer could not be read: {words}")
            return Attempt(failure, unknown_charge=True)

    def _read_line(
        self, name: str, line: Mapping[str, Any], params: Mapping[str, Any], key: str | None
    ) -> Attempt | None:
        response, error = line.get("response"), line.get("error")
        fields: Mapping[str, Any] = response if isinstance(response, Mapping) else {}
        status, body = _line_status(fields.get("status_code")), fields.get("body")
        if isinstance(body, str):
            with suppress(ValueError):
                body = json.loads(body, strict=False)
        has_choice = not provider_errors.lacks_choice(body)
        if has_choice and status in (None, 200):
            if (no_answer := attempt_without_answer(name, body, self.price(name), [key])) is not None:
                return no_answer
            reply = replace(reply_of(body, self.price(name)), address=address_of(self.configs[name]) or None)
            return Attempt(without_key(reply, key))
        details: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
        code = details.get("code")
        if isinstance(code, str) and code in _LATE:
            words = f"model {name!r}: the batch ended before this call was made: {details.get('message')}"
            return Attempt(Failure("timeout", scrub(words, [key])))
        if status == 200 and not error and not (isinstance(body, Mapping) and body.get("error")):
            if (blocked := provider_errors.blocked_prompt(body)) is not None:
                return Attempt(Reply("", finish_reason="content_filter", refusal=blocked, cost_usd=0.0))
            words = "it has no choice" if isinstance(body, Mapping) else "it has no body"
            failure = Failure("answer", f"model {name!r}: the answer could not be read: {words}")
            return Attempt(failure, unknown_charge=True, charge=stated_charge(body))
        line_error = LineError(status if status != 200 else None, body or error or response or {})
        wire = Wire(lambda: None, requests=1, status=line_error.status_code)
        if (refusal := filter_refusal(line_error, wire, [key])) is not None:
            return Attempt(refusal)
        if line_error.status_code is None:
            inner = ProviderError(str(line_error), str(line_error.code or ""))
            return Attempt(provider_errors.failure_of(name, None, inner, [key]))
        failure = self._attempt_error(name, line_error, line_error.status_code).failure
        again = failure.kind == "request" and self._adapt(name, str(line_error), params)
        return None if again else Attempt(failure)

    def _adapt(self, name: str, words: str, params: Mapping[str, Any]) -> bool:
        change = self.fallbacks[name].update(words, dict(params))
        if change:
            LOG.warning("model %r %s", name, change)
        return change is not None

    async def _call(self, name: str, function: str, **arguments: Any) -> Any:
        """Call one of litellm's functions about a model's batches, in a thread, without its own retries.

        litellm creates a client per request, which its asynchronous functions leave open. Here the connection
        closes after the answer. A batch created twice would be paid for twice.
        """
        config = self.configs[name]
        options: dict[str, Any] = {"timeout": self.timeout_s, "num_retries": 0, "max_retries": 0}
        options |= {"extra_headers": {"Connection": "close"}, **address(config, key_of(config))}
        provider = provider_of(config.model)
        call = getattr(load(), function)
        return await asyncio.to_thread(call, custom_llm_provider=provider, **options, **arguments)

    async def _call_with_retries(self, name: str, function: str, **arguments: Any) -> Any:
        return await self._retry(name, lambda: self._call(name, function, **arguments))

    async def _retry(self, name: str, action: Callable[[], Awaitable[T]]) -> T:
        """Run `action`, retried if its failure allows; BatchError if that does not help."""
        try:
            async for attempt in self.attempts():
                with attempt:
                    try:
                        return await action()
                    except Exception as error:  # raised by litellm or by the provider's library
                        raise self._attempt_error(name, error) from error
        except AttemptError as error:
            raise BatchError(error.failure) from error
        raise AssertionError("the last attempt neither returned nor raised")

    def _attempt_error(self, name: str, error: Exception, status: int | None = None) -> AttemptError:
        if isinstance(error, pydantic.ValidationError):  # litellm's, of a response that it has read
            problem = error.errors(include_url=False, include_input=False)[0]
            words = f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
            secrets = [key_of(self.configs[name])]
            return AttemptError(provider_errors.failure(name, "answer", words, secrets, status=200))
        code = status if status is not None else getattr(error, "status_code", None)
        wire = Wire(lambda: None, requests=1, status=code if isinstance(code, int) else None)
        return attempt_error_of(name, error, wire, [key_of(self.configs[name])])
