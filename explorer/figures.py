"""The charts of pages that draw more than one measure; `explorer.data.figure` keeps what they return."""

from collections.abc import Callable

from explorer.data import Drawn

FIGURES: dict[str, Callable[..., Drawn]] = {}
