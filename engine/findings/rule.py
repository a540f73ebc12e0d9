"""Rule, RuleContext, make_claim."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any

from engine.charts import CHARTS
from engine.errors import UsageError
from engine.explore.find_result import FIND
from engine.findings.claims import Claim, Mark, MarkKind, Method, Outcome, Question, Row, Verdict, command_of
from engine.measures.catalogue import find
from engine.measures.result import Result
from engine.measures.rows import FEW, SURE
from engine.words import Form, confidence, in_sentence, with_interval

if TYPE_CHECKING:
    from engine.study import Study


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
                self._taken[key] = Result(declared, self.study.name, options, [], {}, str(error))
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


Make = Callable[[RuleContext, Sequence[Outcome]], "RuleResult"]
"""Makes claims from the measures, and from what the rules before it came to."""


@dataclass(frozen=True)
class RuleResult:
    """What a rule's function returns: its claims in their order, and in a sentence what it tried.

    `reason` says why it could not be tried. `verdicts` says of judges what the rule's number says of each.
    """

    claims: tuple[Claim, ...] = ()
    summary: str = ""
    reason: str | None = None
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)


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
    def method(self) -> Method:
        """How its claims are made, in words."""
        words = inspect.getdoc(self.make) or ""
        return Method(self.name, self.question, self.title, self.measure, " ".join(words.split()))

    def outcome(self, material: RuleContext, before: Iterable[Outcome] = ()) -> Outcome:
        """Try the rule."""
        outcome = self.make(material, tuple(before))
        return Outcome(
            self.name, self.question, outcome.claims, outcome.summary, outcome.reason, outcome.verdicts
        )


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
        why = "there are too few questions for a test"
    else:
        return []
    return [Mark(MarkKind.NOT_SIGNIFICANT, why)]


def _simulated(study: "Study") -> list[Mark]:
    made_up = {"simulated": "all judgments", "mixed": "some judgments"}.get(study.info.provenance)
    if made_up is None:
        return []
    return [Mark(MarkKind.SIMULATED, f"a program simulated {made_up} of this study")]
