"""Calls to servers of OpenAI's chat protocol: what is sent, over one HTTP session, without litellm."""

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

from engine.collect import provider_errors
from engine.collect.answer_cache import note_exchange
from engine.collect.calls import Failure, Message, Reply
from engine.collect.config import ModelConfig, Price
from engine.collect.openai_replies import chat_fields, echo_fields, likelihood_reply, reply_of
from engine.collect.provider_errors import (
    NOTHING_SAID,
    RETRIED,
    ProviderError,
    RateHeaders,
    rate_headers,
    timeout_failure,
)
from engine.collect.spending import scrub, without
from engine.errors import UsageError

# ------------------------------------------------------------------------------
# What a server of OpenAI's chat protocol is sent: where, with which headers, and the JSON of a call.


NAME = "openai-http"
"""What a run's record calls this way of asking."""
OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"

_OTHER_PROTOCOL = re.compile(r".*(?:-pro\b|codex|deep-research|-instruct)|(?:ft:)?(?:davinci|babbage)")
"""OpenAI's models that are asked by another protocol than chat."""

_LITELLMS_OWN = frozenset(
    {
        "additional_drop_params", "allowed_openai_params", "api_version", "cache", "fallbacks",
        "context_window_fallback_dict", "input_cost_per_token", "output_cost_per_token", "ssl_verify",
    }
)  # fmt: skip
"""Parameters that mean something to litellm and nothing to a server."""

_HEADERS = ("extra_headers", "headers")
_NEW_NAME_OF_LIMIT = re.compile(r"(?:o[1-9]|gpt-5)(?!\d)")
"""OpenAI's models that know `max_tokens` only as `max_completion_tokens`."""

_EFFORTS = ((4_096, "high"), (2_048, "medium"), (1_024, "low"))
"""Thinking tokens from which on vLLM is asked for an effort, as litellm does."""


_AS_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class Endpoint:
    """Where and how one model of a run is asked; its key is read from the environment at each call."""

    name: str
    model: str
    url: URL
    key_variable: str | None
    key_needed: bool
    is_vllm: bool
    echoes: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    renames_limit: bool = False


def serves(model: str, api_base: str | None, params: Collection[str] = ()) -> bool:
    """Return whether this transport can ask a model, given as a litellm model string.

    That is `openai/NAME` and, where `api_base` says where, `hosted_vllm/NAME`; not the models that OpenAI
    offers by another protocol only, nor where one of the `params` means something to litellm alone.
    """
    provider, _, name = model.partition("/")
    if not name or name.startswith("responses/") or not _LITELLMS_OWN.isdisjoint(params):
        return False
    if provider == "hosted_vllm":
        return api_base is not None
    is_openais = api_base is None or "//api.openai.com" in api_base
    return provider == "openai" and not (is_openais and _OTHER_PROTOCOL.match(name))


def endpoint(name: str, config: ModelConfig) -> Endpoint:
    """Return how the model `name` of a run is asked.

    Raises UsageError for an address or parameters that cannot be sent, naming them.
    """
    provider, _, model = config.model.partition("/")
    params = config.params.sent()
    for key, value in params.items():
        _refuse_unsendable(f"models.{name}.params.{key}", value)
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
    return Endpoint(
        name=name,
        model=model,
        url=_address(name, config.api_base),
        key_variable=config.api_key_env or (None if config.api_base else OPENAI_KEY),
        key_needed=config.api_key_env is not None or config.api_base is None,
        is_vllm=provider == "hosted_vllm",
        echoes=config.prompt_logprobs == "completions",
        headers=headers,
        renames_limit=provider == "openai" and _NEW_NAME_OF_LIMIT.match(model) is not None,
    )


def json_schema_format(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameter `response_format` that holds a model's answer to a JSON schema.

    A server that knows it gives no other answer; one that does not refuses the call as a `bad_parameter`.
    `strict` wants every property required and no further ones, as OpenAI does.
    """
    return {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema), "strict": True}}


def echo_url(place: Endpoint) -> URL:
    """Return where log-probabilities of prompts are asked for: of chats, or of plain text."""
    if not place.echoes:
        return place.url
    path = place.url.path.removesuffix("/chat/completions") + "/completions"
    return place.url.with_path(path).with_query(place.url.query)


def body_of(place: Endpoint, fields: Mapping[str, Any]) -> bytes:
    """Return the JSON of a call with these fields, of which some have another name on some servers."""
    body: dict[str, Any] = {"model": place.model, **fields}
    for name in _HEADERS:
        body.pop(name, None)
    if place.renames_limit and "max_tokens" in body:
        body.setdefault("max_completion_tokens", body.pop("max_tokens"))
    if place.is_vllm and isinstance(thinking := body.get("thinking"), dict):
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
    except UnicodeEncodeError:  # half a character in a prompt, which only an escape can carry
        return json.dumps(body).encode()


def _address(name: str, api_base: str | None) -> URL:
    """Return the address that calls go to; UsageError where it is none."""
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
    whole = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
    return url.with_path(whole).with_query(url.query)


def _refuse_unsendable(place: str, value: object) -> None:
    """Raise UsageError for a parameter that JSON cannot hold: a date, `nan` or `inf` of TOML."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise UsageError(
            f"{place}: {value!r} cannot be sent; give a text, a number, a list or a table"
        ) from None


