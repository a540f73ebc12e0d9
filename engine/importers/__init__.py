"""Readers of outside formats, one module for each, all ending in the store's checked tables.

They may import `engine.store`, `engine.schema`, `engine.errors`, pyarrow and NumPy; `ifeval` also
`engine.checkers`. Files of other tools, read row by row and reported on, are in `foreign`.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from engine.importers.foreign import FOREIGN, foreign

__all__ = ["FOREIGN", "FORMATS", "Importer", "foreign"]

if TYPE_CHECKING:
    from engine.store.store import Mode, Store
    from engine.store.writer import WriteReport


class Importer(Protocol):
    """Reads what is at `path` and writes it as a study; raises BadInputError and then writes nothing."""

    def __call__(
        self,
        path: str,
        store: "Store",
        name: str | None = None,
        *,
        mode: "Mode" = "new",
        dry_run: bool = False,
    ) -> "WriteReport":
        """Read, check and write; return what was read."""
        ...


def _lazily(module: str, function: str) -> Callable[[], Importer]:
    """Return what imports the importer when it is wanted."""
    return lambda: getattr(import_module(f"engine.importers.{module}"), function)


FORMATS: dict[str, Callable[[], Importer]] = {
    "tidy": _lazily("tidy", "import_tidy"),
    "prometheus": _lazily("prometheus", "import_prometheus"),
    "hanna": _lazily("hanna", "import_hanna"),
    "pandalm": _lazily("pandalm", "import_pandalm"),
}
"""The formats of `spb import` that are read as a whole, by name; those of other tools are `FOREIGN`."""
