"""Keys: read from the environment at the call, and never in any output."""

import io
import logging

import pytest
from loopback import Loopback

from engine.collect.calls import Failure
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import ModelConfig
from engine.collect.hidden_secrets import HIDDEN, scrub

from .asking import ask, ask_all, model_on

KEY = "sk-proj-Abc123xyz789QQ"


def test_the_key_is_read_from_its_variable_at_each_call(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", KEY)

    ask(model_on(server.url, api_key_env="SPB_TEST_KEY"))

    assert server.keys == {KEY}


def test_a_missing_key_is_named_by_its_variable_before_anything_is_sent(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPB_TEST_KEY", raising=False)
    config = model_on(server.url, api_key_env="SPB_TEST_KEY")

    failure, calls = ask(config)

    assert isinstance(failure, Failure)
    assert failure.kind == "key"
    assert "environment variable SPB_TEST_KEY, which is not set" in failure.message
    assert calls == server.calls == 0
    assert Models({"m": config}).missing_keys() == {"m": "SPB_TEST_KEY"}


def test_a_providers_key_is_not_sent_to_the_users_server(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", KEY)

    ask_all({"a": model_on(server.url), "b": model_on(server.url, "hosted_vllm/ok")}, ["a", "b"])

    assert server.calls == 2
    assert KEY not in server.keys


@pytest.mark.parametrize("route", ["openai", "hosted_vllm"])
@pytest.mark.parametrize("key", [KEY, "plain-word-of-a-local-server"])
def test_a_key_repeated_by_the_server_is_in_no_failure_log_or_repr(
    server: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    route: str,
    key: str,
) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", key)
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger().addHandler(handler)
    config = model_on(server.url, f"{route}/401", api_key_env="SPB_TEST_KEY")
    try:
        failure, _ = ask(config)
    finally:
        logging.getLogger().removeHandler(handler)

    output = capfd.readouterr()
    assert key in server.keys
    assert isinstance(failure, Failure)
    assert HIDDEN in failure.message
    texts = (
        repr(failure),
        logged.getvalue(),
        output.out,
        output.err,
        repr(Models({"m": config})),
        repr(config),
    )
    assert [text for text in texts if key in text] == []


def test_retries_are_logged_without_the_key_or_the_prompt(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SPB_TEST_KEY", KEY)

    with caplog.at_level(logging.DEBUG):
        ask(model_on(server.url, "openai/500", api_key_env="SPB_TEST_KEY"))

    assert any("stamina" in record.name for record in caplog.records)
    logged = "\n".join(str(record.__dict__) for record in caplog.records if record.name != "asyncio")
    assert KEY not in logged
    assert "Say which" not in logged


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abc12***********wxyz.",
        "Authorization: Bearer abcdef.ghijkl",
        "https://example.org/v1?key=AIzaSyA1234567890abc",
        "AKIAIOSFODNN7EXAMPLE is unknown",
        "gsk_abcdef123456 expired",
    ],
)
def test_anything_shaped_like_a_key_is_hidden(text: str) -> None:
    hidden = scrub(text)

    assert HIDDEN in hidden
    for piece in ("abc12", "abcdef", "AIza", "AKIA"):
        assert piece not in hidden


def test_keys_from_the_environment_are_hidden_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SERVICE_TOKEN", "quite ordinary words")

    assert scrub("it said: quite ordinary words!") == f"it said: {HIDDEN}!"


def test_ordinary_words_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORT_KEY", "a")
    text = "a risk-averse key-value store with task-force tokens"

    assert scrub(text) == text


def test_a_model_without_an_address_or_a_key_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    failure, calls = ask(ModelConfig(model="openai/gpt-4o-mini"))

    assert isinstance(failure, Failure)
    assert failure.kind == "key"
    assert "OPENAI_API_KEY" in failure.message
    assert calls == 0
