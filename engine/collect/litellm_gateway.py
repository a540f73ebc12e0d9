"""The only importer of litellm: a call through it, its reply or failure, and providers' batches."""

import asyncio
import functools
import importlib
import json
import logging
import os
import re
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import aiohttp

from engine.collect import openai_replies, provider_errors
from engine.collect.answer_cache import note_exchange
from engine.collect.calls import Failure, FailureKind, Message, Reply
from engine.collect.config import ModelConfig, Price
from engine.collect.openai_replies import reply_of
from engine.collect.openai_transport import LONGEST_BODY, Attempt
from engine.collect.provider_errors import (
    NOTHING_SAID,
    RETRIED,
    TAGS,
    ProviderError,
    RateHeaders,
    rate_headers,
    timeout_failure,
)
from engine.collect.spending import FREE, PER, ParameterFallback, key_of, provider_of, scrub, without
from engine.errors import SpbError

# ------------------------------------------------------------------------------
# What happens on the network during one call, noted beside litellm, whose errors guess at it.


class BrokenConnectionError(Exception):
    """The connection broke; of a kind that litellm has no second try for."""


class BodyTooLongError(Exception):
    """The answer announces more bytes than any answer has."""


@dataclass(slots=True)
class Wire:
    """What is known of the network's side of one attempt.

    `requests` were sent; `status` and `limits` are those of the last response's head. `ended` says what
    came of it before or after that head. `on_request` is called as each request leaves.
    """

    on_request: Callable[[], None]
    requests: int = 0
    status: int | None = None
    limits: RateHeaders = NOTHING_SAID
    ended: Literal["broken", "too long"] | None = None

    def sent(self) -> None:
        """Note that a request leaves."""
        self.requests += 1
        self.on_request()


WIRE: ContextVar[Wire | None] = ContextVar("wire", default=None)
"""The attempt that the running task is about."""


def open_session() -> aiohttp.ClientSession:
    """Return a session that notes what its requests meet; the caller bounds how many are open at once."""
    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(_started)
    trace.on_request_end.append(_answered)
    trace.on_request_exception.append(_broken)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None),
        trace_configs=[trace],
    )


async def _started(*_: object) -> None:
    if wire := WIRE.get():
        wire.sent()


async def _answered(_: object, __: object, params: aiohttp.TraceRequestEndParams) -> None:
    if wire := WIRE.get():
        wire.status = params.response.status
        wire.limits = rate_headers(params.response.headers, time.time())
        if (params.response.content_length or 0) > LONGEST_BODY:
            wire.ended = "too long"
            params.response.close()
            raise BodyTooLongError


async def _broken(_: object, __: object, params: aiohttp.TraceRequestExceptionParams) -> None:
    if (wire := WIRE.get()) and isinstance(params.exception, aiohttp.ClientError | OSError):
        wire.ended = wire.ended or "broken"
        raise BrokenConnectionError(str(params.exception)) from params.exception


def litellm_reply(response: Any, latency_s: float | None, price: Price | None, *, own_price: bool) -> Reply:
    """Return the reply in a litellm response, read by `openai_replies.reply_of`.

    `own_price`: the price is the user's and not litellm's list, whose sum knows of discounts.
    """
    reply = openai_replies.reply_of(response.model_dump(), price, latency_s)
    listed = getattr(response, "_hidden_params", {}).get("response_cost")
    if own_price or reply.cost_usd is None or not isinstance(listed, float | int):
        return reply
    return replace(reply, cost_usd=float(listed))


def answer_within(error: BaseException) -> Mapping[str, Any] | None:
    """Return the answer that litellm was given and could not take, such as one in parts; None where none.

    It was paid for, and litellm hands on nothing but an error: the answer stands in the frame that raised it.
    """
    raised: BaseException | None = error
    while raised is not None:
        trace = raised.__traceback__
        while trace is not None:
            given = trace.tb_frame.f_locals.get("response_object")
            if isinstance(given, Mapping) and given.get("choices"):
                return given
            trace = trace.tb_next
        raised = raised.__cause__ or raised.__context__
    return None


# ------------------------------------------------------------------------------
# litellm's exceptions read as failures: which kind, in which words, and how long to wait.


FOR_GOOD: frozenset[FailureKind] = frozenset({"key", "model"})
"""Kinds that are the same for every call of a model."""

