"""How the judges treat their own responses, or those of their relatives: conclusions and numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.conclusions import family_code, is_claim
from engine.measures.missing_cells import Whose
from engine.measures.rows import Column, Intervals
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.stats import Bools, Floats
from engine.stats.conclusions.cases_needed import cases_needed
from engine.stats.conclusions.conclusion_rules import (
    LOGARITHMIC,
    Conclusion,
    Evidence,
    QuestionAnswers,
    answer,
    conclude,
)
from engine.stats.conditional.given_and_expected import Expectations

_NO_ERROR = "hangs_on_one_instance"


@dataclass(frozen=True, eq=False)
class Refits:
    """The checks of a conclusion that take further fits, each made once, and only if it is asked for.

    `family`: of how judges treat their relatives' responses.
    """

    source: NumberSource
    family: bool = False

    def first_filled(self, judge: int, side: int) -> bool:
        return self._unfilled(judge) or self._against(judge, side).same_side(judge, side)

    def second_filled(self, judge: int, side: int) -> bool:
        return self._unfilled(judge) or self._against(judge, side).open[judge] is None

    def alike_filled(self, judge: int) -> bool:
        if self._unfilled(judge):
            return True
        return all(bool(self._against(judge, side).alike[judge]) for side in (1, -1))

    def on_same_items(self, judge: int) -> bool:
        return self.source.upheld_on_same_items(judge, family=self.family)

    def _unfilled(self, judge: int) -> bool:
        return not self.source.unequal["family" if self.family else "own"][judge]

    def _against(self, judge: int, side: int) -> QuestionAnswers:
        """Return the answers with what is missing speaking against a claim on this side."""
        if (judge, side) not in self._answers:
            sign = self.source.unequal["family" if self.family else "own"][judge]
            near = sign > 0
            kind: Whose = "family" if self.family else "own"
            whose: Whose = kind if near else "other"
            only = np.arange(len(self.source.judged)) == judge
            case = self.source.filled(only, whose, favourable=(side < 0) == near)
            of_self, of_family = answer(case.evidence)
            self._answers[judge, side] = of_family if self.family and of_family is not None else of_self
        return self._answers[judge, side]

    @cached_property
    def _answers(self) -> dict[tuple[int, int], QuestionAnswers]:
        return {}


@dataclass(frozen=True, eq=False)
class JudgedSide:
    """How the judges treat their own responses, or those of their relatives: conclusions and numbers."""

    source: NumberSource
    answers: QuestionAnswers
    conclusions: list[Conclusion]
    expectations: Expectations

    @classmethod
    def of_self(cls, source: NumberSource, keep: Bools) -> "JudgedSide":
        answers = source.answers[0]
        conclusions = conclude(answers, Refits(source), np.flatnonzero(keep))
        return cls(source, answers, conclusions, source.expectations())

    @classmethod
    def of_family(cls, source: NumberSource, keep: Bools) -> "JudgedSide | None":
        answers = source.answers[1]
        if answers is None:
            return None
        conclusions = conclude(answers, Refits(source, family=True), np.flatnonzero(keep))
        return cls(source, answers, conclusions, source.expectations("family"))

    @property
    def evidence(self) -> Evidence:
        return self.answers.evidence

    @cached_property
    def why(self) -> list[str | None]:
        return self.evidence.undefined

    @cached_property
    def unsure(self) -> list[str]:
        return [code or _NO_ERROR for code in self.why]

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The interval that agrees with the adjusted p; of `discerned` where discernment is the reason."""
        level = self.answers.first.level
        fallen = np.array([one.reason == "discernment" for one in self.conclusions], dtype=bool)
        of_own, of_discerned = (
            number.interval(level=level) for number in (self.evidence.own, self.evidence.discerned)
        )
        low, high = (np.where(fallen, *both) for both in zip(of_discerned, of_own, strict=True))
        return low, high

    @cached_property
    def ends_plain(self) -> tuple[Floats, Floats]:
        return self.evidence.own.interval()

    @cached_property
    def ends_tastes(self) -> tuple[Floats, Floats]:
        return self.evidence.tastes.interval(level=self.answers.second.level)

    def scaled(self, values: Floats) -> Floats:
        return np.exp(values) if self.evidence.scale in LOGARITHMIC else values

    def without_shared_taste(self, prefix: str = "") -> dict[str, Column]:
        """Return what is left of claimed numbers without a taste that judges share, and its adjusted p."""
        own, shared = self.evidence.own.value, self.evidence.shared.value
        claimed = np.array([is_claim(one.code) for one in self.conclusions], dtype=bool)
        # where no shared taste can be told, both numbers are equal
        measured = claimed & np.isfinite(shared) & (shared != own)
        unmeasured = np.where(np.isfinite(shared), "no_shared_taste", "tastes_unknown")
        why = [
            code or ("not_standing" if not stands else str(lack))
            for code, stands, lack in zip(self.why, claimed, unmeasured, strict=True)
        ]
        left = np.divide(shared, own, out=np.full(len(own), np.nan), where=measured)
        p = np.where(measured, self.answers.shared.adjusted, np.nan)
        return {
            f"{prefix}shared_taste_left": Column(left, reasons=why),
            f"{prefix}shared_taste_p": Column(p, reasons=why),
        }

    def columns(self) -> dict[str, Column]:
        evidence, answers, source = self.evidence, self.answers, self.source
        own, judges = evidence.own, len(self.conclusions)
        no_tastes = [code or "tastes_unknown" for code in self.why]
        no_discernment = [code or "discernment_untold" for code in self.why]
        reasons = [one.reason for one in self.conclusions]
        expected = self.expectations.expected(own.value)
        needed = cases_needed(evidence, self.conclusions, source.case.n_own, expected)
        ratios = source.ratios
        columns = {
            "conclusion": Column([one.code for one in self.conclusions], reasons=self.why),
            "decided_by": Column([source.number] * judges),
            "truth": Column([source.truth] * judges, reasons="not_of_these_judgments"),
            "estimate": Column(self.scaled(own.value), reasons=self.why),
            "discerned": Column(self.scaled(evidence.discerned.value), reasons=no_discernment),
            "p": Column(own.p(), reasons=self.unsure),
            "p_tastes": Column(evidence.tastes.p(), reasons=no_tastes),
            "p_adjusted": Column(answers.first.adjusted, reasons=self.unsure),
            "p_tastes_adjusted": Column(answers.second.adjusted, reasons=no_tastes),
            "reason": Column(reasons, reasons="concluded"),
            "ratio_outside": Column(ratios.ratio, reasons=ratios.reasons, intervals=ratios.interval),
            "other_given": Column(ratios.rates[0], reasons=ratios.reasons),
            "n_outside": Column(ratios.judges),
            **{name: Column(getattr(source.case, name)) for name in ("n_own", "n_other", "n_family")},
            "detectable": Column(self.scaled(own.detectable(0.0)), reasons=self.unsure),
            "needed": Column(needed, reasons="not_for_lack_of_cases"),
        }
        for suffix, ends in (("", self.ends), ("_plain", self.ends_plain), ("_tastes", self.ends_tastes)):
            why = no_tastes if suffix == "_tastes" else self.unsure
            for end, values in zip(("low", "high"), ends, strict=True):
                columns[f"{end}{suffix}"] = Column(self.scaled(values), reasons=why)
        columns |= self.without_shared_taste()
        return columns | self.cases_columns("own_given", "own_expected", "excess", tastes=True)

    def cases_columns(self, given: str, expected: str, excess: str, *, tastes: bool) -> dict[str, Column]:
        """Return what was given and expected, with their difference: names of the three numbers.

        What was given is counted, so that it is known also where nothing can be expected.
        """
        share, number = self.expectations.given, self.evidence.own.value
        middle = self.expectations.expected(number)
        alike = np.isnan(middle) & ~np.isnan(number)
        why = [
            code or ("all_own_cases_alike" if same else "undefined")
            for code, same in zip(self.why, alike, strict=True)
        ]
        columns = {
            given: Column(share, reasons=self.why),
            expected: Column(middle, reasons=why),
            excess: Column(share - middle, reasons=why),
        }
        unsure = [code if code != "undefined" else _NO_ERROR for code in why]
        kinds = [("", self.ends), ("_plain", self.ends_plain)] + (
            [("_tastes", self.ends_tastes)] if tastes else []
        )
        for suffix, (low, high) in kinds:
            most, least = self.expectations.expected(low), self.expectations.expected(high)
            without = [code or "tastes_unknown" for code in self.why] if suffix == "_tastes" else unsure
            if suffix == "":
                columns[f"{expected}_low"] = Column(least, reasons=unsure)
                columns[f"{expected}_high"] = Column(most, reasons=unsure)
            columns[f"{excess}_low{suffix}"] = Column(share - most, reasons=without)
            columns[f"{excess}_high{suffix}"] = Column(share - least, reasons=without)
        return columns


