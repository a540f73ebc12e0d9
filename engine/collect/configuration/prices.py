"""What calls cost: a model's price, litellm's price list, and the longest answer that a model may give.

The list is read from litellm's file: importing litellm would take four seconds.
"""

import functools
import json
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tomli_w

from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.model_keys import SIMULATED, provider_of
from engine.phrases import join_names

IN_BATCHES = 0.5  # what providers usually charge, of the price of a live call
PER = 1_000_000
FREE = Price(input_per_million=0.0, output_per_million=0.0)


def is_free(price: Price | None) -> bool:
    """Return whether a price is known to be nothing."""
    return price is not None and not price.input_per_million and not price.output_per_million


def cost_usd(price: Price, prompt_tokens: float, completion_tokens: float) -> float:
    """Return the US dollars for the tokens of a prompt and an answer, including its reasoning."""
    return (prompt_tokens * price.input_per_million + completion_tokens * price.output_per_million) / PER


def known_sum(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of numbers such as costs; None if one of them is unknown."""
    values = list(numbers)
    return None if None in values else sum(number for number in values if number is not None)


def price_of(config: ModelConfig, *, batch: bool = False) -> Price | None:
    """Return a model's price, the user's if given, else the listed one (simulated: free), if known.

    `batch`: in batches, half of the usual price where neither states one.
    """
    if batch and config.batch_price is not None:
        return config.batch_price
    if config.price is None and provider_of(config.model) == SIMULATED:
        return FREE
    if config.price is None and batch and (price := listed_price(config.model, batch=True)):
        return price
    price = config.price or listed_price(config.model)
    if price is None or not batch:
        return price
    return Price(**{side: dollars * IN_BATCHES for side, dollars in price})


_FILE = "model_prices_and_context_window_backup.json"
_MODES = ("chat", "completion", "responses")


def listed_price(model: str, *, batch: bool = False) -> Price | None:
    """Return the listed price of a model (litellm's name); None if the list lacks it for that provider.

    `batch`: the price of calls in batches, None if the list lacks that.
    """
    provider, _, bare = model.partition("/") if "/" in model else ("", "", model)
    kind = "_batches" if batch else ""
    for name in (model, bare):
        entry = _list().get(name)
        if not isinstance(entry, dict):
            continue
        listed_by = str(entry.get("litellm_provider", ""))
        is_others = provider and name == bare and not listed_by.startswith(provider)
        if is_others or entry.get("mode", "chat") not in _MODES:
            continue
        prompt_cost, answer_cost = (entry.get(f"{side}_cost_per_token{kind}") for side in ("input", "output"))
        if isinstance(prompt_cost, int | float) and isinstance(answer_cost, int | float):
            return Price(input_per_million=prompt_cost * PER, output_per_million=answer_cost * PER)
    return None


@functools.cache
def listed_providers() -> frozenset[str]:
    """Return the providers of models by the list."""
    entries = (entry for entry in _list().values() if isinstance(entry, dict))
    return frozenset(str(entry["litellm_provider"]) for entry in entries if "litellm_provider" in entry)


def longest_answer(model: str) -> int | None:
    """Return the maximum tokens of a model's answer by the list; None if it does not state them."""
    for name in dict.fromkeys((model, model.partition("/")[2] or model)):
        entry = _list().get(name)
        tokens = entry.get("max_output_tokens") if isinstance(entry, dict) else None
        if isinstance(tokens, int) and tokens > 0:
            return tokens
    return None


def thinks(config: ModelConfig) -> bool | None:
    """Return whether a model thinks before it answers; None if nothing is known of it."""
    if provider_of(config.model) == SIMULATED:
        return False
    params = config.params.to_dict()
    settings = [params[name] for name in ("reasoning_effort", "reasoning", "thinking") if name in params]
    if settings or config.stage == "reasoning":
        return not any(each in ("none", "disabled", {"type": "disabled"}) for each in settings)
    names = (config.model, config.model.partition("/")[2])
    entry = next((entry for name in names if isinstance(entry := _list().get(name), dict)), None)
    makers = (provider_of(config.model), entry and entry.get("litellm_provider"))
    if "anthropic" in makers:  # on request
        return False
    if entry is None:
        return None if config.stage is None else False
    return bool(entry.get("supports_reasoning"))


def may_think(config: ModelConfig) -> bool:
    """Return whether a model may think before it answers; also if nothing is known of it."""
    return thinks(config) is not False


def priced_names_like(model: str) -> list[str]:
    """Return listed names, with a price, that a model's provider has and that are spelt most like its own."""
    provider, _, bare = model.rpartition("/")
    names = {
        name.removeprefix(f"{provider}/"): None
        for name, entry in _list().items()
        if isinstance(entry, dict) and provider in ("", str(entry.get("litellm_provider")))
        if listed_price(name) is not None
    }
    longer = sorted((name for name in names if name.startswith(bare)), key=len)
    close = [*longer, *get_close_matches(bare, names, _MOST_NAMED)]
    return [f"{provider}/{name}".lstrip("/") for name in dict.fromkeys(close)][:_MOST_NAMED]


_MOST_NAMED = 3


def price_remedy(name: str, model: str) -> str:
    """Return how a configuration gives the price of a model, which litellm calls `model`."""
    like = priced_names_like(model)
    correction = f", or correct the name (listed: {join_names(like)})" if like else ""
    table, called = tomli_w.dumps({"models": {name: {"model": model}}}).split("\n")[:2]
    return (
        'add price = "IN/OUT", in US dollars per million tokens sent and received such as "0.8/4", under '
        f"{table} (a table that also has {called}){correction}"
    )


@functools.cache
def _list() -> dict[str, Any]:
    """Return the list, empty if this version of litellm has it elsewhere."""
    spec = find_spec("litellm")  # finds the package without importing it
    if spec is None or spec.origin is None:
        return {}
    try:
        prices: dict[str, Any] = json.loads((Path(spec.origin).parent / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return prices
