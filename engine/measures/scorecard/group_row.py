"""The first row of `scorecard`: the judges together (MEASURES section 18)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from engine.arrays.bits.same_items import MOST_TOGETHER
from engine.conclusions import (
    DISFAVOURS,
    FAVOURS,
    NOT_SHOWN,
    OVERRATES,
    UNDERRATES,
    family_code,
    group_code,
    is_claim,
)
from engine.conclusions import TOO_FEW as TOO_FEW_CASES
from engine.measures.missing_cells import Whose
from engine.measures.scorecard.beyond_scale import is_beyond_scale
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.stats import Bools, Floats, Ints
from engine.stats.conclusions.conclusion_rules import LOGARITHMIC, SURE, Evidence
from engine.stats.conclusions.group import (
    Assignments,
    GroupEstimate,
    assignment_p,
    derangements,
    given_or_replaced,
    group_estimate,
    mean_over_families,
    share_left,
)
from engine.stats.conditional.tastes import placebos_of_families

MOST_LEFT, LEAST_LEFT = 2 / 3, 1 / 3
"""Of the estimate, what must be left after discernment and a shared taste, and on the same items."""
MOST_FITTED = 10
"""Beyond MOST_TOGETHER judges, how many of them are looked at on the same items."""
FAVOUR, OVERRATE, UNDERRATE, DISFAVOUR, TOO_FEW = map(
    group_code, (FAVOURS, OVERRATES, UNDERRATES, DISFAVOURS, TOO_FEW_CASES)
)


def _weights(evidence: Evidence, variance: float) -> Floats:
    """Return 1 / (se^2 + T), or 1 / se^2 where tastes are unknown; NaN for judges without an error."""
    own = evidence.own
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(own.defined, 1 / (own.se**2 + np.nan_to_num(variance)), np.nan)


@dataclass(frozen=True, eq=False)
class JudgeGroup:
    """The judges together on their own responses, or on their relatives'."""

    source: NumberSource
    evidence: Evidence
    whose: Whose
    estimate: GroupEstimate
    assigned: Assignments
    weight: Floats
    counted: Bools

    @classmethod
    def of(
        cls, source: NumberSource, evidence: Evidence, whose: Whose, assigned_to: Callable[[int], Ints]
    ) -> "JudgeGroup":
        case, own = source.case, evidence.own
        weight = _weights(evidence, case.tastes.variance)
        estimate = group_estimate(own.value, weight, case.families.judge)
        placebos = placebos_of_families(case.placebos.value, case.placebos.se, case.families, estimate.which)
        assigned = assignment_p(estimate.estimate, placebos, assigned_to(estimate.families))
        return cls(source, evidence, whose, estimate, assigned, weight, own.defined)

    @property
    def _families(self) -> Ints:
        return self.source.case.families.judge

    def conclusion(self) -> tuple[str, str | None]:
        """Return the conclusion and its reason; what takes further fits is looked at last."""
        if not self.estimate.tested:
            return TOO_FEW, TOO_FEW
        if (reason := self._first_open()) is not None:
            return NOT_SHOWN, reason
        reason = self._second_open()
        if self.estimate.estimate > 0:
            return (FAVOUR if reason is None else OVERRATE), reason
        return (DISFAVOUR if reason is None else UNDERRATE), reason

    def _first_open(self) -> str | None:
        """Return what question 1 fails on; None if it holds."""
        if np.isnan(self.assigned.p):
            return "no_placebos"
        if not self.estimate.p < SURE:
            return "t_test"
        if not self.assigned.p < SURE:
            return "permutation"
        if self._left(self.evidence.discerned.value) < MOST_LEFT:
            return "discernment"
        return None if self._holds_filled() else "missing_verdicts"

    def _second_open(self) -> str | None:
        """Return what question 2 fails on; None if it holds."""
        if self.source.has_same_items:
            judges = self._spread_out()
            for balanced in (False, True):
                same = self.source.on_same_items(judges, family=self.whose == "family", balanced=balanced)
                if self._left(same, judges) < LEAST_LEFT:
                    return "same_items"
        return "shared_taste" if self._without_shared_taste < MOST_LEFT else None

    @cached_property
    def _without_shared_taste(self) -> float:
        return self._left(self.evidence.shared.value)

    def shared_taste_left(self, conclusion: str) -> float | None:
        """Return the share of a claimed estimate that is left without a taste that judges share."""
        return self._without_shared_taste if is_claim(conclusion) else None

    def _spread_out(self) -> Ints:
        """Return the judges with a number; of very many, some at even distances, as each takes two fits."""
        judges = np.flatnonzero(self.counted)
        if len(judges) <= MOST_TOGETHER:
            return judges
        return judges[np.linspace(0, len(judges) - 1, MOST_FITTED).astype(np.int64)]

    def _left(self, values: Floats, judges: Ints | None = None) -> float:
        """Return the share of the estimate that other values leave; undefined ones change nothing.

        With `judges`, of the estimate from these alone.
        """
        own = self.evidence.own.value
        other = given_or_replaced(own, values)
        if judges is None:
            return share_left(self.estimate.estimate, other, self.weight, self._families)
        of_all = group_estimate(own[judges], self.weight[judges], self._families[judges]).estimate
        return share_left(of_all, other[judges], self.weight[judges], self._families[judges])

    def _holds_filled(self) -> bool:
        """Return whether the t test holds if all own verdicts that are missing unequally speak against it."""
        marked = self.source.unequal[self.whose] > 0
        if not marked.any():
            return True
        up = self.estimate.estimate > 0
        case = self.source.filled(marked, self.whose, favourable=not up)
        evidence = case.evidence if self.whose == "own" else case.evidence.relatives
        if evidence is None:
            return False
        weight = _weights(evidence, case.tastes.variance)
        again = group_estimate(evidence.own.value, weight, self._families)
        return (again.estimate > 0) == up and again.p < SURE

    def scaled(self, number: float) -> float:
        return float(np.exp(number)) if self.evidence.scale in LOGARITHMIC else number

    def given_and_expected(self) -> dict[str, float]:
        """Return the mean share of own cases given and expected, with the ends of the latter."""
        each = self.source.expectations(self.whose)
        middle = each.expected(self.estimate.estimate)
        defined = self.counted & np.isfinite(each.given) & np.isfinite(middle)

        def expected(number: float) -> float:
            return mean_over_families(each.expected(number), self._families, defined)

        mean = mean_over_families(each.given, self._families, defined)
        low, high = expected(self.estimate.high), expected(self.estimate.low)
        centre = expected(self.estimate.estimate)
        return {
            "own_given": mean,
            "own_expected": centre,
            "own_expected_low": low,
            "own_expected_high": high,
            "excess": mean - centre,
            "excess_low": mean - high,
            "excess_high": mean - low,
        }


