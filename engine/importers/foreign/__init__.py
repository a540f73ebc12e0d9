"""Files of other tools, read row by row into studies: one module for each format, and what they share.

`rows` and `files` read, `gathered` collects a study's tables, `families` guesses kin, `report` tells what
became of what, `importing` puts them together. May import what `engine.importers` may.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.importers.foreign.formats import Format

_MODULES = {
    "alpaca-eval": "alpaca_eval",
    "mt-bench": "mt_bench",
    "arena-hard": "arena_hard",
    "healthbench": "simple_evals",
    "inspect": "inspect_logs",
    "promptfoo": "promptfoo",
    "lm-eval": "lm_eval",
    "llm-comparator": "llm_comparator",
    "table": "table",
}
FOREIGN: tuple[str, ...] = tuple(_MODULES)
"""The formats of other tools, by name."""


def foreign(name: str) -> "Format":
    """Return the format of that name, one of `FOREIGN`."""
    found: Format = import_module(f"engine.importers.foreign.{_MODULES[name]}").FORMAT
    return found
