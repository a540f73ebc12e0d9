"""Calls in OpenAI's chat protocol over one HTTP session.

One call is one request: the caller waits, retries and keeps the pace, using the returned `Attempt`.
"""

import asyncio
import errno
import json
import os
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import aiohttp
from yarl import URL

from engine.collect.calls import Cause, Failure, Message, Reply
from engine.collect.client import provider_errors, proxies
from engine.collect.client.continuations import continued_fields, continued_reply
from engine.collect.client.openai_replies import is_answer, lacks_choice, reply_of, token_counts
from engine.collect.client.openai_requests import Endpoint, body_of, make_endpoint
from engine.collect.client.prompt_likelihoods import likelihood_fields, likelihood_reply
from engine.collect.client.provider_errors import RETRIED, ProviderError
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.database.exchanges import note_exchange
from engine.collect.hidden_secrets import scrub, without_key
from engine.collect.limits.rate_limits import NO_LIMITS, RateLimits, rate_headers
from engine.collect.limits.spending import Charge

LONGEST_BODY = 16 * 2**20  # bytes read of an answer; one that announces more is not read
LONGEST_ERROR = 256 * 2**10  # bytes read of an error
LATE_STATUSES = frozenset({408, 499, 504, 524})
"""Statuses by which a gateway gave up waiting, while the server behind it went on, and may charge."""
NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, ValueError)
"""Errors before the request was sent: a server or proxy that cannot be reached, an address that is none."""
_REFUSALS = frozenset({errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT})
_JSON = json.JSONDecoder(strict=False)  # tolerates line ends within strings


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one call.

    `requests` is the number sent: one, two if the token limit had to be renamed, none if the call could not
    be made. `limits` are the provider's limits in the headers, including its `wait_s`. `words` is the
    provider's full error message, from which a run learns what the model refuses. `unknown_charge`: the call
    failed after the server began to answer, or was given up meanwhile, so that it may have cost something.
    `charge` is what an unreadable answer states about that.
    """

    outcome: Reply | Failure
    requests: int = 1
    limits: RateLimits = NO_LIMITS
    words: str = ""
    unknown_charge: bool = False
    charge: Charge = field(default_factory=Charge)

    @property
    def may_retry(self) -> bool:
        return isinstance(self.outcome, Failure) and self.outcome.kind in RETRIED

    @property
    def wait_s(self) -> float | None:
        """How long the server asks to wait before a retry, in seconds; None if it does not say."""
        return self.limits.wait_s if self.may_retry else None


_Reader = Callable[[object, float], Reply | Failure]
"""Turns a response's JSON and its duration in seconds into a reply."""


@dataclass(slots=True)
class _HttpResponse:
    """The response to a call made with `key`; `content` is None if it was too long."""

    endpoint: Endpoint
    key: str | None
    status: int | None = None
    limits: RateLimits = NO_LIMITS
    location: str | None = None
    content: bytes | None = b""


