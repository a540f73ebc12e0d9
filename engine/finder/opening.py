"""Which filters open a slice that was found: not every group of a column can be filtered for."""

from dataclasses import dataclass
from typing import Any

from engine.slices import NULL, Slice

Where = tuple[tuple[str, str], ...]

UNANIMOUS = "1"
"""The one group of agreement that a filter keeps exactly."""

NAMED = ("axis", "theme", "category", "language", "checker")
"""Columns whose missing value can be filtered for."""


@dataclass(frozen=True)
class Opening:
    """Filters, and the column to group by where a value is none that a filter keeps (its row is `value`)."""

    filters: dict[str, Any]
    by: str | None = None
    value: str | None = None


def opening(where: Where, spec: Slice) -> Opening:
    """Return what opens the slice within `spec`: texts, as a list where a comma would part one.

    Of two columns that cannot be filtered for the first is grouped by.
    """
    filters: dict[str, Any] = {}
    by = value = None
    for column, told in where:
        found = _filter(column, told, spec)
        if found is not None:
            filters |= found
        elif by is None:
            by, value = column, told
    return Opening(filters, by, value)


def _filter(column: str, value: str, spec: Slice) -> dict[str, Any] | None:
    if column in NAMED:
        return {column: [value] if "," in value else value}
    if value == NULL:
        return None
    if column == "agreement":
        return {"min_agreement": value} if value == UNANIMOUS else None
    if column == "length":
        return {"length": _bounds(value, spec)}
    return {column: value}


def _bounds(value: str, spec: Slice) -> str:
    """Return the ends of a group of lengths, no farther than the slice's own."""
    low, high = (float(end) for end in value.split("-"))
    least, most = spec.length or (None, None)
    low, high = low if least is None else max(low, least), high if most is None else min(high, most)
    return f"{low:g}:{high:g}"
