"""The short answers of the findings."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.findings import gather
from engine.views.shown import Shown
from engine.views.view import View

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


@dataclass(frozen=True)
class FindingsKeys:
    """Nothing can be chosen: findings are of the whole study."""


def answer(study: "MeasuredStudy", keys: FindingsKeys) -> Shown:  # noqa: ARG001 - there are none
    """Show the short answers, and the commands of the claims behind them."""
    findings = study.remember("findings of views", lambda: gather.findings(study))
    sentences = (f"{answer.title} {' '.join(answer.sentences)}" for answer in findings.answers)
    commands = dict.fromkeys(claim.command for claim in findings.claims)
    return Shown(sentences=tuple(sentences), commands=tuple(commands))


FINDINGS = View("findings", "Findings", "What do the study's numbers show?", FindingsKeys, answer)