class OpenAITransport:
    """Calls the models of a run that it `serves`, over one session of at most `connections` at once.

    The session belongs to one event loop. A call that waits for a connection waits within its time-out, so
    there should be as many as calls at once.
    """

    def __init__(
        self, configs: Mapping[str, ModelConfig], *, timeout_s: float = 600.0, connections: int = 512
    ) -> None:
        self._connections = connections
        self._endpoints = {name: make_endpoint(name, config) for name, config in configs.items()}
        self._timeouts = {name: config.timeout_s or timeout_s for name, config in configs.items()}
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"OpenAITransport({', '.join(self._endpoints)})"

    def address(self, name: str) -> str:
        return str(self._endpoints[name].url)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def complete(
        self, name: str, messages: Sequence[Message], params: Mapping[str, Any], *, price: Price | None = None
    ) -> Attempt:
        """Make one call to a model and return its outcome; a model's failure is never raised.

        `params` are sent unchanged, except that the fields of `extra_body` are sent beside them, and some are
        renamed for some servers. If `price` is None (unknown), so is the cost.
        """
        endpoint, fields = self._endpoints[name], {"messages": list(messages), **params}

        def read(content: object, latency_s: float) -> Reply | Failure:
            if lacks_choice(content):
                return provider_errors.failure(name, "answer", "it has no choice", status=200)
            return reply_of(content, price, latency_s)

        renames = endpoint.renames_limit  # another call may change it while this one is under way
        attempt = await self._post(endpoint, endpoint.url, fields, read, price)
        refused = isinstance(attempt.outcome, Failure) and attempt.outcome.status == 400
        names_another = refused and "max_completion_tokens" in attempt.words
        if "max_tokens" not in params or renames or not names_another:
            return attempt
        endpoint.renames_limit = True
        retry = await self._post(endpoint, endpoint.url, fields, read, price)
        return replace(retry, requests=2)

    async def likelihood(
        self, name: str, messages: Sequence[Message], params: Mapping[str, Any], *, price: Price | None = None
    ) -> Attempt:
        """Request the likelihood of the last message, as `likelihood_reply` returns it, from a model."""
        endpoint = self._endpoints[name]

        def read(content: object, latency_s: float) -> Reply | Failure:
            reply = likelihood_reply(content, messages, price, latency_s)
            if reply is not None:
                return reply
            other = "chat" if endpoint.echoes else "completions"
            words = (
                f"model {name!r}: its server gives no log-probabilities of a prompt (set prompt_logprobs = "
                f'"{other}" for it, or ask it from a server that gives them, such as vLLM)'
            )
            return Failure("request", words, 200, "bad_parameter")

        url = _completions_url(endpoint) if endpoint.echoes else endpoint.url
        fields = likelihood_fields(messages, params, echoes=endpoint.echoes)
        return await self._post(endpoint, url, fields, read, price)

    async def continuation(
        self,
        name: str,
        messages: Sequence[Message],
        params: Mapping[str, Any],
        options: Sequence[str],
        *,
        price: Price | None = None,
    ) -> Attempt:
        """Let a model continue a text, as `continued_reply` reads it: with `options` the likelier of them."""
        endpoint = self._endpoints[name]

        def read(content: object, latency_s: float) -> Reply | Failure:
            if lacks_choice(content):
                return provider_errors.failure(name, "answer", "it has no choice", status=200)
            return continued_reply(content, options, price, latency_s)

        fields = continued_fields(messages, params, options)
        return await self._post(endpoint, _completions_url(endpoint), fields, read, price)

    async def _post(
        self,
        endpoint: Endpoint,
        url: URL,
        fields: Mapping[str, Any],
        read: _Reader,
        price: Price | None,
    ) -> Attempt:
        body = body_of(endpoint, fields)
        key = os.environ.get(endpoint.key_variable or "", "").strip() or None
        if key is None and endpoint.key_needed:
            return Attempt(provider_errors.no_key(endpoint.name, endpoint.key_variable), requests=0)
        headers = {**endpoint.headers, "Authorization": f"Bearer {key}"} if key else endpoint.headers
        loop, timeout_s = asyncio.get_running_loop(), self._timeouts[endpoint.name]
        began = loop.time()
        if self._session is None:
            self._session = open_session(self._connections)
        response = _HttpResponse(endpoint, key)
        via: dict[str, Any] = {} if endpoint.proxy is None else {"proxy": endpoint.proxy}
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._session.post(url, data=body, headers=headers, allow_redirects=False, **via) as answer,
            ):
                response.status, response.location = answer.status, answer.headers.get("Location")
                response.limits = rate_headers(answer.headers, time.time())
                response.content = await _read_body(answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:  # TimeoutError is an OSError
            note_exchange(str(url), body, response.status, str(error) or type(error).__name__, (key,))
            return _broken_attempt(response, error, timeout_s)
        latency_s = loop.time() - began
        content = f"more than {LONGEST_BODY:,} bytes" if response.content is None else response.content
        note_exchange(str(url), body, response.status, content, (key,))
        return _read_attempt(response, read, latency_s, price)


def _completions_url(endpoint: Endpoint) -> URL:
    """Return the address of text completions beside that of chats."""
    path = endpoint.url.path.removesuffix("/chat/completions") + "/completions"
    return endpoint.url.with_path(path).with_query(endpoint.url.query)


def open_session(connections: int) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


async def _read_body(answer: aiohttp.ClientResponse) -> bytes | None:
    """Return the body; None, closing the connection, if it is too long."""
    limit = LONGEST_BODY if answer.status == 200 else LONGEST_ERROR
    if (answer.content_length or 0) <= limit:
        pieces, size = [], 0
        async for piece in answer.content.iter_any():
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                break
        else:
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    answer.close()
    return None


def _read_attempt(response: _HttpResponse, read: _Reader, latency_s: float, price: Price | None) -> Attempt:
    """Return the attempt in a response: a reply, a refusal by the provider's filter, or a failure."""
    content, key = _decode(response.content), response.key
    if response.status != 200:
        return _failed_attempt(response, response.status, provider_errors.read_error(content))
    if not isinstance(content, dict | list):  # such as a gateway's page
        page = provider_errors.read_error(content if isinstance(content, str) else "").words
        too_long = f"more than {LONGEST_BODY:,} bytes"
        words = too_long if response.content is None else f"it is not JSON: {page or 'it is empty'}"
        remedy = None
        if isinstance(content, str) and content.lstrip().startswith(("data:", "event:")):
            words, remedy = "it came as a stream", "its server must answer without streaming"
        name = response.endpoint.name
        outcome = provider_errors.failure(name, "answer", words, [key], status=200, remedy=remedy)
        return Attempt(outcome, limits=response.limits, unknown_charge=True, charge=stated_charge(content))
    endpoint = response.endpoint
    if not is_answer(content):
        no_answer = attempt_without_answer(
            endpoint.name, content, price, [key], key=endpoint.key_variable, limits=response.limits
        )
        if no_answer is not None:
            return no_answer
    reply = read(content, latency_s)
    if isinstance(reply, Failure):
        charge = stated_charge(content)
        return Attempt(reply, limits=response.limits, unknown_charge=True, charge=charge)
    repeats_key = key is not None and key.encode() in (response.content or b"")
    return Attempt(without_key(reply, key) if repeats_key else reply, limits=response.limits)


def attempt_without_answer(
    name: str,
    content: object,
    price: Price | None,
    secrets: Sequence[str | None],
    *,
    key: str | None = None,
    limits: RateLimits = NO_LIMITS,
) -> Attempt | None:
    """Return the attempt in a response of status 200 with an error or a blocked prompt; None without.

    `key` is the environment variable of the model's key.
    """
    error = provider_errors.error_within(content)
    if error is None:
        if (blocked := provider_errors.blocked_prompt(content)) is None:
            return None
        refusal = Reply("", finish_reason="content_filter", refusal=blocked, cost_usd=0.0)
        return Attempt(refusal, limits=limits, words=blocked)
    attempt = _attempt_of_error(name, error.number, error, secrets, key=key, limits=limits)
    outcome, charge = attempt.outcome, stated_charge(content)
    if charge == Charge():
        has_choice = isinstance(content, Mapping) and bool(content.get("choices"))
        if has_choice and isinstance(outcome, Failure) and outcome.kind != "rate_limit":
            return replace(attempt, unknown_charge=True)  # the model had begun its answer
        return attempt
    if isinstance(outcome, Failure):
        return replace(attempt, unknown_charge=True, charge=charge)
    paid = reply_of(content, price)
    refusal = replace(
        outcome,
        cost_usd=paid.cost_usd,
        prompt_tokens=paid.prompt_tokens,
        completion_tokens=paid.completion_tokens,
    )
    return replace(attempt, outcome=refusal)


def _failed_attempt(response: _HttpResponse, status: int | None, error: ProviderError) -> Attempt:
    endpoint, variable = response.endpoint, response.endpoint.key_variable
    if response.location and 300 <= (response.status or 0) < 400:
        error = ProviderError(f"it points to {response.location}")
    return _attempt_of_error(
        endpoint.name, status, error, [response.key], key=variable, limits=response.limits
    )


def _attempt_of_error(
    name: str,
    status: int | None,
    error: ProviderError,
    secrets: Sequence[str | None],
    *,
    key: str | None,
    limits: RateLimits,
) -> Attempt:
    """Return the attempt that a provider's error ended, which is a refusal if a filter stopped it."""
    if limits.wait_s is None:
        limits = replace(limits, wait_s=error.wait_s)
    failure = provider_errors.failure_of(name, status, error, secrets, key=key, wait_s=limits.wait_s)
    words = scrub(error.words, secrets)
    if failure.cause == "content_policy":
        refusal = Reply("", finish_reason="content_filter", refusal=words or "stopped", cost_usd=0.0)
        return Attempt(refusal, limits=limits, words=words)
    full_words = f"{error.code} {words}".strip()
    return Attempt(failure, limits=limits, words=full_words, unknown_charge=status in LATE_STATUSES)


def stated_charge(content: object) -> Charge:
    """Return the tokens in an unreadable answer: in its `usage`, or that of the last event of a stream."""
    if isinstance(content, str) and content.rstrip().endswith("[DONE]"):
        events = (line.removeprefix("data:") for line in reversed(content.splitlines()) if '"usage"' in line)
        content = _decode(next(events, "").encode("utf-8", "surrogatepass"))
    prompt, completion, _ = token_counts(content.get("usage") if isinstance(content, Mapping) else None)
    return Charge(None, prompt, completion)


def _broken_attempt(response: _HttpResponse, error: Exception, timeout_s: float) -> Attempt:
    endpoint, limits = response.endpoint, response.limits
    if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
        outcome = provider_errors.timeout_failure(endpoint.name, timeout_s)
        return Attempt(outcome, limits=limits, unknown_charge=True)
    if response.status == 200:
        outcome = provider_errors.failure(endpoint.name, "answer", "it broke off before its end", status=200)
        return Attempt(outcome, limits=limits, unknown_charge=True)
    if response.status is not None:
        return _failed_attempt(response, response.status, ProviderError())
    remedy, meaning = None, None
    cause: Cause | None = "unreachable" if isinstance(error, aiohttp.ClientConnectorError) else None
    words = str(error) or type(error).__name__
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        remedy = "check the address and the certificate of the server"
    elif isinstance(error, NOT_SENT) and endpoint.proxy is not None:
        remedy = f"check the proxy {proxies.shown(endpoint.proxy)}, or except {endpoint.url.host} by NO_PROXY"
    elif isinstance(error, aiohttp.ClientConnectorError):
        meaning, words = f"cannot connect to {endpoint.url.origin()}", _refusal_words(error.os_error)
        remedy = "check that a server runs there"
    outcome = provider_errors.failure(
        endpoint.name, "connection", words, [response.key], cause=cause, remedy=remedy, meaning=meaning
    )
    return Attempt(outcome, unknown_charge=not isinstance(error, NOT_SENT))


def _refusal_words(error: OSError) -> str:
    """Return why a server cannot be reached, such as `Connection refused`."""
    return os.strerror(error.errno) if error.errno in _REFUSALS else str(error.strerror or error)


def _decode(content: bytes | None) -> object:
    """Return a body's decoded JSON, or its text if it is not JSON; None if it was too long."""
    if content is None:
        return None
    text = content.decode("utf-8-sig", "replace")
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return text
