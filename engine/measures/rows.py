"""A measure's table made into rows: plain values, intervals, p-values, reasons."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.catalogue import Field, Measure
from engine.measures.table import Column, Table
from engine.metrics.resampling import benjamini_hochberg, bootstrap_p, percentile_interval

Floats = NDArray[np.float64]
Row = dict[str, Any]


def finish(measure: Measure, table: Table, min_instances: int) -> list[Row]:
    """Return the rows that the table keeps, in its order, with every column that the fields declare.

    Undefined numbers are None, and `reasons` of the row says why.
    """
    shown = np.flatnonzero(table.keep)
    rows: list[Row] = [{"reasons": {}} for _ in shown]
    for field in measure.fields:
        column = table.columns[field.name]
        _put(rows, field.name, [column.values[i] for i in shown], [column.reason(i) for i in shown])
        if field.interval:
            _put_interval(rows, field, column, shown)
        if field.null is not None:
            _put_p(rows, field, column, shown, table.instances < min_instances)
    return [
        {name: row[name] for name in row if name != "reasons"} | {"reasons": row["reasons"]} for row in rows
    ]


def _put(rows: list[Row], name: str, values: list[Any], reasons: list[str] | str) -> None:
    for i, (row, value) in enumerate(zip(rows, values, strict=True)):
        shown = plain(value)
        row[name] = shown
        if shown is None:
            row["reasons"][name] = reasons if isinstance(reasons, str) else reasons[i]


def plain(value: Any) -> Any:
    """Return a Python value that JSON has; NaN and infinities become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


def _put_interval(rows: list[Row], field: Field, column: Column, shown: NDArray[np.int64]) -> None:
    names = (f"{field.name}_low", f"{field.name}_high")
    if column.draws is None:
        reasons = [row["reasons"].get(field.name, "no_resamples") for row in rows]
        for name in names:
            _put(rows, name, [None] * len(rows), reasons)
        return
    interval = percentile_interval(column.draws[:, shown])
    reasons = [row["reasons"].get(field.name, "too_many_undefined_resamples") for row in rows]
    missing = [row[field.name] is None for row in rows]
    for name, ends in zip(names, (interval.low, interval.high), strict=True):
        _put(rows, name, list(np.where(missing, np.nan, ends)), reasons)


def _put_p(rows: list[Row], field: Field, column: Column, shown: NDArray[np.int64], too_few: bool) -> None:
    """Put the p-values; the adjusted ones are over the judges of this slice, its row of means apart."""
    assert field.null is not None  # noqa: S101 - for the type checker; the caller asked
    p = np.full(len(rows), np.nan)
    missing = np.array([row[f"{field.name}_low"] is None for row in rows])
    if column.draws is not None and not too_few:
        p = np.where(missing, np.nan, bootstrap_p(column.draws[:, shown], field.null))
    judged = np.array([row.get("judge") is not None for row in rows])
    adjusted = np.full(len(rows), np.nan)
    for level in {row.get("level") for row in rows}:  # a judge may have a row at each of two levels
        family = judged & np.array([row.get("level") == level for row in rows])
        adjusted[family] = benjamini_hochberg(p[family])
    why = "too_few_instances" if too_few else "no_resamples"
    reasons = [row["reasons"].get(f"{field.name}_low", why) for row in rows]
    _put(rows, f"{field.name}_p", list(p), reasons)
    of_means = [reason if judge else "row_of_means" for reason, judge in zip(reasons, judged, strict=True)]
    _put(rows, f"{field.name}_p_adjusted", list(adjusted), of_means)
