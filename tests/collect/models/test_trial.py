"""One call to each model, to learn whether it answers: the words of its outcome, without a network."""

import asyncio
import json
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from engine.collect.calls import Failure, FailureKind, Reply
from engine.collect.client.model_client import CallOutcome
from engine.collect.configuration.config import ModelConfig
from engine.collect.dispatch import trial
from engine.collect.dispatch.trial import Trial, try_model, try_models
from engine.errors import UsageError

CONFIG = ModelConfig(model="openai/gpt-5")


class TriedModels:
    """In the place of the client: answers as the test says, and records how it was made and called."""

    answers: Mapping[str, Reply | Failure | Exception] = {}
    missing: Mapping[str, str] = {}
    clients: list[tuple[dict[str, ModelConfig], dict[str, Any]]] = []  # noqa: RUF012 - reset by each test
    prompts: list[tuple[str, Sequence[Mapping[str, str]]]] = []  # noqa: RUF012

    def __init__(self, configs: dict[str, ModelConfig], **settings: Any) -> None:
        self.clients.append((configs, settings))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close nothing."""

    def missing_keys(self) -> Mapping[str, str]:
        return self.missing

    async def ask(self, name: str, messages: Sequence[Mapping[str, str]]) -> CallOutcome:
        self.prompts.append((name, messages))
        answer = self.answers[name]
        if isinstance(answer, Exception):
            raise answer
        return CallOutcome(answer, 1)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> type[TriedModels]:
    monkeypatch.setattr(trial, "Models", TriedModels)
    monkeypatch.setattr(TriedModels, "clients", [])
    monkeypatch.setattr(TriedModels, "prompts", [])
    clock = iter((10.0, 12.34))
    monkeypatch.setattr(trial, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    return TriedModels


def outcome(tried: type[TriedModels], answer: Reply | Failure, monkeypatch: pytest.MonkeyPatch) -> Trial:
    monkeypatch.setattr(tried, "answers", {"m": answer})
    return asyncio.run(try_model("m", CONFIG))


@pytest.mark.parametrize(
    ("cost", "price"),
    [(0.0, "at no cost"), (None, "at an unknown cost"), (0.0000125, "for 0.000013 US dollars")],
)
def test_an_answer_is_given_with_its_time_and_its_cost(
    tried: type[TriedModels], monkeypatch: pytest.MonkeyPatch, cost: float | None, price: str
) -> None:
    reply = Reply(" ready\n  to \x1b[1mgo", cost_usd=cost)

    assert outcome(tried, reply, monkeypatch) == Trial(
        True, f"It answered in 2.3 s, {price}: ready to \\x1b[1mgo", cost or 0.0
    )
    assert tried.clients == [({"m": CONFIG}, {"timeout_s": 60.0, "retries": 0})]
    assert tried.prompts == [("m", [{"role": "user", "content": "Reply with the one word: ready"}])]


@pytest.mark.parametrize(("text", "shown"), [("x" * 201, "x" * 200), (" \n ", "(an empty text)")])
def test_of_a_long_answer_the_beginning_is_shown_and_an_empty_one_is_said_to_be_so(
    tried: type[TriedModels], monkeypatch: pytest.MonkeyPatch, text: str, shown: str
) -> None:
    answer = outcome(tried, Reply(text, cost_usd=0.0), monkeypatch)

    assert answer == Trial(True, f"It answered in 2.3 s, at no cost: {shown}")


SERVER = "check that its server runs and can be reached, and its address in `api_base`"
NAME = "check the provider and the name in `model`, and the model's `params`"
LATER = "try again later"


@pytest.mark.parametrize(
    ("kind", "message", "remedy"),
    [
        ("connection", "refused", SERVER),
        ("timeout", "too slow", SERVER),
        ("server", "Cannot connect to host", SERVER),
        ("request", "no such model", NAME),
        ("answer", "no text", NAME),
        ("server", "overloaded", LATER),
        ("rate_limit", "too many", LATER),
        ("request", "bad key (check OPENAI_API_KEY)", None),
        ("connection", "refused (check the address)", None),
    ],
)
def test_a_failure_is_given_with_what_to_check_unless_it_says_so_itself(
    tried: type[TriedModels],
    monkeypatch: pytest.MonkeyPatch,
    kind: FailureKind,
    message: str,
    remedy: str | None,
) -> None:
    words = message if remedy is None else f"{message} ({remedy})"

    assert outcome(tried, Failure(kind, message), monkeypatch) == Trial(False, f"It did not answer: {words}")


def test_a_failure_of_a_known_cause_has_the_remedy_of_its_cause(
    tried: type[TriedModels], monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = Failure("request", "no credit left; pay", cause="quota")

    assert outcome(tried, failure, monkeypatch).words == "It did not answer: no credit left; pay"


def test_a_model_without_its_key_is_not_called(
    tried: type[TriedModels], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tried, "missing", {"m": "OPENAI_API_KEY"})

    assert asyncio.run(try_model("m", CONFIG)) == Trial(
        False,
        "Not called: the environment variable OPENAI_API_KEY with its key is not set; set it with export "
        "OPENAI_API_KEY=KEY.",
    )
    assert tried.prompts == []


def test_a_setting_that_is_refused_is_the_outcome_of_its_model_alone(
    tried: type[TriedModels], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"good": Reply("ready", cost_usd=0.0), "bad": UsageError("no such protocol")}
    monkeypatch.setattr(tried, "answers", answers)
    monkeypatch.setattr(trial, "time", SimpleNamespace(monotonic=lambda: 1.0))

    trials = asyncio.run(try_models({"bad": CONFIG, "good": CONFIG}))

    assert trials == {
        "bad": Trial(False, "Not called: no such protocol"),
        "good": Trial(True, "It answered in 0.0 s, at no cost: ready"),
    }
    assert list(trials) == ["bad", "good"]


def test_as_a_program_it_writes_the_outcome_for_each_model_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    models = [f"[models.{name}]\nmodel = 'openai/{name}'\napi_key_env = 'NO_SUCH_KEY'" for name in "ab"]
    path = tmp_path / "run.toml"
    path.write_text("\n".join(["study = 's'", "judges = ['a']", "paradigms = ['single_rubric']", *models]))
    monkeypatch.setattr(sys, "argv", ["trial", str(path)])

    runpy.run_path(str(trial.__file__), run_name="__main__")

    trials = json.loads(capsys.readouterr().out)
    assert list(trials) == ["a", "b"]
    for outcome in trials.values():
        assert outcome["answered"] is False
        assert outcome["words"].startswith("Not called: the environment variable NO_SUCH_KEY")
