"""The short answers of the findings."""

from typing import TYPE_CHECKING

from engine.findings import gather
from engine.views.keys import NoKeys
from engine.views.shown import Shown
from engine.views.view import View

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show the short answers, and the commands of the claims behind them."""
    findings = study.remember("findings of views", lambda: gather.findings(study))
    sentences = (f"{answer.title} {' '.join(answer.sentences)}" for answer in findings.answers)
    commands = dict.fromkeys(claim.command for claim in findings.claims)
    return Shown(sentences=tuple(sentences), commands=tuple(commands))


FINDINGS = View("findings", "Findings", "What do the study's numbers show?", NoKeys, answer)
