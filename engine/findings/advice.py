"""Rules on what to do: recommendations, and whether a committee helps."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.arrays.references import FEWEST_MEMBERS
from engine.findings.claims import Claim, Mark, MarkKind, Measurement, Number, Row, RuleContext, RuleResult
from engine.findings.where import ranking_words
from engine.findings.who_favours_itself import CONCLUSION
from engine.values import join_names, quantity
from engine.words import conclusions, number
from engine.words.sentences import clearly_apart

# ------------------------------------------------------------------------------
# What to do: each recommendation names the claims that it follows from.


MOST = 4  # how many judges a recommendation names; the rest are counted


def leave_self_out(context: RuleContext) -> RuleResult:
    """Recommend leaving out verdicts on own responses, of all judges or of those that rate theirs too high.

    Of all if the scorecard claims of the judges as a group that they favour or overrate themselves; else of
    the judges of which that is claimed, whatever its cause, or which another rule's standing claim names.
    """
    claims = [claim for claim in context.claims(question="who") if claim.stands and _is_about_itself(claim)]
    group, who = _of_group(context), judges_of(claims)
    whose = f"{join_names(who, MOST)} judge {'its' if len(who) == 1 else 'their'} own responses"
    because = ""
    if group:
        whose = "any judge judge its own responses"
        because = ": as a group, the judges rate their own higher than other judges do"
    return _advice(
        "leave-self-out",
        f"Do not let {whose}, or exclude those verdicts from every average{because}.",
        [*group, *claims],
        "no claim stands that a judge, or the judges as a group, rate their own responses too high",
    )


def _of_group(context: RuleContext, of: str = "all") -> list[Claim]:
    """Return the claim that the judges as a group rate their own, or their families', responses too high."""
    field = "conclusion" if of == "all" else "family_conclusion"
    claims = [claim for claim in context.claims(rule="group") if claim.id == f"group:{of}"]
    return [claim for claim in claims if conclusions.for_group(claim.rows[0][field])]


def _is_about_itself(claim: Claim) -> bool:
    return claim.rule not in ("relatives", "group") and not _is_against(claim)


def _is_against(claim: Claim) -> bool:
    """Return whether a scorecard claim says that a judge rates itself, or its family, too low."""
    field = "family_conclusion" if claim.rule == "relatives" else "conclusion"
    return bool(claim.rows) and str(claim.rows[0].get(field)).startswith(("disfavours", "underrates"))


def leave_family_out(context: RuleContext) -> RuleResult:
    """Recommend leaving out verdicts within a family if the scorecard claims that it is rated too high.

    That is, if a judge, or the judges as a group, favour or overrate the other models of their families.
    """
    claims = [claim for claim in context.claims(rule="relatives") if claim.stands and not _is_against(claim)]
    group, who = _of_group(context, "families"), judges_of(claims)
    names = "as a group, the judges" if group else join_names(who, MOST)
    rate = "rates its family's" if len(who) == 1 and not group else "rate their families'"
    return _advice(
        "leave-family-out",
        f"Exclude verdicts within the family too: {names} {rate} responses higher than other judges do.",
        [*group, *claims],
        "no claim stands that a judge, or the judges as a group, rate their families too high",
    )


def doubt_ratios(context: RuleContext) -> RuleResult:
    """Recommend not to call a judge biased if its claims are contradicted and none stands.

    The sentence names the number and what contradicts it. Where the scorecard concludes on the judges, this
    is not needed: nothing else that is said of them is shown.
    """
    if context.result("scorecard").rows:
        return RuleResult(summary="the scorecard concludes on the judges")
    claims = context.claims(question="who")
    standing = set(judges_of([claim for claim in claims if claim.stands and claim.rule != "group"]))
    doubtful = [claim for claim in claims if claim.marked(MarkKind.CONTRADICTED)]
    doubtful = [claim for claim in doubtful if str(claim.at["judge"]) not in standing]
    who = judges_of(doubtful)
    return _advice(
        "doubt-ratios",
        "".join(_doubt(claim) for claim in doubtful[:1])
        + (f" The like holds for {join_names(who[1:], MOST)}." if len(who) > 1 else ""),
        doubtful,
        "no judge has a contradicted claim without one that stands",
    )


