"""What judges pick when their verdicts are used as a reward, in sentences."""

from collections.abc import Sequence
from math import isclose
from typing import TYPE_CHECKING

from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import quantity
from engine.words.pairs import Doing, preferring
from engine.words.written_numbers import confidence

if TYPE_CHECKING:
    from engine.measures.row_types import BestOfNRow

DOING = Doing(
    "picks its own worse answers more often than judges of other families do",
    "pick their own worse answers more often than judges of other families do",
)
WHAT_IT_SAYS = (
    "It says what picking by a judge does, not why: one that tells answers apart less well picks its own "
    "worse ones more often too. Whether a judge favours itself is the question of the scorecard."
)


def pick_sentences(rows: "Sequence[BestOfNRow]", paradigm: str | None) -> tuple[str, ...]:
    """Say what the judge does that picks its own most beyond outside judges, then how many clearly do."""
    compared = [row for row in rows if row["pick_excess"] is not None]
    if not compared:
        return alone(rows, paradigm)
    first = max(compared, key=lambda row: float(row["pick_excess"]))
    return (_one_judge(first, paradigm), preferring(rows, "pick_excess", DOING))


def _one_judge(row: "BestOfNRow", paradigm: str | None) -> str:
    """Say the judge's picks of all its choices, then beside outside judges' where these had fewer answers."""
    sure = confidence(row["own_picked_low"], row["own_picked_high"], "share")
    own = f"Of 100 {_cases(paradigm)}, {row['judge']} picks its own in {100 * row['own_picked']:.0f} ({sure})"
    mine, theirs = (f"{100 * share:.0f}" for share in (row["picked_beside"], row["picked_outside"]))
    if isclose(row["picked_beside"], row["own_picked"]):
        return f"{own}; judges of other families pick it in {theirs} of the same."
    compared = (
        "Of 100 that judges of other families voted on too"
        if paradigm in PAIR_PARADIGMS
        else "Compared with judges of other families, each on the answers that are not of that judge's family"
    )
    return f"{own}. {compared}, it picks its own in {mine} and they in {theirs}."


def _cases(paradigm: str | None) -> str:
    if paradigm in PAIR_PARADIGMS:
        return "pairs that its own answer truly loses"
    return "questions for which the reference scores another answer above its own"


def alone(rows: "Sequence[BestOfNRow]", paradigm: str | None) -> tuple[str, ...]:
    """Say what the judges pick where no outside judge chose from the same answers."""
    judges = [row for row in rows if row["own_picked"] is not None]
    if not judges:
        return ("The reference nowhere scores another answer above a judge's own.",)
    first = max(judges, key=lambda row: float(row["own_picked"]))
    sure = confidence(first["own_picked_low"], first["own_picked_high"], "share")
    most = f", most of {quantity(len(judges), 'judge')}" if len(judges) > 1 else ""
    return (
        (
            f"Of 100 {_cases(paradigm)}, {first['judge']} picks its own in {100 * first['own_picked']:.0f} "
            f"({sure}){most}."
        ),
        "No judge of another family chose from the same answers.",
    )
