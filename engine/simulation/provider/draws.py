"""Chance that repeats itself: numbers that depend on nothing but what they are drawn for."""

import hashlib
import json
import random
from collections.abc import Mapping, Sequence


def digest_of(messages: Sequence[Mapping[str, str]]) -> str:
    """Return what the messages are, as 32 hexadecimal digits."""
    return digest(json.dumps([dict(message) for message in messages], sort_keys=True))


def digest(text: str) -> str:
    """Return what the text is, as 32 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def uniform(*of: object) -> float:
    """Return a number from 0 to below 1 that depends on the arguments alone, and on all of them."""
    hashed = hashlib.blake2b("\0".join(map(str, of)).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(hashed, "big") / 2**56


def chance(*of: object) -> random.Random:
    """Return a source of numbers that depends on the arguments alone."""
    return random.Random(digest("\0".join(map(str, of))))  # noqa: S311 - simulation, not secrecy
