"""Claim, Findings, frame/text/HTML, command line of a claim."""

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd


# ------------------------------------------------------------------------------
# What is claimed of a study: a sentence, its number with all that belongs to it, and where it comes
# from.


Row = dict[str, Any]
Question = Literal["who", "where", "ranking", "committee", "advice", "changed"]

QUESTIONS: dict[Question, str] = {
    "who": "Which judges favour themselves?",
    "where": "Where do they favour themselves most?",
    "ranking": "What does it do to a ranking?",
    "committee": "Does a committee help, and what would it cost?",
    "advice": "What should I do?",
    "changed": "What has changed since the last run?",
}
"""The questions that claims answer, in the order in which they are told."""


class MarkKind(StrEnum):
    """What a reader must know before trusting a claim."""

    SMALL = "small"
    NOT_SIGNIFICANT = "not_significant"
    SIMULATED = "simulated"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Mark:
    """One thing to know of a claim, and why it is so of this one."""

    kind: MarkKind
    why: str

    @property
    def title(self) -> str:
        """The kind in a reader's words: `not significant`."""
        return self.kind.value.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One finding: a sentence, and everything that it rests on.

    `id` is the rule and whom it is of, the same each time the study is read: `own-failures:MODEL`.
    `sentence` is plain text. `value` is the `field` of that row of `measure`, taken with `options` (keyword
    arguments of `Study.measure`, of `Study.find` where the measure is `find`), in which the columns of `at`
    have its values; `low` and `high` are its 95% interval, `null` the value that would mean nothing found,
    `p_adjusted` its p over everything that its rule tried: each None where there is none. `n` counts the
    cases behind it, told in words by `cases`. `left_out` counts by code what the measure did not take
    (`engine.arrays.view.CODES`). `rows` are the rows of the measure that it is read from and compared
    with. `page` and `view` open the view of the explorer that shows the number, `chart` is the measure whose
    chart `Study.chart` draws with `options`, None where it draws none, and `command` prints the rows in a
    terminal. `because` names the claims that a piece of advice rests on.
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
        """The name of the rule that made it."""
        return self.id.partition(":")[0]

    def marked(self, *kinds: MarkKind) -> bool:
        """Return whether it has a mark of one of these kinds."""
        return any(mark.kind in kinds for mark in self.marks)

    @property
    def stands(self) -> bool:
        """Whether it is significant and no other measure contradicts it."""
        return not self.marked(MarkKind.NOT_SIGNIFICANT, MarkKind.CONTRADICTED)


class Says(StrEnum):
    """What a number says of one judge's self-preference."""

    FOR = "for"
    UNSURE = "unsure"
    NONE = "none"
    AGAINST = "against"


@dataclass(frozen=True)
class Verdict:
    """What a rule's number says of one judge, and the number in words."""

    says: Says
    words: str


@dataclass(frozen=True)
class Outcome:
    """What came of one rule: its claims, and in a sentence what it tried, or why it could not be tried.

    `reason` is None where it was tried. `verdicts` says of judges what the rule's number says of each: other
    rules' claims are held against them.
    """

    rule: str
    question: Question
    claims: tuple[Claim, ...]
    summary: str
    reason: str | None = None
    verdicts: Mapping[str, Verdict] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """How claims of one rule are made: when, by which number, and in what order."""

    rule: str
    question: Question
    title: str
    measure: str
    words: str


@dataclass(frozen=True)
class Answer:
    """The short answer to a question, in plain sentences, and the claims that it sums up."""

    question: Question
    sentences: tuple[str, ...]
    claims: tuple[str, ...]

    @property
    def title(self) -> str:
        """The question in words."""
        return QUESTIONS[self.question]


COLUMNS = (
    *("id", "question", "sentence", "measure", "field", "value", "low", "high", "p_adjusted", "n", "cases"),
    *("marks", "page", "command"),
)
"""The columns of findings as a table."""


