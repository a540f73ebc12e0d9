"""What a server of OpenAI's chat protocol is sent: where, with which headers, and the JSON of a call."""

import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from yarl import URL

from engine.collect.config import ModelConfig
from engine.errors import UsageError

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
