"""One call: what it may cost, who is asked, what is kept of it."""

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from engine import paradigms
from engine.calls import Failure, Message, Reply, Request, Row
from engine.config import ModelConfig, Price
from engine.errors import UsageError
from engine.judges import Asked, Batches
from engine.paradigms.responses import read_response
from engine.runner.entries import Entry, made_entry
from engine.store import StudyFiles

CHARACTERS_A_TOKEN = 3.0
"""A low guess, so that a prompt's tokens are rather counted too many."""
TOKENS_A_MESSAGE = 8
TOKENS_A_RESPONSE = 1_000
TOKENS_A_JUDGMENT = 300
"""What an answer is taken to be long where `max_tokens` is not given."""


class Asks(Protocol):
    """What the runner wants of `engine.judges.Models`."""

    async def ask(self, name: str, messages: Sequence[Message], *, logprobs: bool = False) -> Asked:
        """Ask a model."""
        ...

    def price(self, name: str) -> Price | None:
        """Return a model's price, None where it is unknown."""
        ...

    def missing_keys(self) -> Mapping[str, str]:
        """Return the models whose key is not set, with the variable that wants it."""
        ...

    def batches(self) -> Batches:
        """Return what makes batches of calls."""
        ...

    def tell(self, study: StudyFiles) -> None:
        """Tell simulated models what the study holds."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Return about how many tokens the messages are."""
    characters = sum(len(message["content"]) for message in messages)
    return int(characters / CHARACTERS_A_TOKEN) + TOKENS_A_MESSAGE * len(messages)


def answer_tokens(request: Request, config: ModelConfig) -> int:
    """Return how many tokens an answer has at most, or about, where the configuration sets no limit."""
    if config.params.max_tokens is not None:
        return config.params.max_tokens
    return TOKENS_A_JUDGMENT if request.role == "judge" else TOKENS_A_RESPONSE


def most_usd(
    request: Request, messages: Sequence[Message], config: ModelConfig, price: Price | None
) -> float:
    """Return the most that a call is taken to cost; 0 where the price is unknown."""
    if price is None:
        return 0.0
    sent, received = prompt_tokens(messages), answer_tokens(request, config)
    return (sent * price.input_per_million + received * price.output_per_million) / 1_000_000


async def call(
    models: Asks, config: ModelConfig, run_id: str, request: Request, messages: list[Message]
) -> Entry:
    """Make a call and return what is kept of it; a model's trouble is kept too, never raised."""
    began = time.monotonic()
    asked = await models.ask(request.model, messages, logprobs=config.logprobs and request.role == "judge")
    seconds = round(time.monotonic() - began, 3)
    rows = rows_of(request, asked.outcome)
    return made_entry(request, run_id, asked.outcome, rows, calls=asked.calls, seconds=seconds)


def rows_of(request: Request, outcome: Reply | Failure) -> Sequence[Row]:
    """Return the rows of an answer, or of a failure; a generator's failure has none and is asked again."""
    if request.role == "generator":
        return [read_response(request, outcome)] if isinstance(outcome, Reply) else []
    if isinstance(outcome, Reply):
        return paradigms.read(request, outcome)
    return paradigms.failed(request, outcome)


def refuse_unknown_prices(models: Asks, names: Sequence[str]) -> None:
    """Raise UsageError for models whose price is unknown, where a cap is to be kept."""
    for name in names:
        if models.price(name) is None:
            raise UsageError(
                f"models.{name}: the price is unknown, so max_usd cannot be kept; give "
                "price = { input_per_million = ..., output_per_million = ... } or leave max_usd out"
            )
