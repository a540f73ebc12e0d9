"""What judges pick when their verdicts are used as a reward, in sentences."""

from collections.abc import Sequence
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
    sure = confidence(row["picked_beside_low"], row["picked_beside_high"], "share")
    return (
        f"Of 100 {_cases(paradigm)}, {row['judge']} picks its own in {100 * row['picked_beside']:.0f} "
        f"({sure}); judges of other families pick it in {100 * row['picked_outside']:.0f} of the same."
    )


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
