"""The conclusion on each judge from its deciding number (MEASURES section 16).

A conclusion needs enough evidence, a p-value that holds after adjustment for all judges and all claims about
relatives, and a ratio that does not contradict it. A claim must hold even with the error of tastes added: the
usual one of all judges, or the judge's own where it is larger.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engine.stats import Floats, Ints
from engine.stats.bootstrap import benjamini_hochberg
from engine.stats.few_events import Estimates

Scale = Literal["odds", "ratio", "votes", "points"]

LOGARITHMIC = ("odds", "ratio")  # the scales on which values are logarithms
EQUIVALENT: dict[Scale, float] = {"odds": np.log(1.1), "ratio": np.log(1.1), "votes": 0.05, "points": 2.0}
"""The largest distance from the null that is no material preference."""
CLAIMS = ("favours_itself", "disfavours_itself")
LEANINGS = ("leans_to_itself", "leans_against_itself")

SURE, RATIO_SURE = 0.05, 0.10
FEWEST_INSTANCES, FEWEST_EXPECTED, FEWEST_PAIRS = 10, 5, 20


@dataclass(frozen=True, eq=False)
class Evidence:
    """The deciding number of each judge and what a conclusion on it needs, each of shape (judges,).

    `undefined` says why a judge has no number, `lacking` why its cases are too few to conclude from. `taste`
    is the variance that tastes add, `judge_taste` that of each judge where it is larger, `ratio` is
    ratio_outside, `ratio_p` its p; NaN: none. `discerned` are the numbers less what discernment explains,
    undefined where that is unknown. `relatives` is the evidence on how judges treat their families'
    responses, tested together with this; None if there is none.
    """

    scale: Scale
    own: Estimates
    undefined: list[str | None]
    lacking: list[str | None]
    taste: float
    judge_taste: Floats
    ratio: Floats
    ratio_p: Floats
    discerned: Estimates
    relatives: "Evidence | None" = None


@dataclass(frozen=True, eq=False)
class Conclusions:
    """A conclusion on each judge, why one is inconclusive, and the adjusted p that decides."""

    conclusion: list[str]
    reason: list[str | None]
    p: Floats
    p_tastes: Floats
    p_judge_tastes: Floats
    p_adjusted: Floats
    relatives: "Conclusions | None" = None  # on their families, which "itself" means there


def lack_of_cells(n_own: Ints, instances: Ints, rate: Floats) -> list[str | None]:
    """Return why own cells are too few; `rate`, the judge's on others' cells, says how many are credited."""
    credited, uncredited = n_own * np.nan_to_num(rate), n_own * (1 - np.nan_to_num(rate))
    few = (instances < FEWEST_INSTANCES, credited < FEWEST_EXPECTED, uncredited < FEWEST_EXPECTED)
    codes = np.select(few, ("few_instances", "few_credited", "few_uncredited"), "")
    return [code or None for code in codes.tolist()]


def lack_of_pairs(pairs: Ints, instances: Ints) -> list[str | None]:
    few = (pairs < FEWEST_PAIRS, instances < FEWEST_INSTANCES)
    codes = np.select(few, ("few_pairs", "few_instances"), "")
    return [code or None for code in codes.tolist()]


def conclude(evidence: Evidence) -> Conclusions:
    """Return the conclusion on each judge by the rules of section 16, missing verdicts aside.

    P-values without tastes, with them and with each judge's own are adjusted separately, each over all judges
    and all claims about relatives (Benjamini and Hochberg). If tastes cannot be estimated, a judge leans at
    most. A conclusion must also hold for the number less what the judge's discernment explains, if that is
    known.
    """
    tested = [evidence] if evidence.relatives is None else [evidence, evidence.relatives]
    adjusted = _adjusted([each.own for each in tested], evidence)
    discerned = _adjusted([each.discerned for each in tested], evidence)
    of_self, *of_relatives = map(_concluded, tested, adjusted, discerned)
    return replace(of_self, relatives=of_relatives[0]) if of_relatives else of_self


@dataclass(frozen=True, eq=False)
class _Adjusted:
    """Adjusted p-values of one number, shape (judges,): without tastes, with them, with each judge's own."""

    without: Floats
    tastes: Floats
    judge_tastes: Floats


def _adjusted(numbers: list[Estimates], evidence: Evidence) -> list[_Adjusted]:
    """Return the adjusted p-values of several numbers of judges."""
    of_each = []
    for variance in (0.0, evidence.taste, evidence.judge_taste):
        p = benjamini_hochberg(np.concatenate([number.p(variance) for number in numbers]))
        of_each.append(np.split(p, len(numbers)))
    return [_Adjusted(*each) for each in zip(*of_each, strict=True)]


def _concluded(evidence: Evidence, adjusted: _Adjusted, discerned: _Adjusted) -> Conclusions:
    """Return the conclusions from the adjusted p-values of both kinds of numbers."""
    own, within = evidence.own, EQUIVALENT[evidence.scale]
    low, high = own.interval()
    conclusions: list[str] = []
    reasons: list[str | None] = []
    for j in range(len(own.value)):
        reason, side = evidence.undefined[j] or evidence.lacking[j], None
        if reason is None:
            side = _side(evidence, j, adjusted)
            remaining = _after_discernment(evidence, j, side, discerned)
            side, reason = (remaining, None) if remaining or not side else (None, "discernment")
        if side is not None:
            conclusions.append(side)
        elif reason is None and -within <= low[j] and high[j] <= within:
            conclusions.append("no_material_preference")
        else:
            conclusions.append("inconclusive")
            no_error = "all_differences_alike" if own.se[j] == 0 else "hangs_on_one_instance"
            reason = reason or ("undecided" if own.defined[j] else no_error)
        reasons.append(reason)
    decisive = np.where(np.isnan(adjusted.tastes), adjusted.without, adjusted.tastes)
    return Conclusions(conclusions, reasons, own.p(), own.p(evidence.taste), adjusted.judge_tastes, decisive)


def _after_discernment(evidence: Evidence, judge: int, side: str | None, p: _Adjusted) -> str | None:
    """Return what remains of a conclusion after allowing for the judge's discernment, if anything."""
    discerned = evidence.discerned
    if side is None or not discerned.defined[judge]:
        return side
    up = evidence.own.value[judge] > 0
    if (discerned.value[judge] > 0) != up or not p.without[judge] < SURE:
        return None
    return side if side in LEANINGS or p.tastes[judge] < SURE else LEANINGS[0 if up else 1]


def _side(evidence: Evidence, judge: int, p: _Adjusted) -> str | None:
    """Return the conclusion for or against itself; None if neither holds. A p of NaN never passes."""
    value, ratio = evidence.own.value[judge], evidence.ratio[judge]
    up = value > 0
    agrees = evidence.ratio_p[judge] < RATIO_SURE and (ratio > 1 if up else ratio < 1)
    if value == 0 or not (agrees or np.isnan(ratio)):
        return None
    if p.judge_tastes[judge] < SURE:
        return CLAIMS[0 if up else 1]
    return LEANINGS[0 if up else 1] if p.without[judge] < SURE else None
