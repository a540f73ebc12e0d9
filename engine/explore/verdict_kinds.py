"""The kinds of verdicts that are listed behind a number."""

from typing import Literal, get_args

VerdictKind = Literal[
    "overestimation",  # passed by the judge, failed by the reference
    "underestimation",  # passed by the reference, failed by the judge
    "disagreement",  # judge and reference differ
    "failed",  # failed by the reference, whatever the judge says
    "all",  # every verdict, with or without a reference
]
"""At instance level, *passed* means: not lost."""

KINDS: tuple[VerdictKind, ...] = get_args(VerdictKind)
