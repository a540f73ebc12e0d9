"""All rules tried on a study: its findings."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from engine.findings.answers import answers
from engine.findings.claims import Findings, Outcome
from engine.findings.crossing import crossed
from engine.findings.material import Material
from engine.findings.rules import RULES
from engine.measures.driver import RESAMPLES

if TYPE_CHECKING:
    from engine.study import Study


def findings(study: "Study", *, resamples: int | None = None, seed: int | None = None) -> Findings:
    """Try every rule on a study and return what they claim.

    `resamples` and `seed` are those of the measures' intervals, where they are not to be the defaults.
    """
    settings = {
        name: value for name, value in (("resamples", resamples), ("seed", seed)) if value is not None
    }
    return gathered(study, tried(Material(study, settings=settings)), settings)


def tried(material: Material) -> Iterator[Outcome]:
    """Yield the outcome of each rule in turn, told what those before it came to."""
    before: tuple[Outcome, ...] = ()
    for rule in RULES:
        outcome = rule.outcome(material, crossed(before))
        before = (*before, outcome)
        yield outcome


def gathered(study: "Study", outcomes: Iterable[Outcome], settings: dict[str, Any] | None = None) -> Findings:
    """Return outcomes as findings, held against each other."""
    held = crossed(outcomes)
    return Findings(
        study=study.name,
        title=study.info.title or study.name,
        provenance=study.info.provenance,
        outcomes=held,
        answers=answers(held),
        methods=tuple(rule.method for rule in RULES),
        settings={"resamples": RESAMPLES, "seed": 0} | (settings or {}),
    )
