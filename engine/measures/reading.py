"""A result as a frame, its columns in an order to read."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.measures.entry import Measure
from engine.measures.result import CRITERION, Result

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, tuple[str, ...]] = {
    "scorecard": (
        *("judge", "conclusion", "own_given", "own_expected", "excess", "excess_low", "excess_high", "n_own"),
        "reason",
    ),
    "expected": (
        *("judge", "own_given", "own_expected", "own_expected_low", "own_expected_high"),
        *("excess", "excess_low", "excess_high", "n_own"),
    ),
    "hspp": (
        *("judge", "hspp_self", "hspp_self_low", "hspp_self_high", "hspp_matched", "hspp_family"),
        *("o_self", "o_other", "n_self"),
    ),
    "outside": (
        *("judge", "family", "ratio_outside", "odds_self", "vote_outside", "bonus_outside"),
        *("own_judge", "own_outside", "n_own"),
    ),
    "delta": ("judge", "generator", "delta", "delta_low", "delta_high", "bonus", "leniency", "n"),
    "equal-quality": ("judge", "spb", "spb_low", "spb_high", "pir", "null_pir", "n_pairs", "n_null_pairs"),
    "quality-baseline": (
        *("judge", "opponent", "ilsp_updated", "ilsp_updated_low", "ilsp_updated_high"),
        *("relative_change", "p_adjusted", "n"),
    ),
    "order-effect": (
        *("judge", "variant", "flip_rate", "flip_rate_low", "flip_rate_high"),
        *("first_share", "firm_share", "n_pairs"),
    ),
    "which-judge": (
        *("judge", "advice", "accuracy", "agreement", "excess", "flip_rate", "missing", "cost_per_1000"),
    ),
}
"""The columns of the measures whose first eight fields are not those to read first."""

MOST = 8
"""Columns of a measure that `COLUMNS` does not name."""

SHARED_ARGUMENTS = {"common": False, "resamples": 1000, "seed": 0, "interval": None}


def first_columns(measure: Measure) -> tuple[str, ...]:
    """Return the columns of a measure to read first, of those that it has without groups."""
    return COLUMNS.get(measure.name) or _first_fields(measure)


def _first_fields(measure: Measure) -> tuple[str, ...]:
    by_name = {field.name: field.columns()[:3] if field.interval else [field.name]
               for field in measure.fields}  # fmt: skip
    first = (*measure.keys, *by_name.get(measure.headline, ()), *(field.name for field in measure.fields))
    return tuple(dict.fromkeys(first))[:MOST]


def columns_to_read(result: Result) -> list[str]:
    """Return the columns of a result to read first, after those that say of which group a row is."""
    compares = "against" in result.filters  # its fields are those of the comparison
    fields = _first_fields(result.measure) if compares else first_columns(result.measure)
    return [name for name in (*result.group_columns, *fields) if name in result.columns]


def frame_to_read(result: Result, *, full: bool = False) -> "pd.DataFrame":
    """Return the rows as a frame of the columns to read, or with `full` of all columns.

    The row of all judges is no row of it: its values are in `attrs["mean"]`, and of the scorecard in
    `attrs["together"]` too, by slice where the rows are grouped (by two columns: by the second's value, then
    the first's), None where there is none.
    """
    frame = result.frame()
    name = result.measure.row_of_all
    if name is not None:
        of_all = [row for row in result.rows if row["judge"] is None]
        attrs = frame.attrs | dict.fromkeys((name, "mean"), _by_group(of_all, [*result.group_columns]))
        frame = frame[frame["judge"].notna()].reset_index(drop=True)
        frame.attrs = attrs
    if full:
        return frame
    first = columns_to_read(result)
    if CRITERION in frame.columns and CRITERION not in first:
        first.insert(len(result.group_columns), CRITERION)
    return frame[first]


def _by_group(rows: Sequence[Mapping[str, Any]], groups: Sequence[str]) -> dict[Any, Any] | None:
    """Return the defined values of rows, by the values of the group columns, the last first."""
    if not groups:
        return _defined(rows[0]) if rows else None
    values = dict.fromkeys(row[groups[-1]] for row in rows)
    return {
        value: _by_group(
            [{name: cell for name, cell in row.items() if name != groups[-1]}
             for row in rows if row[groups[-1]] == value],
            groups[:-1],
        )
        for value in values
    }  # fmt: skip


def _defined(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None and name != "reasons"}
