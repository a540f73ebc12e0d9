"""Providers' batches through litellm."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import pydantic

from engine.collect.calls import Failure, FailureKind, Message, Reply
from engine.collect.client import provider_errors
from engine.collect.client.litellm_errors import AttemptError, attempt_error_of, filter_refusal
from engine.collect.client.litellm_gateway import address, load
from engine.collect.client.openai_replies import lacks_choice, reply_of
from engine.collect.client.openai_transport import Attempt, attempt_without_answer, stated_charge
from engine.collect.client.provider_errors import ProviderError
from engine.collect.client.wire import Wire
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.model_keys import address_of, key_of, provider_of
from engine.collect.database.batch_records import ENDPOINT
from engine.collect.hidden_secrets import scrub, without_key
from engine.collect.limits.refused_parameters import ParameterFallback
from engine.collect.run_log import LOG
from engine.errors import SpbError

PROVIDERS = ("openai", "hosted_vllm", "litellm_proxy")
"""Providers with OpenAI's batches, made from files; litellm supports others, which work differently."""


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
        has_choice = not lacks_choice(body)
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
