"""Grades written with the top of their scale, such as `7/10`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.importers.tables.verdict_words import NO_VERDICT

_FRACTION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)\s*")
_SHARE = re.compile(r"-?[\d.]+\s*(%|/\s*[\d.]+)")


@dataclass(frozen=True, slots=True)
class Fraction:
    """A score and the top of its scale, as they are written."""

    score: str
    top: str


def fraction_of(value: object) -> Fraction | None:
    """Return what a text such as `7/10` says, None for any other value."""
    match = _FRACTION.fullmatch(value) if isinstance(value, str) else None
    return Fraction(match[1], match[2]) if match is not None and float(match[2]) > 0 else None


def are_fractions(values: Iterable[str]) -> bool:
    """Return whether all values are fractions, without those that stand for no verdict."""
    some = set(values) - NO_VERDICT
    return bool(some) and all(fraction_of(value) is not None for value in some)


def is_share(value: str) -> bool:
    """Return whether a value is written as a part of a whole: a percentage or a fraction."""
    return _SHARE.fullmatch(value) is not None
