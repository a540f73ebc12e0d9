"""Requests in OpenAI's chat protocol: address, headers and the JSON of a call."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from yarl import URL

from engine.collect.client import proxies
from engine.collect.configuration.config import ModelConfig
from engine.errors import UsageError

NAME = "openai-http"
"""This transport's name in a run's record."""
OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"


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


def json_schema_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `response_format` for a JSON schema; a server without it refuses the call: `bad_parameter`."""
    # Strict, as OpenAI demands: every property is required, and no others are allowed.
    verdict = {"name": "verdict", "schema": dict(schema), "strict": True}
    return {"type": "json_schema", "json_schema": verdict}


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
