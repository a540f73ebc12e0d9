"""The sections of pages: one that fails says why, and the others are shown."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from engine.errors import SpbError, uncomputed
from explorer.parts import components

Arguments = ParamSpec("Arguments")
Shown = TypeVar("Shown")


def section(show: Callable[Arguments, Shown]) -> Callable[Arguments, Shown | None]:
    """Return a function that shows a section, and in its place the reason if that fails: then it gives None.

    What Streamlit raises to stop or repeat a run passes.
    """

    @wraps(show)
    def shown(*arguments: Arguments.args, **options: Arguments.kwargs) -> Shown | None:
        try:
            return show(*arguments, **options)
        except Exception as error:
            why = uncomputed(error)
            components.say(why if isinstance(error, SpbError) else f"This part is missing: {why}.")
            return None

    return shown
