"""Whom a plan is for: the effect of one judge, of one among several, or of all of them together."""

from dataclasses import dataclass


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
