"""The models that a run from the page can ask: simulated ones, and those of the user's `models.toml`."""

import os
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from engine.config import parse_config
from engine.errors import UsageError
from engine.text_files import WRITTEN_BY_HAND, text_of

Table = dict[str, Any]

SIMULATED: dict[str, Table] = {
    "sim-amber-1": {
        "model": "simulated/sim-amber-1",
        "family": "amber",
        "simulated": {"overestimation": 0.2, "self_ratio": 2.0, "family_ratio": 1.3},
    },
    "sim-amber-2": {"model": "simulated/sim-amber-2", "family": "amber", "simulated": {"skill": 0.6}},
    "sim-birch-1": {
        "model": "simulated/sim-birch-1",
        "family": "birch",
        "simulated": {"overestimation": 0.15, "skill": 0.8},
    },
}
"""Models that answer without a key or a network, the first with a planted liking for its own family."""

MODELS_FILE = "models.toml"


def models_place(root: str) -> str | None:
    """Return where the user's models are listed: SPB_MODELS, else `models.toml` in a store on this disk."""
    named = os.environ.get("SPB_MODELS")
    if named:
        return named
    return None if "://" in root else str(Path(root) / MODELS_FILE)


def askable(root: str) -> dict[str, Table]:
    """Return each model that can be asked with its table of a configuration's `[models]`.

    Raises UsageError where the user's list is no TOML of such tables, or a table is one that a run would
    refuse, such as one with a key in it; no value is repeated that may be one.
    """
    place = models_place(root)
    if place is None or not Path(place).is_file():
        return dict(SIMULATED)
    listed = _listed(place)
    if not isinstance(listed, dict) or not all(isinstance(table, dict) for table in listed.values()):
        raise UsageError(f"{place}: models is no set of tables; write a [models.NAME] for each model")
    if listed:
        parse_config(tomli_w.dumps({"study": "s", "generators": list(listed), "models": listed}), place)
    return {**listed, **{name: table for name, table in SIMULATED.items() if name not in listed}}


def _listed(place: str) -> Any:
    try:
        text = text_of(place, WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise UsageError(f"{place}: cannot be read: {why}; correct it, or move it away") from error
    try:
        return tomllib.loads(text).get("models", {})
    except (ValueError, RecursionError):
        parse_config(text, place)  # which says where, and nothing of what stands there
        raise


def is_paid(table: Table) -> bool:
    """Return whether asking the model may cost money: it is not simulated, and no price calls it free."""
    price = table.get("price")
    free = isinstance(price, dict) and bool(price) and not any(price.values())
    return not free and not str(table.get("model", "")).startswith("simulated/")
