"""A rule: one small function that makes claims, and what it works with, the measures of one study."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.charts import CHARTS
from engine.errors import StoreError, UsageError, uncomputed
from engine.explore.find_slices import FIND, search_study
from engine.findings.claimed_number import ClaimedNumber, Row, adjusted_p_of, ends_of
from engine.findings.claims import Claim, RuleOutcome, RuleResult
from engine.findings.commands import command_of
from engine.findings.questions import Question
from engine.findings.standing import Mark, own_marks
from engine.measures.catalogue import PRESENT, find
from engine.measures.result import Result

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

    def measurement(self, number: ClaimedNumber, **flags: Any) -> "Measurement":
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
            p_adjusted=adjusted_p_of(row, number.field)[0],
            n=None if number.n is None else int(row[number.n]),
            cases=number.cases,
            left_out={code: count for code, count in self.result.uncounted.items() if count},
            marks=(*own_marks(row, number, study), *marks),
            rows=(row, *(other for other in rows if other is not row)),
            page=number.page,
            view={"study": (study.name,)} | own_view | dict(view or {}),
            chart=number.measure if is_drawn else None,
            command=command_of(study.name, number.measure, options),
        )
