"""litellm's list of prices, read from its file: importing litellm for it would take four seconds."""

import functools
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.collect.config import Price
from engine.collect.model_settings import PER

FILE = "model_prices_and_context_window_backup.json"
_MODES = ("chat", "completion", "responses")


def listed_price(model: str, *, batch: bool = False) -> Price | None:
    """Return the listed price of a litellm model string; None where that provider's is not in the list.

    `batch`: that of calls in batches, None too where the list does not know it.
    """
    provider, _, bare = model.partition("/") if "/" in model else ("", "", model)
    kind = "_batches" if batch else ""
    for name in (model, bare):
        entry = _list().get(name)
        if not isinstance(entry, dict):
            continue
        listed_by = str(entry.get("litellm_provider", ""))
        if provider and name == bare and not listed_by.startswith(provider):
            continue
        sent, received = (entry.get(f"{side}_cost_per_token{kind}") for side in ("input", "output"))
        if not isinstance(sent, int | float) or not isinstance(received, int | float):
            continue
        if entry.get("mode", "chat") in _MODES:
            return Price(input_per_million=sent * PER, output_per_million=received * PER)
    return None


def longest_answer(model: str) -> int | None:
    """Return how many tokens the list says that a model writes at most; None where it does not say."""
    for name in dict.fromkeys((model, model.partition("/")[2] or model)):
        entry = _list().get(name)
        tokens = entry.get("max_output_tokens") if isinstance(entry, dict) else None
        if isinstance(tokens, int) and tokens > 0:
            return tokens
    return None


@functools.cache
def _list() -> dict[str, Any]:
    """Return the list, empty where this litellm keeps it elsewhere."""
    spec = find_spec("litellm")  # finds the package without importing it
    if spec is None or spec.origin is None:
        return {}
    try:
        read: dict[str, Any] = json.loads((Path(spec.origin).parent / FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return read
