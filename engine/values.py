"""Values from outside read, and what sentences are made of: numbers, plurals, bounded files, chat turns."""

import errno
import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# ------------------------------------------------------------------------------
# Numbers as they come from outside: of any size there, and not always numbers.


_WHOLE = re.compile(r"[0-9]{1,15}")


def parse_float(value: object) -> float | None:
    """Return a number as a finite float; None for anything else, a truth value or too large a number too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        return None
    return number if math.isfinite(number) else None


def parse_int(text: str) -> int | None:
    """Return the whole number from 0 that a text's digits write; None for anything else.

    One of more than 15 digits is none: nothing here counts so far, and thousands of them Python refuses.
    """
    return int(text) if _WHOLE.fullmatch(text) else None


# ------------------------------------------------------------------------------
# What sentences of every layer are put together from: capitals, plurals, lists.


def sentence_case(text: str) -> str:
    """Return a text that begins with a capital, unless its first word is an identifier such as `o_self`."""
    first = text.partition(" ")[0]
    return text if "_" in first else text[:1].upper() + text[1:]


def full_stop(text: str) -> str:
    """Return a text that ends in one full stop, whether it had one or none."""
    return f"{text.removesuffix('.')}."


def counted(number: int, thing: str) -> str:
    """Return `1 judge`, `3 judges` or `2 families`."""
    return f"{number:,} {thing if number == 1 else plural(thing)}"


def plural(thing: str) -> str:
    """Return the plural of a noun that this project counts: `judges`, `families`, `batches`."""
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith("ch") else f"{thing}s"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return `a, b and c`; of more than `most` names the others are counted, unless it is one."""
    shown = list(names)
    if most is not None and len(shown) > most + 1:
        shown = [*shown[:most], f"{len(shown) - most:,} more"]
    return "".join(shown) if len(shown) < 2 else f"{', '.join(shown[:-1])} and {shown[-1]}"


# ------------------------------------------------------------------------------
# Files that somebody names are read up to a size: `/dev/zero` and its like have no end.


LARGEST = 1 << 30
"""Bytes of a file that is read whole; the largest data set has an eighth of them."""

WRITTEN_BY_HAND = 1 << 24
"""Bytes of a configuration, a template and the like."""


def bytes_of(path: str | Path, most: int = LARGEST) -> bytes:
    """Return what a file holds; OSError where it cannot be read, or holds more than `most` bytes."""
    with open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", os.fspath(path))
    return content


def text_of(path: str | Path, most: int = LARGEST) -> str:
    """Return a file's text without a byte order mark.

    Raises OSError as `bytes_of` does, and UnicodeDecodeError where it is not UTF-8.
    """
    return bytes_of(path, most).decode("utf-8-sig")


def whole_characters(text: str) -> str:
    """Return a text with its halves of characters, which no UTF-8 can hold, replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


# ------------------------------------------------------------------------------
# Whether this program may write: the variable SPB_READ_ONLY.


def read_only() -> bool:
    """Return whether nothing may be written: where SPB_READ_ONLY is 1."""
    return os.environ.get("SPB_READ_ONLY") == "1"


# ------------------------------------------------------------------------------
# A prompt as the messages of a conversation.


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: str
    text: str


def conversation(prompt: str | None) -> tuple[Message, ...]:
    """Return the messages of a prompt, which is a JSON list of chat messages or plain text.

    What looks like JSON and is no list of messages is taken as it is written.
    """
    if prompt is None:
        return ()
    plain = (Message("user", prompt),)
    if not prompt.lstrip().startswith("["):
        return plain
    try:
        turns = json.loads(prompt)
    except (ValueError, RecursionError):
        return plain
    if not isinstance(turns, list) or not all(isinstance(part, dict) and "content" in part for part in turns):
        return plain
    return tuple(Message(str(part.get("role", "user")), _content(part["content"])) for part in turns)


def _content(value: Any) -> str:
    """Return a message's text; content in parts is joined, and what is not text shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(
            part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else json.dumps(part)
            for part in value
        )
    return json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------------------
# What ships with the project beside its code: the data sets' catalogue, published numbers,
# demonstrations.


_PACKAGE = Path(__file__).resolve().parent
_COPIES = _PACKAGE / "_shipped"

_TOP = _COPIES if _COPIES.is_dir() else _PACKAGE.parent

DATASETS = _TOP / "datasets"
"""`catalogue.toml` and `published/`."""

RESULTS = _TOP / "results"
"""The store of the demonstration studies, to be read only where it is a wheel's."""

SETTINGS = _TOP / ".streamlit" / "config.toml"
"""How the explorer is served unless somebody says otherwise."""