def _doubt(claim: Claim) -> str:
    """Return what is not to be concluded from a contradicted claim, and what contradicts it."""
    judge, but = claim.at["judge"], next(m.why for m in claim.marks if m.kind is MarkKind.CONTRADICTED)
    sentence = claim.sentence.rstrip(".")
    if sentence.startswith(f"{judge} "):
        sentence = f"it{sentence.removeprefix(str(judge))}"
    return f"Do not call {judge} biased because {sentence[:1].lower()}{sentence[1:]}: {but}."


def use_committee(context: RuleContext) -> RuleResult:
    """Recommend a committee if a claim stands that it is less biased for a member than the member itself.

    Or if one stands that committees of some size favour their members less than single judges do. If
    committees were tried and no such claim stands, recommend not to pay for one for that reason.
    """
    members, by_size = context.claims(rule="members"), context.claims(rule="sizes")
    claims = [*members, *by_size]
    if not claims:
        return RuleResult(summary="no committee could be tried")
    better = [claim for claim in members if claim.stands]
    smaller = [claim for claim in by_size if claim.stands and _is_nearer(claim)]
    who = judges_of(better)
    if better:
        do = "it does itself" if len(who) == 1 else "they do themselves"
        names = join_names(who, MOST)
        sentence = f"Judge by the committee's majority: it credits answers of {names} less than {do}."
    elif smaller:
        value, alone = (
            number(ratio) for ratio in (smaller[0].value, _alone(smaller[0])) if ratio is not None
        )
        sentence = (
            "Judge by a committee's majority: over its members, the mean ratio of own failures falls from "
            f"{alone} to {value}."
        )
    else:
        why = "it is not clearly less biased for any member that rates itself too high"
        if not _tested(context, members_of(context)):
            why = NOTHING_TO_MEND
        sentence = f"Do not use a committee only to reduce self-preference: {why}."
    return _advice("use-committee", sentence, [*(better or smaller or claims), *context.claims(rule="cost")])


def _is_nearer(claim: Claim) -> bool:
    """Return whether committees of a size are nearer to no preference than a single judge is."""
    alone = _alone(claim)
    return alone is not None and claim.value is not None and abs(claim.value - 1) < abs(alone - 1)


def _alone(claim: Claim) -> float | None:
    """Return the mean ratio of single judges, beside which the claim sets that of committees."""
    return next((row["hspp_self"] for row in claim.rows if row["size"] == 1), None)


def rank_by(context: RuleContext) -> RuleResult:
    """Recommend the ranking that is clearly better, if there is one.

    That is the ranking by corrected scores if some model's rank by the judges' scores is outside the ranks
    that its corrected score may have; else the ranking by several judges that is significantly closer to the
    reference's than that of all judges. Without either, none is recommended.
    """
    moves = [claim for claim in context.claims(rule="places") if claim.stands]
    if moves:
        return _advice("rank-by", "Rank the models by their scores corrected with the reference.", moves)
    corrections = context.claims(rule="corrections")
    nearer = [claim for claim in corrections if claim.stands and (claim.value or 0) > 0]
    by = str(nearer[0].at["by"]) if nearer else ""
    return _advice(
        "rank-by",
        f"Rank the models by {ranking_words(by)}.",
        nearer[:1],
        "no other ranking is clearly closer to the reference's",
    )


def read_slices(context: RuleContext) -> RuleResult:
    """Recommend reading verdicts if a claim about slices or opponents stands, to find out why."""
    claims = [claim for claim in context.claims(question="where") if claim.stands]
    who = judges_of(claims)
    stand = "it stands" if len(who) == 1 else "they stand"
    return _advice(
        "read-slices",
        f"Read the verdicts of {join_names(who, MOST)} where {stand} out most before averaging over them.",
        claims,
        "no slice and no opponent is claimed",
    )


UNDECIDED = ("not_shown", "too_few_cases")
"""The conclusions on a judge that more cases may change."""


