"""The short answer to each question, summed up from the claims."""

from collections.abc import Callable, Sequence

from engine.findings.claims import QUESTIONS, Answer, Claim, MarkKind, Outcome, Question, ordered
from engine.findings.wording import listed

MOST = 4
"""Judges that an answer names, and recommendations that it gives; the others are counted."""


def answers(outcomes: Sequence[Outcome]) -> tuple[Answer, ...]:
    """Return an answer to every question, in their order."""
    return tuple(answer(question, outcomes) for question in QUESTIONS)


def answer(question: Question, outcomes: Sequence[Outcome]) -> Answer:
    """Return the answer to one question, from the outcomes of all rules that were tried."""
    mine = tuple(outcome for outcome in outcomes if outcome.question == question)
    claims = ordered(mine)
    sentences = _SUMS.get(question, _foremost)(claims) if claims else _of_none(mine)
    return Answer(question, tuple(sentences), tuple(claim.id for claim in claims))


def _who(claims: Sequence[Claim]) -> list[str]:
    """Name who favours itself, who is in doubt, and of whom that is contradicted; then the foremost claim."""
    own = [claim for claim in claims if claim.rule != "relatives"]
    sure = _judges([claim for claim in own if claim.stands])
    told = []
    if sure:
        verb = "favours itself" if len(sure) == 1 else "favour themselves"
        told.append(f"{listed(sure, MOST)} {verb}. {claims[0].sentence}")
    denied = _judges([claim for claim in own if claim.marked(MarkKind.CONTRADICTED)], apart_from=sure)
    if denied:
        told.append(f"Claimed and contradicted by another measure: {listed(denied, MOST)}.")
    doubtful = _judges([claim for claim in own if not claim.stands], apart_from=[*sure, *denied])
    if doubtful:
        told.append(f"In doubt: {listed(doubtful, MOST)}.")
    kin = _judges([claim for claim in claims if claim.rule == "relatives" and claim.stands])
    if kin:
        verb = "favours its" if len(kin) == 1 else "favour their"
        told.append(f"{listed(kin, MOST)} {verb} relatives.")
    return told or [claims[0].sentence]


def _judges(claims: Sequence[Claim], apart_from: Sequence[str] = ()) -> list[str]:
    names = dict.fromkeys(str(claim.at["judge"]) for claim in claims)
    return [name for name in names if name not in apart_from]


def _foremost(claims: Sequence[Claim]) -> list[str]:
    """Tell the first claim of each rule, with what puts it in doubt."""
    first = {claim.rule: claim for claim in reversed(claims)}
    return [_with_doubt(claim) for claim in claims if first[claim.rule] is claim]


def _with_doubt(claim: Claim) -> str:
    if claim.stands:
        return claim.sentence
    why = next(mark for mark in claim.marks if mark.kind in (MarkKind.CONTRADICTED, MarkKind.NOT_SIGNIFICANT))
    return f"{claim.sentence} ({why.title.capitalize()}: {why.why}.)"


def _all(claims: Sequence[Claim]) -> list[str]:
    told = [claim.sentence for claim in claims[:MOST]]
    rest = len(claims) - MOST
    return told + ([f"{rest:,} more below."] if rest > 0 else [])


_SUMS: dict[Question, Callable[[Sequence[Claim]], list[str]]] = {"who": _who, "advice": _all, "changed": _all}


def _of_none(outcomes: Sequence[Outcome]) -> list[str]:
    """Say that nothing is claimed, or why nothing could be tried."""
    tried = [outcome for outcome in outcomes if outcome.reason is None]
    if tried or not outcomes:
        return ["Nothing is claimed: no number stands out surely enough."]
    reasons = list(dict.fromkeys(str(outcome.reason) for outcome in outcomes))
    return [f"Nothing can be said: {reasons[0]}."]