_FILTER_CODES = ("content_policy_violation", "content_filter")
_NO_KEY = re.compile(r"api[_ ]key|credentials", re.I)
_PREFIXES = re.compile(r"^(?:litellm\.)?\w+(?:Error|Exception|Timeout):? (?:- )?", re.I)


class TroubleError(Exception):
    """A failed attempt, for what tries again; its words hold no key.

    `wait_s` are the seconds that the server asks to wait before the next.
    """

    def __init__(self, failure: Failure, wait_s: float | None = None) -> None:
        super().__init__(failure.message)
        self.failure, self.wait_s = failure, wait_s

    @property
    def retried(self) -> bool:
        """Whether another try is worth it."""
        return self.failure.kind in RETRIED


def trouble_of(name: str, error: Exception, wire: Wire, secrets: Iterable[str | None]) -> TroubleError:
    """Return what the exception of one attempt at the model `name` means."""
    words = words_of(error)
    status = _status(error, wire)
    kind = _kind(error, status, wire)
    if kind == "key" and status == 500:
        status = None  # litellm's, of a call that it did not make
    if wire.ended == "too long":
        words = f"more than {LONGEST_BODY:,} bytes"
    cause = None
    if kind not in ("answer", "connection", "timeout") and status is not None:
        described = ProviderError(words, f"{getattr(error, 'code', '')} {getattr(error, 'body', '')}")
        cause = provider_errors.cause_of(status, described)
    if cause is not None and cause != "content_policy":
        kind = provider_errors.kind_of(status, cause)
    failure = provider_errors.failure(name, kind, words, secrets, status=status, cause=cause)
    return TroubleError(failure, limits_of(error, wire).wait_s if kind in RETRIED else None)


def stopped_by_filter(error: Exception, secrets: Iterable[str | None]) -> Reply | None:
    """Return the refusal that a provider's filter gives as an error, before any model saw the prompt.

    It costs nothing, as no model was asked.
    """
    code = getattr(error, "code", None)
    if type(error).__name__ != "ContentPolicyViolationError" and code not in _FILTER_CODES:
        return None
    return Reply("", finish_reason="content_filter", refusal=scrub(words_of(error), secrets), cost_usd=0.0)


def _kind(error: Exception, status: int | None, wire: Wire) -> FailureKind:
    if wire.ended == "too long":
        return "answer"
    if wire.ended == "broken":
        return "connection"
    if wire.status == 200 and status in (None, 200, 500):
        return "answer"  # litellm says 500 where an answer of status 200 cannot be read
    if not wire.requests and _NO_KEY.search(str(error)):
        return "key"  # litellm found none, and did not call
    if status is None:
        return "connection" if wire.requests else "request"
    return provider_errors.kind_of(status, provider_errors.cause_of(status, ProviderError()))


def _status(error: Exception, wire: Wire) -> int | None:
    """Return the HTTP status: the network's, or that of an error object within an answer."""
    code = getattr(error, "status_code", None)
    if wire.status is not None and wire.status != 200:
        return wire.status
    if wire.requests and wire.status is None:
        return None
    return code if isinstance(code, int) else None


def limits_of(error: Exception, wire: Wire) -> RateHeaders:
    """Return what the headers of an error say of limits; litellm hands on those that `wire` did not see."""
    if wire.limits != NOTHING_SAID:
        return wire.limits
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        if isinstance(headers, Mapping) and headers:
            return rate_headers(headers, time.time())
    return NOTHING_SAID


def words_of(error: Exception) -> str:
    """Return the provider's own words in one line, without litellm's names for it and without markup."""
    text = str(getattr(error, "message", None) or error)
    while (shorter := _PREFIXES.sub("", text)) != text:
        text = shorter
    if (start := text.find('{"error"')) >= 0:
        text = _message(text[start:]) or text
    text = text.partition("Traceback (most recent call last)")[0]  # litellm's own, which helps nobody
    return " ".join(TAGS.sub(" ", text).split())


def _message(text: str) -> str | None:
    try:
        error = json.JSONDecoder().raw_decode(text)[0]["error"]
    except (ValueError, KeyError, TypeError):
        return None
    return str(error["message"]) if isinstance(error, dict) and "message" in error else None


# ------------------------------------------------------------------------------
# litellm, imported at the first call and set up to be quiet; one call through it.


