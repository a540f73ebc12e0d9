"""Rows of a result picked out, where a measure has rows of several kinds."""

from typing import Any

from engine.measures.result import Result

Rows = list[dict[str, Any]]


def pooled(result: Result) -> Rows:
    """Return the rows over all opponents together."""
    return [row for row in result.rows if row["opponent"] is None]


def against(result: Result, judge: str) -> Rows:
    """Return a judge's rows, one for each opponent."""
    return [row for row in result.rows if row["judge"] == judge and row["opponent"] is not None]


def scales(result: Result) -> tuple[str, ...]:
    """Return the scales of options there are, the longest first."""
    sizes = {str(row["scale"]): row["n_options"] for row in result.rows}
    return tuple(sorted(sizes, key=lambda scale: -sizes[scale]))


def of_scale(result: Result, scale: str) -> Rows:
    """Return the rows of one scale of options."""
    return [row for row in result.rows if row["scale"] == scale]
