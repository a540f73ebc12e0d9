"""Calls to servers with OpenAI's chat protocol, over one HTTP session and without litellm."""

import asyncio
import json
import os
import re
import ssl
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import aiohttp
from yarl import URL

from engine.collect import provider_errors, proxies
from engine.collect.answer_cache import note_exchange
from engine.collect.calls import Failure, Message, Reply
from engine.collect.config import ModelConfig, Price
from engine.collect.hidden_secrets import scrub, without_key
from engine.collect.openai_replies import likelihood_fields, likelihood_reply, reply_of, token_counts
from engine.collect.provider_errors import NO_LIMITS, RETRIED, ProviderError, RateLimits, rate_headers
from engine.collect.spending import Charge
from engine.errors import UsageError

# ------------------------------------------------------------------------------
# Requests in OpenAI's chat protocol: address, headers and the JSON of a call.


NAME = "openai-http"
"""This transport's name in a run's record."""
OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"

_OTHER_PROTOCOL = re.compile(r".*(?:-pro\b|codex|deep-research|-instruct)|(?:ft:)?(?:davinci|babbage)")
"""OpenAI's models that need another protocol than chat."""

_LITELLMS_OWN = frozenset(
    {
        "additional_drop_params", "allowed_openai_params", "api_version", "cache", "fallbacks",
        "context_window_fallback_dict", "input_cost_per_token", "output_cost_per_token", "ssl_verify",
    }
)  # fmt: skip
"""Parameters that only litellm understands, not a server."""

_HEADERS = ("extra_headers", "headers")
_NEW_NAME_OF_LIMIT = re.compile(r"(?:o[1-9]|gpt-5)(?!\d)")
"""OpenAI's models that accept `max_tokens` only as `max_completion_tokens`."""

_EFFORTS = ((4_096, "high"), (2_048, "medium"), (1_024, "low"))
"""Least thinking tokens for each effort requested from vLLM, as in litellm."""

_AS_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class Endpoint:
    """The address and settings of one model of a run; its key is read from the environment at each call."""

    name: str
    model: str
    url: URL
    key_variable: str | None
    key_needed: bool
    is_vllm: bool
    echoes: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    renames_limit: bool = False
    proxy: URL | None = field(default=None, repr=False)


def serves(model: str, api_base: str | None, params: Collection[str] = ()) -> bool:
    """Return whether this transport can call a model, named as in litellm.

    It can for `openai/NAME` and, with `api_base`, `hosted_vllm/NAME`; but not for OpenAI's models that need
    another protocol, nor with `params` that only litellm understands.
    """
    provider, _, name = model.partition("/")
    if not name or name.startswith("responses/") or not _LITELLMS_OWN.isdisjoint(params):
        return False
    if provider == "hosted_vllm":
        return api_base is not None
    is_openais = api_base is None or "//api.openai.com" in api_base
    return provider == "openai" and not (is_openais and _OTHER_PROTOCOL.match(name))


def make_endpoint(name: str, config: ModelConfig) -> Endpoint:
    """Return a model's endpoint; UsageError names an invalid address or a parameter that cannot be sent."""
    provider, _, model = config.model.partition("/")
    params = config.params.to_dict()
    for key, value in params.items():
        try:
            json.dumps(value, allow_nan=False)  # not a date, `nan` or `inf`, which TOML has
        except (TypeError, ValueError):
            raise UsageError(
                f"models.{name}.params.{key}: {value!r} cannot be sent; give a text, a number, a list or "
                "a table"
            ) from None
    for field_name in (*_HEADERS, "extra_body"):
        if not isinstance(params.get(field_name, {}), dict):
            raise UsageError(
                f"models.{name}.params.{field_name}: {params[field_name]!r} is not a table of names"
            )
    headers = {"Content-Type": "application/json"}
    if config.api_base is None:
        variables = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
        headers |= {header: os.environ[each] for header, each in variables.items() if os.environ.get(each)}
    for field_name in _HEADERS:
        headers |= {str(header): str(value) for header, value in params.get(field_name, {}).items()}
    url = _address(name, config.api_base)
    return Endpoint(
        name=name,
        model=model,
        url=url,
        key_variable=config.api_key_env or (None if config.api_base else OPENAI_KEY),
        key_needed=config.api_key_env is not None or config.api_base is None,
        is_vllm=provider == "hosted_vllm",
        echoes=config.prompt_logprobs == "completions",
        headers=headers,
        renames_limit=provider == "openai" and _NEW_NAME_OF_LIMIT.match(model) is not None,
        proxy=proxies.proxy_of(url),
    )


