"""Whether a committee helps, and what it would cost."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from engine.arrays.run_order import runs_in_order
from engine.arrays.truths.references import COMMITTEE, FEWEST_MEMBERS
from engine.findings.claimed_number import ClaimedNumber
from engine.findings.claims import Claim, RuleResult
from engine.findings.rule import Measurement, RuleContext
from engine.findings.self_claims import group_claims, is_about_itself
from engine.findings.standing import Mark, MarkKind
from engine.phrases import join_names, quantity
from engine.words.committee_words import clearly_apart

if TYPE_CHECKING:
    from engine.arrays.inventory import ColumnFilter
    from engine.measures.row_types import (
        CommitteeRow,
        CommitteeSizeRow,
        HsppRow,
        JudgeCostsRow,
        OverestimationRow,
        ScorecardRow,
    )

MOST_COMMITTEES = 60  # how many committees of one size are computed, here and on the explorer's page

FAILURES = "own failures of the member with the fewest"
RATIO = ClaimedNumber("sizes", "committee", "committee-size", "hspp_self", "paradigms", "n_self", FAILURES)
CALLS = ClaimedNumber("cost", "committee", "judge-costs", "calls", "paradigms", "judgments", "judgments")


_MOST_NAMED = 4
"""How many members a sentence names where the study has no committee; the rest are counted."""


def committee_words(context: RuleContext) -> str:
    """Return `the committee`, or its members where the study has none; and who of it does not vote."""
    voters = voters_of(context)
    if context.study.info.committees:
        without = [member for member in members_of(context) if member not in voters]
        return f"the committee{f' without {join_names(without, _MOST_NAMED)}' if without else ''}"
    return f"a committee of {join_names(voters, _MOST_NAMED)}"


def _too_few(members: Sequence[str]) -> RuleResult:
    count = len(members) or "none"
    return RuleResult(reason=f"a committee needs {FEWEST_MEMBERS} judges with a ratio; there are {count}")


def members_of(context: RuleContext) -> tuple[str, ...]:
    """Return the study's first committee, else the judges that have a ratio for their own answers."""
    committees = context.study.info.committees
    if committees:
        return tuple(next(iter(committees.values())).members)
    every: list[HsppRow] = context.result("hspp").rows
    rows = [row for row in every if None not in (row["judge"], row["hspp_self"])]
    return tuple(str(row["judge"]) for row in rows)


