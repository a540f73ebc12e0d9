"""Calls of simulated models, which answer within this process as a server would, or fail like one."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict

from engine.collect.calls import FailureKind, Message, Reply
from engine.collect.client.openai_transport import Attempt
from engine.collect.client.provider_errors import failure, timeout_failure
from engine.collect.configuration import prices
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.model_keys import SIMULATED, provider_of
from engine.collect.database.exchanges import note_exchange
from engine.simulation.oracle import Oracle, load_oracle
from engine.simulation.planted import parse_planted
from engine.simulation.provider import SimulatedAnswer, SimulatedModel
from engine.store.study_files import StudyFiles

_FAILURES: dict[str, tuple[FailureKind, int, str]] = {
    "rate_limit": ("rate_limit", 429, "simulated: slow down"),
    "server_error": ("server", 500, "simulated: something broke"),
}


class SimulatedTransport:
    """The simulated models among `configs`, by name; a call lasts at most the model's time of `timeouts`."""

    def __init__(self, configs: Mapping[str, ModelConfig], timeouts: Mapping[str, float]) -> None:
        self._timeouts = timeouts
        self._oracle = Oracle()
        families = {name: config.family or name for name, config in configs.items()}
        settings = {
            name: parse_planted(f"models.{name}.simulated", config.simulated)
            for name, config in configs.items()
            if provider_of(config.model) == SIMULATED
        }
        self._oracle.set_skills({name: each.skill for name, each in settings.items()})
        self._ids = {name: configs[name].model for name in settings}
        self.models = {
            name: SimulatedModel(name, each, families=families, oracle=self._oracle)
            for name, each in settings.items()
        }

    def inform(self, study: StudyFiles) -> None:
        """Tell the models who wrote the responses, and which criteria they meet."""
        if self.models:
            load_oracle(self._oracle, study)

    async def answer(self, name: str, messages: list[Message], price: Price) -> Attempt:
        """Return a model's answer, or the failure that it is set to have."""
        model, model_id = self.models[name], self._ids[name]
        loop = asyncio.get_running_loop()
        began = loop.time()
        answer = model.answer(messages)
        content = answer if isinstance(answer, str) else asdict(answer)
        note_exchange(model_id, {"messages": messages}, None, content)
        try:
            async with asyncio.timeout(self._timeouts[name]):
                if model.planted.slow_s:
                    await asyncio.sleep(model.planted.slow_s)
                if answer == "hang":
                    await asyncio.Event().wait()  # until the time-out
        except TimeoutError:
            return Attempt(timeout_failure(name, self._timeouts[name]))
        if not isinstance(answer, SimulatedAnswer):
            kind, status, words = _FAILURES[str(answer)]
            return Attempt(failure(name, kind, words, status=status))
        return Attempt(
            Reply(
                text=answer.text,
                finish_reason="stop",
                refusal=answer.refusal or None,
                model_id=model_id,
                prompt_tokens=answer.prompt_tokens,
                completion_tokens=answer.completion_tokens,
                cost_usd=prices.cost_usd(price, answer.prompt_tokens, answer.completion_tokens),
                latency_s=loop.time() - began,
                first_token=answer.first_token or None,
            )
        )
