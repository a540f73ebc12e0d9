"""Hiding keys in every text that leaves the runner."""

import os
import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from engine.collect.calls import Reply

HIDDEN = "[key]"
SHORTEST = 6  # shortest value to hide, in characters: a shorter one would blank out words


_LOOKS_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHAPES = re.compile(
    r"""\b(?:sk|pk|rk|gsk|xai|hf|nvapi|r8|pplx)[-_](?=[\w.\-]*[\d*])[\w*.\-]{6,}  # also masked in part
      | \bAIza[\w\-]{10,} | \bAKIA[0-9A-Z]{12,} | \bghp_\w{10,} | \beyJ[\w\-]{10,}\.[\w\-.]+
      | (?<=[Bb]earer[ ])[^\s"',}]+
      | (?<=api_key=)[^\s"'&,}]+ | (?<=[?&]key=)[^\s"'&,}]+""",
    re.VERBOSE,
)


def scrub(text: str, secrets: Iterable[str | None] = ()) -> str:
    """Return the text with all keys hidden.

    Hidden are the `secrets` that are not None, the values of environment variables whose names end in KEY,
    TOKEN, SECRET, PASSWORD or CREDENTIALS, and anything shaped like a key.
    """
    environment = (value for name, value in os.environ.items() if _LOOKS_SECRET.search(name))
    values = {value for value in (*secrets, *environment) if value and len(value) >= SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)


def without_key(reply: Reply, key: str | None) -> Reply:
    """Return the reply with the sent key hidden, which a server may repeat in an answer.

    Nothing else is hidden: a text that looks like a key may be the requested answer.
    """
    if key is None or len(key) < SHORTEST:
        return reply
    fields = {name: text for name, text in asdict(reply).items() if isinstance(text, str) and key in text}
    hidden: dict[str, Any] = {name: text.replace(key, HIDDEN) for name, text in fields.items()}
    return replace(reply, **hidden)
