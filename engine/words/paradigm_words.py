"""What judges show in each paradigm, in sentences."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.phrases import join_names
from engine.words.plain_names import value_words
from engine.words.written_numbers import confidence, number

if TYPE_CHECKING:
    from engine.measures.row_types import HsppRow


def paradigms(rows: "Iterable[HsppRow]") -> str:
    """Return a sentence on which paradigm has the highest mean ratio; rows of `hspp` by paradigm."""
    parts = [name_and_mean(row, "paradigm") for row in mean_rows(rows)]
    if not parts:
        return "No paradigm has a mean ratio here."
    if len(parts) == 1:
        return f"Mean ratio over judges: {parts[0]}. There is no other paradigm to compare."
    return f"The mean ratio over judges is highest with {parts[0]}, followed by {join_names(parts[1:])}."


def mean_rows(rows: "Iterable[HsppRow]") -> "list[HsppRow]":
    """Return the rows of `hspp` that are means over judges, highest first."""
    means = [row for row in rows if row["judge"] is None and row["hspp_self"] is not None]
    return sorted(means, key=lambda row: -float(row["hspp_self"]))


def name_and_mean(row: "HsppRow", column: str) -> str:
    """Return a value of a column with its mean ratio: `all criteria (1.20, 95% CI 1.09 to 1.33)`."""
    low, high = row["hspp_self_low"], row["hspp_self_high"]
    interval = "" if low is None or high is None else f", {confidence(low, high)}"
    return f"{value_words(column, row['slice'])} ({number(row['hspp_self'])}{interval})"
