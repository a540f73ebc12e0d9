"""Whom a plan is for: the effect of one judge, of one among several, or of all of them together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.phrases import join_names

if TYPE_CHECKING:
    from engine.stats.conclusions.power_of_differences import AssumedStudy


@dataclass(frozen=True, slots=True)
class PlannedFor:
    """`title` heads a row of a table; `phrase`, with the number of `judges`, follows one of questions."""

    title: str
    phrase: str


PLANNED_FOR = {
    "judge": PlannedFor("a judge by itself", "for one judge named beforehand"),
    "adjusted": PlannedFor(
        "a judge, adjusted for testing all of them", "to say which of {judges:,} judges it is"
    ),
    "mean": PlannedFor("the mean over judges", "for the mean over judges"),
    "group": PlannedFor("the judges together", "for the judges together"),
}
"""By the targets of `engine.stats.conclusions.power` and `engine.stats.conclusions.power_of_differences`."""


def least_in_words(design: "AssumedStudy", wanted: float, never: Sequence[str]) -> str:
    """Return, as a sentence after others, which excess it takes where no number of questions is enough."""
    from engine.explore.planned_excess import least_excess  # with SciPy, which no help needs

    least = {who: least_excess(design, wanted, who) for who in never}
    parts = [
        f"{excess:g} {PLANNED_FOR[who].phrase.format(judges=design.judges)}"
        for who, excess in least.items()
        if excess is not None
    ]
    return f" It takes an excess of at least {join_names(parts)}." if parts else ""


def heterogeneity_in_words(assumed: Mapping[str, Any]) -> str:
    """Return how far families are assumed to differ where the judges together are tested."""
    if not assumed["heterogeneity"]:
        return "for the judges together, all are assumed to have the same effect"
    unit = {"odds_self": "log-odds", "bonus_outside": "points"}.get(assumed["measure"], "of 100 cases")
    of_shares = assumed["measure"] not in ("odds_self", "bonus_outside")
    spread = assumed["heterogeneity"] * (100 if of_shares else 1)
    return (
        f"for the judges together, families are assumed to differ as in the study, by a standard deviation "
        f"of {spread:.2g} {unit} beyond chance, which more questions do not lessen"
    )
