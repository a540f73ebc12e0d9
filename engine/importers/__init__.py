"""Readers of outside formats (layer 1), all ending in the store's checked tables.

One module for each format, with the record that declares it; `registry` holds them all and those that other
packages add. `reading` is what they share, `sniffing` finds a file's format, `pipeline` reads, reports and
writes.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return what stood here before: `FOREIGN`, `FORMATS` and `foreign`."""
    if name not in ("FOREIGN", "FORMATS", "foreign"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine.importers import registry

    if name == "FOREIGN":
        return tuple(form.name for form in registry.BY_ROWS)
    if name == "FORMATS":
        return {form.name: form.importer for form in registry.AS_A_WHOLE}
    return registry.row_format
