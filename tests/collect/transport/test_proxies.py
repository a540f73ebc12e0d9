"""Proxies of the environment on the own transport."""

import os
from base64 import b64encode

import pytest
from loopback import Charged, Response, billing, completion_with, giving
from yarl import URL

from engine.collect.calls import Failure, Reply
from engine.collect.client.proxies import proxy_of
from engine.collect.configuration.config import ModelConfig
from engine.errors import UsageError

from .attempts import attempt

ELSEWHERE = "http://models.example/v1"
"""An address without a server, which only a proxy can answer for."""


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_calls_go_through_the_proxy(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with billing(lambda _: Charged(300)) as proxy:
        monkeypatch.setenv(variable, str(URL(proxy.url).origin()))
        done = attempt(ModelConfig(model="openai/m", api_base=ELSEWHERE))

    assert isinstance(done.outcome, Reply)
    assert proxy.calls == 1


@pytest.mark.parametrize("exception", ["127.0.0.1", "*"])
def test_no_proxy_excepts_an_address(exception: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with billing(lambda _: Charged(300)) as proxy, billing(lambda _: Charged(300)) as server:
        monkeypatch.setenv("HTTP_PROXY", str(URL(proxy.url).origin()))
        monkeypatch.setenv("NO_PROXY", exception)
        done = attempt(ModelConfig(model="openai/m", api_base=server.url))

    assert isinstance(done.outcome, Reply)
    assert (proxy.calls, server.calls) == (0, 1)


def test_a_proxy_of_https_is_not_that_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")

    assert proxy_of(URL(ELSEWHERE)) is None
    assert proxy_of(URL("https://models.example/v1")) is not None


def test_a_port_may_be_excepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "models.example:8000")

    assert proxy_of(URL("http://models.example:8000/v1")) is None
    assert proxy_of(URL("http://models.example:8001/v1")) is not None


def test_the_proxys_password_is_sent_to_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with giving(Response(completion_with())) as proxy:
        address = URL(proxy.url).origin().with_user("user").with_password("hunter22")
        monkeypatch.setenv("HTTP_PROXY", str(address))
        done = attempt(ModelConfig(model="openai/m", api_base=ELSEWHERE))

    assert isinstance(done.outcome, Reply)
    assert proxy.heads[0]["proxy-authorization"] == f"Basic {b64encode(b'user:hunter22').decode()}"
    assert proxy.paths == [f"{ELSEWHERE}/chat/completions"]


def test_a_proxy_that_cannot_be_reached_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://user:hunter22@127.0.0.1:9")

    done = attempt(ModelConfig(model="openai/m", api_base=ELSEWHERE))

    assert isinstance(done.outcome, Failure)
    assert not done.unknown_charge
    assert "check the proxy http://127.0.0.1:9, or except models.example by NO_PROXY" in done.outcome.message
    assert "hunter22" not in done.outcome.message


@pytest.mark.parametrize("address", ["socks5://127.0.0.1:1080", "http://", "http://[::1"])
def test_a_proxy_that_cannot_be_used_is_refused_by_its_variables_name(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", address)

    with pytest.raises(UsageError, match=r"the environment variable HTTP_PROXY .* put models\.example into"):
        proxy_of(URL(ELSEWHERE))
