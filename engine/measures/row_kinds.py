"""Selections of a result's rows, for measures that have rows of several kinds."""

from engine.measures.result import Result, Rows


def pooled_rows(result: Result) -> Rows:
    return [row for row in result.rows if row["opponent"] is None]


def opponent_rows(result: Result, judge: str) -> Rows:
    """Return a judge's rows, one for each opponent."""
    return [row for row in result.rows if row["judge"] == judge and row["opponent"] is not None]


def scales(result: Result) -> tuple[str, ...]:
    sizes = {str(row["scale"]): row["n_options"] for row in result.rows}
    return tuple(sorted(sizes, key=lambda scale: -sizes[scale]))


def scale_rows(result: Result, scale: str) -> Rows:
    return [row for row in result.rows if row["scale"] == scale]
