"""Claims with their evidence, and the rules that make them."""

import dataclasses
import inspect
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from math import log
from typing import TYPE_CHECKING, Any, Literal

from engine.charts import CHARTS
from engine.errors import StoreError, UsageError, uncomputed, unknown
from engine.explore.find_slices import FIND
from engine.measures.catalogue import find
from engine.measures.result import Result
from engine.measures.rows import FEW, SURE
from engine.slices import is_set
from engine.words import Form, confidence, in_sentence, with_interval

if TYPE_CHECKING:
    import pandas as pd

    from engine.study import Study


# ------------------------------------------------------------------------------
# A claim about a study: a sentence, its number, and where that comes from.


Row = dict[str, Any]
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
class Verdict:
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
    verdicts: Mapping[str, Verdict] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome(RuleResult):
    """The result of one rule, with its name and question."""

    rule: str
    question: Question


@dataclass(frozen=True)
class Answer:
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
    outcomes: tuple[Outcome, ...]
    answers: tuple[Answer, ...]
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


def claims_by_doubt(outcomes: tuple[Outcome, ...]) -> list[Claim]:
    """Return the claims that stand, then those not shown, then those contradicted, each in rules' order."""
    claims = [claim for outcome in outcomes for claim in outcome.claims]
    return sorted(claims, key=lambda claim: (claim.marked(MarkKind.CONTRADICTED), not claim.stands))  # stable


CONCLUSIONS = ("conclusion", "group", "relatives")
"""The rules that repeat the scorecard's conclusions: on a judge, the judges together, and families."""


def claims_by_question(outcomes: tuple[Outcome, ...]) -> tuple[Claim, ...]:
    """Return all claims grouped by question, each group as `claims_by_doubt` sorts it."""
    claims = claims_by_doubt(outcomes)
    return tuple(claim for question in QUESTIONS for claim in claims if claim.question == question)


def visible_claims(outcomes: tuple[Outcome, ...]) -> tuple[Claim, ...]:
    """Return the claims to show: on who favours itself only the scorecard's, if it could be computed."""
    claims = claims_by_question(outcomes)
    if not any(outcome.rule == CONCLUSIONS[0] and outcome.reason is None for outcome in outcomes):
        return claims
    return tuple(claim for claim in claims if claim.question != "who" or claim.rule in CONCLUSIONS)


# ------------------------------------------------------------------------------
# The command that prints the rows behind a claim.


def command_of(study: str, measure: str, options: Mapping[str, Any]) -> str:
    """Return `spb measure MEASURE STUDY ...` (or `spb slices STUDY ...`) without a store, for a shell."""
    return command_words(("slices",) if measure == "find" else ("measure", measure), study, options)


