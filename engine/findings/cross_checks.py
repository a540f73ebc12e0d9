"""Cross-checks between rules: another may contradict what one claims, or leave it uncertain."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.findings.claims import JudgeClaim, RuleOutcome, Stance
from engine.findings.standing import OPEN, Mark, MarkKind

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


def cross_check(outcomes: Iterable[RuleOutcome]) -> tuple[RuleOutcome, ...]:
    """Return the outcomes, with claims of self-preference marked by what other rules say about the judge.

    A claim is contradicted if a rule of `FAIR` says the opposite or its control shows nothing, not
    significant if its control is uncertain, and not concluded if the scorecard does not conclude that the
    judge favours itself.
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


def _marks(rule: str, judge: str, outcome_of: dict[str, RuleOutcome]) -> Iterator[Mark]:
    conclusion = _verdict("conclusion", judge, outcome_of)
    if conclusion is None and "conclusion" in outcome_of:
        yield Mark(MarkKind.NOT_CONCLUDED, "there is no conclusion on this judge")
    elif conclusion is not None and conclusion.stance is not Stance.FOR:
        tag = OPEN if conclusion.stance is Stance.OPEN else ""
        yield Mark(MarkKind.NOT_CONCLUDED, f"the conclusion on this judge: {conclusion.words}", tag)
    for other in FAIR:
        verdict = _verdict(other, judge, outcome_of)
        if other != rule and verdict is not None and verdict.stance is Stance.AGAINST:
            yield Mark(MarkKind.CONTRADICTED, f"another measure disagrees: {verdict.words}")
    verdicts = (_verdict(other, judge, outcome_of) for other in CONTROLS.get(rule, ()))
    control = next((verdict for verdict in verdicts if verdict is not None), None)
    if control is not None and control.stance is Stance.NONE:
        yield Mark(MarkKind.CONTRADICTED, f"allowing for quality, no preference is left: {control.words}")
    if control is not None and control.stance is Stance.UNSURE:
        why = f"allowing for quality, this is unclear: {control.words}"
        yield Mark(MarkKind.NOT_SIGNIFICANT, why, "unclear once quality is allowed for")


def _verdict(rule: str, judge: str, outcome_of: dict[str, RuleOutcome]) -> JudgeClaim | None:
    outcome = outcome_of.get(rule)
    return None if outcome is None else outcome.verdicts.get(judge)
