"""Shared by the tests of calls: a model on the loopback server, and one question for it."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engine.collect.client.model_client import CallOutcome, Models
from engine.collect.configuration.config import ModelConfig
from engine.collect.run_log import LOG

QUESTION = [{"role": "user", "content": 'Say which: {"outcome": "A is better"}'}]


def model_on(url: str, model: str = "openai/ok", **fields: Any) -> ModelConfig:
    return ModelConfig(model=model, api_base=url, **fields)


def ask(config: ModelConfig, *, logprobs: bool = False, **settings: Any) -> CallOutcome:
    return ask_all({"m": config}, ["m"], logprobs=logprobs, **settings)[0]


def ask_all(
    configs: Mapping[str, ModelConfig], names: Sequence[str], *, logprobs: bool = False, **settings: Any
) -> list[CallOutcome]:
    """Ask the models in turn, within one event loop."""

    async def outcomes() -> list[CallOutcome]:
        async with Models(configs, **{"timeout_s": 10, **settings}) as models:
            return [await models.ask(name, QUESTION, logprobs=logprobs) for name in names]

    return asyncio.run(outcomes())


@contextmanager
def logged(level: int = logging.WARNING) -> Iterator[list[str]]:
    """Yield the messages that the runner logs from now on, of this level or above."""
    lines: list[str] = []
    handler = logging.Handler(level)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    before = LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(level)
    try:
        yield lines
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(before)