def command_words(command: Sequence[str], study: str, options: Mapping[str, Any]) -> str:
    """Return `spb COMMAND STUDY ...` without a store, for a shell."""
    words = ["spb", *command, f"--study={study}" if study.startswith("-") else study]
    for name, value in options.items():
        flag, text = f"--{name.replace('_', '-')}", _text(value)
        if value is True:
            words.append(flag)
        elif is_set(value):
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return shlex.join(words)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ";".join(f"{name}={_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


# ------------------------------------------------------------------------------
# Where rules get their numbers: the measures of one study, each computed once.


Compute = Callable[[str, Mapping[str, Any]], Result]
"""Computes a measure (or `find`) by name with options, and returns its result."""


class RuleContext:
    """What rules work with: results (one that the study does not allow has no rows), and earlier claims."""

    def __init__(
        self, study: "Study", compute: Compute | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Compute measures by `compute` (None: by the study), with these `settings` (seed, resamples)."""
        self.study, self.settings = study, dict(settings or {})
        self._before: tuple[Outcome, ...] = ()
        self._compute = compute
        self._results: dict[tuple[str, str], Result] = {}

    def after(self, outcomes: Iterable[Outcome]) -> "RuleContext":
        """Return the same for a rule that follows others with these outcomes; results are shared."""
        later = copy(self)
        later._before = tuple(outcomes)
        return later

    def claims(self, *, question: Question | None = None, rule: str | None = None) -> list[Claim]:
        """Return the claims of the rules before: those about a question, or those of one rule."""
        outcomes = [each for each in self._before if question in (None, each.question)]
        return [claim for each in outcomes if rule in (None, each.rule) for claim in each.claims]

    def options(self, measure: str, **flags: Any) -> dict[str, Any]:
        return flags if measure == FIND.name else flags | self.settings

    def result(self, measure: str, **flags: Any) -> Result:
        """Compute a measure; if the study raises UsageError, return no rows and its text as the reason."""
        options = self.options(measure, **flags)
        key = measure, repr(sorted(options.items()))
        if key not in self._results:
            declared = FIND if measure == FIND.name else find(measure)
            try:
                if self._compute is not None:
                    self._results[key] = self._compute(measure, options)
                elif declared is FIND:
                    self._results[key] = self.study.find_result(**options)
                else:
                    self._results[key] = self.study.result(declared, **options)
            except UsageError as error:
                self._results[key] = Result(declared, self.study.name, options, {}, {}, str(error))
        return self._results[key]

    def measurement(self, number: "Number", **flags: Any) -> "Measurement":
        return Measurement(self, number, self.result(number.measure, **flags), flags)


# ------------------------------------------------------------------------------
# A rule: one small function that makes claims, and its explanation for readers.


@dataclass(frozen=True)
class Rule:
    """One rule, explained by the docstring of `make`; `slow` ones take over a second on larger studies."""

    name: str
    question: Question
    title: str
    measure: str
    make: Callable[[RuleContext], RuleResult]
    slow: bool = False

    @property
    def words(self) -> str:
        return " ".join((inspect.getdoc(self.make) or "").split())

    def outcome(self, context: RuleContext, before: Iterable[Outcome] = ()) -> Outcome:
        """Apply the rule; one that fails is not applied, with the reason, and takes no other with it.

        A study that cannot be read is an error, as then no rule can be applied.
        """
        try:
            result = self.make(context.after(before))
        except (OSError, StoreError):
            raise
        except Exception as error:
            result = RuleResult(reason=uncomputed(error))
        return Outcome(rule=self.name, question=self.question, **vars(result))


# ------------------------------------------------------------------------------
# From a row of a measure to a claim: number, marks, view and command, the same way for every rule.


@dataclass(frozen=True)
class Number:
    """The number that the claims of one rule are based on: a `field` of a measure's rows.

    `page` shows it. `n` names the column that counts its cases, which `cases` describes; fewer than `few` are
    marked. `null` is the value that means no effect, None if the rule itself decides what is significant.
    """

    rule: str
    question: Question
    measure: str
    field: str
    page: str
    n: str | None = None
    cases: str = ""
    null: float | None = None
    form: Form = "ratio"
    few: int = FEW

    def with_ci(self, row: Row) -> str:
        """Return the number of a row with its interval."""
        return in_sentence(row[self.field], *ends_of(row, self.field), self.form)

    def value(self, row: Row) -> str:
        """Return the number of a row alone: `1.83`, `12.0 points`."""
        return with_interval(row[self.field], None, None, self.form)

    def ci(self, row: Row) -> str:
        """Return its interval: `95% CI 1.36 to 2.33`."""
        return confidence(*ends_of(row, self.field), self.form)


@dataclass(frozen=True)
class Measurement:
    """A rule's number and the result of its measure with the options `flags`."""

    context: RuleContext
    number: Number
    result: Result
    flags: Mapping[str, Any]

    def claim(
        self,
        row: Row,
        sentence: str,
        *,
        of: str | None = None,
        rows: Sequence[Row] = (),
        view: Mapping[str, tuple[str, ...]] | None = None,
        marks: Sequence[Mark] = (),
    ) -> Claim:
        """Return a claim from one row of the result; `of` is its subject, by default the row's judge.

        `rows` are those it is compared with. Marks for few cases, lack of significance and simulated
        judgments come before those given.
        """
        number, study = self.number, self.context.study
        options = self.context.options(number.measure, **self.flags)
        of_judge = number.page == "judges" and row["judge"] is not None
        own_view = {"judge": (str(row["judge"]),)} if of_judge else {}
        low, high = ends_of(row, number.field)
        return Claim(
            id=f"{number.rule}:{row['judge'] if of is None else of}",
            question=number.question,
            sentence=sentence,
            measure=number.measure,
            options=options,
            at={name: row[name] for name in self.result.measure.keys},
            field=number.field,
            value=row[number.field],
            low=low,
            high=high,
            null=number.null,
            p_adjusted=_adjusted_p_of(row, number.field)[0],
            n=None if number.n is None else int(row[number.n]),
            cases=number.cases,
            left_out={code: count for code, count in self.result.left_out.items() if count},
            marks=(*_own_marks(row, number, study), *marks),
            rows=(row, *(other for other in rows if other is not row)),
            page=number.page,
            view={"study": (study.name,)} | own_view | dict(view or {}),
            chart=number.measure if number.measure in CHARTS and "against" not in options else None,
            command=command_of(study.name, number.measure, options),
        )


_ALONE = ("difference", "estimate")
"""Fields whose interval and p are in columns without their name: `low`, `high`, `p_adjusted`."""


def ends_of(row: Row, field: str) -> tuple[float | None, float | None]:
    """Return the ends of a field's interval, None if it has none."""
    if f"{field}_low" in row:
        return row[f"{field}_low"], row[f"{field}_high"]
    return (row.get("low"), row.get("high")) if field in _ALONE else (None, None)


def near_end(row: Row, number: Number) -> float:
    """Return how far the interval's nearer end is from the null: large for an effect both large and sure.

    For ratios (null 1) on the logarithmic scale; minus infinity without an interval.
    """
    null = number.null or 0.0
    low, high = ends_of(row, number.field)
    if low is None or high is None:
        return float("-inf")
    if null == 1:
        low, high = (log(end) if end > 0 else float("-inf") for end in (low, high))
        null = 0.0
    return max(low - null, null - high)


def _adjusted_p_of(row: Row, field: str) -> tuple[float | None, bool]:
    """Return the adjusted p of a field, None if it has none, and whether the field is tested at all."""
    if f"{field}_p_adjusted" in row:
        return row[f"{field}_p_adjusted"], True
    return (row.get("p_adjusted"), True) if field in _ALONE else (None, False)


def _own_marks(row: Row, number: Number, study: "Study") -> Iterator[Mark]:
    """Yield the marks of a number: few cases, lack of significance, and simulated judgments.

    It is not significant if p is not below 0.05 or, without a test, if the interval includes `null`.
    """
    if number.n is not None and (n := int(row[number.n])) < number.few:
        yield Mark(MarkKind.SMALL, f"it rests on {n:,} {number.cases}, fewer than {number.few}")
    elif row.get("small"):
        yield Mark(MarkKind.SMALL, f"one side of it rests on fewer than {FEW} cases")
    (low, high), (p, is_tested) = ends_of(row, number.field), _adjusted_p_of(row, number.field)
    why = None
    if number.null is not None and p is not None:
        why = f"p is {p:.2f} after adjusting for everything tested" if p >= SURE else None
    elif number.null is not None:
        if low is None or high is None:
            why = "there is no interval"
        elif low <= number.null <= high:
            why = f"its interval includes {number.null:g}"
        elif is_tested:
            why = "there are too few instances for a test"
    if why is not None:
        yield Mark(MarkKind.NOT_SIGNIFICANT, why)
    judgments = {"simulated": "all judgments", "mixed": "some judgments"}.get(study.info.provenance)
    if judgments is not None:
        yield Mark(MarkKind.SIMULATED, f"a program simulated {judgments} of this study")