def group_of(source: NumberSource, seed: int) -> dict[str, Any]:
    """Return the fields of the row of the judges together."""
    case = source.case

    @cache  # judges and their relatives are mostly of as many families, and drawing takes long
    def assigned_to(families: int) -> Ints:
        return derangements(families, np.random.default_rng(seed))

    own = JudgeGroup.of(source, case.evidence, "own", assigned_to)
    conclusion, reason = own.conclusion()
    values: dict[str, Any] = {
        "conclusion": conclusion,
        "reason": reason,
        "decided_by": source.number,
        "truth": source.truth,
        "estimate": own.scaled(own.estimate.estimate),
        "low": own.scaled(own.estimate.low),
        "high": own.scaled(own.estimate.high),
        "p": own.estimate.p,
        "p_families": own.assigned.p if own.estimate.tested else None,
        "assignments": own.assigned.number or None if own.estimate.tested else None,
        "families": own.estimate.families,
        "shared_taste_left": own.shared_taste_left(conclusion),
        **own.given_and_expected(),
        **dict.fromkeys(("family_conclusion", "family_reason", "family_estimate"), None),
        "family_shared_taste_left": None,
        **dict.fromkeys(("family_low", "family_high", "family_p", "family_p_families"), None),
        "families_with_relatives": 0,
    }
    of_family = own
    if case.evidence.relatives is not None:
        of_family = relatives = JudgeGroup.of(source, case.evidence.relatives, "family", assigned_to)
        conclusion, reason = relatives.conclusion()
        values |= {
            "family_conclusion": family_code(conclusion),
            "family_reason": reason,
            "family_shared_taste_left": relatives.shared_taste_left(conclusion),
            "family_estimate": relatives.scaled(relatives.estimate.estimate),
            "family_low": relatives.scaled(relatives.estimate.low),
            "family_high": relatives.scaled(relatives.estimate.high),
            "family_p": relatives.estimate.p,
            "family_p_families": relatives.assigned.p if relatives.estimate.tested else None,
            "families_with_relatives": relatives.estimate.families,
        }
    counted = {"n_own": own.counted, "n_other": own.counted, "n_family": of_family.counted}
    return (
        values
        | {name: int(getattr(case, name)[judges].sum()) for name, judges in counted.items()}
        | {"n_outside": 0, "agreeing": 0, "disagreeing": 0}
        | {"cautions": ["beyond_scale"] if is_beyond_scale(values) else []}
    )
