"""A measure's table made into rows: plain values, intervals, p-values, reasons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.catalogue import Field, Measure
from engine.measures.table import Column, Table
from engine.metrics.resampling import Interval, benjamini_hochberg, bootstrap_p, percentile_interval

if TYPE_CHECKING:
    from engine.metrics.expanded import Expansion

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
Ints = NDArray[np.int64]
Row = dict[str, Any]


def finish(measure: Measure, table: Table, min_instances: int, weights: Weights | None = None) -> list[Row]:
    """Return the rows that the table keeps, in its order, with every column that the fields declare.

    Undefined numbers are None, and `reasons` of the row says why. Intervals and p-values are those of the
    percentiles; with the `weights` that drew the table's resamples, the expanded ones (docs/intervals.md).
    """
    shown = np.flatnonzero(table.keep)
    made = _Rows(len(shown))
    for field in measure.fields:
        column = table.columns[field.name]
        made.put(field.name, _select(column.values, shown), partial(_reason, column, shown))
        if not field.interval:
            continue
        drawn = _Drawn.of(column, shown[~made.missing(field.name)], shown, weights)
        _put_interval(made, field, drawn)
        if field.null is not None:
            _put_p(made, field, drawn, table.instances < min_instances)
    for row, reasons in zip(made.rows, made.reasons, strict=True):
        row["reasons"] = reasons
    return made.rows


def expansion(draws: Floats | None, weights: Weights | None) -> "Expansion | None":
    """Return how much wider the draws' intervals are made; None for percentiles: no draws, or no weights."""
    if draws is None or weights is None:
        return None
    from engine.metrics.expanded import Expansion  # SciPy is loaded where it is needed only

    return Expansion.of(draws, weights)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The draws of those rows that have a value, their places among all, and how their intervals are made."""

    there: Ints
    draws: Floats
    wide: "Expansion | None"

    @classmethod
    def of(cls, column: Column, valued: Ints, shown: Ints, weights: Weights | None) -> "_Drawn | None":
        """Return the draws of a column's rows `valued`, some of those `shown`; None where it has no draws."""
        if column.draws is None:
            return None
        draws = column.draws[:, valued]
        return cls(np.searchsorted(shown, valued), draws, expansion(draws, weights))

    def interval(self) -> Interval:
        """Return the interval of each row that has a value."""
        return percentile_interval(self.draws) if self.wide is None else self.wide.interval(self.draws)

    def p(self, null: float) -> Floats:
        """Return the p-value of each row that has a value."""
        return bootstrap_p(self.draws, null) if self.wide is None else self.wide.p(self.draws, null)

    def spread(self, values: Floats, rows: int) -> Floats:
        """Return values of those rows among all rows, NaN for the others."""
        every = np.full(rows, np.nan)
        every[self.there] = values
        return every


class _Rows:
    """Rows in the making, one column after the other, and why values of each are missing."""

    def __init__(self, number: int) -> None:
        self.rows: list[Row] = [{} for _ in range(number)]
        self.reasons: list[dict[str, str]] = [{} for _ in range(number)]

    def put(self, name: str, values: Sequence[Any] | NDArray[Any], why: Callable[[int], str]) -> None:
        """Put a column; `why` says of a row's missing value what is missing."""
        for number, (row, value) in enumerate(zip(self.rows, _plain_values(values), strict=True)):
            row[name] = value
            if value is None:
                self.reasons[number][name] = why(number)

    def leave_empty(self, names: Sequence[str], of: str, otherwise: str) -> None:
        """Put columns without any value: for the reason that one has none, `otherwise` where it has one."""
        for row, reasons in zip(self.rows, self.reasons, strict=True):
            why = reasons.get(of, otherwise)
            for name in names:
                row[name] = None
                reasons[name] = why

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return in which rows a column has no value."""
        return np.array([row[name] is None for row in self.rows], dtype=bool)


def _select(values: Sequence[Any] | NDArray[Any], shown: Ints) -> Sequence[Any] | NDArray[Any]:
    return values[shown] if isinstance(values, np.ndarray) else [values[i] for i in shown.tolist()]


def _reason(column: Column, shown: Ints, row: int) -> str:
    return column.reason(int(shown[row]))


def _plain_values(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    if not isinstance(values, np.ndarray):
        return [plain(value) for value in values]
    listed: list[Any] = values.tolist()
    return [value if isfinite(value) else None for value in listed] if values.dtype.kind == "f" else listed


def plain(value: Any) -> Any:
    """Return a Python value that JSON has; NaN and infinities become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


def _put_interval(made: _Rows, field: Field, drawn: _Drawn | None) -> None:
    names = f"{field.name}_low", f"{field.name}_high"
    if drawn is None:
        made.leave_empty(names, field.name, "no_resamples")
        return
    interval = drawn.interval()
    for name, ends in zip(names, (interval.low, interval.high), strict=True):
        made.put(
            name,
            drawn.spread(ends, len(made.rows)),
            lambda row: made.reasons[row].get(field.name, "too_many_undefined_resamples"),
        )


def _put_p(made: _Rows, field: Field, drawn: _Drawn | None, too_few: bool) -> None:
    """Put the p-values; the adjusted ones are over the judges of this slice, its row of means apart."""
    assert field.null is not None  # noqa: S101 - for the type checker; the caller asked
    low = f"{field.name}_low"
    p = np.full(len(made.rows), np.nan)
    if drawn is not None and not too_few:
        p = np.where(made.missing(low), np.nan, drawn.spread(drawn.p(field.null), len(p)))
    judged = np.array([row.get("judge") is not None for row in made.rows], dtype=bool)
    apart = [(row.get("level"), row.get("opponent"), row.get("variant")) for row in made.rows]
    adjusted = np.full(len(made.rows), np.nan)
    for one in set(apart):  # a judge may have a row at each level, against each opponent, in each variant
        family = judged & np.array([other == one for other in apart], dtype=bool)
        adjusted[family] = benjamini_hochberg(p[family])

    def why(row: int) -> str:
        return made.reasons[row].get(low, "too_few_instances" if too_few else "no_resamples")

    made.put(f"{field.name}_p", p, why)
    made.put(f"{field.name}_p_adjusted", adjusted, lambda row: why(row) if judged[row] else "row_of_means")
