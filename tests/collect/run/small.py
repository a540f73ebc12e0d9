"""A small exchange folder, configurations over it, and models that answer without a network."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.collect.calls import Failure, Message, Reply
from engine.collect.client.model_client import CallOutcome
from engine.collect.configuration.config import Price, RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.limits.pacing import PaceState
from engine.collect.limits.spending import Charge

Answer = Callable[[str, str], Reply | Failure]
"""Answers a model's name and the last message."""

MET = '{"criteria_met": true}'


def write_folder(folder: Path, *, instances: int = 3, rubrics: int = 2, responses: bool = True) -> Path:
    """Write an exchange folder, with the responses of generators a and b unless `responses` is false."""
    ids = [f"i{number:05d}" for number in range(instances)]
    tables = {
        "models": [{"model": "a", "family": "x"}, {"model": "b", "family": "y"}],
        "instances": [{"instance_id": each, "prompt": f"Question {each}?"} for each in ids],
        "rubrics": [
            {"instance_id": each, "rubric_id": f"r{rubric}", "criterion": f"Says {rubric} of {each}."}
            for each in ids
            for rubric in range(rubrics)
        ],
    }
    if responses:
        tables["responses"] = [
            {"instance_id": each, "generator": model, "text": f"{model} answers {each}."}
            for each in ids
            for model in ("a", "b")
        ]
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        lines = [json.dumps(row) + "\n" for row in rows]
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    return folder


def config_text(
    folder: Path, *, more: str = "", run: str = "", a: str = "", b: str = "", **top: object
) -> str:
    """Return a configuration in which a and b generate and judge; `a`, `b`, `run` are lines of tables."""
    values: dict[str, object] = {
        "study": "s",
        "data": str(folder),
        "generators": ["a", "b"],
        "judges": ["a", "b"],
        "paradigms": ["single_rubric"],
        **top,
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    models = [f"[models.{name}]\nmodel = 'openai/{name}'\n{text}" for name, text in (("a", a), ("b", b))]
    return "\n".join([*lines, more, *models, "[run]", run]) + "\n"


def config(folder: Path, **more: object) -> RunConfig:
    """Return the configuration of `config_text`, checked."""
    return parse_config(config_text(folder, **more))  # type: ignore[arg-type]


def met(model: str, question: str) -> Reply:
    """Answer that the criterion is met."""
    del model, question
    return Reply(MET, prompt_tokens=10, completion_tokens=5, cost_usd=0.001, latency_s=0.0)


class FakeModels:
    """Answers by a function, and records who was asked what."""

    def __init__(self, answer: Answer = met, prices: Mapping[str, Price | None] | None = None) -> None:
        self.answer = answer
        self.prices = prices or {}
        self.given_up: dict[str, Failure] = {}
        self.unreachable: dict[str, str] = {}
        self.prompts: Counter[tuple[str, str]] = Counter()
        self.under_way = 0
        self.most_under_way = 0
        self.by_model: Counter[str] = Counter()
        self.most_by_model: Counter[str] = Counter()

    async def ask(
        self,
        name: str,
        messages: Sequence[Message],
        *,
        logprobs: bool = False,
        schema: Mapping[str, Any] | None = None,
        on_charge: Callable[[Charge], bool] | None = None,
        tokens: int | None = None,
    ) -> CallOutcome:
        """Answer after yielding to other calls."""
        del logprobs, schema, on_charge, tokens
        self.prompts[name, json.dumps(messages)] += 1
        self.under_way += 1
        self.by_model[name] += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        self.most_by_model[name] = max(self.most_by_model[name], self.by_model[name])
        try:
            await asyncio.sleep(0)
            return CallOutcome(self.answer(name, messages[-1]["content"]), 1)
        finally:
            self.under_way -= 1
            self.by_model[name] -= 1

    def price(self, name: str) -> Price | None:
        """Return the price that the test set."""
        return self.prices.get(name)

    def missing_keys(self) -> dict[str, str]:
        """Return none."""
        return {}

    def identity(
        self, name: str, messages: Sequence[Message], schema: Mapping[str, object] | None = None
    ) -> dict[str, object]:
        """Return the name alone."""
        del messages, schema
        return {"model": name}

    def inform_simulated(self, study: object) -> None:
        """Hear nothing."""

    def has_room(self, name: str) -> bool:
        """Keep nobody waiting."""
        del name
        return True

    def when_room(self, listener: Callable[[], None]) -> None:
        """Keep nobody waiting."""

    def paces(self) -> list[PaceState]:
        """Return none."""
        return []

    async def aclose(self) -> None:
        """Close nothing."""
