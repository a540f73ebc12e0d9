"""The short answer to each question, summed up from the claims."""

from collections.abc import Callable, Sequence

from engine.findings.claims import Claim, RuleOutcome, ShortAnswer, claims_by_doubt
from engine.findings.questions import Question
from engine.findings.self_claims import judges_of
from engine.findings.standing import MarkKind, lacks_only_cause
from engine.phrases import join_names
from engine.words.plain_names import paradigms_in_words

MOST = 4  # how many judges an answer names, and recommendations it gives; the rest are counted


def answer(question: Question, outcomes: Sequence[RuleOutcome]) -> ShortAnswer:
    """Return the answer to one question, from the outcomes of all rules."""
    subset = tuple(outcome for outcome in outcomes if outcome.question == question)
    claims = claims_by_doubt(subset)
    ids = tuple(claim.id for claim in claims)
    conclusion = next((each for each in subset if each.rule == "conclusion" and each.reason is None), None)
    if conclusion is not None:
        return ShortAnswer(question, (conclusion.summary,), ids)
    reasons = [outcome.reason for outcome in subset if outcome.reason is not None]
    beside = [outcome.beside for outcome in subset if outcome.beside]
    if claims:
        sentences = _SUMS.get(question, _one_per_rule)(claims)
    elif reasons and len(reasons) == len(subset):
        sentences = [f"This cannot be answered: {paradigms_in_words(reasons[0])}."]
    else:
        sentences = [NOTHING]
    untested = [outcome.untested for outcome in subset if outcome.untested]
    if beside or untested:
        shown = [each for each in sentences if each != NOTHING]
        sentences = [*beside, *(shown or ["No change in self-preference is shown."]), *untested]
    return ShortAnswer(question, tuple(sentences), ids)


def _who(claims: Sequence[Claim]) -> list[str]:
    """Name the judges that favour themselves, with the first claim; then those contradicted or in doubt."""
    own = [claim for claim in claims if claim.rule != "relatives"]
    sure = judges_of([claim for claim in own if claim.stands])
    sentences = []
    if sure:
        verb = "favours itself" if len(sure) == 1 else "favour themselves"
        sentences.append(f"{join_names(sure, MOST)} {verb}. {claims[0].sentence}")
    contradicted = judges_of([claim for claim in own if claim.marked(MarkKind.CONTRADICTED)], sure)
    if contradicted:
        sentences.append(f"Claimed and contradicted by another measure: {join_names(contradicted, MOST)}.")
    doubtful = judges_of([claim for claim in own if not claim.stands], [*sure, *contradicted])
    if doubtful:
        sentences.append(f"In doubt: {join_names(doubtful, MOST)}.")
    families = judges_of([claim for claim in claims if claim.rule == "relatives" and claim.stands])
    if families:
        verb = "favours its" if len(families) == 1 else "favour their"
        sentences.append(f"{join_names(families, MOST)} {verb} family.")
    return sentences or [claims[0].sentence]


def _one_per_rule(claims: Sequence[Claim]) -> list[str]:
    """Return the first claim of each rule that stands: what is not shown is no finding."""
    first: dict[str, Claim] = {}
    for claim in claims:
        if claim.stands:
            first.setdefault(claim.rule, claim)
    return [claim.sentence for claim in first.values()] or [NOTHING]


def _ranking(claims: Sequence[Claim]) -> list[str]:
    """Return the first claim of each rule that stands, and which judges raise themselves, the cause open."""
    standing = [sentence for sentence in _one_per_rule(claims) if sentence != NOTHING]
    own = [claim for claim in claims if claim.rule == "own-places"]
    raised = judges_of([claim for claim in own if lacks_only_cause(claim.marks)])
    if raised:
        rank, whose = ("ranks itself", "its") if len(raised) == 1 else ("rank themselves", "their")
        standing.append(
            f"{join_names(raised, MOST)} {rank} higher than the reference does; whether because the answers "
            f"are {whose} own is open."
        )
    return standing or [NOTHING]


def _committee(claims: Sequence[Claim]) -> list[str]:
    """Return the first claim of each rule that stands, and first whether any says that a committee helps."""
    helping = [claim for claim in claims if claim.stands and claim.rule != "cost"]
    return [*([] if helping else [NO_BETTER]), *_one_per_rule(claims)]


NOTHING = "No finding: nothing stands out clearly."
NO_BETTER = "No committee is shown to prefer its members' answers less than its members do."


def _top(claims: Sequence[Claim]) -> list[str]:
    sentences = [claim.sentence for claim in claims[:MOST]]
    n_more = len(claims) - MOST
    return sentences + ([f"{n_more:,} more below."] if n_more > 0 else [])


def _changes(claims: Sequence[Claim]) -> list[str]:
    """Return the first changes that stand."""
    standing = [claim for claim in claims if claim.stands]
    return _top(standing) if standing else [NOTHING]


_SUMS: dict[Question, Callable[[Sequence[Claim]], list[str]]] = {
    "who": _who,
    "ranking": _ranking,
    "committee": _committee,
    "advice": _top,
    "changed": _changes,
}