def _options(members: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of `committee-size`: a single judge, three, and all of them."""
    several = tuple(str(size) for size in sorted({1, FEWEST_MEMBERS, len(members)}))
    return {"members": members, "sizes": several, "most_committees": MOST_COMMITTEES}


NOTHING_TO_MEND = "neither a member nor the judges as a group are shown to rate their own too high"

NO_INTERVAL = "one of the two ratios has no interval"

MEMBER = ClaimedNumber(
    "members",
    "committee",
    "committee",
    "ratio_outside_common_committee",
    "paradigms",
    "n_common",
    "own failures that the member judged and the committee decides",
)


def each_member(context: RuleContext) -> RuleResult:
    """Claim how a committee's majority treats the answers of each judge that rates them too high.

    Judges that favour or overrate themselves by the scorecard do not vote, if at least three others do; else
    those that favour themselves do not, if at least three others do. The numbers are the ratio to other
    judges, one by one, under the committee's verdicts in the judge's place, and under the judge's own, on the
    criteria that both decide. Tested are the judges that favour or overrate
    themselves; all of them if the scorecard says so of the judges as a group. Not significant unless the
    committee's interval ends below the judge's own ratio, and the judge's begins above the committee's, or
    the committee passes fewer of the judge's own failures (upper end, those without a majority as passed)
    than the judge passes beyond what is expected of it (lower end of the excess): a committee that passes so
    few cannot exceed what is expected of it by more. There is no p: that of the measure is of the committee's
    ratio alone, which is near 1 where a committee helps most.
    """
    members, voters = members_of(context), voters_of(context)
    if len(members) < FEWEST_MEMBERS:
        return _too_few(members)
    tested = tested_members(context, members)
    panels = [(voters, voters), *(((*voters, judge), (judge,)) for judge in members if judge not in voters)]
    claims, counted, reason = [], 0, None
    for panel, compared in panels:
        flags = {} if panel == voters else {"leave_self_out": True}  # it is there only to be compared
        measurement = context.measurement(MEMBER, members=panel, **flags)
        every: list[CommitteeRow] = measurement.result.rows
        rows = [row for row in every if row["ratio_outside_common_committee"] is not None]
        rows = [row for row in rows if row["judge"] in compared]
        counted, reason = counted + len(rows), reason or measurement.result.reason
        claims += [_member(measurement, row, rows) for row in rows if row["judge"] in tested]
    if not counted:
        return RuleResult(reason=reason or "the committee cannot be compared with judges of other families")
    return RuleResult(tuple(claims), f"{len(claims)} of {quantity(counted, 'member')} tested")


def _member(measurement: Measurement, row: "CommitteeRow", rows: "Sequence[CommitteeRow]") -> Claim:
    """Claim how the committee treats one judge's answers, on the own failures that both decide."""
    context, judge = measurement.context, row["judge"]
    committee = committee_words(context)
    sentence = (
        f"The pass ratio of {judge} to judges of other families (not its HSPP ratio) is "
        f"{MEMBER.with_ci(row)} with the verdicts of {committee} and {_OWN.with_ci(row)} with its own"
    )
    of_which = f"the {row['n_common']:,} criteria that {judge}'s own answers failed and the committee decides"
    marks = _gap_marks(row)
    by_committee = str(measurement.result.filters.get("reference") or "").startswith(COMMITTEE)
    least = None if by_committee else _least_excess(context).get(str(judge))
    if marks and _passes_few(row, least):
        marks = []
        sentence = (
            f"Of {of_which}, {judge} passes {_OWN_SHARE.with_ci(row)}, and {committee} "
            f"{_COMMITTEE_SHARE.with_ci(row)}"
        )
    if without := row["n_self"] - row["n_common"]:
        sentence += (
            f". Left out: {without:,} more of its failures, where the committee is split or has fewer than "
            f"{FEWEST_MEMBERS} verdicts"
        )
    view = {"part": ("committee",), "members": measurement.flags["members"]}
    if measurement.flags.get("leave_self_out"):
        view["leave_self_out"] = ("true",)
    claim = measurement.claim(row, f"{sentence}.", rows=rows, view=view, marks=marks)
    return replace(claim, p_adjusted=None)


_OWN = replace(MEMBER, field="ratio_outside_common")
_OWN_SHARE = replace(MEMBER, field="o_self_common", form="percent")
_COMMITTEE_SHARE = replace(MEMBER, field="o_self_common_committee", form="percent")


def _least_excess(context: RuleContext) -> dict[str, float]:
    """Return the lower end of each judge's excess, where it is one of own failures passed (MEASURES 19)."""
    rows: list[ScorecardRow] = context.result("scorecard").rows
    failed = (row for row in rows if row["judge"] is not None and row.get("truth") == "failed")
    ends = ((str(row["judge"]), row.get("excess_low")) for row in failed)
    return {judge: low for judge, low in ends if low is not None}


def _passes_few(row: "CommitteeRow", least_excess: float | None) -> bool:
    """Return whether the committee passes clearly fewer own failures than the member does beyond expected.

    Those on which it has no majority could all be passed.
    """
    most = row.get("o_self_common_committee_high")
    if most is None or least_excess is None or not row["n_self"]:
        return False
    return (most * row["n_common"] + row["n_self"] - row["n_common"]) / row["n_self"] < least_excess


def voters_of(context: RuleContext) -> tuple[str, ...]:
    """Return the members of `members_of` without those that by the scorecard rate their own too high.

    Where fewer than three would be left, only those go that favour themselves; where these are too many too,
    nobody does.
    """
    members = members_of(context)
    for biased in (_concluded(context), _concluded(context, firmly=True)):
        others = tuple(member for member in members if member not in biased)
        if len(others) >= FEWEST_MEMBERS:
            return others
    return members


def _concluded(context: RuleContext, *, firmly: bool = False) -> set[str]:
    """Return the judges of which it is concluded that they favour themselves, or not `firmly` overrate."""
    claims = context.claims(rule="conclusion")
    about = [claim for claim in claims if claim.stands and is_about_itself(claim)]
    return {str(claim.at["judge"]) for claim in about if not (firmly and claim.marked(MarkKind.CAUSE_OPEN))}


def tested_members(context: RuleContext, members: Sequence[str]) -> set[str]:
    """Return the members that by the scorecard rate themselves too high, which a committee may correct.

    That is every member if the scorecard says so of the judges as a group.
    """
    if group_claims(context):
        return set(members)
    return _concluded(context) & set(members)


def _gap_marks(row: "CommitteeRow") -> list[Mark]:
    """Return a mark unless the committee clearly favours the member less than the member itself does."""
    low, high = row["ratio_outside_common_low"], row["ratio_outside_common_committee_high"]
    if low is None or high is None:
        return [Mark(MarkKind.NOT_SIGNIFICANT, NO_INTERVAL)]
    is_lower = row["ratio_outside_common_committee"] < row["ratio_outside_common"]
    if is_lower and clearly_apart(row, "ratio_outside_common"):
        return []
    return [Mark(MarkKind.NOT_SIGNIFICANT, "not clearly below its own")]


def sizes(context: RuleContext) -> RuleResult:
    """Claim how much committees of three members, and of all, favour their members.

    The number is the mean ratio of own failures over the committees of that size, at the first level that the
    judgments allow. The members are those of the study's committee, else all judges with a ratio; the
    committee of all is left out if every model is a member, which makes its ratio 1. Not significant if its
    interval overlaps that of a single judge, or if by the scorecard neither a member nor the judges as a
    group favour or overrate themselves. The ratio nearest to 1 comes first.
    """
    members = members_of(context)
    if len(members) < FEWEST_MEMBERS:
        return _too_few(members)
    measurement = context.measurement(RATIO, **_options(members))
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    every: list[CommitteeSizeRow] = result.rows
    level = every[0]["level"]
    rows = [row for row in every if row["level"] == level and row["hspp_self"] is not None]
    alone = next((row for row in rows if row["size"] == 1), None)
    cells: list[OverestimationRow] = context.result("overestimation").rows
    generators = {str(row["generator"]) for row in cells}
    allowed = {FEWEST_MEMBERS, len(members)}
    if generators and generators <= set(members):  # all of them favour nobody, by construction
        allowed.remove(len(members))
    committees = [row for row in rows if row["size"] in allowed]
    if alone is None or not committees:
        return RuleResult(reason="no committee of these judges has a ratio")
    committees.sort(key=lambda row: abs(row["hspp_self"] - 1))
    doubts = [] if tested_members(context, members) else [Mark(MarkKind.NOT_SIGNIFICANT, NOTHING_TO_MEND)]
    claims = [_size(measurement, row, alone, rows, members, doubts) for row in committees]
    return RuleResult(tuple(claims), f"committees of {quantity(len(members), 'judge')}")


def _size(
    measurement: Measurement,
    row: "CommitteeSizeRow",
    alone: "CommitteeSizeRow",
    rows: "Sequence[CommitteeSizeRow]",
    members: tuple[str, ...],
    doubts: Sequence[Mark],
) -> Claim:
    is_full = row["size"] == len(members)
    of_some = f"A committee of {row['size']} of the {len(members)} judges"
    who = f"The whole committee of {len(members)} judges" if is_full else of_some
    ends = row["hspp_self_low"], row["hspp_self_high"], alone["hspp_self_low"], alone["hspp_self_high"]
    marks = list(doubts)
    if any(end is None for end in ends):
        marks.insert(0, Mark(MarkKind.NOT_SIGNIFICANT, NO_INTERVAL))
    elif ends[0] <= ends[3] and ends[2] <= ends[1]:
        marks.insert(0, Mark(MarkKind.NOT_SIGNIFICANT, "its interval overlaps that of a single judge"))
    accurate = ""
    name: Literal["mra", "mipa"] = "mra" if row["mra"] is not None else "mipa"
    if row[name] is not None and alone[name] is not None:
        without = "" if row["size"] % 2 else ", not counting tied votes, which fall on hard cases"
        accurate = f" Its accuracy is {row[name]:.1%}{without}; a single judge's is {alone[name]:.1%}."
    return measurement.claim(
        row,
        f"{who} passes its members' failures {RATIO.value(row)} times as often as others' "
        f"({RATIO.ci(row)}); a single judge its own {RATIO.value(alone)} times "
        f"({RATIO.ci(alone)}).{accurate}",
        of=str(row["size"]),
        rows=rows,
        view={"part": ("committee",), "members": members},
        marks=marks,
    )


def cost(context: RuleContext) -> RuleResult:
    """Claim what the committee's answers cost: calls, and tokens and dollars if recorded.

    The number is the calls of all members together, in the paradigm that the claims about committees use. Of
    several runs the newest that has all members counts, as every run asks them once more.
    Where the study has no committee and none is shown to help, nobody has to know.
    """
    members = voters_of(context)
    if len(members) < FEWEST_MEMBERS:
        return _too_few(members)
    about = [claim for rule in ("members", "sizes") for claim in context.claims(rule=rule)]
    if not context.study.info.committees and not any(claim.stands for claim in about):
        return RuleResult(
            reason="the study has no committee, and no committee of its judges is shown to help"
        )
    sizes_result = context.result(RATIO.measure, **_options(members_of(context)))
    options = {"judges": members} | {
        name: sizes_result.filters[name] for name in ("paradigm", "variant") if sizes_result.filters.get(name)
    }
    runs, counted = _runs_asking(context, members, options.get("paradigm"))
    measurement = context.measurement(CALLS, **options, **({"run": counted} if counted else {}))
    result = measurement.result
    every: list[JudgeCostsRow] = result.rows
    row = next((row for row in every if row["judge"] is None), None)
    if row is None:
        return RuleResult(reason=result.reason)
    same_paradigm = [other for other in every if other["paradigm"] == row["paradigm"]]
    singles = [other for other in same_paradigm if other["judge"] is not None]
    because = tuple(claim.id for claim in context.claims(rule="sizes"))
    view = {"part": ("committee",), "members": members}
    sentence = _cost(row, len(singles))
    if len(runs) > 1:
        where = f"In run {counted[0]} alone" if counted else "In all runs together"
        sentence = f"{where}, {sentence[0].lower()}{sentence[1:]}"
    claim = measurement.claim(row, sentence, of="all", rows=singles, view=view)
    return RuleResult((replace(claim, because=because),), f"calls of {quantity(len(singles), 'judge')}")


def _runs_asking(
    context: RuleContext, members: Sequence[str], paradigm: str | None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the runs of a paradigm, and of several the newest that has all members, if one has."""
    study = context.study
    runs = [run for run in runs_in_order(study, paradigm) if not study.only_runs or run in study.only_runs]
    if len(runs) < 2:
        return runs, ()
    where: dict[str, ColumnFilter] = {} if paradigm is None else {"paradigm": paradigm}
    whole = [run for run in runs if {*members} <= {*study.inventory.values("judge", run_id=run, **where)}]
    return runs, tuple(whole[-1:])


def _cost(row: "JudgeCostsRow", judges: int) -> str:
    each = row["calls"] / max(judges, 1)
    parts = [f"{row['calls']:,} calls, {judges} times as many as a single judge ({each:,.0f})"]
    if row["prompt_tokens"] is not None:
        parts.append(f"{row['prompt_tokens']:,} tokens sent and {row['completion_tokens'] or 0:,} received")
    if row["cost_usd"] is not None:
        is_whole = row["costed"] == row["calls"]
        part = "" if is_whole else f" for the {row['costed']:,} calls whose cost is known"
        parts.append(f"${row['cost_usd']:,.2f}{part}")
    recorded = {"dollars": row["cost_usd"], "tokens": row["prompt_tokens"]}
    lacking = [name for name, amount in recorded.items() if amount is None]
    tail = f" The study does not record {join_names(lacking, last='or')}." if lacking else ""
    return f"Asking all {judges} judges of the committee takes {'; '.join(parts)}.{tail}"
