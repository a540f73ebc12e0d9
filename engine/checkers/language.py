"""Instructions about the language: `language:*`."""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Annotated

import pydantic

from engine.checkers.registry import Check

LOOKED_AT = 50_000
"""Characters that a language is told from; langdetect itself keeps the first 10,000 that count."""


def response_language(
    language: Annotated[str, pydantic.Field(pattern="^[a-z]{2,3}(-[a-z]{2})?$")],
) -> Check:
    """Ask for the language of the code (`de`, `zh-cn`); a text without any word passes, as in IFEval."""
    return lambda text: detected(text) in (language, None)


def detected(text: str) -> str | None:
    """Return the code of the text's language as langdetect tells it, or None where nothing tells.

    Its random choices start from the same seed for each text, so that a verdict is always the same.
    """
    library = _langdetect()
    try:
        code: str = library.detect(text[:LOOKED_AT])
    except library.LangDetectException:
        return None
    return code


@cache
def _langdetect() -> ModuleType:
    library = import_module("langdetect")
    library.DetectorFactory.seed = 0
    return library
