"""A rule: one small function that makes claims, and what it works with, the measures of one study."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from engine.charts import CHARTS
from engine.errors import StoreError, UsageError, uncomputed
from engine.explore.find_slices import FIND, search_study
from engine.findings.claims import Claim, Mark, MarkKind, Question, Row, RuleOutcome, RuleResult
from engine.findings.commands import command_of
from engine.measures.catalogue import PRESENT, find
from engine.measures.result import Result
from engine.measures.rows import FEW, SURE
from engine.words.written_numbers import Form, confidence, in_sentence, with_interval

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


Compute = Callable[[str, Mapping[str, Any]], Result]
"""Computes a measure (or `find`) by name with options, and returns its result."""


class RuleContext:
    """What rules work with: results (one that the study does not allow has no rows), and earlier claims."""

    def __init__(
        self,
        study: "MeasuredStudy",
        compute: Compute | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Compute measures by `compute` (None: by the study), with these `settings` (seed, resamples)."""
        self.study, self.settings = study, dict(settings or {})
        self._before: tuple[RuleOutcome, ...] = ()
        self._compute = compute
        self._results: dict[tuple[str, str], Result] = {}

    def after(self, outcomes: Iterable[RuleOutcome]) -> "RuleContext":
        """Return the same for a rule that follows others with these outcomes; results are shared."""
        later = copy(self)
        later._before = tuple(outcomes)
        return later

    def claims(self, *, question: Question | None = None, rule: str | None = None) -> list[Claim]:
        """Return the claims of the rules before: those about a question, or those of one rule."""
        outcomes = [each for each in self._before if question in (None, each.question)]
        return [claim for each in outcomes if rule in (None, each.rule) for claim in each.claims]

    def options(self, measure: str, **flags: Any) -> dict[str, Any]:
        runs = {"run": self.study.only_runs} if self.study.only_runs else {}
        return runs | flags | ({} if measure == FIND.name else self.settings)

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
                    self._results[key] = search_study(self.study, **options)
                else:
                    self._results[key] = self.study.result(declared, **options)
            except UsageError as error:
                self._results[key] = Result(declared, self.study.name, options, {}, {}, str(error))
        return self._results[key]

    def measurement(self, number: "ClaimedNumber", **flags: Any) -> "Measurement":
        return Measurement(self, number, self.result(number.measure, **flags), flags)


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

    def outcome(self, context: RuleContext, before: Iterable[RuleOutcome] = ()) -> RuleOutcome:
        """Apply the rule; one that fails is not applied, with the reason, and takes no other with it.

        A study that cannot be read is an error, as then no rule can be applied.
        """
        try:
            result = self.make(context.after(before))
        except (OSError, StoreError):
            raise
        except Exception as error:
            result = RuleResult(reason=uncomputed(error))
        return RuleOutcome(rule=self.name, question=self.question, **vars(result))


@dataclass(frozen=True)
class ClaimedNumber:
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
    number: ClaimedNumber
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
        is_drawn = number.measure in CHARTS and number.measure in PRESENT and "against" not in options
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
            chart=number.measure if is_drawn else None,
            command=command_of(study.name, number.measure, options),
        )


_ALONE = ("difference", "estimate")
"""Fields whose interval and p are in columns without their name: `low`, `high`, `p_adjusted`."""


def ends_of(row: Row, field: str) -> tuple[float | None, float | None]:
    """Return the ends of a field's interval, None if it has none."""
    if f"{field}_low" in row:
        return row[f"{field}_low"], row[f"{field}_high"]
    if field == "family_estimate":  # that of the judges together
        return row.get("family_low"), row.get("family_high")
    return (row.get("low"), row.get("high")) if field in _ALONE else (None, None)


def distance_from_null(row: Row, number: ClaimedNumber) -> float:
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


def _own_marks(row: Row, number: ClaimedNumber, study: "MeasuredStudy") -> Iterator[Mark]:
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
            why = "there are too few questions for a test"
    if why is not None:
        yield Mark(MarkKind.NOT_SIGNIFICANT, why)
    judgments = {"simulated": "all judgments", "mixed": "some judgments"}.get(study.info.provenance)
    if judgments is not None:
        yield Mark(MarkKind.SIMULATED, f"a program simulated {judgments} of this study")
