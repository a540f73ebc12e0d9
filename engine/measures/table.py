"""What a measure computes for one slice: named columns of values, with their draws and reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Reasons = Sequence[str | None] | str | None

FEW = 30
"""Cases below which a number is marked as resting on few (MEASURES section 13)."""

SURE = 0.05
"""The p below which something is said for sure, adjusted for all that was tested."""


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one field, one for each row; NaN or None where undefined.

    `draws` has shape (resamples, rows). `reasons` says why a value is undefined: one code for all rows or
    one for each; it is read only where the value is undefined.
    """

    values: Sequence[Any] | NDArray[Any]
    draws: Floats | None = None
    reasons: Reasons = None

    def reason(self, row: int) -> str:
        """Return why the value of a row is undefined."""
        if isinstance(self.reasons, str):
            return self.reasons
        found = self.reasons[row] if self.reasons is not None else None
        return found or "undefined"


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one slice.

    `keep` marks the rows to show (a judge without a counted row has none). `instances` is the number of
    instances with a counted row: with too few there are no p-values. `filters` says what the measure
    itself settled. One that reads the study itself returns a table for each group, whose value is `slice`.
    """

    columns: Mapping[str, Column]
    keep: NDArray[np.bool_]
    instances: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict)
    slice: Any = None


def first_reason(*conditions: tuple[NDArray[np.bool_], str]) -> list[str | None]:
    """Return for each row the code of the first condition that holds, None where none does."""
    codes: list[str | None] = [None] * len(conditions[0][0])
    for condition, code in reversed(conditions):
        for row in np.flatnonzero(condition):
            codes[int(row)] = code
    return codes


def stack(rows: Sequence[Column]) -> Column:
    """Return one column of the columns' rows, in order; draws where all have them."""
    values = [value for column in rows for value in column.values]
    reasons = [column.reason(i) for column in rows for i in range(len(column.values))]
    drawn = [column.draws for column in rows if column.draws is not None]
    return Column(values, np.concatenate(drawn, axis=1) if len(drawn) == len(rows) else None, reasons)
