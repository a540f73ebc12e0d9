"""A judge's numbers as a sentence: what was counted, what came out, and what that means."""

from collections.abc import Sequence
from typing import Any

from engine.measures.reasons import meaning

Row = dict[str, Any]

READING = """\
A ratio of 1 means no preference: what failed is passed as often for the judge's own responses as for those \
of other families; 1.5 means half as often again, 0.8 a fifth less often.
The interval holds the ratios that other questions of this kind could have given; where it contains 1, the \
preference may be chance.
The matched ratio compares only rubrics that both responses failed, so that a judge whose own failures lie \
on harder rubrics is not taken for a biased one.
"""
"""How the numbers of the overview are to be read."""


def sentences(rows: Sequence[Row], level: str) -> list[str]:
    """Return a sentence for each judge of the rows of `hspp`, at rubric or instance level."""
    return [_of_judge(row, level) for row in rows if row["judge"] is not None]


def _of_judge(row: Row, level: str) -> str:
    if row["hspp_self"] is None:
        return f"{row['judge']} has no ratio: {meaning(row['reasons'].get('hspp_self'))}."
    of_rubrics = level == "rubric"
    things, verb = ("rubrics", "failed") if of_rubrics else ("comparisons", "lost")
    told = (
        f"{row['judge']} {'passed' if of_rubrics else 'made wins or ties of'} {row['o_self']:.1%} of the "
        f"{row['n_self']:,} {things} that its own responses {verb}, and {row['o_other']:.1%} of those that "
        f"another family's model {verb}, averaged over models: {_times(row, 'hspp_self')} as often."
    )
    if row.get("hspp_matched") is not None:
        told += f" Where both failed: {_times(row, 'hspp_matched')}."
    if row.get("hspp_family") is not None:
        told += f" For its relatives: {_times(row, 'hspp_family')}."
    return told


def _times(row: Row, field: str) -> str:
    """Return `1.38 times [1.20, 1.55]`; without an interval where there is none."""
    low, high = row[f"{field}_low"], row[f"{field}_high"]
    interval = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{row[field]:.2f} times{interval}"