# ------------------------------------------------------------------------------
# Calls to servers that speak OpenAI's chat protocol, over one HTTP session and without litellm.
#
# One call is one request: who asks waits, retries and keeps the pace, with what an `Attempt` says of it.


LONGEST_BODY = 16 * 2**20  # bytes of an answer that are read; one that announces more is not
LONGEST_ERROR = 256 * 2**10  # bytes of an error that are read
_JSON = json.JSONDecoder(strict=False)  # a line end within a text is no reason to lose the answer


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one call.

    `requests` left for the server: one, two where the limit of tokens had to be sent by its other name, none
    where the call could not be made. `limits` is what the headers say of the provider's limits, its
    `wait_s` included. `words` are the provider's own of an error, uncut, from which a run learns what
    the model does not take. `unknown_charge`: the call failed after the server began to answer or was given
    up while it worked, so it may have been paid for.
    """

    outcome: Reply | Failure
    requests: int = 1
    limits: RateHeaders = NOTHING_SAID
    words: str = ""
    unknown_charge: bool = False

    @property
    def retried(self) -> bool:
        """Whether the call failed in a way that another try may not meet."""
        return isinstance(self.outcome, Failure) and self.outcome.kind in RETRIED

    @property
    def wait_s(self) -> float | None:
        """The seconds that the server asks to wait before another try; None where it does not say."""
        return self.limits.wait_s if self.retried else None


_Reader = Callable[[object, float], Reply | Failure]
"""Makes a reply of the JSON in a response and of the seconds that it took."""


@dataclass(slots=True)
class _Response:
    """What came back of a call made with `key`; `content` is None where it was longer than may be."""

    place: Endpoint
    key: str | None
    status: int | None = None
    limits: RateHeaders = NOTHING_SAID
    location: str | None = None
    content: bytes | None = b""


class OpenAITransport:
    """Asks the models of a run that it `serves`, over one session within one event loop.

    `configs` are by name; each call may take `timeout_s`, or what its model's
    configuration says. A `session` that is handed in stays open. Raises
    UsageError for a model that cannot be asked as it is configured.
    """

    def __init__(
        self,
        configs: Mapping[str, ModelConfig],
        *,
        timeout_s: float = 60.0,
        session: aiohttp.ClientSession | None = None,
    ) -> None:
        self._endpoints = {name: endpoint(name, config) for name, config in configs.items()}
        self._timeouts = {name: config.timeout_s or timeout_s for name, config in configs.items()}
        self._session = session
        self._owns_session = session is None

    def __repr__(self) -> str:
        return f"OpenAITransport({', '.join(self._endpoints)})"

    def address(self, name: str) -> str:
        """Return where a model is asked."""
        return str(self._endpoints[name].url)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None and self._owns_session:
            await self._session.close()
            self._session = None

    async def complete(
        self,
        name: str,
        messages: Sequence[Message],
        params: Mapping[str, Any],
        *,
        price: Price | None = None,
    ) -> Attempt:
        """Make one call to a model and return what came of it; a model's trouble is never raised.

        `params` are sent as they are, but for `extra_body`, whose fields are sent beside them, and what a
        server knows by another name. `price` is None where it is unknown, and so is then the cost.
        """
        place, fields = self._endpoints[name], {"messages": list(messages), **params}

        def read(content: object, latency_s: float) -> Reply:
            return reply_of(content, price, latency_s)

        renames = place.renames_limit  # another call may learn it while this one is under way
        attempt = await self._attempt(place, body_of(place, fields), read)
        refused = isinstance(attempt.outcome, Failure) and attempt.outcome.status == 400
        names_another = refused and "max_completion_tokens" in attempt.words
        if "max_tokens" not in params or renames or not names_another:
            return attempt
        place.renames_limit = True
        again = await self._attempt(place, body_of(place, fields), read)
        return replace(again, requests=2)

    async def likelihood(
        self,
        name: str,
        messages: Sequence[Message],
        params: Mapping[str, Any],
        *,
        price: Price | None = None,
    ) -> Attempt:
        """Ask how likely the last turn is to a model; nothing is written but one token, which is left out.

        The reply's text is what `engine.collect.openai_replies.likelihood_reply` makes of the answer.
        """
        place = self._endpoints[name]

        def read(content: object, latency_s: float) -> Reply | Failure:
            reply = likelihood_reply(content, messages, price, latency_s)
            if reply is not None:
                return reply
            other = "chat" if place.echoes else "completions"
            words = (
                f"model {name!r}: its server gives no log-probabilities of a prompt (set prompt_logprobs = "
                f'"{other}" for it, or ask it from a server that gives them, such as vLLM)'
            )
            return Failure("request", words, 200, "bad_parameter")

        fields = (echo_fields if place.echoes else chat_fields)(messages, params)
        return await self._attempt(place, body_of(place, fields), read, echo_url(place))

    async def _attempt(self, place: Endpoint, body: bytes, read: _Reader, url: URL | None = None) -> Attempt:
        url = url or place.url
        key = os.environ.get(place.key_variable or "", "").strip() or None
        if key is None and place.key_needed:
            return Attempt(provider_errors.no_key(place.name, place.key_variable), requests=0)
        headers = {**place.headers, "Authorization": f"Bearer {key}"} if key else place.headers
        loop, timeout_s = asyncio.get_running_loop(), self._timeouts[place.name]
        began = loop.time()
        if self._session is None:
            self._session = open_session()
        response = _Response(place, key)
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._session.post(url, data=body, headers=headers, allow_redirects=False) as answer,
            ):
                response.status, response.location = answer.status, answer.headers.get("Location")
                response.limits = rate_headers(answer.headers, time.time())
                response.content = await _read(answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:  # TimeoutError is an OSError
            note_exchange(str(url), body, response.status, str(error) or type(error).__name__, (key,))
            return _broken(response, error, timeout_s)
        latency_s = loop.time() - began
        content = f"more than {LONGEST_BODY:,} bytes" if response.content is None else response.content
        note_exchange(str(url), body, response.status, content, (key,))
        return _read_attempt(response, read, latency_s)


def open_session() -> aiohttp.ClientSession:
    """Return a session for any number of calls at once; the caller bounds how many there are."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


