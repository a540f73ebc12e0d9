"""What the scorecard concludes from: evidence, expectations, and what was missing (MEASURES section 16)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from engine.arrays.bits.cell_patterns import Patterns, patterns_of, rows_with_generator
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.bits.same_items import SameItems
from engine.arrays.left_out import of_own_answers
from engine.arrays.pairs.pair_outcomes import PairCube
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.view import SliceView
from engine.measures.missing_cells import (
    MissingCells,
    MissingPairs,
    MissingScores,
    MissingVerdicts,
    Whose,
    unequal,
)
from engine.measures.outside.outside_odds import FEWEST_JUDGES
from engine.measures.outside.outside_pairs import OutsideGaps, vote_outside
from engine.measures.outside.outside_points import left_out_of_verdicts, points_gaps, relevant_left_out
from engine.measures.outside.outside_ratios import deletions, ratio_reasons
from engine.measures.pairs.own_pairs import OwnPairs, own_pairs
from engine.measures.rows import Intervals
from engine.measures.scorecard.cases import (
    EvidenceOfCases,
    case_of_gaps,
    case_of_matched,
    case_of_odds,
    verdict_gaps,
)
from engine.stats import Bools, Floats, Ints
from engine.stats.conclusions.conclusion_rules import SURE, QuestionAnswers, answer
from engine.stats.conditional.conditional_model import Refitted
from engine.stats.conditional.given_and_expected import Expectations, expectations
from engine.stats.conditional.marginal_fit import beginning, fit_marginal
from engine.stats.outside.outside import compare_with_outside

FEWEST_LEFT, FEWEST_LEFT_BALANCED = 2 / 3, 1 / 2
"""Of the log-odds, the share that must be left on the same rubrics (docs/claims.md says why)."""
_CLEARLY = 4.0
"""So many errors from 0, the largest that they can be, a difference is sure without computing its error."""


@dataclass(frozen=True, eq=False)
class Ratios:
    """`ratio_outside` with its interval and p, and what else the comparison of shares gives: (judges,).

    `rates`, (2, judges), are the shares of others' cells that each judge passes, beside its own cells and
    beside its relatives'; `judges` the outside judges compared with.
    """

    ratio: Floats
    interval: Intervals
    reasons: list[str | None]
    rates: Floats
    judges: Ints

    @classmethod
    def of(cls, joint: JointVerdicts) -> "Ratios":
        masks = joint.masks
        [own] = deletions(joint, None, masks.own)
        interval = own.ratio_interval(joint.own.clusters)
        [family] = compare_with_outside(joint.common, masks, masks.family)  # only its shares, without errors
        rates = np.stack([own.full.other_judge, family.other_judge])
        return cls(own.full.ratio, interval, ratio_reasons(joint, own.full), rates, own.full.judges)

    @classmethod
    def none(cls, judges: int, judges_outside: Ints, reason: str) -> "Ratios":
        nothing = np.full(judges, np.nan)
        interval = Intervals(nothing, nothing, nothing, "hangs_on_one_instance")
        return cls(nothing, interval, [reason] * judges, np.full((2, judges), np.nan), judges_outside)


@dataclass(frozen=True, eq=False)
class NumberSource:
    """The source of one number: a view that shows all judges, and which judges have own cases there."""

    number: str
    view: SliceView
    truth: str | None
    pairs: str | None = None
    clusters: Ints | None = None
    material: float | None = None

    @cached_property
    def joint(self) -> JointVerdicts | None:
        """The verdicts, if they are of rubrics."""
        if self.truth is None:
            return None
        return replace(JointVerdicts.of(self.view, self.truth), clusters=self.clusters)

    @cached_property
    def _gaps(self) -> OutsideGaps:
        if self.pairs is not None:
            return vote_outside(self.view, self._pair_options)
        if self.joint is not None:
            return verdict_gaps(self.view, self.joint)
        return points_gaps(self.view)

    @property
    def _pair_options(self) -> dict[str, Any]:
        return {"pairs": self.pairs, **_PAIR_OPTIONS}

    @cached_property
    def own_pairs(self) -> OwnPairs | None:
        """The pairs that judges judged and lack, and the share of ties; None for other judgments."""
        return None if self.pairs is None else own_pairs(self.view, self._pair_options)

    @property
    def orders_missing(self) -> int:
        """How many judgments of pairs lack the other order; 0 if none of them is of a judge's own pair."""
        cube = self.view.cube
        if not isinstance(cube, PairCube):
            return 0
        alone = cube.failures.select(cube.failures.code == "order_missing")
        return int(self._gaps.left_out.get("order_missing", 0)) if of_own_answers(alone).any() else 0

    @property
    def left_out(self) -> Mapping[str, int]:
        if self.joint is None:
            return self._gaps.left_out
        if self.number == "hspp_matched":
            return relevant_left_out(self.view)
        return left_out_of_verdicts(self.view, self.joint)

    @property
    def judged(self) -> Bools:
        return self._gaps.judged if self.joint is None else self.joint.judged

    @cached_property
    def ratios(self) -> Ratios:
        """`ratio_outside`, which is shown and decides nothing."""
        judges = len(self.view.judges)
        if self.joint is None:
            return Ratios.none(judges, self._gaps.n_outside, "not_of_these_judgments")
        if self.number == "hspp_matched":
            return Ratios.none(judges, np.zeros(judges, dtype=np.int64), "no_outside_judge")
        return Ratios.of(self.joint)

    @cached_property
    def case(self) -> EvidenceOfCases:
        return self._case_of_gaps(self._gaps) if self._in_gaps else self.case_of(self._verdicts)

    @property
    def _in_gaps(self) -> bool:
        return self.number in ("vote_outside", "bonus_outside")

    def _case_of_gaps(self, gaps: OutsideGaps) -> EvidenceOfCases:
        return case_of_gaps(self.number, gaps, self.material)

    @property
    def _verdicts(self) -> JointVerdicts:
        assert self.joint is not None  # noqa: S101 - only verdicts have odds and ratios
        return self.joint

    def case_of(self, joint: JointVerdicts) -> EvidenceOfCases:
        """Return the evidence from other verdicts than the study's: some filled in, or removed."""
        if self.number == "bonus_outside":
            return self._case_of_gaps(verdict_gaps(self.view, joint))
        if self.number == "odds_self":
            return case_of_odds(joint, self.ratios.rates, self.material)
        return case_of_matched(joint, self.material)

    @cached_property
    def answers(self) -> tuple[QuestionAnswers, QuestionAnswers | None]:
        """What the numbers alone say of judges, and of their relatives."""
        return answer(self.case.evidence)

    # What is missing, and what it could change.

    @cached_property
    def missing(self) -> MissingCells:
        """The cells, scores or pairs that judges lack."""
        if self.own_pairs is not None:
            return MissingPairs(self.own_pairs, self.view.study.index.n_instances)
        return MissingScores.of(self.view) if self._missing_verdicts is None else self._missing_verdicts

    @cached_property
    def _missing_verdicts(self) -> MissingVerdicts | None:
        return None if self.joint is None else MissingVerdicts.of(self.view, self.joint, self.truth or "any")

    @cached_property
    def unequal(self) -> dict[Whose, Ints]:
        """1 where more own (relatives') cells than others' are missing, -1 where fewer: see `unequal`.

        Of pairs only the former: those without its own response do not enter the number.
        """
        own = unequal(self.missing)
        if self.pairs is not None:
            own = np.maximum(own, 0)
        family = unequal(self.missing, "family") if self.case.evidence.relatives else np.zeros_like(own)
        return {"own": own, "family": family}

    def filled(self, judges: Bools, whose: Whose, *, favourable: bool) -> EvidenceOfCases:
        """Return the evidence with what some judges lack filled in; of pairs only their own."""
        masks = family_masks(self.view)
        of = getattr(masks, whose) & judges[:, None]
        missing = self.missing
        if isinstance(missing, MissingVerdicts):
            return self.case_of(missing.filled(of, favourable=favourable))
        if isinstance(missing, MissingScores):
            scores = missing.filled(self.view.scored.judge.values, of, favourable=favourable)
            return self._case_of_gaps(points_gaps(self.view, scores))
        return self._case_of_gaps(vote_outside(self.view, self._pair_options, (judges, favourable)))

    def bounds(self, judge: int) -> tuple[float, float]:
        """Return a judge's number with what is missing of its own unfavourable, and favourable."""
        only, missing = self._only(judge), self.missing
        ends = []
        for credit in (False, True):
            if isinstance(missing, MissingVerdicts):
                of = family_masks(self.view).own & only[:, None]
                filled = missing.filled(of, favourable=credit)
                refitted = self._refitted_own(filled, judge)
                if refitted is not None:
                    ends.append(refitted.value)
                    continue
                values = self.values_of(filled)
            else:
                values = self.filled(only, "own", favourable=credit).evidence.own.value
            ends.append(float(values[judge]))
        return ends[0], ends[1]

    def _refitted_own(self, filled: JointVerdicts, judge: int) -> Refitted | None:
        """Return a judge's odds if only verdicts on its own response differ; None where not so quickly."""
        generators = np.flatnonzero(filled.masks.own[judge])
        if self.number != "odds_self" or len(generators) != 1 or not self._verdicts.fitted.odds.cells:
            return None
        strata = rows_with_generator(self._patterns.cells, filled, int(generators[0]))
        refitted = self._verdicts.fitted.with_rows(strata, judge)
        return None if refitted is None or np.isnan(refitted.value) else refitted

    @cached_property
    def _patterns(self) -> Patterns:
        return patterns_of(self._verdicts)

    def _only(self, judge: int) -> Bools:
        return np.asarray(np.arange(len(self.view.judges)) == judge)

    def values_of(self, joint: JointVerdicts) -> Floats:
        """Return the deciding numbers from other verdicts than the study's, without their errors."""
        if self.number == "bonus_outside":
            return verdict_gaps(self.view, joint).value
        present = joint.counted.any(axis=(1, 2))
        if self.number != "odds_self" or present.sum() < FEWEST_JUDGES:
            return self.case_of(joint).evidence.own.value
        return joint.odds(errors=False, pooled=False, placebos=False).own.value

    # The same criteria.

    @property
    def has_same_items(self) -> bool:
        """Whether the number is one that must hold on the criteria that own answers failed."""
        return (self.number, self.truth) == ("odds_self", "failed")

    @cached_property
    def _same_items(self) -> SameItems:
        return SameItems(self._verdicts)

    def upheld_on_same_items(self, judge: int, *, family: bool = False) -> bool:
        """Return whether a judge's odds differ from 1 among answers to the same rubrics, too.

        A judge may be lenient, whoever answers, on what its own model finds hard. On the rubrics that its own
        responses failed, where others' failures are equally hard, at least two thirds of the log-odds must be
        left, with p < .05, and half if both weigh the same on each rubric. For its `family`, which has
        several responses to a rubric, the former is asked of equal weights. True if the number is not
        `odds_self` on failed rubrics, or undefined there.
        """
        evidence = self.case.evidence.relatives if family else self.case.evidence
        if evidence is None or not self.has_same_items:
            return True
        log_odds = evidence.own.value[judge]
        left = self._left(judge, family, family)
        if not np.isnan(left.value):
            if left.value / log_odds < FEWEST_LEFT:
                return False
            if not self._is_sure(judge, left, family=family):
                _, p = self._same_items.odds(judge, family=family, balanced=family)
                if not p < SURE:
                    return False
        if family:
            return True
        left = self._left(judge, family, True)
        return bool(np.isnan(left.value) or left.value / log_odds >= FEWEST_LEFT_BALANCED)

    def _left(self, judge: int, family: bool, balanced: bool) -> Refitted:
        """Return a judge's log-odds on the same rubrics, each fitted once."""
        key = judge, family, balanced
        if key not in self._refitted:
            left = self._same_items.odds_left(judge, family=family, balanced=balanced)
            self._refitted[key] = left
        return self._refitted[key]

    @cached_property
    def _refitted(self) -> dict[tuple[int, bool, bool], Refitted]:
        return {}

    def _is_sure(self, judge: int, left: Refitted, *, family: bool) -> bool:
        """Return whether p is below .05 however much the cells of an instance hang together.

        An error by instances is at most the root of the cells in each times that of independent cells.
        """
        together = self._same_items.cells_together(judge, family=family)
        return bool(abs(left.value) > _CLEARLY * np.sqrt(together) * left.naive_se)

    def on_same_items(self, judges: Ints, *, family: bool, balanced: bool) -> Floats:
        """Return the log-odds of some judges on the same rubrics, NaN for the others: (judges,)."""
        values = np.full(len(self.view.judges), np.nan)
        for j in judges.tolist():
            values[j] = self._left(j, family, balanced).value
        return values

    # Given and expected.

    @cached_property
    def _expectations(self) -> dict[Whose, Expectations]:
        evidence = self.case.evidence
        if self.number != "odds_self":
            near = np.full(len(evidence.given), np.nan)
            if evidence.relatives is not None:
                near = evidence.relatives.given
            return {
                "own": Expectations(evidence.given, evidence.scale),
                "family": Expectations(near, evidence.scale),
            }
        patterns, masks = self._patterns, self._verdicts.masks
        numbers = [each.own.value for each in (evidence, evidence.relatives) if each is not None]
        if not np.isfinite(numbers).any():
            own, family = (
                np.array([each.given for each in cells]) for cells in (patterns.own, patterns.family)
            )
            return {"own": Expectations(own, "odds"), "family": Expectations(family, "odds")}
        fitted = self._verdicts.fitted
        odds = fitted.odds.own.value, fitted.odds.family.value
        start = beginning(patterns.cells, fitted.strictness, *odds)
        fit = fit_marginal(patterns.cells, masks.own, masks.family, start)
        return {"own": expectations(fit, patterns.own), "family": expectations(fit, patterns.family)}

    def expectations(self, whose: Whose = "own") -> Expectations:
        """Return what each judge gave its own (relatives') answers, and how the expected share follows."""
        return self._expectations[whose]


_PAIR_OPTIONS = {"opponents": "outside", "quality": "judges", "quality_judges": (), "epsilon": 0.25}
