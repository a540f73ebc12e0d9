"""Keys kept out of every text that leaves this package."""

import os
import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from engine.calls import Reply

HIDDEN = "[key]"
SHORTEST = 6  # characters of a value that is worth hiding: a shorter one would blank out words

_LOOKS_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHAPES = re.compile(
    r"""\b(?:sk|pk|rk|gsk|xai|hf|nvapi|r8|pplx)[-_](?=[\w.\-]*[\d*])[\w*.\-]{6,}  # also masked in part
      | \bAIza[\w\-]{10,} | \bAKIA[0-9A-Z]{12,} | \bghp_\w{10,} | \beyJ[\w\-]{10,}\.[\w\-.]+
      | (?<=[Bb]earer[ ])[^\s"',}]+
      | (?<=api_key=)[^\s"'&,}]+ | (?<=[?&]key=)[^\s"'&,}]+""",
    re.VERBOSE,
)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text with every key in it hidden.

    Hidden are the `secrets`, the values of environment variables whose names end in KEY, TOKEN, SECRET,
    PASSWORD or CREDENTIALS, and whatever is shaped like a key.
    """
    held = (value for name, value in os.environ.items() if _LOOKS_SECRET.search(name))
    values = {value for value in (*secrets, *held) if len(value) >= SHORTEST}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return _SHAPES.sub(HIDDEN, text)


def without(reply: Reply, key: str | None) -> Reply:
    """Return the reply with the key hidden that was sent for it, which a server may repeat in an answer.

    Nothing else is hidden in an answer: what looks like a key may be what was asked for.
    """
    if key is None or len(key) < SHORTEST:
        return reply
    told = {name: text for name, text in asdict(reply).items() if isinstance(text, str) and key in text}
    hidden: dict[str, Any] = {name: text.replace(key, HIDDEN) for name, text in told.items()}
    return replace(reply, **hidden)
