"""How many instances the other measures need: SPB, T, DBG, votes, points, odds, and the judges together.

Each of these is a mean over instances whose variance falls as one over their number; what one instance adds
follows from what is assumed of the study (MEASURES sections 9 to 11, 15 and 18). `power` has the HSPP ratio.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Literal

from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from engine.errors import UsageError
from engine.stats.conclusions.group import FEWEST_FAMILIES
from engine.stats.conclusions.power import ALPHA, FEWEST

Name = Literal["spb", "t", "dbg", "vote_outside", "bonus_outside", "odds_self"]
MOST = 10**7
"""Instances beyond which a study counts as impossible."""


UNITS: Mapping[str, str] = {
    "spb": "a difference of shares",
    "t": "a difference of shares",
    "dbg": "a difference of shares",
    "vote_outside": "a difference of shares",
    "bonus_outside": "in points of 100",
    "odds_self": "odds",
}
LARGEST: Mapping[str, float] = {
    name: 100.0 if unit == "in points of 100" else float("inf") if unit == "odds" else 1.0
    for name, unit in UNITS.items()
}
"""The largest effect that a measure can have, in its unit."""


@dataclass(frozen=True, slots=True)
class AssumedStudy:
    """What is assumed of a study; shares are fractions of 1.

    `effect` is the value to detect: a difference of shares (SPB, T, DBG, votes), points of 100, or odds.
    Judges answer too, in families as even as possible. `rate` is the share without any effect: firm choices
    of null pairs (SPB), votes for itself where it should lose (T), pairs on which the judge and the gold
    differ (DBG), pairs on which two judges differ (votes), passes (odds); `spread` the standard deviation of
    a judge's scores of one response, in points. `cases` are the judge's own cases in an instance: pairs with
    models of other families unless given, criteria for odds; `clustering` their intraclass correlation.
    `tastes` is the standard deviation of judges' tastes, in the unit of the number (log-odds);
    `heterogeneity` that of families' means beyond sampling, tastes included: 0 where all have one effect.
    """

    measure: Name
    effect: float
    judges: int = 6
    families: int = 3
    rate: float = 0.3
    spread: float = 15.0
    cases: float | None = None
    clustering: float = 0.1
    tastes: float = 0.0
    heterogeneity: float = 0.0

    def __post_init__(self) -> None:
        if self.measure not in VARIANCES:
            raise UsageError(f"measure {self.measure!r} is unknown; choose from: {', '.join(VARIANCES)}")
        low = 0.0 if self.measure == "odds_self" else -float("inf")
        if not low < self.effect < float("inf") or self.shift == 0:
            example = "odds such as 2" if self.measure == "odds_self" else "a number other than 0 such as 0.1"
            raise UsageError(f"effect {self.effect!r} is none; give {example}")
        largest = LARGEST[self.measure]
        if abs(self.effect) > largest:
            raise UsageError(
                f"effect {self.effect!r}: {self.measure} is {UNITS[self.measure]}, and cannot differ by more "
                f"than {largest:g}; 10 of 100 is {largest / 10:g}"
            )
        if self.judges < 2:
            raise UsageError(f"judges {self.judges!r}: a judge is compared with others; give 2 or more")
        if self.families < 2:
            raise UsageError(f"families {self.families!r}: a family is compared with others; give 2 or more")
        if self.families > self.judges:
            raise UsageError(
                f"families {self.families!r} with judges {self.judges!r}: each family needs a judge; "
                f"give {self.judges!r} families or fewer, or more judges"
            )
        if not 0 < self.rate < 1:
            raise UsageError(f"rate {self.rate!r}: give a share above 0 and below 1")
        if self.measure == "spb" and not 0 < self.rate + self.effect < 1:
            raise UsageError(f"effect {self.effect!r} beside rate {self.rate!r} is no share; give less")
        for name, value in (("spread", self.spread), ("cases", self.in_instance)):
            if not 0 < value < float("inf"):
                raise UsageError(f"{name} {value!r}: give a number above 0")
        if not 0 <= self.clustering < 1:
            raise UsageError(f"clustering {self.clustering!r}: give a share from 0 to below 1")
        for name, value in (("tastes", self.tastes), ("heterogeneity", self.heterogeneity)):
            if not 0 <= value < float("inf"):
                raise UsageError(f"{name} {value!r}: give 0 or a number above")

    @property
    def strangers(self) -> int:
        """Models (and judges) outside the family of a judge of one of the largest families."""
        return self.judges - ceil(self.judges / self.families)

    @property
    def in_instance(self) -> float:
        return float(self.strangers) if self.cases is None else self.cases

    @property
    def shift(self) -> float:
        """The effect on the scale on which it is tested."""
        return log(self.effect) if self.measure == "odds_self" else self.effect

    @property
    def variance(self) -> float:
        """The squared error of the number after one instance."""
        return VARIANCES[self.measure](self)

    @property
    def inflation(self) -> float:
        """How much more a mean of the cases of one instance varies for hanging together."""
        return 1 + (self.in_instance - 1) * self.clustering if self.in_instance > 1 else 1.0


def _of_spb(design: AssumedStudy) -> float:
    """Return that of a share of own pairs less one of as many null pairs."""
    own, null = design.rate + design.effect, design.rate
    return (own * (1 - own) + null * (1 - null)) * design.inflation / design.in_instance


def _of_t(design: AssumedStudy) -> float:
    """Return that of a vote less the mean of as many proxies as there are strangers but the opponent."""
    proxies = max(design.strangers - 1, 1)
    return design.rate * (1 - design.rate) * (1 + 1 / proxies) * design.inflation / design.in_instance


def _of_dbg(design: AssumedStudy) -> float:
    """Return that of the judge's outcome less the gold's, which differ by 1 on `rate` of the pairs."""
    return (design.rate - min(design.effect**2, design.rate)) * design.inflation / design.in_instance


def _of_votes(design: AssumedStudy) -> float:
    """Return that of a vote less the mean of outside judges', two of which differ on `rate` of the pairs."""
    return design.rate / 2 * (1 + 1 / design.strangers) * design.inflation / design.in_instance


