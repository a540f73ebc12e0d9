"""Reproducible randomness: numbers that depend only on what they are drawn for."""

import hashlib
import random


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def uniform(*keys: object) -> float:
    """Return a number in [0, 1) that depends on all the arguments and nothing else."""
    raw = hashlib.blake2b("\0".join(map(str, keys)).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(raw, "big") / 2**56


def seeded_rng(*keys: object) -> random.Random:
    return random.Random(digest("\0".join(map(str, keys))))  # noqa: S311 - simulation, not secrecy
