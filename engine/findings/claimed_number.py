"""The number that a claim is based on, and its interval and test in a row of a measure."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from engine.findings.questions import Question
from engine.measures.rows import FEW
from engine.words.written_numbers import Form, confidence, in_sentence, with_interval

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ClaimedNumber:
    """The number that the claims of one rule are based on: a `field` of a measure's rows.

    `page` shows it. `n` names the column that counts its cases, which `cases` describes; fewer than `few` are
    marked. `null` is the value that means no effect, None if the rule itself decides what is significant.
    """

    rule: str
    question: Question
    measure: str
    field: str
    page: str
    n: str | None = None
    cases: str = ""
    null: float | None = None
    form: Form = "ratio"
    few: int = FEW

    def with_ci(self, row: Row) -> str:
        """Return the number of a row with its interval."""
        return in_sentence(row[self.field], *ends_of(row, self.field), self.form)

    def value(self, row: Row) -> str:
        """Return the number of a row alone: `1.83`, `12.0 points`."""
        return with_interval(row[self.field], None, None, self.form)

    def ci(self, row: Row) -> str:
        """Return its interval: `95% CI 1.36 to 2.33`."""
        return confidence(*ends_of(row, self.field), self.form)


_ALONE = ("difference", "estimate")
"""Fields whose interval and p are in columns without their name: `low`, `high`, `p_adjusted`."""


def ends_of(row: Row, field: str) -> tuple[float | None, float | None]:
    """Return the ends of a field's interval, None if it has none."""
    if f"{field}_low" in row:
        return row[f"{field}_low"], row[f"{field}_high"]
    if field == "family_estimate":  # that of the judges together
        return row.get("family_low"), row.get("family_high")
    return (row.get("low"), row.get("high")) if field in _ALONE else (None, None)


def distance_from_null(row: Row, number: ClaimedNumber) -> float:
    """Return how far the interval's nearer end is from the null: large for an effect both large and sure.

    For ratios (null 1) on the logarithmic scale; minus infinity without an interval.
    """
    null = number.null or 0.0
    low, high = ends_of(row, number.field)
    if low is None or high is None:
        return float("-inf")
    if null == 1:
        low, high = (log(end) if end > 0 else float("-inf") for end in (low, high))
        null = 0.0
    return max(low - null, null - high)


def adjusted_p_of(row: Row, field: str) -> tuple[float | None, bool]:
    """Return the adjusted p of a field, None if it has none, and whether the field is tested at all."""
    if f"{field}_p_adjusted" in row:
        return row[f"{field}_p_adjusted"], True
    return (row.get("p_adjusted"), True) if field in _ALONE else (None, False)
