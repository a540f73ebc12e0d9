"""All rules applied to a study: its findings."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from engine.findings.answers import answer
from engine.findings.claims import RuleOutcome
from engine.findings.cross_checks import cross_check
from engine.findings.findings import Findings
from engine.findings.questions import QUESTIONS
from engine.findings.rule import RuleContext
from engine.findings.rules import RULES
from engine.measures.compute import RESAMPLES, check_resamples
from engine.slices import whole_number

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def findings(study: "MeasuredStudy", *, resamples: int | None = None, seed: int | None = None) -> Findings:
    """Apply every rule to a study; `resamples` and `seed` are for the measures' intervals (None: default)."""
    settings: dict[str, Any] = {}
    if resamples is not None:
        settings["resamples"] = check_resamples(resamples)
    if seed is not None:
        settings["seed"] = whole_number("seed", seed, least=0)
    return sum_up(study, rule_outcomes(RuleContext(study, settings=settings)), settings)


def rule_outcomes(context: RuleContext) -> Iterator[RuleOutcome]:
    """Yield the outcome of each rule in turn; each is given the outcomes of the rules before it."""
    before: tuple[RuleOutcome, ...] = ()
    for rule in RULES:
        outcome = rule.outcome(context, cross_check(before))
        before = (*before, outcome)
        yield outcome


def sum_up(
    study: "MeasuredStudy", outcomes: Iterable[RuleOutcome], settings: dict[str, Any] | None = None
) -> Findings:
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
