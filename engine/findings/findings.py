"""The findings of a study: all claims in order of presentation, and how they were made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import unknown
from engine.findings.claims import CONCLUSIONS, Claim, RuleOutcome, ShortAnswer, claims_by_doubt
from engine.findings.questions import QUESTIONS
from engine.findings.rule import Rule
from engine.wording import in_python

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("id", "question", "sentence", "measure", "field", "value", "low", "high", "p_adjusted", "n", "cases"),
    *("marks", "page", "command"),
)
"""The columns of findings as a table."""


@dataclass(frozen=True)
class Findings:
    """All claims of a study in order of presentation, and how they were made.

    `methods` are the rules. `settings` are the seed and the number of resamples of every number.
    """

    study: str
    title: str
    provenance: str
    outcomes: tuple[RuleOutcome, ...]
    answers: tuple[ShortAnswer, ...]
    methods: tuple[Rule, ...]
    settings: Mapping[str, Any]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims by question: those that stand, then those not shown, each in the order of its rule."""
        return claims_by_question(self.outcomes)

    @property
    def shown(self) -> tuple[Claim, ...]:
        """The claims that pages and reports show; only the scorecard says who favours itself."""
        return visible_claims(self.outcomes)

    @property
    def not_tried(self) -> dict[str, str]:
        """The rules that could not be applied, and why."""
        return {outcome.rule: outcome.reason for outcome in self.outcomes if outcome.reason is not None}

    def of(self, claim_id: str) -> Claim:
        """Return the claim with this id; UsageError, listing the ids, if there is none."""
        claims = {claim.id: claim for claim in self.claims}
        if claim_id not in claims:
            raise unknown("claim", claim_id, claims)
        return claims[claim_id]

    def frame(self) -> "pd.DataFrame":
        """Return one row per claim: its sentence, its number, and its marks as text."""
        import pandas as pd

        rows = [
            {name: getattr(claim, name) for name in COLUMNS}
            | {"marks": "; ".join(f"{mark.title}: {mark.why}" for mark in claim.marks)}
            for claim in self.claims
        ]
        table = pd.DataFrame.from_records(rows, columns=list(COLUMNS))
        table.attrs |= {"study": self.study, "settings": dict(self.settings), "not_tried": self.not_tried}
        return table

    def __repr__(self) -> str:
        """Return the claims as plain text, question by question."""
        lines = [f"Findings of {self.title} ({self.provenance})"]
        for question, title in QUESTIONS.items():
            lines += ["", title]
            claims = [claim for claim in self.claims if claim.question == question]
            lines += [_line(claim) for claim in claims if claim.stands]
            if not_shown := [_line(claim) for claim in claims if not claim.stands]:
                lines += ["Not shown:", *not_shown]
            for outcome in self.outcomes:
                if outcome.question == question and outcome.reason is not None:
                    lines.append(f"- not tried, {outcome.rule}: {in_python(outcome.reason)}")
        return "\n".join(lines)


def _line(claim: Claim) -> str:
    """Return a claim as a line of text, with its cases and marks."""
    n = "" if claim.n is None else f" From {claim.n:,} {claim.cases}."
    marks = "".join(f" [{mark.title}: {mark.why}]" for mark in claim.marks)
    return f"- {claim.sentence}{n}{marks}"


def claims_by_question(outcomes: tuple[RuleOutcome, ...]) -> tuple[Claim, ...]:
    """Return all claims grouped by question, each group as `claims_by_doubt` sorts it."""
    claims = claims_by_doubt(outcomes)
    return tuple(claim for question in QUESTIONS for claim in claims if claim.question == question)


def visible_claims(outcomes: tuple[RuleOutcome, ...]) -> tuple[Claim, ...]:
    """Return the claims to show: on who favours itself only the scorecard's, if it could be computed."""
    claims = claims_by_question(outcomes)
    if not any(outcome.rule == CONCLUSIONS[0] and outcome.reason is None for outcome in outcomes):
        return claims
    return tuple(claim for claim in claims if claim.question != "who" or claim.rule in CONCLUSIONS)
