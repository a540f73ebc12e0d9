"""litellm, imported at the first call and set up to be quiet; one call through it."""

import functools
import importlib
import logging
import os
import warnings
from typing import Any

from engine.config import ModelConfig, Price
from engine.judges import simulated
from engine.judges.prices import FREE, PER
from engine.judges.spec import provider_of

NO_KEY = "none"
"""Sent to a server of the user's own that has no key: a provider's key must not reach another address."""


@functools.cache
def load() -> Any:
    """Import litellm (4 seconds) and return it.

    It reads its price list from the package, reports to nobody, writes no log (which could hold prompts) and
    knows the `simulated` provider. Its `turn_off_message_logging` is left alone: nobody hears of a call, and
    to copy and blacken each for nobody would take a fifth of its time.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # exactly so, and before the import
    os.environ.pop("LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", None)  # it would print every prompt
    litellm: Any = importlib.import_module("litellm")

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # a parameter that is dropped in silence would change what was measured
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # they quote answers
    for name in ("openai", "httpx"):  # they log prompts and addresses, which may hold keys
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("stamina").addHandler(logging.NullHandler())  # retries are counted, not printed
    others = [entry for entry in litellm.custom_provider_map if entry["provider"] != simulated.PROVIDER]
    litellm.custom_provider_map = [
        *others,
        {"provider": simulated.PROVIDER, "custom_handler": simulated.handler()},
    ]
    return litellm


def listed_price(model: str, *, batch: bool = False) -> Price | None:
    """Return litellm's price of a model string; None where its list has none for that provider.

    `batch`: that of calls in batches, None too where the list does not know it.
    """
    listed = load().model_cost
    provider, _, bare = model.rpartition("/") if "/" not in model else model.partition("/")
    for name in (model, bare):
        entry = listed.get(name)
        if entry is None or (provider and name == bare and not _same(provider, entry)):
            continue
        kind = "_batches" if batch else ""
        costs = entry.get(f"input_cost_per_token{kind}"), entry.get(f"output_cost_per_token{kind}")
        if None not in costs and entry.get("mode", "chat") in ("chat", "completion", "responses"):
            return Price(input_per_million=costs[0] * PER, output_per_million=costs[1] * PER)
    return None


def _same(provider: str, entry: dict[str, Any]) -> bool:
    return str(entry.get("litellm_provider", "")).startswith(provider)


def register(model: str, price: Price | None) -> None:
    """Tell litellm a price, so that it does not search its list in vain at each call (a tenth of its time).

    A model of unknown price is told to be free; nobody reads litellm's cost of it.
    """
    litellm = load()
    if model in litellm.model_cost:
        return
    shown = price or FREE
    entry = {
        "input_cost_per_token": shown.input_per_million / PER,
        "output_cost_per_token": shown.output_per_million / PER,
        "litellm_provider": provider_of(model) or "openai",
        "mode": "chat",
    }
    litellm.register_model({model: entry})


async def complete(
    config: ModelConfig, messages: list[dict[str, str]], params: dict[str, Any], key: str | None, session: Any
) -> Any:
    """Make one call, without retries of litellm's own, and return its response."""
    return await load().acompletion(
        model=config.model,
        messages=messages,
        num_retries=0,
        max_retries=0,
        shared_session=session,
        **address(config, key),
        **params,
    )


def address(config: ModelConfig, key: str | None) -> dict[str, Any]:
    """Return where a model is asked and with which key, where that is not as the provider has it."""
    if config.api_base:
        return {"api_base": config.api_base, "api_key": key or NO_KEY}
    return {"api_key": key} if key else {}