_FAMILY_NUMBERS = (
    *("family_conclusion", "family_reason", "odds_family", "odds_family_p", "odds_family_p_adjusted"),
    *("odds_family_p_tastes_adjusted", "family_given", "family_expected", "family_expected_low"),
    *("family_expected_high", "excess_family", "excess_family_low", "excess_family_high"),
    *("family_shared_taste_left", "family_shared_taste_p"),
)


_ODDS_OF_FAMILY = (
    *("odds_family", "odds_family_p", "odds_family_p_adjusted"),
    "odds_family_p_tastes_adjusted",
)


def family_columns(source: NumberSource, keep: Bools) -> dict[str, Column]:
    case = source.case
    judges, why = len(case.n_own), case.relatives_why
    side = JudgedSide.of_family(source, keep)
    if side is None:
        nothing = Column([None] * judges, reasons=[code or "no_relatives" for code in why])
        return dict.fromkeys(_FAMILY_NUMBERS, nothing)
    evidence, answers = side.evidence, side.answers
    no_tastes = [code or "tastes_unknown" for code in side.why]
    with np.errstate(over="ignore"):
        low, high = (np.exp(end) for end in side.ends)
    interval = Intervals(low, high, evidence.own.p(), _NO_ERROR)
    conclusion = [None if one.code is None else family_code(one.code) for one in side.conclusions]
    reason = [one.reason for one in side.conclusions]
    columns = {
        "family_conclusion": Column(conclusion, reasons=side.why),
        "family_reason": Column(reason, reasons="concluded"),
        **side.without_shared_taste("family_"),
    }
    if evidence.scale != "odds":
        elsewhere = Column([None] * judges, reasons="not_of_these_judgments")
        columns |= dict.fromkeys(_ODDS_OF_FAMILY, elsewhere)
        return columns | side.cases_columns("family_given", "family_expected", "excess_family", tastes=False)
    columns |= {
        "odds_family": Column(np.exp(evidence.own.value), reasons=side.why, intervals=interval),
        "odds_family_p": Column(evidence.own.p(), reasons=side.unsure),
        "odds_family_p_adjusted": Column(answers.first.adjusted, reasons=side.unsure),
        "odds_family_p_tastes_adjusted": Column(answers.second.adjusted, reasons=no_tastes),
    }
    return columns | side.cases_columns("family_given", "family_expected", "excess_family", tastes=False)