def json_schema_format(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `response_format` for a JSON schema; a server without it refuses the call: `bad_parameter`."""
    # Strict, as OpenAI demands: every property is required, and no others are allowed.
    return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema), "strict": True}}


def body_of(endpoint: Endpoint, fields: Mapping[str, Any]) -> bytes:
    """Return the JSON of a call with these fields, some of which are renamed for some servers."""
    body: dict[str, Any] = {"model": endpoint.model, **fields}
    for name in _HEADERS:
        body.pop(name, None)
    if endpoint.renames_limit and "max_tokens" in body:
        body.setdefault("max_completion_tokens", body.pop("max_tokens"))
    if endpoint.is_vllm and isinstance(thinking := body.get("thinking"), dict):
        del body["thinking"]
        if thinking.get("type") == "enabled":
            budget = thinking.get("budget_tokens")
            tokens = budget if isinstance(budget, int) else 0
            effort = next((effort for least, effort in _EFFORTS if tokens >= least), "minimal")
            body.setdefault("reasoning_effort", effort)
    if "extra_body" in body:
        body |= body.pop("extra_body")
    try:
        return _AS_JSON.encode(body).encode()
    except UnicodeEncodeError:  # a lone surrogate in a prompt, which needs an escape
        return json.dumps(body).encode()


def _address(name: str, api_base: str | None) -> URL:
    base = api_base or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or OPENAI
    place = f"models.{name}.api_base" if api_base else "the environment variable OPENAI_BASE_URL"
    try:
        url = URL(base.strip())
        usable = url.scheme in ("http", "https") and bool(url.host)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"{place}: {base!r} is not the address of a server; write it like http://127.0.0.1:8000/v1"
        )
    if url.user or url.password:
        raise UsageError(
            f"{place}: an address must not contain a user name or password; give the key by api_key_env"
        )
    path = url.path.rstrip("/")
    full_path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
    return url.with_path(full_path).with_query(url.query)


# ------------------------------------------------------------------------------
# Calls in OpenAI's chat protocol over one HTTP session.
# One call is one request: the caller waits, retries and keeps the pace, using the returned `Attempt`.


LONGEST_BODY = 16 * 2**20  # bytes read of an answer; one that announces more is not read
LONGEST_ERROR = 256 * 2**10  # bytes read of an error
LATE_STATUSES = frozenset({408, 499, 504, 524})
"""Statuses by which a gateway gave up waiting, while the server behind it went on, and may charge."""
NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, ValueError)
"""Errors before the request was sent: a server or proxy that cannot be reached, an address that is none."""
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
class _Response:
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
            if provider_errors.lacks_choice(content):
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

        url = endpoint.url
        if endpoint.echoes:
            path = url.path.removesuffix("/chat/completions") + "/completions"
            url = url.with_path(path).with_query(url.query)
        fields = likelihood_fields(messages, params, echoes=endpoint.echoes)
        return await self._post(endpoint, url, fields, read, price)

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
        response = _Response(endpoint, key)
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


def _read_attempt(response: _Response, read: _Reader, latency_s: float, price: Price | None) -> Attempt:
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


def _failed_attempt(response: _Response, status: int | None, error: ProviderError) -> Attempt:
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


def _broken_attempt(response: _Response, error: Exception, timeout_s: float) -> Attempt:
    endpoint, limits = response.endpoint, response.limits
    if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
        outcome = provider_errors.timeout_failure(endpoint.name, timeout_s)
        return Attempt(outcome, limits=limits, unknown_charge=True)
    if response.status == 200:
        outcome = provider_errors.failure(endpoint.name, "answer", "it broke off before its end", status=200)
        return Attempt(outcome, limits=limits, unknown_charge=True)
    if response.status is not None:
        return _failed_attempt(response, response.status, ProviderError())
    remedy = None
    words = str(error) or type(error).__name__
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        remedy = "check the address and the certificate of the server"
    elif isinstance(error, NOT_SENT) and endpoint.proxy is not None:
        remedy = f"check the proxy {proxies.shown(endpoint.proxy)}, or except {endpoint.url.host} by NO_PROXY"
    elif isinstance(error, aiohttp.ClientConnectorError):
        remedy = f"check that a server runs at {endpoint.url.origin()}"
    outcome = provider_errors.failure(endpoint.name, "connection", words, [response.key], remedy=remedy)
    return Attempt(outcome, unknown_charge=not isinstance(error, NOT_SENT))


def _decode(content: bytes | None) -> object:
    """Return a body's decoded JSON, or its text if it is not JSON; None if it was too long."""
    if content is None:
        return None
    text = content.decode("utf-8-sig", "replace")
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return text
