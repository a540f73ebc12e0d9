"""Whether a committee helps, and what it would cost."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.findings.claims import Claim, Mark, MarkKind, Outcome, Row
from engine.findings.declared import Made
from engine.findings.making import Number, claim_of
from engine.findings.material import Material
from engine.findings.wording import counted
from engine.measures.result import Result
from engine.references import FEWEST_MEMBERS

MOST_COMMITTEES = 60
"""Committees of one size that are taken; the explorer's page takes as many."""

FAILURES = "own failures of a member, at least"
RATIO = Number("sizes", "committee", "committee-size", "hspp_self", "paradigms", "n_self", FAILURES)
CALLS = Number("cost", "committee", "judge-costs", "calls", "paradigms", "judgments", "judgments")


def members_of(material: Material) -> tuple[str, ...]:
    """Return the study's first committee, else the judges that have a ratio for their own responses."""
    committees = material.study.info.committees
    if committees:
        return tuple(next(iter(committees.values())).members)
    rows = material.result("hspp").rows
    return tuple(
        str(row["judge"]) for row in rows if row["judge"] is not None and row["hspp_self"] is not None
    )


def _asked(members: tuple[str, ...]) -> dict[str, Any]:
    """Return how committees are taken: one judge alone, three, and all of them."""
    several = tuple(str(size) for size in sorted({1, FEWEST_MEMBERS, len(members)}))
    return {"members": members, "sizes": several, "most_committees": MOST_COMMITTEES}


def sizes(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of committees of three members and of all how much they favour their members.

    The number is the mean ratio (`hspp_self` of `committee-size`) over the committees of that size, at the
    first level the judgments have. The members are those of the study's committee, else all judges with a
    ratio. Not significant where its interval and that of one judge alone overlap. The ratio nearest to 1
    comes first.
    """
    members = members_of(material)
    if len(members) < FEWEST_MEMBERS:
        return Made(reason=f"a committee needs {FEWEST_MEMBERS} judges with a ratio; here are {len(members)}")
    asked = _asked(members)
    result = material.result(RATIO.measure, **asked)
    if not result.rows:
        return Made(reason=result.reason)
    level = result.rows[0]["level"]
    rows = [row for row in result.rows if row["level"] == level and row["hspp_self"] is not None]
    alone = next((row for row in rows if row["size"] == 1), None)
    joined = [row for row in rows if row["size"] in (FEWEST_MEMBERS, len(members))]
    if alone is None or not joined:
        return Made(reason="no committee of these judges has a ratio")
    joined.sort(key=lambda row: abs(row["hspp_self"] - 1))
    claims = [_size(material, result, row, alone, rows, members, asked) for row in joined]
    return Made(tuple(claims), f"committees of {counted(len(members), 'judge')}")


def _size(
    material: Material,
    result: Result,
    row: Row,
    alone: Row,
    rows: Sequence[Row],
    members: tuple[str, ...],
    asked: dict[str, Any],
) -> Claim:
    who = f"all {len(members)} judges" if row["size"] == len(members) else f"{row['size']} of them"
    accurate = ""
    name = "mra" if row["mra"] is not None else "mipa"
    if row[name] is not None and alone[name] is not None:
        accurate = f" Its accuracy is {row[name]:.1%}, that of one judge {alone[name]:.1%}."
    return claim_of(
        material,
        result,
        row,
        RATIO,
        row["size"],
        f"A committee of {who} credits its members' failures {RATIO.told(row)} times as often as others'; "
        f"one judge alone does {RATIO.told(alone)} times.{accurate}",
        asked=asked,
        rows=rows,
        view={"part": ("committee",), "members": members},
        marks=_overlap(row, alone),
    )


def _overlap(row: Row, alone: Row) -> list[Mark]:
    ends = row["hspp_self_low"], row["hspp_self_high"], alone["hspp_self_low"], alone["hspp_self_high"]
    if any(end is None for end in ends):
        return [Mark(MarkKind.NOT_SIGNIFICANT, "one of the two ratios has no interval")]
    low, high, alone_low, alone_high = ends
    if low <= alone_high and alone_low <= high:
        return [Mark(MarkKind.NOT_SIGNIFICANT, "its interval and that of one judge alone overlap")]
    return []


def cost(material: Material, before: Sequence[Outcome]) -> Made:
    """Claim what the committee's answers took: calls, and tokens and dollars where they are recorded.

    The number is `calls` of `judge-costs`, on the row of all members together, in the way of judging that the
    claims on committees are of.
    """
    members = members_of(material)
    if len(members) < FEWEST_MEMBERS:
        return Made(reason=f"a committee needs {FEWEST_MEMBERS} judges with a ratio; here are {len(members)}")
    sized = material.result(RATIO.measure, **_asked(members))
    asked = {"judges": members} | {
        name: sized.filters[name] for name in ("paradigm", "variant") if sized.filters.get(name)
    }
    result = material.result(CALLS.measure, **asked)
    row = next((row for row in result.rows if row["judge"] is None), None)
    if row is None:
        return Made(reason=result.reason)
    singles = [
        other for other in result.rows if other["judge"] is not None and other["paradigm"] == row["paradigm"]
    ]
    because = tuple(claim.id for outcome in before if outcome.rule == "sizes" for claim in outcome.claims)
    claim = claim_of(
        material,
        result,
        row,
        CALLS,
        "all",
        _cost(row, len(singles)),
        asked=asked,
        rows=singles,
        view={"part": ("committee",), "members": members},
    )
    return Made((replace(claim, because=because),), f"calls of {counted(len(singles), 'judge')}")


def _cost(row: Row, judges: int) -> str:
    each = row["calls"] / max(judges, 1)
    parts = [f"{row['calls']:,} calls where one judge takes {each:,.0f}"]
    if row["prompt_tokens"] is not None:
        parts.append(f"{row['prompt_tokens']:,} tokens sent and {row['completion_tokens'] or 0:,} received")
    if row["cost_usd"] is not None:
        part = (
            "" if row["costed"] == row["calls"] else f" for the {row['costed']:,} calls whose cost is known"
        )
        parts.append(f"${row['cost_usd']:,.2f}{part}")
    lacking = [] if row["cost_usd"] is not None else ["dollars"]
    lacking += [] if row["prompt_tokens"] is not None else ["tokens"]
    tail = f" The study does not record {' or '.join(lacking)}." if lacking else ""
    return (
        f"Asking all {judges} judges of the committee takes {', '.join(parts)}: {judges} times as many.{tail}"
    )
