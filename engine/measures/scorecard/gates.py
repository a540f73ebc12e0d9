"""The gates of conclusions (MEASURES sections 16 and 18), each by the reason given where it is closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.phrases import join_names


@dataclass(frozen=True)
class Gate:
    """What must hold for a claim, in words that follow `where it also`, by the reason where it does not.

    `question` is 1 for that a judge overrates its own answers, 2 for that it favours itself. `scales` are
    those of the deciding numbers that have this gate.
    """

    reason: str
    question: Literal[1, 2]
    holds: str
    scales: Sequence[str] = ("odds", "votes", "points")


EVERY_SCALE = ("odds", "ratio", "votes", "points")

OF_JUDGES = (
    Gate("discernment", 1, "holds less what its discernment explains (p below .05)"),
    Gate(
        "missing_verdicts",
        1,
        "holds with verdicts that are missing unequally filled in against it",
        EVERY_SCALE,
    ),
    Gate("tastes_unknown", 2, "can be held against judges' tastes", EVERY_SCALE),
    Gate(
        "same_items",
        2,
        "holds on the same criteria (two thirds of the log-odds left, with p below .05, and half where both "
        "sides weigh the same on each criterion)",
        ("odds",),
    ),
    Gate("within_tastes", 2, "exceeds how much judges differ in their liking of any model (p below .05)"),
    Gate(
        "shared_taste",
        2,
        "holds less what a taste that judges of other families share explains (the same sign and p with "
        "tastes below .05)",
    ),
    Gate(
        "missing_verdicts",
        2,
        "holds in all this with verdicts that are missing unequally filled in against it",
        EVERY_SCALE,
    ),
)
"""Gates of a conclusion on one judge, in the order in which the first closed one is the reason."""

OF_GROUP = (
    Gate("no_placebos", 1, "can be held against other families' answers"),
    Gate("t_test", 1, "has p below .05 by Student's t over families"),
    Gate("permutation", 1, "has p below .05 among assignments of families to other families' answers"),
    Gate("discernment", 1, "keeps two thirds of its size less what discernment explains"),
    Gate(
        "missing_verdicts",
        1,
        "has p below .05 with verdicts that are missing unequally filled in against it",
    ),
    Gate("same_items", 2, "keeps a third of its size on the same criteria", ("odds",)),
    Gate("shared_taste", 2, "keeps two thirds of its size less what a shared taste explains"),
)
"""Gates of the conclusion on the judges together."""


def words_of(gates: Sequence[Gate], question: int, scale: str, truth: str) -> str:
    """Return in prose what question 1 or 2 needs where a number of this scale and these criteria decides."""
    needed = [gate for gate in gates if gate.question == question and scale in gate.scales]
    return join_names([gate.holds for gate in needed if truth == "failed" or gate.reason != "same_items"])
