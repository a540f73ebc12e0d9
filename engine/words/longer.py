"""How often judges prefer the longer of two answers, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.phrases import how_many, part_of, quantity
from engine.words.written_numbers import confidence

if TYPE_CHECKING:
    from engine.measures.row_types import LengthRow

WHAT_IT_SAYS = (
    "The longer answer may be the better one: what is above 50 of 100 is no proof of a bias. Lengths are in "
    "characters; a tie is half for each answer."
)


def length_sentences(rows: "Sequence[LengthRow]") -> tuple[str, ...]:
    """Name the judge that prefers the longer answer most often, then count those that clearly do."""
    judges = [row for row in rows if row["longer"] is not None]
    if not judges:
        return ()
    first = max(judges, key=lambda row: float(row["longer"]))
    sure = confidence(first["longer_low"], first["longer_high"], "share")
    most = f", the most of {quantity(len(judges), 'judge')}" if len(judges) > 1 else ""
    often = f"in {100 * first['longer']:.0f} ({sure}){most}"
    lines = [f"Of 100 pairs of answers whose lengths differ, {first['judge']} prefers the longer {often}."]
    certain = [row for row in judges if None not in (row["longer_low"], row["longer_high"])]
    if certain:
        above = sum(row["longer_low"] > 0.5 for row in certain)
        below = sum(row["longer_high"] < 0.5 for row in certain)
        lines.append(
            f"Beyond sampling error {part_of(above, len(certain), 'judge')} "
            f"{'prefers' if above < 2 else 'prefer'} the longer answer, {how_many(below, len(certain))} the "
            "shorter."
        )
    return tuple(lines)
