"""Claims, with what they rest on, and the rules that make them."""

import dataclasses
import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log
from typing import TYPE_CHECKING, Any, Literal

from engine.charts import CHARTS
from engine.errors import UsageError
from engine.explore.find_slices import FIND
from engine.measures.catalogue import find
from engine.measures.result import Result
from engine.measures.rows import FEW, SURE
from engine.words import Form, confidence, in_sentence, with_interval

if TYPE_CHECKING:
    import pandas as pd

    from engine.study import Study


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
class RuleResult:
    """What a rule's function returns: its claims in their order, and in a sentence what it tried.

    `reason` says why it could not be tried, None where it was. `verdicts` says of judges what the rule's
    number says of each: other rules' claims are held against them.
    """

    claims: tuple[Claim, ...] = ()
    summary: str = ""
    reason: str | None = None
    verdicts: Mapping[str, Verdict] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome(RuleResult):
    """What came of one rule."""

    rule: str
    question: Question


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

    `methods` are the rules. `settings` are the seed and the number of resamples that every number was taken
    with.
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
        from engine.report.card import findings_html

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


# ------------------------------------------------------------------------------
# What rules take their numbers from: the measures of one study, each taken once.


Take = Callable[[str, Mapping[str, Any]], Result]
"""Takes a measure by name with options, `find` too, and returns its result."""


class RuleContext:
    """The results that rules ask for; what the study does not allow has no rows, and the reason."""

    def __init__(
        self, study: "Study", take: Take | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Take measures of a study by `take`, with `settings` (seed, resamples) instead of the defaults."""
        self.study = study
        self.settings = dict(settings or {})
        self._take = take or self._directly
        self._taken: dict[tuple[str, str], Result] = {}

    def options(self, measure: str, **flags: Any) -> dict[str, Any]:
        """Return the options that a measure is taken with: those given, and the settings."""
        return flags if measure == FIND.name else flags | self.settings

    def result(self, measure: str, **flags: Any) -> Result:
        """Take a measure; where the study refuses it, return no rows and the refusal as the reason."""
        options = self.options(measure, **flags)
        key = measure, repr(sorted(options.items()))
        if key not in self._taken:
            try:
                self._taken[key] = self._take(measure, options)
            except UsageError as error:
                declared = FIND if measure == FIND.name else find(measure)
                self._taken[key] = Result(declared, self.study.name, options, {}, {}, str(error))
        return self._taken[key]

    def taken(self, number: "Number", **flags: Any) -> "Measurement":
        """Take a rule's number."""
        return Measurement(self, number, self.result(number.measure, **flags), flags)

    def _directly(self, measure: str, options: Mapping[str, Any]) -> Result:
        if measure == FIND.name:
            return self.study.find_result(**options)
        return self.study.result(find(measure), **options)


# ------------------------------------------------------------------------------
# A rule: one small function that makes claims, with the words in which a reader sees how.


Make = Callable[[RuleContext, Sequence[Outcome]], RuleResult]
"""Makes claims from the measures, and from what the rules before it came to."""


@dataclass(frozen=True)
class Rule:
    """One rule; the docstring of `make` says when it claims, by which number, and in what order.

    `slow` ones take more than a second on a study of some size.
    """

    name: str
    question: Question
    title: str
    measure: str
    make: Make
    slow: bool = False

    @property
    def words(self) -> str:
        """How its claims are made: when, by which number, and in what order."""
        return " ".join((inspect.getdoc(self.make) or "").split())

    def outcome(self, material: RuleContext, before: Iterable[Outcome] = ()) -> Outcome:
        """Try the rule."""
        result = self.make(material, tuple(before))
        return Outcome(rule=self.name, question=self.question, **vars(result))


# ------------------------------------------------------------------------------
# A row of a measure made into a claim: number, marks, view and command, as every rule makes them.


@dataclass(frozen=True)
class Number:
    """The number that the claims of one rule are read from: a `field` of a measure's rows.

    `page` shows it. `n` names the column that counts its cases, told in words by `cases`, which are small
    below `few`. `null` is the value that would mean nothing found, None where the rule settles by itself what
    is significant.
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
    """A rule's number as it was taken: the result of its measure with the options `flags`."""

    material: RuleContext
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
        """Return the claim `of` whom or what, the row's judge unless given, read from one row of the result.

        `rows` are those it is compared with. Marks for few cases, for what is not significant, and for
        simulated judgments are put before those given.
        """
        number, study = self.number, self.material.study
        options = self.material.options(number.measure, **self.flags)
        opened = {"judge": (str(row["judge"]),)} if number.page == "judges" else {}
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
            marks=(*_small(row, number), *_not_significant(row, number), *_simulated(study), *marks),
            rows=(row, *(other for other in rows if other is not row)),
            page=number.page,
            view={"study": (study.name,)} | opened | dict(view or {}),
            chart=number.measure if number.measure in CHARTS and "against" not in options else None,
            command=command_of(study.name, number.measure, options),
        )


_ALONE = ("difference", "estimate")
"""Fields whose interval and p stand in columns without their name."""


def ends_of(row: Row, field: str) -> tuple[float | None, float | None]:
    """Return the interval of a field, None where there is none; that of a comparison is `low` and `high`."""
    if f"{field}_low" in row:
        return row[f"{field}_low"], row[f"{field}_high"]
    return (row.get("low"), row.get("high")) if field in _ALONE else (None, None)


def near_end(row: Row, number: Number) -> float:
    """Return how far the nearer end of the interval is from nothing: both sure and large where it is great.

    Of ratios (against 1) on the logarithmic scale.
    """
    null = number.null or 0.0
    low, high = ends_of(row, number.field)
    if low is None or high is None:
        return float("-inf")
    if null == 1:
        ends = [log(end) if end > 0 else float("-inf") for end in (low, high)]
        null = 0.0
    else:
        ends = [low, high]
    return max(ends[0] - null, null - ends[1])


def _adjusted_p_of(row: Row, field: str) -> tuple[float | None, bool]:
    """Return the adjusted p of a field, None where there is none, and whether the field is tested at all."""
    if f"{field}_p_adjusted" in row:
        return row[f"{field}_p_adjusted"], True
    return (row.get("p_adjusted"), True) if field in _ALONE else (None, False)


def _small(row: Row, number: Number) -> list[Mark]:
    if number.n is not None and (n := int(row[number.n])) < number.few:
        return [Mark(MarkKind.SMALL, f"it rests on {n:,} {number.cases}, fewer than {number.few}")]
    if row.get("small"):
        return [Mark(MarkKind.SMALL, f"one side of it rests on fewer than {FEW} cases")]
    return []


def _not_significant(row: Row, number: Number) -> list[Mark]:
    """Return the mark of a number whose p is not small; of one without a test whose interval holds `null`."""
    null = number.null
    if null is None:
        return []
    low, high = ends_of(row, number.field)
    p, tested = _adjusted_p_of(row, number.field)
    if p is not None and p >= SURE:
        why = f"p is {p:.2f} after adjusting for everything tried"
    elif p is None and (low is None or high is None):
        why = "there is no interval"
    elif p is None and low is not None and high is not None and low <= null <= high:
        why = f"its interval includes {null:g}"
    elif p is None and tested:
        why = "there are too few instances for a test"
    else:
        return []
    return [Mark(MarkKind.NOT_SIGNIFICANT, why)]


def _simulated(study: "Study") -> list[Mark]:
    made_up = {"simulated": "all judgments", "mixed": "some judgments"}.get(study.info.provenance)
    if made_up is None:
        return []
    return [Mark(MarkKind.SIMULATED, f"a program simulated {made_up} of this study")]
