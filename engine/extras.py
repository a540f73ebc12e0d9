"""The extras: packages that only some uses need, and the command that installs them."""

from importlib.util import find_spec
from typing import Any, Literal

from engine.errors import UsageError

Extra = Literal["cluster", "excel", "math", "pictures", "postgres", "sentences"]


def install(extra: Extra) -> str:
    """Return the command for an extra; it works in any folder, as pip knows the program that is installed."""
    return f"pip install 'spb-explorer[{extra}]'"


NO_PICTURES = f"charts in files need the package vl-convert-python; install it: {install('pictures')}"
"""Why a file has no chart, and the command that helps."""


def can_draw() -> bool:
    """Return whether charts can be drawn into files."""
    return find_spec("vl_convert") is not None


def drawing_package() -> Any:
    """Return vl-convert, which draws charts without a browser and carries Vega's scripts.

    UsageError if it is not installed.
    """
    if not can_draw():
        raise UsageError(NO_PICTURES)
    import vl_convert

    return vl_convert
