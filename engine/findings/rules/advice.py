"""What to do: each recommendation follows from claims that are named with it."""

from collections.abc import Sequence
from dataclasses import replace

from engine.findings.claims import Claim, MarkKind, Outcome
from engine.findings.declared import Made
from engine.findings.material import Material
from engine.findings.rules.ranking import NAMES, named
from engine.findings.wording import counted, listed

SHOWN = 4
"""Judges that a recommendation names; the others are counted."""


def leave_self_out(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend to leave a judge's verdicts on itself out, where a claim that it favours itself stands."""
    found = [claim for claim in _claims(before, "who") if claim.stands and claim.rule != "relatives"]
    who = _judges(found)
    return _advice(
        "leave-self-out",
        f"Do not let {listed(who, SHOWN)} judge {'its' if len(who) == 1 else 'their'} own responses, or "
        "leave these verdicts out of every average.",
        found,
        "no claim stands that a judge favours itself",
    )


def leave_family_out(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend to leave verdicts on relatives out too, where a claim that a judge favours them stands."""
    found = [claim for claim in _claims(before, "who") if claim.stands and claim.rule == "relatives"]
    who = _judges(found)
    return _advice(
        "leave-family-out",
        f"Leave verdicts within the family out too: {listed(who, SHOWN)} "
        f"{'favours its' if len(who) == 1 else 'favour their'} relatives.",
        found,
        "no claim stands that a judge favours its relatives",
    )


def doubt_ratios(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend not to call a judge biased whose claims are contradicted, and none of which stands."""
    claims = _claims(before, "who")
    standing = set(_judges([claim for claim in claims if claim.stands]))
    found = [
        claim
        for claim in claims
        if claim.marked(MarkKind.CONTRADICTED) and str(claim.at["judge"]) not in standing
    ]
    who = _judges(found)
    return _advice(
        "doubt-ratios",
        f"Do not call {listed(who, SHOWN)} biased by {'this number' if len(found) == 1 else 'these numbers'} "
        "alone: another measure says otherwise. Compare on matched rubrics or pairs of equal quality first.",
        found,
        "no claim is contradicted of a judge that nothing else is claimed of",
    )


def use_committee(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend a committee where a claim that it favours its members less than one judge alone stands.

    Where such claims were made and none stands, recommend not to pay for one on that ground.
    """
    claims = [claim for claim in _claims(before, "committee") if claim.rule == "sizes"]
    better = [claim for claim in claims if claim.stands and _less_than_alone(claim)]
    costs = [claim for claim in _claims(before, "committee") if claim.rule == "cost"]
    if not claims:
        return Made(told="no committee could be tried")
    if not better:
        return _advice(
            "use-committee",
            "Do not pay for a committee to be rid of self-preference: none of those tried surely favours its "
            "members less than one judge alone does.",
            [*claims, *costs],
            "",
        )
    size = better[0].at["size"]
    return _advice(
        "use-committee",
        f"Judge by the majority of a committee of {size}: it favours its members less than one judge does.",
        [*better, *costs],
        "",
    )


def _less_than_alone(claim: Claim) -> bool:
    alone = next((row for row in claim.rows if row["size"] == 1), None)
    return alone is not None and claim.value is not None and claim.value < alone["hspp_self"]


def rank_by(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend the ranking that is surely nearer to the reference's than all judges' is.

    Where none surely is, and self-preference was claimed, recommend to leave self verdicts out all the same
    if that moves the ranking no farther away: it costs nothing.
    """
    claims = [claim for claim in _claims(before, "ranking") if claim.rule == "corrections"]
    nearer = [claim for claim in claims if claim.stands and (claim.value or 0) > 0]
    if nearer:
        by = str(nearer[0].at["by"])
        return _advice("rank-by", f"Rank the models by {named(by)}.", nearer[:1], "")
    biased = [claim for claim in _claims(before, "who") if claim.stands]
    harmless = [claim for claim in claims if claim.at["by"] in NAMES and (claim.value or 0) >= 0]
    by = str(harmless[0].at["by"]) if harmless else ""
    return _advice(
        "rank-by",
        f"Rank the models by {named(by)}: the order is no farther from the reference's, and nobody votes for "
        "itself.",
        [*harmless[:1], *biased[:1]] if harmless and biased else [],
        "no other ranking is surely nearer to the reference's, or as near",
    )


def read_slices(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend to read verdicts where a claim on slices or opponents stands: what is there explains it."""
    found = [claim for claim in _claims(before, "where") if claim.stands]
    who = _judges(found)
    return _advice(
        "read-slices",
        f"Read verdicts of {listed(who, SHOWN)} where {'it favours' if len(who) == 1 else 'they favour'} "
        f"{'itself' if len(who) == 1 else 'themselves'} most, before averaging over them.",
        found,
        "no slice and no opponent is claimed",
    )


def judge_more(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Recommend more questions where claims rest on few cases or are not significant and not contradicted."""
    found = [
        claim
        for claim in _claims(before, "who")
        if claim.marked(MarkKind.SMALL, MarkKind.NOT_SIGNIFICANT) and not claim.marked(MarkKind.CONTRADICTED)
    ]
    return _advice(
        "judge-more",
        f"Judge more questions before {counted(len(found), 'claim')} in doubt "
        f"{'is' if len(found) == 1 else 'are'} repeated; `spb power` says how many.",
        found,
        "no claim is in doubt for want of cases",
    )


def _claims(before: Sequence[Outcome], question: str) -> list[Claim]:
    return [claim for outcome in before if outcome.question == question for claim in outcome.claims]


def _judges(claims: Sequence[Claim]) -> list[str]:
    return list(dict.fromkeys(str(claim.at["judge"]) for claim in claims))


def _advice(rule: str, sentence: str, evidence: Sequence[Claim], otherwise: str) -> Made:
    """Return a recommendation with the number and view of its first evidence; `otherwise` without any."""
    if not evidence:
        return Made(told=otherwise)
    first = evidence[0]
    because = tuple(claim.id for claim in evidence)
    claim = replace(first, id=f"{rule}:all", question="advice", sentence=sentence, because=because)
    return Made((claim,), counted(len(because), "claim"))
