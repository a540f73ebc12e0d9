"""Simulated models behind the interface of real ones: their families, faults, costs and time-outs."""

import asyncio
from contextvars import copy_context
from types import SimpleNamespace
from typing import Any, cast

import pytest
from virtual_time import run_virtual

from engine.collect.calls import Failure, Reply
from engine.collect.client import simulated_transport
from engine.collect.client.openai_transport import Attempt
from engine.collect.client.simulated_transport import SimulatedTransport
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.database import exchanges
from engine.collect.database.exchanges import Exchange
from engine.simulation.provider import SimulatedAnswer

PRICE = Price(input_per_million=1.0, output_per_million=10.0)
MESSAGES = [{"role": "user", "content": "Which?"}]
ANSWER = SimulatedAnswer("Yes.", 10, 20)


def simulated(**settings: Any) -> ModelConfig:
    return ModelConfig(model="simulated/x", **settings)


def attempt(answer: Any, slow_s: float = 0.0) -> tuple[Attempt, list[Exchange]]:
    """Return what comes of an answer of a model with five seconds for it, and the exchanges."""
    transport = SimulatedTransport({"m": simulated(simulated={"slow_s": slow_s})}, {"m": 5.0})
    model = transport.models["m"]
    transport.models["m"] = cast("Any", SimpleNamespace(planted=model.planted, answer=lambda _: answer))
    heard: list[Exchange] = []

    async def ask() -> Attempt:
        exchanges._LISTENER.set(heard.append)
        await asyncio.sleep(3.0)
        return await transport.answer("m", MESSAGES, PRICE)

    return copy_context().run(run_virtual, ask()), heard


def test_a_model_is_of_its_family_or_else_of_one_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, dict[str, str]] = {}

    def model(name: str, _: object, *, families: dict[str, str], **_more: object) -> str:
        given[name] = families
        return name

    monkeypatch.setattr(simulated_transport, "SimulatedModel", model)
    configs = {
        "m": simulated(family="x"), "n": simulated(), "real": ModelConfig(model="openai/y", family="z")
    }  # fmt: skip

    transport = SimulatedTransport(configs, dict.fromkeys(configs, 5.0))

    families = {"m": "x", "n": "n", "real": "z"}
    assert given == {"m": families, "n": families}  # real models are called elsewhere
    assert transport.models.keys() == {"m", "n"}


@pytest.mark.parametrize(("models", "informed"), [({"m": simulated()}, 1), ({}, 0)])
def test_the_study_is_read_for_simulated_models_only(
    monkeypatch: pytest.MonkeyPatch, models: dict[str, ModelConfig], informed: int
) -> None:
    read: list[object] = []
    monkeypatch.setattr(simulated_transport, "load_oracle", lambda _, study: read.append(study))

    SimulatedTransport(models, {"m": 5.0}).inform(cast("Any", "study"))

    assert read == ["study"] * informed


def test_an_answer_costs_its_tokens_and_takes_its_time() -> None:
    result, heard = attempt(ANSWER, slow_s=2.0)

    assert result == Attempt(
        Reply(
            "Yes.", finish_reason="stop", model_id="simulated/x", prompt_tokens=10, completion_tokens=20,
            cost_usd=pytest.approx(210e-6), latency_s=2.0,
        )
    )  # fmt: skip
    [exchange] = heard
    assert (exchange.address, exchange.status) == ("simulated/x", None)
    assert exchange.request == '{"messages": [{"role": "user", "content": "Which?"}]}'
    assert '"text": "Yes."' in exchange.answer


def test_a_refusal_and_the_first_token_are_passed_on() -> None:
    answer = SimulatedAnswer("", 1, 1, "No.", (("A", 0.75), ("B", 0.25)))

    result, _ = attempt(answer)

    assert isinstance(result.outcome, Reply)
    assert (result.outcome.refusal, result.outcome.first_token) == ("No.", (("A", 0.75), ("B", 0.25)))


@pytest.mark.parametrize(
    ("trouble", "kind", "status", "words"),
    [("rate_limit", "rate_limit", 429, "slow down"), ("server_error", "server", 500, "something broke")],
)
def test_a_fault_is_a_failure_as_of_a_server(trouble: str, kind: str, status: int, words: str) -> None:
    result, heard = attempt(trouble)

    assert isinstance(result.outcome, Failure)
    assert (result.outcome.kind, result.outcome.status) == (kind, status)
    assert f"simulated: {words}" in result.outcome.message
    assert [each.answer for each in heard] == [trouble]


@pytest.mark.parametrize(
    ("answer", "slow_s", "kind"), [("hang", 0.0, "timeout"), (ANSWER, 5.5, "timeout"), (ANSWER, 4.5, None)]
)
def test_a_call_lasts_at_most_its_models_time(answer: Any, slow_s: float, kind: str | None) -> None:
    result, _ = attempt(answer, slow_s)

    assert getattr(result.outcome, "kind", None) == kind
    if kind:
        assert isinstance(result.outcome, Failure)
        assert "5" in result.outcome.message
