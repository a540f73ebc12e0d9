"""What judges show in each paradigm, in sentences."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.measures.row_kinds import only_judge, over_judges
from engine.paradigms import RUBRIC_PARADIGMS
from engine.phrases import join_names, sentence_case
from engine.words.row_cells import group_cell
from engine.words.written_numbers import confidence, number

if TYPE_CHECKING:
    from engine.measures.row_types import HsppRow


def paradigms(rows: "Sequence[HsppRow]") -> str:
    """Return a sentence on which paradigm has the highest mean ratio; rows of `hspp` by paradigm.

    Of one judge alone it is on that judge's ratio.
    """
    parts = [name_and_mean(row, "paradigm") for row in mean_rows(rows)]
    if not parts:
        return "No paradigm has a mean ratio here."
    if len(parts) == 1:
        return f"{sentence_case(of_whom(rows))}: {parts[0]}. There is no other paradigm to compare."
    return f"The {of_whom(rows)} is highest with {parts[0]}, followed by {join_names(parts[1:])}."


def what_counts(rows: "Sequence[HsppRow]", *, common: bool) -> str:
    """Return what the ratios of paradigms count, where judges are asked about criteria too; else empty."""
    if not any(row["slice"] in RUBRIC_PARADIGMS for row in mean_rows(rows)):
        return ""
    which = "the answers that all paradigms and judges share" if common else "answers"
    return (
        f"It counts comparisons of {which}, which every paradigm allows; the ratio on the page Judges counts "
        "criteria, and may differ."
    )


def of_whom(rows: "Sequence[HsppRow]") -> str:
    """Return whose ratio `mean_rows` have: `mean ratio over judges`, or `ratio of J` of one judge alone."""
    judge = only_judge(rows)
    return "mean ratio over judges" if judge is None else f"ratio of {judge}"


def mean_rows(rows: "Sequence[HsppRow]") -> "list[HsppRow]":
    """Return the rows of `hspp` that are means over judges, or those of the only judge, highest first."""
    means: list[HsppRow] = [row for row in over_judges(list(rows)) if row["hspp_self"] is not None]
    return sorted(means, key=lambda row: -float(row["hspp_self"]))


def name_and_mean(row: "HsppRow", column: str, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a value of a column with its mean ratio: `all criteria (1.20, 95% CI 1.09 to 1.33)`.

    `names` are those of a result, for values that are ids.
    """
    low, high = row["hspp_self_low"], row["hspp_self_high"]
    interval = "" if low is None or high is None else f", {confidence(low, high)}"
    return f"{group_cell(row['slice'], column, names)} ({number(row['hspp_self'])}{interval})"
