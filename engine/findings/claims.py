"""A claim about a study: a sentence, its number, and where that comes from."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import unknown

if TYPE_CHECKING:
    import pandas as pd

    from engine.findings.rules import Rule


Row = Mapping[str, Any]
Question = Literal["who", "where", "ranking", "committee", "advice", "changed"]

QUESTIONS: dict[Question, str] = {
    "who": "Which judges favour themselves?",
    "where": "Where do they favour themselves most?",
    "ranking": "How does it affect a ranking?",
    "committee": "Does a committee help, and what would it cost?",
    "advice": "What should I do?",
    "changed": "What has changed since the last run?",
}
"""The questions that claims answer, in order of presentation."""


class MarkKind(StrEnum):
    """What a reader must know before trusting a claim."""

    SMALL = "small"
    NOT_SIGNIFICANT = "not_significant"
    CAUSE_OPEN = "cause_open"
    SIMULATED = "simulated"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Mark:
    """A caveat on a claim, and why it applies."""

    kind: MarkKind
    why: str

    @property
    def title(self) -> str:
        return self.kind.value.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One finding: a sentence, and everything that it rests on.

    `id` is the rule and its subject, the same each time the study is read: `own-failures:MODEL`. `sentence`
    is plain text. `value` is the `field` of one row of `measure`, computed with `options` (keyword arguments
    of `Study.measure`, or of `Study.find` if the measure is `find`): the row whose columns have the values of
    `at`. `low` and `high` are its 95% interval, `null` is the value that means no effect, and `p_adjusted`
    is its p over everything that its rule tested; each is None if there is none. `n` counts the cases behind
    it, which `cases` describes. `left_out` counts by code what the measure left out
    (`engine.arrays.view.CODES`). `rows` are the row of the number and those that it is compared with. `page`
    and `view` open the explorer's view of the number, `chart` is the measure whose chart `Study.chart` draws
    with `options` (None if it draws none), and `command` prints the rows in a terminal. `because` holds the
    ids of the claims that a recommendation rests on.
    """

    id: str
    question: Question
    sentence: str
    measure: str
    field: str
    value: float | None
    command: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    at: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    null: float | None = None
    p_adjusted: float | None = None
    n: int | None = None
    cases: str = ""
    left_out: Mapping[str, int] = dataclasses.field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    rows: tuple[Row, ...] = ()
    page: str = "judges"
    view: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    chart: str | None = None
    because: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The name of the rule that makes the claim."""
        return self.id.partition(":")[0]

    def marked(self, *kinds: MarkKind) -> bool:
        """Return whether the claim has a mark of one of these kinds."""
        return any(mark.kind in kinds for mark in self.marks)

    @property
    def stands(self) -> bool:
        """Whether the claim is significant and no other measure contradicts it."""
        return not self.marked(MarkKind.NOT_SIGNIFICANT, MarkKind.CONTRADICTED)


class Says(StrEnum):
    """What a number says about one judge's self-preference."""

    FOR = "for"
    UNSURE = "unsure"
    NONE = "none"
    AGAINST = "against"


@dataclass(frozen=True)
class JudgeClaim:
    """What a rule's number says about one judge, and the number in words."""

    says: Says
    words: str


@dataclass(frozen=True)
class RuleResult:
    """What a rule's function returns: its claims in order, and a summary of what was tested.

    `reason` says why the rule could not be applied, None if it was. `verdicts` holds what the rule's number
    says about each judge; the claims of other rules are checked against it.
    """

    claims: tuple[Claim, ...] = ()
    summary: str = ""
    reason: str | None = None
    verdicts: Mapping[str, JudgeClaim] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RuleOutcome(RuleResult):
    """The result of one rule, with its name and question."""

    rule: str
    question: Question


@dataclass(frozen=True)
class ShortAnswer:
    """The short answer to a question, in plain sentences, and the ids of the claims that it sums up."""

    question: Question
    sentences: tuple[str, ...]
    claims: tuple[str, ...]

    @property
    def title(self) -> str:
        return QUESTIONS[self.question]


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
    methods: tuple["Rule", ...]
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
                    lines.append(f"- not tried, {outcome.rule}: {outcome.reason}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the findings as HTML for a notebook, with the board of judges."""
        from engine.report.notebook import findings_html

        return findings_html(self)


def _line(claim: Claim) -> str:
    """Return a claim as a line of text, with its cases and marks."""
    n = "" if claim.n is None else f" (n {claim.n:,})"
    marks = "".join(f" [{mark.title}: {mark.why}]" for mark in claim.marks)
    return f"- {claim.sentence}{n}{marks}"


def claims_by_doubt(outcomes: tuple[RuleOutcome, ...]) -> list[Claim]:
    """Return the claims that stand, then those not shown, then those contradicted, each in rules' order."""
    claims = [claim for outcome in outcomes for claim in outcome.claims]
    return sorted(claims, key=lambda claim: (claim.marked(MarkKind.CONTRADICTED), not claim.stands))  # stable


CONCLUSIONS = ("conclusion", "group", "relatives")
"""The rules that repeat the scorecard's conclusions: on a judge, the judges together, and families."""


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
