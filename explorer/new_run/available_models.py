"""The models that a run from the page can call: simulated ones, and those of the user's `models.toml`."""

import os
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.configuration.read_config import parse_config
from engine.errors import UsageError

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
    "sim-cedar-1": {"model": "simulated/sim-cedar-1", "family": "cedar", "simulated": {"skill": 0.7}},
}
"""Models that answer without a key or a network, the first with a planted self-preference.

They are of three families: with fewer, no judge can be compared with outside judges.
"""

MODELS_FILE = "models.toml"


def models_path(root: str) -> str | None:
    """Return the path of the user's models: SPB_MODELS, else `models.toml` in a store on this disk."""
    path = os.environ.get("SPB_MODELS")
    if path:
        return path
    return None if "://" in root else str(Path(root) / MODELS_FILE)


def available_models(root: str) -> dict[str, Table]:
    """Return each model that can be called, with its table in a configuration's `[models]`.

    Raises UsageError if the user's list is not TOML with such tables, or if a run would refuse a table, such
    as one that contains a key; the message repeats no value that may be a key.
    """
    path = models_path(root)
    if path is None or not Path(path).is_file():
        return dict(SIMULATED)
    tables = _user_models(path)
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise UsageError(f"{path}: models is not a set of tables; write a [models.NAME] for each model")
    if tables:
        parse_config(tomli_w.dumps({"study": "s", "generators": list(tables), "models": tables}), path)
    return {**tables, **{name: table for name, table in SIMULATED.items() if name not in tables}}


def _user_models(path: str) -> Any:
    try:
        text = text_of(path, WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{path}: cannot be read: {why}; correct it, or move it away") from error
    try:
        return tomllib.loads(text).get("models", {})
    except (ValueError, RecursionError):
        parse_config(text, path)  # its error names the place and quotes nothing
        raise


def is_paid(table: Table) -> bool:
    """Return whether calling the model may cost money: it is not simulated, and its price is not 0."""
    price = table.get("price")
    free = isinstance(price, dict) and bool(price) and not any(price.values())
    return not free and not is_simulated(table)


def is_simulated(table: Table) -> bool:
    """Return whether the model's answers are simulated by this program."""
    return str(table.get("model", "")).startswith("simulated/")