_WARM_UP_S = 60.0
"""Seconds that a call may take before its request leaves: the first ones of a provider import its code."""
NO_KEY = "none"
"""Sent to a server of the user's own that has no key: a provider's key must not reach another address."""


@functools.cache
def load() -> Any:
    """Import litellm (4 seconds) and return it.

    It reads its price list from the package, reports to nobody and writes no log (which could hold prompts).
    Its `turn_off_message_logging` is left alone: nobody hears of a call, and
    to copy and blacken each for nobody would take a fifth of its time.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # exactly so, and before the import
    os.environ.pop("LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", None)  # it would print every prompt
    litellm: Any = importlib.import_module("litellm")

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # a parameter that is dropped in silence would change what was measured
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # they quote answers
    for name in ("openai", "httpx"):  # they log prompts and addresses, which may hold keys
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("stamina").addHandler(logging.NullHandler())  # retries are counted, not printed
    return litellm


def register(model: str, price: Price | None) -> None:
    """Tell litellm a price, so that it does not search its list in vain at each call (a tenth of its time).

    A model of unknown price is told to be free; nobody reads litellm's cost of it.
    """
    litellm = load()
    if model in litellm.model_cost:
        return
    shown = price or FREE
    entry = {
        "input_cost_per_token": shown.input_per_million / PER,
        "output_cost_per_token": shown.output_per_million / PER,
        "litellm_provider": provider_of(model) or "openai",
        "mode": "chat",
    }
    litellm.register_model({model: entry})


async def attempt(
    name: str,
    config: ModelConfig,
    messages: list[dict[str, str]],
    params: dict[str, Any],
    price: Price | None,
    session: Any,
    timeout_s: float,
) -> Attempt:
    """Make one call to the model `name`, without retries of litellm's own, and return what came of it.

    It may take `timeout_s` from the moment its request leaves; a model's trouble is never raised.
    """
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
        reply = litellm_reply(response, loop.time() - began, price, own_price=config.price is not None)
        note_exchange(place, request, wire.status, response.model_dump(), (key,))
        return Attempt(without(reply, key), wire.requests, wire.limits)
    except Exception as error:  # litellm's errors have no common base
        note_exchange(place, request, wire.status, str(error), (key,))
        if deadline.expired():
            return Attempt(timeout_failure(name, timeout_s), wire.requests, unknown_charge=True)
        if wire.status == 200 and (given := answer_within(error)) is not None:
            unread = openai_replies.reply_of(given, price, loop.time() - began)
            return Attempt(without(unread, key), wire.requests, wire.limits)
        limits = limits_of(error, wire)
        if (refused := stopped_by_filter(error, [key])) is not None:
            return Attempt(refused, wire.requests, limits)
        outcome = trouble_of(name, error, wire, [key]).failure
        return Attempt(outcome, wire.requests, limits, str(error), unknown_charge=wire.status == 200)
    finally:
        WIRE.reset(token)


def address(config: ModelConfig, key: str | None) -> dict[str, Any]:
    """Return where a model is asked and with which key, where that is not as the provider has it."""
    if config.api_base:
        return {"api_base": config.api_base, "api_key": key or NO_KEY}
    return {"api_key": key} if key else {}


# ------------------------------------------------------------------------------
# Providers' batches through litellm.


PROVIDERS = ("openai", "hosted_vllm", "litellm_proxy")
"""Whose batches are asked for in OpenAI's way, with files; litellm has others', which are made otherwise."""

ENDPOINT = "/v1/chat/completions"
_LABEL = "spb_batch"
_PAGE = 100


def has_batches(model: str) -> bool:
    """Return whether calls of a litellm model string can be made in batches."""
    return provider_of(model) in PROVIDERS


def request_body(config: ModelConfig, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a live call would send beside its messages; raises litellm's errors for a parameter."""
    litellm = load()
    model = config.model.partition("/")[2]
    mapped = litellm.utils.get_optional_params(
        model=model, custom_llm_provider=provider_of(config.model), **params
    )
    more = mapped.pop("extra_body", None) or {}
    mapped.pop("stream", None)
    return {"model": model, **mapped, **more}


_ENDED = ("completed", "failed", "expired", "cancelled")
_LATE = ("batch_expired", "batch_cancelled")
_CLOCKS_S = 3_600.0
"""By how much the provider's clock may differ from this machine's."""

