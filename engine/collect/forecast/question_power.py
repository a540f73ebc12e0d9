"""What a run of so many questions and families can show, and at what cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.phrases import dollars, join_names
from engine.stats.conclusions.group import FEWEST_FAMILIES as FEWEST_OF_GROUP
from engine.stats.conclusions.power_of_differences import AssumedStudy, instances_for
from engine.stats.conditional.taste_spread import FEWEST_JUDGES

if TYPE_CHECKING:
    from engine.collect.plan.token_estimates import EstimateLine

FEWEST_FAMILIES = 3
"""A judge is compared with one of another family, on answers that are of neither."""
FEWEST_OF_TASTES = 4
"""With fewer, no pair shows how a judge likes others' answers for what they are."""
EXCESS = 0.1
POWER = 0.8


def families_words(families: Mapping[str, str]) -> str | None:
    """Return what models of so few families cannot show, and what would help; None if they are enough.

    `families` has the family of each model.
    """
    names = list(dict.fromkeys(families.values()))
    if len(names) >= FEWEST_FAMILIES:
        return None
    quoted = join_names([repr(name) for name in names])
    which = (
        f"all models are of one family, {quoted}"
        if len(names) == 1
        else f"the models are of two families, {quoted}"
    )
    more = "one more family" if len(names) == 2 else "two more families"
    return (
        f"{which}: whether a model favours its own answers cannot be concluded, as its verdicts are compared "
        f"with those of judges of other families, on answers of a third one; add models of {more}"
    )


def limits_words(families: Mapping[str, str]) -> str | None:
    """Return which conclusions take more models or families than these; None if there are enough.

    With too few judges their tastes are unknown, and liking one's own answers may be one of them.
    """
    number = len({*families.values()})
    if number < FEWEST_FAMILIES:
        return None
    parts = []
    if len(families) < FEWEST_JUDGES or number < FEWEST_OF_TASTES:
        parts.append(
            "a model can be shown to overrate its own answers; that it does so because they are its own "
            f"takes {FEWEST_JUDGES} models of {FEWEST_OF_TASTES} families"
        )
    if number < FEWEST_OF_GROUP:
        parts.append(f"a conclusion on all together takes {FEWEST_OF_GROUP} families")
    return "; ".join(parts) or None


def questions_needed(families: Mapping[str, str]) -> int | None:
    """Return how many questions show that a model takes 10 more of 100 of its own pairs than others give it.

    In four of five such studies, for one judge by itself; None with too few families.
    """
    number = len({*families.values()})
    if number < FEWEST_FAMILIES:
        return None
    return instances_for(AssumedStudy("vote_outside", EXCESS, len(families), number), POWER)


@dataclass(frozen=True, slots=True)
class CostRange:
    """What calls cost, in US dollars: what is expected, with the shortest and with the longest answers."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, total: "EstimateLine") -> "CostRange | None":
        """Return the cost of an estimate; None if it is unknown."""
        ends = (total.cost_usd, total.cost_usd_low, total.cost_usd_high)
        middle, low, high = ends
        return None if middle is None or low is None or high is None else cls(middle, low, high)

    def times(self, factor: float) -> "CostRange":
        return CostRange(self.middle * factor, self.low * factor, self.high * factor)

    def words(self) -> str:
        """Return `about $0.42 ($0.17 to $45.18)`."""
        return f"about {dollars(self.middle)} ({dollars(self.low)} to {dollars(self.high)})"

    def words_of_middle(self) -> str:
        """Return `about $0.42`."""
        return f"about {dollars(self.middle)}"

    def words_of_thinking(self, names: Sequence[str]) -> str:
        """Return `about $0.42, at least $0.17; $45.18 if a and b think as long as they may in every call`."""
        verb, whose = ("thinks", "it") if len(names) == 1 else ("think", "they")
        return (
            f"about {dollars(self.middle)}, at least {dollars(self.low)}; {dollars(self.high)} if "
            f"{join_names(names)} {verb} as long as {whose} may in every call"
        )

    def words_without_bound(self) -> str:
        """Return `about $0.42 (at least $0.17, without an upper bound)`, for answers of any length."""
        return f"about {dollars(self.middle)} (at least {dollars(self.low)}, without an upper bound)"

    def within(self, cap: float, *, spent: float = 0.0, is_bounded: bool = True) -> str:
        """Return whether a spending cap in US dollars would stop these calls.

        `spent` is what earlier calls cost under it; `is_bounded` whether the rest covers the longest answers
        that there may be.
        """
        rest = max(cap - spent, 0.0)
        words = f"the cap of {dollars(cap)}" + (f", of which {dollars(rest)} is left," if spent else "")
        if self.middle > rest:
            return f"{words} is below that, and would stop the run before its end"
        if self.high > rest or not is_bounded:
            return f"{words} stops the run if the answers are so long that they cost more"
        return f"{words} is above all of that"


def power_words(families: Mapping[str, str], questions: int, cost: CostRange | None) -> str | None:
    """Return how many questions show an excess of 10 in 100, and what they cost; None with too few families.

    `cost` is that of these `questions`; None if it is unknown.
    """
    needed = questions_needed(families)
    if needed is None:
        return None
    dollars = ""
    if cost is not None and cost.high and needed > questions:
        dollars = f", for {cost.times(needed / questions).words_of_middle()}"
    return (
        f"an excess of {EXCESS * 100:.0f} in 100 own cases is found, four times in five, with about "
        f"{needed:,} questions{dollars}; these are {questions:,}"
    )
