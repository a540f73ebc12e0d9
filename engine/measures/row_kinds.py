"""Selections of a result's rows, for measures that have rows of several kinds."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.measures.entry import JUDGE
from engine.measures.result import Result, Rows


def only_judge(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the judge that all rows but those over judges are of; None if they are of several, or none."""
    judges = {row["judge"] for row in rows} - {None}
    return str(judges.pop()) if len(judges) == 1 else None


def over_judges(rows: Rows) -> Rows:
    """Return the rows that are means over judges; of one judge alone its own, which those only repeat."""
    is_alone = only_judge(rows) is not None
    return [row for row in rows if (row["judge"] is not None) == is_alone]


def without_mean_of_one(result: Result) -> Result:
    """Return a result without the rows of the mean over judges where there is one judge alone."""
    measure, rows = result.measure, result.rows
    if JUDGE not in measure.fields or measure.row_of_all == "together" or only_judge(rows) is None:
        return result
    return result.with_rows(over_judges(rows)) if any(row["judge"] is None for row in rows) else result


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
