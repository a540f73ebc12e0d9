"""The JSON, the headers and the address of a call in OpenAI's protocol."""

import json
from typing import Any

import pytest

from engine.collect.client.openai_requests import Endpoint, body_of, make_endpoint
from engine.collect.configuration.config import ModelConfig
from engine.errors import UsageError

OWN = "http://127.0.0.1:9/v1"


def endpoint(model: str = "openai/x", **fields: Any) -> Endpoint:
    return make_endpoint("m", ModelConfig(model=model, **fields))


def sent(model: str, **fields: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(body_of(endpoint(model, api_base=OWN), fields))
    return body


def test_the_organization_is_named_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org")
    monkeypatch.delenv("OPENAI_PROJECT_ID", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    assert endpoint().headers == {"Content-Type": "application/json", "OpenAI-Organization": "org"}
    assert endpoint(api_base=OWN).headers == {"Content-Type": "application/json"}


def test_headers_of_the_configuration_are_sent_as_headers_and_not_in_the_body() -> None:
    params = {"headers": {"X-A": 1}, "extra_headers": {"X-B": "b"}}

    assert endpoint(api_base=OWN, params=params).headers == {
        "Content-Type": "application/json", "X-A": "1", "X-B": "b",
    }  # fmt: skip
    assert sent("openai/x", seed=1, **params) == {"model": "x", "seed": 1}


@pytest.mark.parametrize(
    ("settings", "variable", "needed"),
    [
        ({}, "OPENAI_API_KEY", True),
        ({"api_base": OWN}, None, False),
        ({"api_base": OWN, "api_key_env": "MINE"}, "MINE", True),
        ({"api_key_env": "MINE"}, "MINE", True),
    ],
)
def test_a_key_is_openais_or_the_named_one_and_ones_own_server_needs_none(
    settings: dict[str, Any], variable: str | None, needed: bool
) -> None:
    own = endpoint(**settings)

    assert (own.key_variable, own.key_needed) == (variable, needed)


@pytest.mark.parametrize(
    ("model", "renames"),
    [
        ("openai/o1", True),
        ("openai/o3-mini", True),
        ("openai/gpt-5", True),
        ("openai/gpt-5-mini", True),
        ("openai/gpt-50", False),
        ("openai/gpt-4o", False),
        ("hosted_vllm/o3", False),
    ],
)
def test_openais_newer_models_have_another_name_for_the_limit(model: str, renames: bool) -> None:
    body = sent(model, max_tokens=9)

    assert body == {"model": model.split("/")[1], "max_completion_tokens" if renames else "max_tokens": 9}


def test_a_limit_under_its_new_name_stays() -> None:
    assert sent("openai/o3", max_tokens=9, max_completion_tokens=5)["max_completion_tokens"] == 5


@pytest.mark.parametrize(
    ("thinking", "effort"),
    [
        ({"type": "enabled", "budget_tokens": 4_096}, "high"),
        ({"type": "enabled", "budget_tokens": 4_095}, "medium"),
        ({"type": "enabled", "budget_tokens": 2_048}, "medium"),
        ({"type": "enabled", "budget_tokens": 2_047}, "low"),
        ({"type": "enabled", "budget_tokens": 1_024}, "low"),
        ({"type": "enabled", "budget_tokens": 1_023}, "minimal"),
        ({"type": "enabled"}, "minimal"),
        ({"type": "enabled", "budget_tokens": "many"}, "minimal"),
        ({"type": "disabled", "budget_tokens": 4_096}, None),
    ],
)
def test_a_budget_of_thinking_is_an_effort_for_vllm_alone(
    thinking: dict[str, Any], effort: str | None
) -> None:
    body = sent("hosted_vllm/x", thinking=thinking)

    assert body == {"model": "x"} | ({} if effort is None else {"reasoning_effort": effort})
    assert sent("hosted_vllm/x", thinking=thinking, reasoning_effort="high")["reasoning_effort"] == "high"
    assert sent("hosted_vllm/x", thinking="yes") == {"model": "x", "thinking": "yes"}
    assert sent("openai/x", thinking=thinking) == {"model": "x", "thinking": thinking}


def test_an_extra_body_stands_beside_the_others_and_text_is_sent_as_it_is() -> None:
    assert sent("openai/x", seed=1, extra_body={"seed": 2, "top_k": 3}) == {
        "model": "x",
        "seed": 2,
        "top_k": 3,
    }
    assert body_of(endpoint(api_base=OWN), {"a": "é"}) == '{"model":"x","a":"é"}'.encode()
    assert body_of(endpoint(api_base=OWN), {"a": "\ud800"}) == b'{"model": "x", "a": "\\ud800"}'


@pytest.mark.parametrize(
    "address", ["http://me@host/v1", "http://:secret@host/v1", "http://me:secret@host/v1"]
)
def test_an_address_has_neither_a_user_nor_a_password(address: str) -> None:
    with pytest.raises(UsageError, match="must not contain a user name or password"):
        endpoint(api_base=address)


@pytest.mark.parametrize("address", ["ftp://host/v1", "host/v1", "http://", "http://[x/v1", "/v1"])
def test_an_address_is_one_of_a_server(address: str) -> None:
    with pytest.raises(UsageError, match=r"models\.m\.api_base: .* is not the address of a server"):
        endpoint(api_base=address)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}])
def test_what_json_lacks_is_not_sent(value: Any) -> None:
    with pytest.raises(UsageError, match=r"models\.m\.params\.x: .* cannot be sent"):
        make_endpoint("m", ModelConfig.model_construct(
            model="openai/x", api_base=OWN, api_key_env=None, prompt_logprobs="chat",
            params=type("Params", (), {"to_dict": lambda _: {"x": value}})(),
        ))  # fmt: skip


@pytest.mark.parametrize(("way", "echoes"), [("chat", False), ("completions", True)])
def test_a_server_that_echoes_is_asked_as_its_configuration_says(way: Any, echoes: bool) -> None:
    own = endpoint("hosted_vllm/x", api_base=OWN, prompt_logprobs=way)

    assert (own.echoes, own.is_vllm) == (echoes, True)
    assert not endpoint(api_base=OWN).is_vllm
    assert "proxy" not in repr(own)