def judge_more(context: RuleContext) -> RuleResult:
    """Recommend more instances if the scorecard leaves judges undecided, and say how many would settle it.

    Other judges are recommended instead if the scorecard can test none because outside judges are missing.
    """
    measurement = context.measurement(CONCLUSION)
    rows = conclusions.judges_of(measurement.result.rows)
    if rows and conclusions.lacks_outside_judges(rows):
        claim = measurement.claim(dict(rows[0]), f"{conclusions.OUTSIDE_REMEDY}.", of="all")
        return _of_scorecard("judge-more", claim)
    undecided = [dict(row) for row in rows if row["conclusion"] in UNDECIDED]
    if not undecided:
        return RuleResult(summary="no judge is undecided")
    undecided.sort(key=lambda row: row.get("needed") is None)  # stable: those that more cases would settle
    who = join_names([str(row["judge"]) for row in undecided], MOST)
    sentence = f"Do not call {who} fair or biased: {_more_cases(undecided)}."
    return _of_scorecard("judge-more", measurement.claim(undecided[0], sentence, of="all", rows=undecided))


def _more_cases(rows: Sequence[Row]) -> str:
    """Return what would settle undecided judges: how many own cases, or that more alone may not."""
    needed = sorted(filter(None, map(conclusions.cases_needed, rows)))
    if not needed:
        return "that needs more questions, or more judges"
    counts = f"{needed[0]:,}" if needed[0] == needed[-1] else f"{needed[0]:,} to {needed[-1]:,}"
    each = "" if len(rows) == 1 else " each"
    which = "it" if len(needed) == len(rows) else f"it for {len(needed)} of them"
    return f"about {counts} own cases{each} would settle {which}"


def _of_scorecard(rule: str, claim: Claim) -> RuleResult:
    """Return a recommendation that rests on the scorecard itself, linked to the page of power."""
    view = {"study": claim.view["study"]}
    marks = tuple(mark for mark in claim.marks if mark.kind is MarkKind.SIMULATED)
    advice = replace(claim, id=f"{rule}:all", question="advice", page="power", view=view, marks=marks)
    return RuleResult((advice,), "the conclusion on each judge")


def judges_of(claims: Sequence[Claim], apart_from: Sequence[str] = ()) -> list[str]:
    """Return the judges that claims are about, in their order."""
    names = dict.fromkeys(str(claim.at["judge"]) for claim in claims)
    return [name for name in names if name not in apart_from]


def _advice(rule: str, sentence: str, evidence: Sequence[Claim], otherwise: str = "") -> RuleResult:
    """Return a recommendation with the number and view of its first evidence; without evidence, `otherwise`.

    Of the evidence's marks it has only that of simulated judgments: the others are about the claims. So is p,
    which tests none of what is recommended.
    """
    if not evidence:
        return RuleResult(summary=otherwise)
    first = evidence[0]
    because = tuple(claim.id for claim in evidence)
    marks = tuple(mark for mark in first.marks if mark.kind is MarkKind.SIMULATED)
    claim = replace(
        first,
        id=f"{rule}:all",
        question="advice",
        sentence=sentence,
        because=because,
        marks=marks,
        p_adjusted=None,
    )
    return RuleResult((claim,), quantity(len(because), "claim"))


# ------------------------------------------------------------------------------
# Whether a committee helps, and what it would cost.


MOST_COMMITTEES = 60  # how many committees of one size are computed, here and on the explorer's page

FAILURES = "own failures of the member with the fewest"
RATIO = Number("sizes", "committee", "committee-size", "hspp_self", "paradigms", "n_self", FAILURES)
CALLS = Number("cost", "committee", "judge-costs", "calls", "paradigms", "judgments", "judgments")


def _too_few(members: Sequence[str]) -> RuleResult:
    count = len(members) or "none"
    return RuleResult(reason=f"a committee needs {FEWEST_MEMBERS} judges with a ratio; there are {count}")


def members_of(context: RuleContext) -> tuple[str, ...]:
    """Return the study's first committee, else the judges that have a ratio for their own responses."""
    committees = context.study.info.committees
    if committees:
        return tuple(next(iter(committees.values())).members)
    rows = [row for row in context.result("hspp").rows if None not in (row["judge"], row["hspp_self"])]
    return tuple(str(row["judge"]) for row in rows)


