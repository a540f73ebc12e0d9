"""One call to each model, to learn whether it answers: run as `python -m engine.collect.dispatch.trial FILE`.

It runs in a process of its own, because the libraries that call models take seconds to load. It prints a
`Trial` for each model of the configuration as JSON.
"""

import asyncio
import dataclasses
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from engine.collect.calls import Failure, Message
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import ModelConfig
from engine.collect.configuration.read_config import load_config
from engine.errors import SpbError, printable

QUESTION = "Reply with the one word: ready"
LONGEST_WAIT_S = 60.0
_LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of one call in words, whether the model answered, and what that cost, as far as known.

    It never holds a key.
    """

    answered: bool
    words: str
    cost_usd: float = 0.0


async def try_model(name: str, config: ModelConfig) -> Trial:
    """Call a model once, without repeats; nothing is stored."""
    async with Models({name: config}, timeout_s=LONGEST_WAIT_S, retries=0) as models:
        if missing := models.missing_keys():
            variable = missing[name]
            unset = f"the environment variable {variable} with its key is not set"
            return Trial(False, f"Not called: {unset}; set it with export {variable}=KEY.")
        start = time.monotonic()
        message: Message = {"role": "user", "content": QUESTION}
        outcome = (await models.ask(name, [message])).outcome
        seconds = time.monotonic() - start
    if isinstance(outcome, Failure):
        return Trial(False, f"It did not answer: {_with_remedy(outcome)}")
    text = printable(" ".join(outcome.text.split()))[:_LONGEST_TEXT] or "(an empty text)"
    cost = outcome.cost_usd
    price = (
        "at no cost" if cost == 0 else "at an unknown cost" if cost is None else f"for {cost:.6f} US dollars"
    )
    return Trial(True, f"It answered in {seconds:.1f} s, {price}: {text}", cost or 0.0)


def _with_remedy(failure: Failure) -> str:
    """Return a failure's message; one without a known cause has no remedy of its own."""
    is_unreachable = failure.kind == "connection" or "Cannot connect" in failure.message
    if failure.cause is not None or "(check " in failure.message:
        return failure.message
    if is_unreachable or failure.kind == "timeout":
        remedy = "check that its server runs and can be reached, and its address in `api_base`"
    elif failure.kind in ("request", "answer"):
        remedy = "check the provider and the name in `model`, and the model's `params`"
    else:
        remedy = "try again later"
    return f"{failure.message} ({remedy})"


async def try_models(configs: Mapping[str, ModelConfig]) -> dict[str, Trial]:
    """Call each model once, all at the same time; a setting that a run would refuse is an outcome too."""

    async def outcome(name: str) -> Trial:
        try:
            return await try_model(name, configs[name])
        except SpbError as error:
            return Trial(False, f"Not called: {error}")

    return dict(zip(configs, await asyncio.gather(*map(outcome, configs)), strict=True))


def main(path: str) -> dict[str, Trial]:
    """Try all models of a configuration's file."""
    return asyncio.run(try_models(load_config(path).models))


if __name__ == "__main__":
    trials = {name: dataclasses.asdict(trial) for name, trial in main(*sys.argv[1:]).items()}
    sys.stdout.write(json.dumps(trials) + "\n")