def _of_points(design: AssumedStudy) -> float:
    """Return that of the own score's gap to outside judges', less the mean gap of the strangers' scores."""
    return design.spread**2 * (1 + 1 / design.strangers) ** 2


def _of_odds(design: AssumedStudy) -> float:
    """Return that of s_J: own criteria, each with p (1 - p) b / (b + 1) of information, and those of B_J."""
    information = design.rate * (1 - design.rate) * design.strangers / (design.strangers + 1)
    return (1 + 1 / design.strangers) / information * design.inflation / design.in_instance


VARIANCES: Mapping[str, Callable[[AssumedStudy], float]] = {
    "spb": _of_spb,
    "t": _of_t,
    "dbg": _of_dbg,
    "vote_outside": _of_votes,
    "bonus_outside": _of_points,
    "odds_self": _of_odds,
}
_FAR, _CERTAIN = 7.0, 30.0
"""Standard errors beyond which fewer than 1 effect in 1e11 has the wrong sign, or is missed (SciPy: nan)."""

WHO = ("judge", "adjusted", "group")
"""A judge by itself, a judge among all that are tested, and the judges together."""


def power_of(design: AssumedStudy, instances: float, who: str = "judge") -> float:
    """Return the share of studies of so many instances in which the effect is detected.

    A judge: |value| / se above the two-sided normal quantile at .05 (T: one-sided), divided by the judges for
    `adjusted`. The group: one-sample t over families, their means having variance se^2 / (judges in a family)
    and the larger of heterogeneity^2 and tastes^2 (F / (F - 1))^2; its permutation test and checks take more
    (MEASURES section 18).
    """
    if who == "group":
        return _power_of_group(design, instances)
    sides = 1 if design.measure == "t" else 2
    critical = -float(ndtri(ALPHA / sides / (design.judges if who == "adjusted" else 1)))
    error = sqrt(design.variance / instances + _of_tastes(design))
    shift_in_errors = abs(design.shift) / error
    other = float(ndtr(-shift_in_errors - critical)) if sides == 2 else 0.0
    return float(ndtr(shift_in_errors - critical)) + other


def _of_tastes(design: AssumedStudy) -> float:
    return (design.tastes * (1 + 1 / (design.families - 1))) ** 2


def _power_of_group(design: AssumedStudy, instances: float) -> float:
    families = design.families
    if families < FEWEST_FAMILIES:
        raise UsageError(
            f"families {families!r}: the judges together are tested with {FEWEST_FAMILIES} or more"
        )
    between = max(_of_tastes(design), design.heterogeneity**2)
    variance = between + design.variance / instances / (design.judges / families)
    shift_in_errors = abs(design.shift) / sqrt(variance / families)
    critical = float(stdtrit(families - 1, 1 - ALPHA / 2))
    if shift_in_errors > _CERTAIN:
        return 1.0
    above = 1 - float(nctdtr(families - 1, shift_in_errors, critical))
    below = 0.0 if shift_in_errors > _FAR else float(nctdtr(families - 1, shift_in_errors, -critical))
    return above + below


def instances_for(design: AssumedStudy, power: float = 0.8, who: str = "judge") -> int:
    """Return the fewest instances, at least 10, with that power; UsageError where no number has it."""
    if not ALPHA < power < 1:
        raise UsageError(f"power {power!r}: give a share above {ALPHA} and below 1, such as 0.8")
    if power_of(design, MOST, who) < power:
        of_group = who == "group" and design.heterogeneity**2 > _of_tastes(design)
        cause = f"tastes of {design.tastes:g} leave"
        if of_group:
            cause = f"families that differ by a standard deviation of {design.heterogeneity:.2g} leave"
        most = f"{cause} {power_of(design, MOST, who):.2f} at most"
        raise UsageError(
            f"no number of questions has power {power:g}: {most}; have more families of judges, or detect a "
            "larger effect"
        )
    low, high = FEWEST - 1, FEWEST
    while power_of(design, high, who) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(design, middle, who) >= power else (middle, high)
    return high