@dataclass(frozen=True)
class Findings:
    """All claims of a study in the order in which they are told, and how they were made.

    `settings` are the seed and the number of resamples that every number was taken with.
    """

    study: str
    title: str
    provenance: str
    outcomes: tuple[Outcome, ...]
    answers: tuple[Answer, ...]
    methods: tuple[Method, ...]
    settings: Mapping[str, Any]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims: by question, those that stand before those in doubt, the surest and largest first."""
        return by_question(self.outcomes)

    @property
    def shown(self) -> tuple[Claim, ...]:
        """The claims that pages and reports show; who favours itself is said by the scorecard's alone."""
        return shown(self.outcomes)

    @property
    def not_tried(self) -> dict[str, str]:
        """The rules that could not be tried, and why."""
        return {outcome.rule: outcome.reason for outcome in self.outcomes if outcome.reason is not None}

    def of(self, claim_id: str) -> Claim:
        """Return the claim of that id; KeyError where there is none."""
        for claim in self.claims:
            if claim.id == claim_id:
                return claim
        raise KeyError(claim_id)

    def frame(self) -> "pd.DataFrame":
        """Return a row for each claim: what it says, its number, and its marks as text."""
        import pandas as pd

        rows = [
            {name: getattr(claim, name) for name in COLUMNS}
            | {"marks": "; ".join(f"{mark.title}: {mark.why}" for mark in claim.marks)}
            for claim in self.claims
        ]
        table = pd.DataFrame.from_records(rows, columns=list(COLUMNS))
        settings = dict(self.settings)
        table.attrs |= {"study": self.study, "settings": settings, "not_tried": self.not_tried}
        return table

    def __repr__(self) -> str:
        """Return the claims as plain text, question by question."""
        lines = [f"Findings of {self.title} ({self.provenance})"]
        for question, title in QUESTIONS.items():
            lines += ["", title]
            lines += [f"- {_line(claim)}" for claim in self.claims if claim.question == question]
            lines += [
                f"- not tried, {outcome.rule}: {outcome.reason}"
                for outcome in self.outcomes
                if outcome.question == question and outcome.reason is not None
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return them as HTML for a notebook, with the board of judges."""
        from engine.report.notebook import findings_html

        return findings_html(self)


def ordered(outcomes: tuple[Outcome, ...]) -> list[Claim]:
    """Return claims: those that stand first, then those in doubt, those contradicted last.

    Among these they stay in the order of the rules, and of each rule in its own.
    """
    claims = [claim for outcome in outcomes for claim in outcome.claims]
    return sorted(claims, key=_doubt)  # stable


CONCLUSIONS = ("conclusion", "relatives")
"""The rules that repeat what the scorecard concludes on a judge, and on it and its family."""


def by_question(outcomes: tuple[Outcome, ...]) -> tuple[Claim, ...]:
    """Return all claims by question, each question's in their order."""
    claims = ordered(outcomes)
    return tuple(claim for question in QUESTIONS for claim in claims if claim.question == question)


def shown(outcomes: tuple[Outcome, ...]) -> tuple[Claim, ...]:
    """Return the claims that pages and reports show.

    Who favours itself is said once, by the scorecard, where it could be taken: claims on the measures behind
    it are left to the board of judges and to the table of all claims.
    """
    concluded = any(each.rule == CONCLUSIONS[0] and each.reason is None for each in outcomes)
    return tuple(
        claim
        for claim in by_question(outcomes)
        if claim.question != "who" or claim.rule in CONCLUSIONS or not concluded
    )


def _doubt(claim: Claim) -> int:
    if claim.marked(MarkKind.CONTRADICTED):
        return 2
    return 1 if claim.marked(MarkKind.NOT_SIGNIFICANT) else 0


def _line(claim: Claim) -> str:
    n = "" if claim.n is None else f" (n {claim.n:,})"
    marks = "".join(f" [{mark.title}: {mark.why}]" for mark in claim.marks)
    return f"{claim.sentence}{n}{marks}"


# ------------------------------------------------------------------------------
# The line of a terminal that prints the rows behind a claim.


def command_of(study: str, measure: str, options: Mapping[str, Any]) -> str:
    """Return `spb metrics MEASURE --study NAME ...` (of the finder `spb find ...`), quoted for a shell.

    The store is left out: the line is for the folder in which the store is, or for one that SPB_STORE names.
    """
    words = ["spb", "find"] if measure == "find" else ["spb", "metrics", measure]
    for name, value in {"study": study, **options}.items():
        if value in (None, (), [], False):
            continue
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
            continue
        text = _text(value)
        words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return shlex.join(words)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ";".join(f"{name}={_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
