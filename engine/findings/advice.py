"""What to do: each recommendation names the claims that it follows from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.conclusions import is_undecided
from engine.findings.claims import Claim, RuleResult
from engine.findings.committees import (
    NO_INTERVAL,
    NOTHING_TO_MEND,
    committee_words,
    members_of,
    tested_members,
    voters_of,
)
from engine.findings.rankings import ranking_words
from engine.findings.rule import RuleContext
from engine.findings.self_claims import group_claims, is_about_itself, is_against, judges_of
from engine.findings.standing import MarkKind
from engine.findings.who_favours_itself import CONCLUSION, claimed_elsewhere, kind_concluded_from
from engine.phrases import join_names, quantity
from engine.words import conclusions
from engine.words.written_numbers import number

if TYPE_CHECKING:
    from engine.measures.row_types import ScorecardRow

MOST = 4  # how many judges a recommendation names; the rest are counted


def leave_self_out(context: RuleContext) -> RuleResult:
    """Recommend leaving out verdicts on own answers, of all judges or of those that rate theirs too high.

    Of all if the scorecard claims of the judges as a group that they favour or overrate themselves; else of
    the judges of which that is claimed, whatever its cause, or which another rule's standing claim names.
    """
    claims = [claim for claim in context.claims(question="who") if claim.stands and is_about_itself(claim)]
    group, who = group_claims(context), judges_of(claims)
    whose = f"the verdicts of {join_names(who, MOST)} on {'its' if len(who) == 1 else 'their'} own answers"
    because = ""
    if group:
        whose = "every judge's verdicts on its own answers"
        because = ": as a group, the judges rate their own higher than other judges do"
    return _advice(
        "leave-self-out",
        f"Leave {whose} out of every average, or have other judges give them{because}.",
        [*group, *claims],
        "no claim stands that a judge, or the judges as a group, rate their own answers too high",
    )


def leave_family_out(context: RuleContext) -> RuleResult:
    """Recommend leaving out verdicts within a family if the scorecard claims that it is rated too high.

    That is, if a judge, or the judges as a group, favour or overrate the other models of their families.
    """
    claims = [claim for claim in context.claims(rule="relatives") if claim.stands and not is_against(claim)]
    group, who = group_claims(context, "families"), judges_of(claims)
    names = "as a group, the judges" if group else join_names(who, MOST)
    rate = "rates its family's" if len(who) == 1 and not group else "rate their families'"
    return _advice(
        "leave-family-out",
        f"Exclude verdicts within the family too: {names} {rate} answers higher than other judges do.",
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
    committees were tried and no such claim stands, recommend not to pay for one for that reason, unless the
    study has none and there is nothing to mend.
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
        majority = f"the majority of {committee_words(context)}"
        sentence = f"Judge by {majority}: it credits answers of {names} less than {do}."
    elif smaller:
        value, alone = (
            number(ratio) for ratio in (smaller[0].value, _alone(smaller[0])) if ratio is not None
        )
        sentence = (
            "Judge by a committee's majority: over its members, the mean HSPP ratio falls from "
            f"{alone} to {value}."
        )
    else:
        why = "it is not clearly less biased for any member that rates itself too high"
        if not tested_members(context, members_of(context)):
            if not context.study.info.committees:  # nobody thinks of one
                return RuleResult(summary=NOTHING_TO_MEND)
            why = NOTHING_TO_MEND
        elif untested := judges_of([each for each in members if _lacks_interval(each)]):
            why += f" (for {join_names(untested, MOST)} that cannot be tested: {NO_INTERVAL})"
        sentence = f"Do not use a committee only to reduce self-preference: {why}."
    without = [member for member in members_of(context) if member not in voters_of(context)]
    if without and (better or smaller):
        rate = "it rates its" if len(without) == 1 else "they rate their"
        sentence += f" Leave {join_names(without, MOST)} out of it: {rate} own answers too high."
    return _advice("use-committee", sentence, [*(better or smaller or claims), *context.claims(rule="cost")])


def _lacks_interval(claim: Claim) -> bool:
    return any(mark.why == NO_INTERVAL for mark in claim.marks)


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


def judge_more(context: RuleContext) -> RuleResult:
    """Recommend more questions if the scorecard leaves judges undecided, and say how many would settle it.

    A judge on which other judgments of the study conclude something is none of them. Other judges are
    recommended instead if the scorecard can test none, as judges of other families are missing.
    """
    measurement = context.measurement(CONCLUSION)
    rows = conclusions.judges_of(measurement.result.rows)
    if rows and conclusions.lacks_outside_judges(rows):
        claim = measurement.claim(rows[0], f"{conclusions.OUTSIDE_REMEDY}.", of="all")
        return _judge_more(claim)
    elsewhere = claimed_elsewhere(context)
    undecided = [row for row in rows if is_undecided(row["conclusion"]) and row["judge"] not in elsewhere]
    if not undecided:
        return RuleResult(summary="no judge is undecided")
    # Stable: those whom more cases would settle come first.
    undecided.sort(key=lambda row: conclusions.cases_needed(row) is None)
    who = join_names([str(row["judge"]) for row in undecided], MOST)
    kind = kind_concluded_from(context)
    from_what = f"From {kind}, do" if kind else "Do"
    sentence = f"{from_what} not call {who} fair or biased: {_more_cases(undecided)}."
    claim = measurement.claim(undecided[0], sentence, of="all", rows=undecided)
    return _judge_more(replace(claim, n=sum(int(row["n_own"]) for row in undecided)))


def _more_cases(rows: "Sequence[ScorecardRow]") -> str:
    """Return what would settle undecided judges: how many own cases, or that more alone may not."""
    needed = {str(row["judge"]): n for row in rows if (n := conclusions.cases_needed(row)) is not None}
    if not needed:
        return "that needs more questions, or more judges"
    fewest, most = min(needed.values()), max(needed.values())
    counts = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    each = "" if len(needed) == 1 else " of each judge"
    of_whom = "" if len(needed) == len(rows) else f" for {join_names(list(needed), MOST)}"
    return f"if what is seen is the true difference, about {counts} own cases{each} would settle it{of_whom}"


def _judge_more(claim: Claim) -> RuleResult:
    """Return the recommendation of more judging: on the scorecard, leading to the page of power.

    It is about several judges, so it has the p of none.
    """
    view = {"study": claim.view["study"]}
    marks = tuple(mark for mark in claim.marks if mark.kind is MarkKind.SIMULATED)
    advice = replace(
        claim, id="judge-more:all", question="advice", page="power", view=view, marks=marks, p_adjusted=None
    )
    return RuleResult((advice,), "the conclusion on each judge")


def _advice(rule: str, sentence: str, evidence: Sequence[Claim], otherwise: str = "") -> RuleResult:
    """Return a recommendation with the number and view of its first evidence; without evidence, `otherwise`.

    Of the evidence's marks it has only that of simulated judgments: the others are about the claims. So is p,
    which tests none of what is recommended. Cases are counted only where they are those of all it is about.
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
        n=first.n if len(evidence) == 1 else None,
    )
    return RuleResult((claim,), quantity(len(because), "claim"))
