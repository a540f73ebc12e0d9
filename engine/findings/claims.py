"""A claim about a study: a sentence, its number, and where that comes from."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.findings.claimed_number import Row
from engine.findings.questions import QUESTIONS, Question
from engine.findings.standing import Mark, MarkKind, has_mark, stands


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One finding: a sentence, and everything that it rests on.

    `id` is the rule and its subject, the same each time the study is read: `own-failures:MODEL`. `sentence`
    is plain text. `value` is the `field` of one row of `measure`, computed with `options` (keyword arguments
    of `Study.measure`, or of `Study.find` if the measure is `find`): the row whose columns have the values of
    `at`. `low` and `high` are its 95% interval, `null` is the value that means no effect, and `p_adjusted`
    is its p over everything that its rule tested; each is None if there is none. `p_means` follows p in words
    where it does not test that `value` differs from `null` alone. `n` counts the cases behind
    it, which `cases` describes. `left_out` counts by code what the measure left out
    (`engine.arrays.left_out.CODES`). `rows` are the number's row and those that it is compared with. `page`
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
    p_means: str = ""
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
        return has_mark(self.marks, *kinds)

    @property
    def stands(self) -> bool:
        """Whether the claim is significant and no other measure contradicts it."""
        return stands(self.marks)


class Stance(StrEnum):
    """What a number says about one judge's self-preference; open: it rates its own too high, cause open."""

    FOR = "for"
    OPEN = "open"
    UNSURE = "unsure"
    NONE = "none"
    AGAINST = "against"


@dataclass(frozen=True)
class JudgeClaim:
    """What a rule's number says about one judge, and the number in words."""

    stance: Stance
    words: str


@dataclass(frozen=True)
class RuleResult:
    """What a rule's function returns: its claims in order, and a summary of what was tested.

    `reason` says why the rule could not be applied, None if it was. `verdicts` holds what the rule's number
    says about each judge; the claims of other rules are checked against it. `beside` is a sentence on another
    number that answers the same question, `untested` one on judges that could not be tested (empty: there is
    none).
    """

    claims: tuple[Claim, ...] = ()
    summary: str = ""
    reason: str | None = None
    verdicts: Mapping[str, JudgeClaim] = dataclasses.field(default_factory=dict)
    beside: str = ""
    untested: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences that stand beside the claims."""
        return tuple(filter(None, (self.beside, self.untested)))


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


def claims_by_doubt(outcomes: tuple[RuleOutcome, ...]) -> list[Claim]:
    """Return the claims that stand, then those not shown, then those contradicted, each in rules' order."""
    claims = [claim for outcome in outcomes for claim in outcome.claims]
    return sorted(claims, key=lambda claim: (claim.marked(MarkKind.CONTRADICTED), not claim.stands))  # stable


CONCLUSIONS = ("conclusion", "group", "relatives")
"""The rules that repeat the scorecard's conclusions: on a judge, the judges together, and families."""