def _options(members: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of `committee-size`: a single judge, three, and all of them."""
    several = tuple(str(size) for size in sorted({1, FEWEST_MEMBERS, len(members)}))
    return {"members": members, "sizes": several, "most_committees": MOST_COMMITTEES}


NOTHING_TO_MEND = "neither a member nor the judges as a group are shown to rate their own too high"

MEMBER_FAILURES = ("n_self_committee", "own failures")
MEMBER = Number("members", "committee", "committee", "ratio_outside_committee", "paradigms", *MEMBER_FAILURES)


def each_member(context: RuleContext) -> RuleResult:
    """Claim how a committee's majority treats the responses of each member that rates them too high.

    The numbers are the ratio to outside judges, one by one, under the committee's verdicts in the member's
    place, and under the member's own. Tested are the members that favour or overrate themselves by the
    scorecard; all of them if it says so of the judges as a group. Not significant unless the committee's
    interval ends below the member's own ratio, and the member's begins above the committee's. There is no p:
    that of the measure is of the committee's ratio alone, which is near 1 where a committee helps most.
    """
    members = members_of(context)
    if len(members) < FEWEST_MEMBERS:
        return _too_few(members)
    tested = _tested(context, members)
    measurement = context.measurement(MEMBER, members=members)
    result = measurement.result
    rows = [row for row in result.rows if row["ratio_outside_committee"] is not None]
    if not rows:
        return RuleResult(reason=result.reason or "the committee cannot be compared with outside judges")
    claims = []
    for row in (row for row in rows if row["judge"] in tested):
        sentence = (
            f"The ratio of {row['judge']} to outside judges is {MEMBER.with_ci(row)} with the committee's "
            f"verdicts and {_OWN.with_ci(row)} with its own."
        )
        view = {"part": ("committee",), "members": members}
        claim = measurement.claim(row, sentence, rows=rows, view=view, marks=_gap_marks(row))
        claims.append(replace(claim, p_adjusted=None))
    return RuleResult(tuple(claims), f"{len(claims)} of {quantity(len(rows), 'member')} tested")


_OWN = replace(MEMBER, field="ratio_outside")


def _tested(context: RuleContext, members: Sequence[str]) -> set[str]:
    """Return the members that by the scorecard rate themselves too high, which a committee may correct.

    That is every member if the scorecard says so of the judges as a group.
    """
    if _of_group(context):
        return set(members)
    claims = context.claims(rule="conclusion")
    return {str(claim.at["judge"]) for claim in claims if claim.stands and _is_about_itself(claim)} & set(
        members
    )


def _gap_marks(row: Row) -> list[Mark]:
    """Return a mark unless the committee clearly favours the member less than the member itself does."""
    low, high = row["ratio_outside_low"], row["ratio_outside_committee_high"]
    if low is None or high is None:
        return [Mark(MarkKind.NOT_SIGNIFICANT, "one of the two ratios has no interval")]
    if row["ratio_outside_committee"] < row["ratio_outside"] and clearly_apart(row, "ratio_outside"):
        return []
    return [Mark(MarkKind.NOT_SIGNIFICANT, "not clearly below its own")]


def sizes(context: RuleContext) -> RuleResult:
    """Claim how much committees of three members, and of all, favour their members.

    The number is the mean ratio (`hspp_self` of `committee-size`) over the committees of that size, at the
    first level that the judgments allow. The members are those of the study's committee, else all judges with
    a ratio; the committee of all is left out if every generator is a member, which makes its ratio 1. Not
    significant if its interval overlaps that of a single judge, or if by the scorecard neither a member nor
    the judges as a group favour or overrate themselves. The ratio nearest to 1 comes first.
    """
    members = members_of(context)
    if len(members) < FEWEST_MEMBERS:
        return _too_few(members)
    measurement = context.measurement(RATIO, **_options(members))
    result = measurement.result
    if not result.rows:
        return RuleResult(reason=result.reason)
    level = result.rows[0]["level"]
    rows = [row for row in result.rows if row["level"] == level and row["hspp_self"] is not None]
    alone = next((row for row in rows if row["size"] == 1), None)
    generators = {str(row["generator"]) for row in context.result("overestimation").rows}
    allowed = {FEWEST_MEMBERS, len(members)}
    if generators and generators <= set(members):  # all of them favour nobody, by construction
        allowed.remove(len(members))
    committees = [row for row in rows if row["size"] in allowed]
    if alone is None or not committees:
        return RuleResult(reason="no committee of these judges has a ratio")
    committees.sort(key=lambda row: abs(row["hspp_self"] - 1))
    doubts = [] if _tested(context, members) else [Mark(MarkKind.NOT_SIGNIFICANT, NOTHING_TO_MEND)]
    claims = [_size(measurement, row, alone, rows, members, doubts) for row in committees]
    return RuleResult(tuple(claims), f"committees of {quantity(len(members), 'judge')}")


def _size(
    measurement: Measurement,
    row: Row,
    alone: Row,
    rows: Sequence[Row],
    members: tuple[str, ...],
    doubts: Sequence[Mark],
) -> Claim:
    is_full = row["size"] == len(members)
    who = f"all {len(members)} judges" if is_full else f"{row['size']} of the {len(members)} judges"
    ends = row["hspp_self_low"], row["hspp_self_high"], alone["hspp_self_low"], alone["hspp_self_high"]
    marks = list(doubts)
    if any(end is None for end in ends):
        marks.insert(0, Mark(MarkKind.NOT_SIGNIFICANT, "one of the two ratios has no interval"))
    elif ends[0] <= ends[3] and ends[2] <= ends[1]:
        marks.insert(0, Mark(MarkKind.NOT_SIGNIFICANT, "its interval overlaps that of a single judge"))
    accurate = ""
    name = "mra" if row["mra"] is not None else "mipa"
    if row[name] is not None and alone[name] is not None:
        without = "" if row["size"] % 2 else ", not counting tied votes, which fall on hard cases"
        accurate = f" Its accuracy is {row[name]:.1%}{without}; a single judge's is {alone[name]:.1%}."
    return measurement.claim(
        row,
        f"A committee of {who} passes its members' failures {RATIO.value(row)} times as often as others' "
        f"({RATIO.ci(row)}); a single judge its own {RATIO.value(alone)} times "
        f"({RATIO.ci(alone)}).{accurate}",
        of=row["size"],
        rows=rows,
        view={"part": ("committee",), "members": members},
        marks=marks,
    )


def cost(context: RuleContext) -> RuleResult:
    """Claim what the committee's answers cost: calls, and tokens and dollars if recorded.

    The number is `calls` of `judge-costs`, on the row of all members together, in the paradigm that the
    claims about committees use.
    """
    members = members_of(context)
    if len(members) < FEWEST_MEMBERS:
        return _too_few(members)
    sizes_result = context.result(RATIO.measure, **_options(members))
    options = {"judges": members} | {
        name: sizes_result.filters[name] for name in ("paradigm", "variant") if sizes_result.filters.get(name)
    }
    measurement = context.measurement(CALLS, **options)
    result = measurement.result
    row = next((row for row in result.rows if row["judge"] is None), None)
    if row is None:
        return RuleResult(reason=result.reason)
    same_paradigm = [other for other in result.rows if other["paradigm"] == row["paradigm"]]
    singles = [other for other in same_paradigm if other["judge"] is not None]
    because = tuple(claim.id for claim in context.claims(rule="sizes"))
    view = {"part": ("committee",), "members": members}
    claim = measurement.claim(row, _cost(row, len(singles)), of="all", rows=singles, view=view)
    return RuleResult((replace(claim, because=because),), f"calls of {quantity(len(singles), 'judge')}")


def _cost(row: Row, judges: int) -> str:
    each = row["calls"] / max(judges, 1)
    parts = [f"{row['calls']:,} calls, {judges} times as many as a single judge ({each:,.0f})"]
    if row["prompt_tokens"] is not None:
        parts.append(f"{row['prompt_tokens']:,} tokens sent and {row['completion_tokens'] or 0:,} received")
    if row["cost_usd"] is not None:
        is_whole = row["costed"] == row["calls"]
        part = "" if is_whole else f" for the {row['costed']:,} calls whose cost is known"
        parts.append(f"${row['cost_usd']:,.2f}{part}")
    names = {"dollars": "cost_usd", "tokens": "prompt_tokens"}
    lacking = [name for name, column in names.items() if row[column] is None]
    tail = f" The study does not record {join_names(lacking, last='or')}." if lacking else ""
    return f"Asking all {judges} judges of the committee takes {'; '.join(parts)}.{tail}"
