"""Outside values, parts of sentences, bounded files, chat messages, the process and its user's folders."""

import errno
import gc
import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import UsageError

# ------------------------------------------------------------------------------
# Numbers from outside, which may be of any size or not numbers at all.


_DIGITS = re.compile(r"[0-9]{1,15}")


def parse_float(value: object) -> float | None:
    """Return a number as a finite float; None for anything else, including booleans and overflows."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer too large for a float
        return None


def parse_int(text: str) -> int | None:
    """Return the non-negative integer that a text spells in digits; None for anything else.

    More than 15 digits are refused: no count here is that large, and Python rejects thousands of digits.
    """
    return int(text) if _DIGITS.fullmatch(text) else None


# ------------------------------------------------------------------------------
# Building blocks of sentences in every layer: capitals, plurals, lists.


def sentence_case(text: str) -> str:
    """Return the text with an initial capital, unless its first word is an identifier such as `o_self`."""
    first = text.partition(" ")[0]
    return text if "_" in first else text[:1].upper() + text[1:]


def full_stop(text: str) -> str:
    """Return the text with a full stop at its end, added if missing."""
    return f"{text.removesuffix('.')}."


def quantity(number: int, thing: str) -> str:
    """Return `1 judge`, `3 judges` or `2 families`."""
    return f"{number:,} {thing if number == 1 else plural(thing)}"


def plural(thing: str) -> str:
    """Return the plural of a noun: `judges`, `families`, `batches`."""
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith("ch") else f"{thing}s"


def join_names(names: Sequence[str], most: int | None = None, last: str = "and") -> str:
    """Return `a, b and c`; names beyond `most` become `N more`, unless there is only one.

    `last` is the word before the last.
    """
    parts = list(names)
    if most is not None and len(parts) > most + 1:
        parts = [*parts[:most], f"{len(parts) - most:,} more"]
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, the last of which is an ellipsis where it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


# ------------------------------------------------------------------------------
# Files named by users are read up to a size limit: files like `/dev/zero` never end.


LARGEST = 1 << 30  # size limit, in bytes, of a file read whole; the largest data set is an eighth of this
WRITTEN_BY_HAND = 1 << 24  # size limit, in bytes, of a configuration, a template and the like


def bytes_of(path: str | Path, limit: int = LARGEST) -> bytes:
    """Return a file's content; OSError if it cannot be read or has more than `limit` bytes."""
    with open(path, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", os.fspath(path))
    return content


def text_of(path: str | Path, limit: int = LARGEST) -> str:
    """Return a file's text without a byte order mark; UnicodeDecodeError if it is not UTF-8."""
    return bytes_of(path, limit).decode("utf-8-sig")


def whole_characters(text: str) -> str:
    """Return a text with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def read_only() -> bool:
    """Return whether writing is forbidden, that is, SPB_READ_ONLY is 1."""
    return os.environ.get("SPB_READ_ONLY") == "1"


# ------------------------------------------------------------------------------
# A prompt as the messages of a conversation.


@dataclass(frozen=True)
class Message:
    role: str
    text: str


def conversation(prompt: str | None) -> tuple[Message, ...]:
    """Return the messages of a prompt: those of a JSON list of chat messages, or one of plain text."""
    if prompt is None:
        return ()
    try:
        turns = json.loads(prompt) if prompt.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        turns = None
    if not isinstance(turns, list) or not all(isinstance(part, dict) and "content" in part for part in turns):
        return (Message("user", prompt),)
    return tuple(Message(str(part.get("role", "user")), _content(part["content"])) for part in turns)


def _content(value: Any) -> str:
    """Return a message's text. Content in parts is joined; anything but text is shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(
            part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else json.dumps(part)
            for part in value
        )
    return json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------------------
# The process, and where its user's files are (XDG Base Directory Specification).


def rarely_collect_garbage() -> None:
    """Let Python collect garbage rarely: it halts all threads, and took a tenth of the explorer's time."""
    gc.set_threshold(50_000, 20, 50)


_USER_FOLDERS = {
    "XDG_CACHE_HOME": Path(".cache"),
    "XDG_DATA_HOME": Path(".local/share"),
    "XDG_STATE_HOME": Path(".local/state"),
}


def user_folder(variable: str) -> Path:
    """Return the folder in an environment variable, else the usual one in the user's home folder.

    UsageError if the variable is not set and the user has no home folder.
    """
    if folder := os.environ.get(variable):
        return Path(folder)
    try:
        return Path.home() / _USER_FOLDERS[variable]
    except RuntimeError:
        raise UsageError(f"this user has no home folder; name a folder in {variable}") from None


# ------------------------------------------------------------------------------
# Files shipped with the code: the catalogue of data sets, published numbers, demonstrations.


_PACKAGE = Path(__file__).resolve().parent
_COPIES = _PACKAGE / "_shipped"
_TOP = _COPIES if _COPIES.is_dir() else _PACKAGE.parent

DATASETS = _TOP / "datasets"  # `catalogue.toml` and `published/`
RESULTS = _TOP / "results"  # the store of the demonstration studies, read-only if it is part of a wheel
SETTINGS = _TOP / ".streamlit" / "config.toml"  # the explorer's default server settings
