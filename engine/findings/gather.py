"""The findings of a study: all rules applied, checked against each other, and summed up by question."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.findings import advice, where, who_favours_itself
from engine.findings.claims import (
    QUESTIONS,
    Answer,
    Claim,
    Findings,
    Mark,
    MarkKind,
    Outcome,
    Question,
    Rule,
    RuleContext,
    Says,
    Verdict,
    claims_by_doubt,
)
from engine.measures.compute import RESAMPLES, check_resamples
from engine.slices import whole_number
from engine.values import join_names

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# Cross-checks between rules: what one claims about a judge, another may contradict or leave uncertain.


FAIR = ("own-failures", "equal-pairs", "beyond-quality")
"""Rules whose numbers allow for how good the responses are; they can contradict any other claim."""

CONTROLS = {
    "own-points": ("own-failures",),
    "own-places": ("own-failures",),
    "beyond-gold": ("beyond-quality", "own-failures"),
}
"""Controls of the rules whose numbers do not allow for quality: rules of `FAIR`, the closest first."""


CONCLUDED = ("opponents",)
"""Further rules whose claims stand only for judges that favour themselves by the scorecard.

Slices are not among them: a slice that differs from the rest is shown whatever is concluded on the whole.
"""


def cross_check(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes, with claims of self-preference marked by what other rules say about the judge.

    A claim is contradicted if a rule of `FAIR` says the opposite or its control shows nothing, and not
    significant if its control is uncertain or the scorecard does not conclude that the judge favours itself.
    """
    outcome_of = {outcome.rule: outcome for outcome in outcomes}
    checked = []
    for outcome in outcome_of.values():
        claims = []
        for claim in outcome.claims if outcome.rule in (*FAIR, *CONTROLS, *CONCLUDED) else ():
            marks = dict.fromkeys((*claim.marks, *_marks(claim.rule, str(claim.at["judge"]), outcome_of)))
            claims.append(replace(claim, marks=tuple(marks)))
        checked.append(replace(outcome, claims=tuple(claims)) if claims else outcome)
    return tuple(checked)


def _marks(rule: str, judge: str, outcome_of: dict[str, Outcome]) -> Iterator[Mark]:
    conclusion = _verdict("conclusion", judge, outcome_of)
    if conclusion is None and "conclusion" in outcome_of:
        yield Mark(MarkKind.NOT_SIGNIFICANT, "there is no conclusion on this judge")
    elif conclusion is not None and conclusion.says is not Says.FOR:
        yield Mark(MarkKind.NOT_SIGNIFICANT, f"the conclusion on this judge: {conclusion.words}")
    for other in FAIR:
        verdict = _verdict(other, judge, outcome_of)
        if other != rule and verdict is not None and verdict.says is Says.AGAINST:
            yield Mark(MarkKind.CONTRADICTED, f"another measure disagrees: {verdict.words}")
    verdicts = (_verdict(other, judge, outcome_of) for other in CONTROLS.get(rule, ()))
    control = next((verdict for verdict in verdicts if verdict is not None), None)
    if control is not None and control.says is Says.NONE:
        yield Mark(MarkKind.CONTRADICTED, f"allowing for quality, no preference is left: {control.words}")
    if control is not None and control.says is Says.UNSURE:
        yield Mark(MarkKind.NOT_SIGNIFICANT, f"allowing for quality, this is unclear: {control.words}")


def _verdict(rule: str, judge: str, outcome_of: dict[str, Outcome]) -> Verdict | None:
    outcome = outcome_of.get(rule)
    return None if outcome is None else outcome.verdicts.get(judge)


# ------------------------------------------------------------------------------
# The short answer to each question, summed up from the claims.


MOST = 4  # how many judges an answer names, and recommendations it gives; the rest are counted


def answer(question: Question, outcomes: Sequence[Outcome]) -> Answer:
    """Return the answer to one question, from the outcomes of all rules."""
    subset = tuple(outcome for outcome in outcomes if outcome.question == question)
    claims = claims_by_doubt(subset)
    ids = tuple(claim.id for claim in claims)
    conclusion = next((each for each in subset if each.rule == "conclusion" and each.reason is None), None)
    if conclusion is not None:
        return Answer(question, (conclusion.summary,), ids)
    reasons = [outcome.reason for outcome in subset if outcome.reason is not None]
    if claims:
        sentences = _SUMS.get(question, _one_per_rule)(claims)
    elif reasons and len(reasons) == len(subset):
        sentences = [f"This cannot be answered: {reasons[0]}."]
    else:
        sentences = [NOTHING]
    return Answer(question, tuple(sentences), ids)


