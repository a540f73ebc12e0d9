"""Where judges favour themselves most: slices of criteria, and opponents in pairs."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.explore import find_slices
from engine.findings.claimed_number import ClaimedNumber, distance_from_null
from engine.findings.claims import Claim, RuleResult
from engine.findings.rule import Measurement, RuleContext
from engine.findings.standing import Mark, MarkKind
from engine.findings.who_favours_itself import BEYOND
from engine.measures.rows import FEW, SURE
from engine.phrases import quantity
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.words.short_titles import place_of_slice
from engine.words.written_numbers import number

if TYPE_CHECKING:
    from engine.measures.row_types import FindRow

SLICE = ClaimedNumber("slices", "where", "find", "difference", "slice", "n_self", "own failures there", 1.0)
OPPONENT = replace(BEYOND, rule="opponents", question="where")


def slices(context: RuleContext) -> RuleResult:
    """Claim, for each judge, the slice in which its ratio is significantly higher than elsewhere.

    All slices of one column and of two are tried, with p adjusted over all slices of all
    judges; a slice is claimed below 0.05. Each judge gets one slice: the most certain, or the simpler one
    that contains it. Contradicted if the matched ratio in the slice is not above 1. Ordered by the interval's
    lower end, highest first.
    """
    measurement = context.measurement(SLICE)
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    every: list[FindRow] = result.rows
    higher = [row for row in every if row["p_adjusted"] < SURE and row["difference"] > 1]
    foremost = []
    for judge in dict.fromkeys(row["judge"] for row in higher):
        first = find_slices.clearest([row for row in higher if row["judge"] == judge])
        foremost += [] if first is None else [first]
    foremost.sort(key=lambda row: -distance_from_null(row, SLICE))
    n_slices = int(result.filters["slices_tried"])
    summary = f"the ratio is significantly higher in {len(higher):,} of {quantity(n_slices, 'slice')} tried"
    return RuleResult(tuple(_slice(measurement, row) for row in foremost), summary)


def _slice(measurement: Measurement, row: "FindRow") -> Claim:
    view = {
        name: ("true",) if value is True else (value,) if isinstance(value, str) else tuple(value)
        for name, value in cast("dict[str, Any]", row["filters"]).items()
    }
    matched = row["hspp_matched"]
    doubt = []
    if matched is not None and matched <= 1:
        few = ", few cases" if row["n_matched"] < FEW else ""
        ratio = f"the ratio is {matched:.2f} ({row['n_matched']:,} criteria{few})"
        doubt = [Mark(MarkKind.CONTRADICTED, f"there, on criteria that both answers failed, {ratio}")]
    same = [other for other in measurement.result.rows if other["judge"] == row["judge"] and other is not row]
    return measurement.claim(
        row,
        f"With {place_of_slice(row)}, the HSPP ratio of {row['judge']} is {SLICE.value(row)} times as "
        f"high as on other criteria ({SLICE.ci(row)}): {number(row['hspp_self'])} against "
        f"{number(row['hspp_rest'])}.",
        rows=same[:4],
        view=view | ({} if row["by"] is None else {"by": (row["by"],)}),
        marks=doubt,
    )


def opponents(context: RuleContext) -> RuleResult:
    """Claim, for each judge, the opponent against which it most favours its own worse answers.

    The number is T against that opponent. Every judge is tested against every opponent,
    with p adjusted over all these pairs; an opponent is claimed below 0.05. Each judge gets one opponent, and
    all are ordered by the interval's lower end, highest first.
    """
    measurement = context.measurement(OPPONENT)
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    field = OPPONENT.field
    tested = [row for row in result.rows if row["opponent"] is not None and row[f"{field}_p"] is not None]
    if not tested:
        return RuleResult(reason="no judge has a T with an interval against any one opponent")
    adjusted = benjamini_hochberg(np.array([row[f"{field}_p"] for row in tested], dtype=np.float64))
    tests = [row | {f"{field}_p_adjusted": float(p)} for row, p in zip(tested, adjusted, strict=True)]
    sure = [row for row in tests if row[f"{field}_p_adjusted"] < SURE and row[field] > 0]
    sure.sort(key=lambda row: -distance_from_null(row, OPPONENT))
    first = list({row["judge"]: row for row in reversed(sure)}.values())[::-1]
    claims = []
    for row in first:
        judge, own_tests = row["judge"], [test for test in tests if test["judge"] == row["judge"]]
        others = [
            each[field]
            for each in result.rows
            if each["judge"] == judge and each["opponent"] not in (None, row["opponent"])
        ]
        is_most = all(other is None or row[field] > other for other in others)
        sentence = (
            f"Of answers that lost to {row['opponent']}, {judge} votes for its own {OPPONENT.value(row)} "
            "more often than for other models' "
            f"({OPPONENT.ci(row)}){', the most of all opponents' if is_most else ''}."
        )
        claims.append(measurement.claim(row, sentence, rows=own_tests, view={"judge": (judge,)}))
    return RuleResult(tuple(claims), f"{len(sure):,} of {len(tested):,} pairs of judge and opponent")
