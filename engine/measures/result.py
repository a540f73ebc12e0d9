"""The answer to a question: rows, with all that applied and all that was left out."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.measures.entry import Measure

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Result:
    """The rows of a measure. `reason` says why there are none, where there are none."""

    measure: Measure
    study: str
    filters: dict[str, Any]
    rows: list[dict[str, Any]]
    left_out: dict[str, int]
    reason: str | None
    by: str | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of the rows, `reasons` last."""
        if self.rows:
            return list(self.rows[0])
        declared = [name for field in self.measure.fields for name in field.columns()]
        return [*(["slice"] if self.by else []), *declared, "reasons"]

    @property
    def _document(self) -> dict[str, Any]:
        return {
            "measure": self.measure.name,
            "study": self.study,
            "filters": self.filters,
            "rows": self.rows,
            "left_out": self.left_out,
            "reason": self.reason,
        }

    def json(self) -> str:
        """Return the one object that `--format json` prints."""
        return json.dumps(self._document, ensure_ascii=False, allow_nan=False)

    def csv(self) -> str:
        """Return the rows as CSV: null is an empty cell, lists and reasons are joined by `; `."""
        lines = [_line(self.columns)]
        lines += [_line([_cell(row[name]) for name in self.columns]) for row in self.rows]
        return "".join(f"{line}\n" for line in lines)

    def frame(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; `attrs` holds filters, left_out and reason."""
        import pandas as pd

        frame = pd.DataFrame({name: [row[name] for row in self.rows] for name in self.columns})
        frame.attrs |= {name: value for name, value in self._document.items() if name != "rows"}
        return frame


def _line(cells: Sequence[Any]) -> str:
    """Return the cells as a line of CSV without its end; a cell with any line break is quoted."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)  # told to end its lines with "\n", it leaves a lone "\r" unquoted
    return text.getvalue().removesuffix("\r\n")


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return "; ".join(f"{name}={code}" for name, code in value.items())
    if isinstance(value, list):
        return "; ".join(str(item) for item in value)
    return value


# ------------------------------------------------------------------------------
# Rows of a result picked out, where a measure has rows of several kinds.

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