def _who(claims: Sequence[Claim]) -> list[str]:
    """Name the judges that favour themselves, with the first claim; then those contradicted or in doubt."""
    own = [claim for claim in claims if claim.rule != "relatives"]
    sure = advice.judges_of([claim for claim in own if claim.stands])
    sentences = []
    if sure:
        verb = "favours itself" if len(sure) == 1 else "favour themselves"
        sentences.append(f"{join_names(sure, MOST)} {verb}. {claims[0].sentence}")
    contradicted = advice.judges_of([claim for claim in own if claim.marked(MarkKind.CONTRADICTED)], sure)
    if contradicted:
        sentences.append(f"Claimed and contradicted by another measure: {join_names(contradicted, MOST)}.")
    doubtful = advice.judges_of([claim for claim in own if not claim.stands], [*sure, *contradicted])
    if doubtful:
        sentences.append(f"In doubt: {join_names(doubtful, MOST)}.")
    families = advice.judges_of([claim for claim in claims if claim.rule == "relatives" and claim.stands])
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
    "committee": _committee,
    "advice": _top,
    "changed": _changes,
}


# ------------------------------------------------------------------------------
# Every rule, declared once, in the order in which rules are applied and reported.


RULES = (
    Rule("group", "who", "The conclusion on the judges together", "scorecard", who_favours_itself.group),
    Rule("conclusion", "who", "The conclusion on each judge", "scorecard", who_favours_itself.conclusion),
    Rule("own-failures", "who", "Own failures passed", "hspp", who_favours_itself.own_failures),
    Rule("equal-pairs", "who", "Own responses among equals", "equal-quality", who_favours_itself.equal_pairs),
    Rule("beyond-gold", "who", "Own wins beyond the reference", "dbg", who_favours_itself.beyond_gold),
    Rule("own-points", "who", "Own score raised", "delta", who_favours_itself.own_points),
    Rule("relatives", "who", "The conclusion on each family", "scorecard", who_favours_itself.relatives),
    Rule("own-places", "ranking", "Own rank raised", "delta", where.own_places),
    Rule("flips", "ranking", "Ranks that flip", "ranking-flips", where.flips),
    Rule("corrections", "ranking", "Corrected rankings", "ranking-distance", where.corrections),
    Rule("places", "ranking", "Corrected ranks", "corrected", where.places),
    Rule("since-last-run", "changed", "Change since the last run", "hspp", where.since_last_run),
    Rule("slices", "where", "Slices", "find", where.slices, slow=True),
    Rule(
        "beyond-quality",
        "who",
        "Votes for own worse responses",
        "quality-baseline",
        who_favours_itself.beyond_quality,
        slow=True,
    ),
    Rule("opponents", "where", "Opponents", "quality-baseline", where.opponents, slow=True),
    Rule("members", "committee", "A committee's effect on each member", "committee", advice.each_member),
    Rule("sizes", "committee", "Committees by size", "committee-size", advice.sizes, slow=True),
    Rule("cost", "committee", "What a committee costs", "judge-costs", advice.cost),
    Rule("leave-self-out", "advice", "Verdicts on own responses", "claims above", advice.leave_self_out),
    Rule("leave-family-out", "advice", "Verdicts within a family", "claims above", advice.leave_family_out),
    Rule("rank-by", "advice", "Which ranking to use", "claims above", advice.rank_by),
    Rule("use-committee", "advice", "Whether to use a committee", "claims above", advice.use_committee),
    Rule("doubt-ratios", "advice", "What not to conclude", "claims above", advice.doubt_ratios),
    Rule("read-slices", "advice", "What to read", "claims above", advice.read_slices),
    Rule("judge-more", "advice", "Where more judgments are needed", "claims above", advice.judge_more),
)
"""The rules: recommendations last, since they rest on the claims of the others."""


# ------------------------------------------------------------------------------
# All rules applied to a study: its findings.


def findings(study: "Study", *, resamples: int | None = None, seed: int | None = None) -> Findings:
    """Apply every rule to a study; `resamples` and `seed` are for the measures' intervals (None: default)."""
    settings: dict[str, Any] = {}
    if resamples is not None:
        settings["resamples"] = check_resamples(resamples)
    if seed is not None:
        settings["seed"] = whole_number("seed", seed, least=0)
    return sum_up(study, rule_outcomes(RuleContext(study, settings=settings)), settings)


def rule_outcomes(context: RuleContext) -> Iterator[Outcome]:
    """Yield the outcome of each rule in turn; each is given the outcomes of the rules before it."""
    before: tuple[Outcome, ...] = ()
    for rule in RULES:
        outcome = rule.outcome(context, cross_check(before))
        before = (*before, outcome)
        yield outcome


def sum_up(study: "Study", outcomes: Iterable[Outcome], settings: dict[str, Any] | None = None) -> Findings:
    """Return outcomes as findings, checked against each other."""
    checked = cross_check(outcomes)
    return Findings(
        study=study.name,
        title=study.info.title or study.name,
        provenance=study.info.provenance,
        outcomes=checked,
        answers=tuple(answer(question, checked) for question in QUESTIONS),
        methods=RULES,
        settings={"resamples": RESAMPLES, "seed": 0} | (settings or {}),
    )
