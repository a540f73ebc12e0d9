"""Whose votes depend on which of two answers was shown first."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.findings.claimed_number import ClaimedNumber
from engine.findings.claims import Claim, RuleResult
from engine.findings.rule import RuleContext
from engine.phrases import quantity
from engine.words.orders import flips_both_ways, side_of_flips, sides_of_flips

if TYPE_CHECKING:
    from engine.measures.row_types import OrderEffectRow

MANY = 0.25
"""The share of winners that change with the order from which a judge's votes are said to depend on it."""

FLIP_RATE = ClaimedNumber(
    "flips-with-order",
    "order",
    "order-effect",
    "flip_rate",
    "order_effects",
    "n_pairs",
    "pairs judged in both orders",
    MANY,
    "percent",
)
SIDE = replace(FLIP_RATE, field="flip_to_first", null=0.5)

USUAL = ("default", "forced", "forced_tie")
"""The variants of pairs, the first one present of which is looked at."""


def flips_with_order(context: RuleContext) -> RuleResult:
    """Claim that a judge's votes depend on the order if clearly more than 25 of 100 winners change with it.

    That is of pairs with a winner in both orders, by the 95% interval. Two different winners are no vote for
    either answer, which draws a judge's votes for its own towards one half. The claim is on the judge with
    the highest share, and counts the others. Where winners change to both sides, some would have changed in
    the same order too, and the claim says how many go to each. Where no judge changes so many, but those of
    some go to one side clearly more often than to the other, the claim is on whose votes change most of them.
    """
    measurement = context.measurement(FLIP_RATE)
    every: list[OrderEffectRow] = measurement.result.rows
    rows = [row for row in every if row["flip_rate_low"] is not None and row["n_pairs"]]
    if not rows:
        return RuleResult(reason=measurement.result.reason or "no pair has a winner in both orders")
    present = {row["variant"] for row in rows}
    variant = next((name for name in USUAL if name in present), rows[0]["variant"])
    rows = [row for row in rows if row["variant"] == variant]
    claimed = [row for row in rows if row["flip_rate_low"] > MANY]
    claimed.sort(key=lambda row: -row["flip_rate"])
    claims = []
    if claimed:
        first = claimed[0]
        sentence = (
            f"{first['judge']} changes its vote with the order in {FLIP_RATE.value(first)} of pairs with a "
            f"winner in both ({FLIP_RATE.ci(first)}){side_of_flips(first)}; that draws its votes for its own "
            "answers towards one half."
        )
        sentences = filter(None, (sentence, _others(claimed[1:]), flips_both_ways(first)))
        claims = [measurement.claim(first, " ".join(sentences), rows=rows)]
    elif leaning := list(filter(_leans, rows)):
        claims = [_to_one_side(context, max(leaning, key=lambda row: row["flip_rate"]), rows)]
    n_judges = quantity(len(rows), "judge")
    return RuleResult(tuple(claims), f"{len(claimed)} of {n_judges} in more than a quarter of pairs")


def _leans(row: "OrderEffectRow") -> bool:
    """Return whether a judge's winners change to one side clearly more often than to the other."""
    low, high = row["flip_to_first_low"], row["flip_to_first_high"]
    return low is not None and high is not None and (low > 0.5 or high < 0.5)


def _to_one_side(context: RuleContext, most: "OrderEffectRow", rows: "Sequence[OrderEffectRow]") -> Claim:
    """Claim that winners change to one side, of the judge that changes most of them."""
    who = sides_of_flips(rows).removesuffix(".")
    rate = f"{FLIP_RATE.value(most)} of pairs with a winner in both ({FLIP_RATE.ci(most)})"
    sentence = f"{who}; {most['judge']} most often, in {rate}."
    return context.measurement(SIDE).claim(most, sentence, rows=rows)


def _others(rows: "Sequence[OrderEffectRow]") -> str:
    """Return how many other judges are like the first, the highest share first."""
    if not rows:
        return ""
    most, least = (FLIP_RATE.value(row) for row in (rows[0], rows[-1]))
    between = most if len(rows) == 1 else f"{least} to {most}"
    return f"So {'does' if len(rows) == 1 else 'do'} {quantity(len(rows), 'other judge')}, in {between}."