async def _read(answer: aiohttp.ClientResponse) -> bytes | None:
    """Return the body, None where it is longer than it may be; the connection is then closed."""
    most = LONGEST_BODY if answer.status == 200 else LONGEST_ERROR
    if (answer.content_length or 0) <= most:
        pieces, size = [], 0
        async for piece in answer.content.iter_any():
            pieces.append(piece)
            size += len(piece)
            if size > most:
                break
        else:
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    answer.close()
    return None


def _read_attempt(response: _Response, read: _Reader, latency_s: float) -> Attempt:
    """Return what a response says: a reply, a refusal by the provider's filter, or a failure."""
    content, key = _decoded(response.content), response.key
    if response.status != 200:
        return _failed(response, response.status, provider_errors.read_error(content))
    if not isinstance(content, dict | list):
        return _unreadable(response, content)
    if (error := provider_errors.error_within(content)) is not None:
        return _failed(response, error.number, error)
    outcome = read(content, latency_s)
    if isinstance(outcome, Failure):
        return Attempt(outcome, limits=response.limits, unknown_charge=True)
    repeated = key is not None and key.encode() in (response.content or b"")
    return Attempt(without(outcome, key) if repeated else outcome, limits=response.limits)


def _failed(response: _Response, status: int | None, error: ProviderError) -> Attempt:
    place, key = response.place, response.key
    if response.location and 300 <= (response.status or 0) < 400:
        error = ProviderError(f"it points to {response.location}")
    failure = provider_errors.failure_of(place.name, status, error, [key], key=place.key_variable)
    words = scrub(error.words, [key])
    if failure.cause == "content_policy":
        refused = Reply("", finish_reason="content_filter", refusal=words or "stopped", cost_usd=0.0)
        return Attempt(refused, limits=response.limits, words=words)
    return Attempt(failure, limits=response.limits, words=f"{error.code} {words}".strip())


def _unreadable(response: _Response, content: object) -> Attempt:
    """Return the failure of a response of status 200 that is no JSON, such as a gateway's page."""
    if response.content is None:
        words = f"more than {LONGEST_BODY:,} bytes"
    else:
        words = provider_errors.read_error(content if isinstance(content, str) else "").words or "it is empty"
        words = f"it is not JSON: {words}"
    outcome = provider_errors.failure(response.place.name, "answer", words, [response.key], status=200)
    return Attempt(outcome, limits=response.limits, unknown_charge=True)


def _broken(response: _Response, error: Exception, timeout_s: float) -> Attempt:
    """Return the failure of a call that no whole response came to."""
    place, limits = response.place, response.limits
    if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
        return Attempt(timeout_failure(place.name, timeout_s), limits=limits, unknown_charge=True)
    if response.status == 200:
        outcome = provider_errors.failure(place.name, "answer", "it broke off before its end", status=200)
        return Attempt(outcome, limits=limits, unknown_charge=True)
    if response.status is not None:
        return _failed(response, response.status, ProviderError())
    remedy = None
    words = str(error) or type(error).__name__
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        remedy = "check the address and the certificate of the server"
    elif isinstance(error, aiohttp.ClientConnectorError):
        remedy = f"check that a server runs at {place.url.origin()}"
    outcome = provider_errors.failure(place.name, "connection", words, [response.key], remedy=remedy)
    return Attempt(outcome, unknown_charge=not isinstance(error, aiohttp.ClientConnectorError | ValueError))


def _decoded(content: bytes | None) -> object:
    """Return the JSON in a body, or its text where it is none; None where it was too long to be read."""
    if content is None:
        return None
    text = content.decode("utf-8-sig", "replace")
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        return text