T = TypeVar("T")
Answered = tuple[str, Reply | Failure | None]
"""A call's key and what came of it; None: to be asked again, as a parameter was found not to be taken."""


class BatchError(SpbError):
    """A request about a batch failed for good; whether the batch is there is known from `failure`'s kind."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class LineError(Exception):
    """A line of a batch that was answered by an error, worded as litellm words those of live calls."""

    def __init__(self, status: int | None, body: Any) -> None:
        error = body.get("error", body) if isinstance(body, dict) else body
        known = error if isinstance(error, dict) else {"message": str(error)}
        super().__init__(str(known.get("message") or known.get("code") or "no reason was given"))
        self.status_code, self.code, self.body = status, known.get("code"), known


@dataclass(frozen=True, slots=True)
class BatchState:
    """What a provider says of a batch: how many of its lines are done, and once it has ended its files.

    `ended_at` is a time in ISO form; `failure` is why a batch failed as a whole, before any call was made.
    """

    status: str
    done: int
    files: tuple[str, ...] = ()
    ended_at: str | None = None
    failure: Failure | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in _ENDED


@dataclass(eq=False)
class Batches:
    """The batches of a run's models, by their names in the configuration; made by `Models.batches`.

    Requests that fail are tried again as those of live calls are. Raises BatchError where that does not help.
    """

    configs: Mapping[str, ModelConfig]
    params: Mapping[str, dict[str, Any]]
    adapting: Mapping[str, ParameterFallback]
    price: Callable[[str], Price | None]
    tries: Callable[[], Any]
    on_notice: Callable[[str, str], None]
    timeout_s: float
    _mapped: dict[str, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)

    def body(self, name: str, messages: Sequence[Message], *, logprobs: bool) -> dict[str, Any]:
        """Return what a call of the model sends, as a line of a batch has it.

        Raises BatchError for a parameter that litellm knows the model not to take, and that cannot be left
        out.
        """
        while True:
            sent = self.adapting[name].parameters(self.params[name], logprobs=logprobs)
            known = self._mapped.get(name)  # the same for all calls, and litellm takes a millisecond for it
            if known is not None and known[0] == sent:
                return {**known[1], "messages": list(messages)}
            try:
                self._mapped[name] = sent, request_body(self.configs[name], sent)
            except Exception as error:  # litellm's errors have no common base
                if not self._learnt(name, str(error), sent):
                    raise BatchError(self._trouble(name, error).failure) from error

    async def submit(self, name: str, label: str, content: bytes) -> str:
        """Hand over the lines of a batch, labelled, and return the batch's id; it is made once at most."""
        since = datetime.now(UTC).timestamp()
        file = ("batch.jsonl", content, "application/jsonl")
        uploaded = await self._retried(name, "create_file", file=file, purpose="batch")
        tried = False

        async def make() -> str:
            nonlocal tried
            if tried:  # it may have been made, and only the answer was lost
                batch_id = await self._id_of(name, label, since)
                if batch_id is not None:
                    return batch_id
            tried = True
            batch = await self._called(
                name,
                "create_batch",
                completion_window="24h",
                endpoint=ENDPOINT,
                input_file_id=str(uploaded.id),
                metadata={_LABEL: label},
            )
            return str(batch.id)

        return await self._again(name, make)

    async def find(self, name: str, label: str, made_at: str) -> str | None:
        """Return the id of the batch with this label, which may have been made since `made_at`."""
        since = datetime.fromisoformat(made_at).timestamp()
        return await self._again(name, lambda: self._id_of(name, label, since))

    async def _id_of(self, name: str, label: str, since: float) -> str | None:
        """Return the id of the batch with this label, None where there is none.

        The provider's list has the newest first; what was made before `since` (seconds of the epoch) is not
        looked at.
        """
        after: dict[str, str] = {}
        while True:
            page = await self._called(name, "list_batches", limit=_PAGE, **after)
            batches = list(page.data)
            page._client.close()  # litellm sends lists without the headers that would close it
            for batch in batches:
                if (batch.metadata or {}).get(_LABEL) == label:
                    return str(batch.id)
            is_last = not getattr(page, "has_more", False)
            if is_last or not batches or batches[-1].created_at < since - _CLOCKS_S:
                return None
            after = {"after": str(batches[-1].id)}

    async def state(self, name: str, batch_id: str) -> BatchState:
        """Ask how far a batch is."""
        batch = await self._retried(name, "retrieve_batch", batch_id=batch_id)
        counts = batch.request_counts
        ended = getattr(batch, f"{batch.status}_at", None) if batch.status in _ENDED else None
        return BatchState(
            status=batch.status,
            done=(counts.completed + counts.failed) if counts else 0,
            files=tuple(each for each in (batch.output_file_id, batch.error_file_id) if each),
            ended_at=datetime.fromtimestamp(ended, UTC).isoformat(timespec="milliseconds") if ended else None,
            failure=_whole_failure(name, batch),
        )

    async def answers(self, name: str, state: BatchState, sent: Mapping[str, Any]) -> AsyncIterator[Answered]:
        """Yield what came of the calls of a batch that has ended, in the order of the provider's files.

        `sent` are the parameters of its lines. Calls of which nothing is known do not occur.
        """
        for file_id in state.files:
            response = await self._retried(name, "file_content", file_id=file_id)
            for line in response.content.splitlines():
                try:
                    read = json.loads(line)
                    custom_id = read["custom_id"]
                except (ValueError, KeyError, TypeError):
                    continue
                yield custom_id, self._outcome(name, read, sent)

    def _outcome(self, name: str, line: Mapping[str, Any], sent: Mapping[str, Any]) -> Reply | Failure | None:
        response, error = line.get("response") or {}, line.get("error")
        key = key_of(self.configs[name])
        if error is not None and error.get("code") in _LATE:
            words = f"model {name!r}: the batch ended before this call was made: {error.get('message')}"
            return Failure("timeout", scrub(words, [key]))
        status = response.get("status_code")
        try:
            if status != 200:
                raise LineError(status, response.get("body") or error or {})
            return without(reply_of(response["body"], self.price(name)), key)
        except LineError as failed:
            if (refused := stopped_by_filter(failed, [key])) is not None:
                return refused
            trouble = self._trouble(name, failed, status)
            again = trouble.failure.kind == "request" and self._learnt(name, str(failed), sent)
            return None if again else trouble.failure
        except KeyError:
            return Failure("answer", f"model {name!r}: the answer could not be read: it has no body")

    def _learnt(self, name: str, words: str, sent: Mapping[str, Any]) -> bool:
        lesson = self.adapting[name].learn(words, dict(sent))
        if lesson:
            self.on_notice(name, f"model {name!r} {lesson}")
        return lesson is not None

    async def _called(self, name: str, function: str, **given: Any) -> Any:
        """Call one of litellm's functions about a model's batches, in a thread.

        It makes a client for each request, which its asynchronous functions leave open; here the connection
        ends with the answer.
        """
        config = self.configs[name]
        return await asyncio.to_thread(
            getattr(load(), function),
            custom_llm_provider=provider_of(config.model),
            timeout=self.timeout_s,
            num_retries=0,
            max_retries=0,  # a batch that is made twice is paid for twice
            extra_headers={"Connection": "close"},
            **address(config, key_of(config)),
            **given,
        )

    async def _retried(self, name: str, function: str, **given: Any) -> Any:
        return await self._again(name, lambda: self._called(name, function, **given))

    async def _again(self, name: str, action: Callable[[], Awaitable[T]]) -> T:
        """Do something, again where it fails in a way that is worth it; BatchError in the end."""
        try:
            async for attempt in self.tries():
                with attempt:
                    try:
                        return await action()
                    except Exception as error:  # the provider's library has its own, litellm others
                        raise self._trouble(name, error) from error
        except TroubleError as error:
            raise BatchError(error.failure) from error
        raise AssertionError("the last attempt neither returned nor raised")

    def _trouble(self, name: str, error: Exception, status: int | None = None) -> TroubleError:
        code = status if status is not None else getattr(error, "status_code", None)
        wire = Wire(lambda: None, requests=1, status=code if isinstance(code, int) else None)
        return trouble_of(name, error, wire, [key_of(self.configs[name])])


def _whole_failure(name: str, batch: Any) -> Failure | None:
    if batch.status != "failed":
        return None
    errors = getattr(batch.errors, "data", None) or []
    words = "; ".join(f"{each.message} ({each.code})" for each in errors[:3]) or "no reason was given"
    busy = any(each.code == "token_limit_exceeded" for each in errors)
    return Failure("rate_limit" if busy else "request", f"model {name!r}: the batch was refused: {words}")
